package crowd

import (
	"context"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/internal/store"
)

// leftovers count what must be gone when everybody has gone.
var leftovers = []struct{ what, query string }{
	{"tickets are left", `SELECT COUNT(*) FROM tickets`},
	{"players are left in tickets", `SELECT COUNT(*) FROM ticket_players`},
	{"rooms are left", `SELECT COUNT(*) FROM rooms`},
	{"tables are still open", `SELECT COUNT(*) FROM stake_tables WHERE status = 'open'`},
	{"matches are still open", `SELECT COUNT(*) FROM matches WHERE status = 'open'`},
	{"players are still engaged", `SELECT COUNT(*) FROM engagements WHERE kind <> 'none'`},
	{"players were let go without a reason", `SELECT COUNT(*) FROM engagements WHERE seq > 0 AND reason = ''`},
	{"escrows hold coins", `SELECT COUNT(*) FROM accounts WHERE id LIKE 'escrow:%' AND balance <> 0`},
	{"staked matches have no table", `SELECT COUNT(*) FROM matches m WHERE stake > 0 AND NOT EXISTS (SELECT 1 FROM stake_tables t WHERE t.match_id = m.id)`},
	{"players have other statistics than matches", `SELECT COUNT(*) FROM players p
		WHERE COALESCE((SELECT SUM(played) FROM player_stats s WHERE s.player_id = p.id), 0)
		<> (SELECT COUNT(*) FROM match_seats x JOIN matches m ON m.id = x.match_id WHERE x.player_id = p.id AND m.status = 'over')`},
}

// check looks at what is left behind.
func (w *world) check() error {
	w.report.finish()
	for _, l := range leftovers {
		n, err := count(w.ctx, w.db, l.query)
		if err != nil {
			return err
		}
		if n > 0 {
			w.wrong("%d %s", n, l.what)
		}
	}
	for name, m := range w.report.Modes {
		if left := m.left(); m.Entered != m.Seated+left {
			w.wrong("%s: %d entered, but %d were seated and %d left", name, m.Entered, m.Seated, left)
		}
		for why := range m.Left {
			if !explained[why] {
				w.wrong("%s: players left for the reason %q", name, why)
			}
		}
	}
	for _, a := range w.actors {
		if a.id == "" {
			continue
		}
		e, err := w.db.Engagement(w.ctx, a.id)
		if err != nil {
			return err
		}
		if e.Place != engagement.Free || e.Seq > 0 && !explained[e.Reason] {
			w.wrong("%s is left with %+v", a.id, e)
		}
	}
	found, err := w.db.CheckLedger(w.ctx, 20)
	if err != nil {
		return err
	}
	for _, d := range found {
		w.wrong("the ledger: %s of %s: %d instead of %d", d.What, d.Subject, d.Got, d.Want)
	}
	return nil
}

func count(ctx context.Context, db *store.Store, query string) (n int, err error) {
	pool, err := db.SQL()
	if err != nil {
		return 0, err
	}
	return n, pool.QueryRowContext(ctx, query).Scan(&n)
}
