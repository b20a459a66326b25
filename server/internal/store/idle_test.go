package store_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
)

// A process that is paused in a transaction lets go of its rows after a while, and others
// go on. The connection URL says after how long; by itself it is ten seconds.
func TestPausedTransactionLetsGo(t *testing.T) {
	o := storetest.Options(t, store.Postgres)
	ctx := t.Context()
	limitOf := func(o store.Options) (limit string) {
		t.Helper()
		pool, err := storetest.Open(t, o).SQL()
		if err == nil {
			err = pool.QueryRowContext(ctx, "SHOW idle_in_transaction_session_timeout").Scan(&limit)
		}
		if err != nil {
			t.Fatal(err)
		}
		return limit
	}
	db := storetest.Open(t, o)
	if _, err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	if limit := limitOf(o); limit != "10s" {
		t.Errorf("by itself a transaction may rest %s", limit)
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("idle_in_transaction_session_timeout", "50ms")
	u.RawQuery = q.Encode()
	o.URL = u.String()
	if limit := limitOf(o); limit != "50ms" {
		t.Errorf("by its URL a transaction may rest %s", limit)
	}

	pool, err := storetest.Open(t, o).SQL()
	if err != nil {
		t.Fatal(err)
	}
	paused, err := pool.BeginTx(context.WithoutCancel(ctx), nil)
	if err == nil {
		_, err = paused.ExecContext(ctx, "LOCK TABLE matches IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	// This waits until PostgreSQL has given up the other.
	if _, err := db.History(ctx, "01890a5d-ac96-774b-bcce-b302099a8057", "", 1); err != nil {
		t.Errorf("nobody can go on: %v", err)
	}
	if err := paused.Commit(); err == nil {
		t.Error("what was given up is committed")
	}
}
