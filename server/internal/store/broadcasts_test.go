package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/broadcast"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/words"
)

// herald is a service of broadcasts over a store, and all that it has told.
type herald struct {
	*broadcast.Service
	t     *testing.T
	store *store.Store
	now   time.Time

	mu    sync.Mutex
	told  map[string]int // how often each player was told
	woken int
}

func newHerald(t *testing.T, s *store.Store) *herald {
	t.Helper()
	h := &herald{t: t, store: s, now: t0.Add(time.Hour), told: map[string]int{}}
	economies := economy.NewService(s, func() time.Time { return h.now })
	if err := economies.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.Service = broadcast.New(broadcast.Options{
		Store: s, Economy: economies, Now: func() time.Time { return h.now }, Random: rand.Reader,
		Spread: func(_ context.Context, list []notice.Notice) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, n := range list {
				h.told[n.PlayerID]++
			}
			return nil
		},
		Wake: func() { h.mu.Lock(); defer h.mu.Unlock(); h.woken++ },
	})
	return h
}

func said(text string) broadcast.Message {
	return broadcast.Message{Title: words.Words{ES: "T " + text, CA: "C " + text, EN: "E " + text}, Text: words.Words{ES: "t", CA: "c", EN: "e"}, Link: "shop"}
}

func (h *herald) send(w broadcast.Wish) (*broadcast.Broadcast, bool, error) {
	h.t.Helper()
	b, replayed, err := h.Prepare(h.t.Context(), w)
	if err != nil || replayed {
		return b, replayed, err
	}
	return h.Send(h.t.Context(), b)
}

func (h *herald) get(id string) *broadcast.Broadcast {
	h.t.Helper()
	b, err := h.Get(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// Whom each filter finds, alone and with others.
func TestAudiences(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHerald(t, s)
		ctx := t.Context()
		db, err := s.SQL()
		if err != nil {
			t.Fatal(err)
		}
		exec := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
		at, players := t0.UnixMilli(), map[string]account.Player{}
		for _, name := range strings.Fields("Ana Bea Carla Dora Eva") {
			players[name] = addPlayer(t, s, name)
		}
		id := func(name string) string { return players[name].ID }
		exec(`UPDATE players SET language = 'es'`)
		exec(`UPDATE players SET language = 'ca' WHERE name IN ('Ana', 'Bea')`)
		exec(fmt.Sprintf(`UPDATE players SET created_at = %d WHERE name = 'Bea'`, t0.AddDate(0, -1, 0).UnixMilli()))
		exec(fmt.Sprintf(`UPDATE sessions SET used_at = %d WHERE player_id = '%s'`, t0.AddDate(0, 0, -8).UnixMilli(), id("Carla")))
		exec(`UPDATE players SET deleted_at = 1 WHERE name = 'Eva'`)
		for name, xp := range map[string]int64{"Ana": 0, "Bea": 199, "Carla": 200} {
			vip := int64(0)
			if name == "Bea" {
				vip = t0.Add(2 * time.Hour).UnixMilli()
			}
			exec(fmt.Sprintf(`INSERT INTO standings (player_id, welcomed, experience, daily_day, daily_streak, vip_until, booster_until, booster_matches, boosters_held, friends_day, friends_coins, version)
VALUES ('%s', FALSE, %d, '', 0, %d, 0, 0, 0, '', 0, 1)`, id(name), xp, vip))
		}
		for _, season := range []string{"2026-02-16", "2026-02-23"} {
			exec(fmt.Sprintf(`INSERT INTO league_seasons (id, starts_at, ends_at, economy, state, closed_at) VALUES ('%s', 0, 1, 1, 'closed', 0)`, season))
		}
		score := func(name, season, division string, rank int, next string) {
			t.Helper()
			exec(fmt.Sprintf(`INSERT INTO league_scores (player_id, season, division, group_no, points, matches, first_at, reached_at, rank, prize, moved, next_division, next_level)
VALUES ('%s', '%s', '%s', 1, 1, 1, 0, 0, %d, 0, 0, '%s', 0)`, id(name), season, division, rank, next))
		}
		score("Ana", "2026-02-16", "bronze", 1, "silver")
		score("Bea", "2026-02-16", "bronze", 2, "bronze")
		score("Bea", "2026-02-23", "silver", 0, "")
		score("Carla", "2026-02-16", "bronze", 9, "bronze")
		score("Carla", "2026-02-23", "", 0, "")
		exec(fmt.Sprintf(`INSERT INTO orders (id, player_id, sku, economy, goods, amount, currency, provider, sheet, renews, live, status, created_at, expires_at, paid_at, reversals, given_coins, given_boosters, given_days, delivered_at, version)
VALUES ('o1', '%s', 'x', 1, '{}', 1, 'EUR', 'stripe', FALSE, '', TRUE, 'granted', %d, %d, %d, '{}', 0, 0, 0, 0, 1)`, id("Dora"), at, at, at))

		yes, no := true, false
		for _, c := range []struct {
			filter broadcast.Filter
			want   string
		}{
			{broadcast.Filter{}, "Ana Bea Carla Dora"},
			{broadcast.Filter{Language: "ca"}, "Ana Bea"},
			{broadcast.Filter{LevelFrom: 1}, "Ana Bea Carla Dora"},
			{broadcast.Filter{LevelFrom: 2}, "Carla"},
			{broadcast.Filter{LevelTo: 1}, "Ana Bea Dora"},
			{broadcast.Filter{LevelFrom: 2, LevelTo: 2}, "Carla"},
			{broadcast.Filter{VIP: &yes}, "Bea"},
			{broadcast.Filter{VIP: &no}, "Ana Carla Dora"},
			{broadcast.Filter{ActiveDays: 7}, "Ana Bea Dora"},
			{broadcast.Filter{ActiveDays: 9}, "Ana Bea Carla Dora"},
			{broadcast.Filter{RegisteredFrom: t0.AddDate(0, 0, -1)}, "Ana Carla Dora"},
			{broadcast.Filter{RegisteredTo: t0.AddDate(0, 0, -1)}, "Bea"},
			{broadcast.Filter{Bought: &yes}, "Dora"},
			{broadcast.Filter{Bought: &no}, "Ana Bea Carla"},
			{broadcast.Filter{Division: "silver"}, "Ana Bea"},
			{broadcast.Filter{Division: "bronze"}, "Carla"},
			{broadcast.Filter{Players: []string{id("Dora"), id("Eva"), "nobody"}}, "Dora"},
			{broadcast.Filter{Language: "ca", VIP: &no, Division: "silver"}, "Ana"},
			{broadcast.Filter{Language: "en"}, ""},
		} {
			size, some, err := h.Preview(ctx, c.filter)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, r := range some {
				names = append(names, r.Name)
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != c.want || size.Players != len(names) {
				t.Errorf("%+v finds %d: %s, want %s", c.filter, size.Players, got, c.want)
			}
		}
		size, _, err := h.Preview(ctx, broadcast.Filter{})
		if err != nil || size.Languages["ca"] != 2 || size.Languages["es"] != 2 || size.Devices != 0 {
			t.Errorf("%+v, %v", size, err)
		}
		for field, f := range map[string]broadcast.Filter{
			"filter.division":     {Division: "mud"},
			"filter.levelTo":      {LevelFrom: 3, LevelTo: 2},
			"filter.registeredTo": {RegisteredFrom: t0, RegisteredTo: t0},
			"filter.players":      {Players: make([]string, broadcast.MaxPlayers+1)},
		} {
			_, _, err := h.Preview(ctx, f)
			if e, _ := errors.AsType[*fault.Error](err); e == nil || e.Code != fault.InvalidRequest || e.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
	})
}

// crowdOf signs up many at once.
func crowdOf(t *testing.T, kind string, o store.Options, n int) {
	t.Helper()
	tx, err := rawDatabase(t, kind, o).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO players (id, name, guest, created_at) VALUES ($1, $2, true, 0)`, newID(t), fmt.Sprint("soul ", i))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Wherever a run breaks off, and however many run at once, each player is told once.
func TestABroadcastReachesEverybodyOnce(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			const souls = 1050
			o := storetest.Options(t, kind)
			here, there := storetest.Open(t, o), storetest.Open(t, o)
			if _, err := here.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := here.WithoutSync(); err != nil {
				t.Fatal(err)
			}
			here.BreakOnDemand()
			crowdOf(t, kind, o, souls)
			a, b := newHerald(t, here), newHerald(t, there)
			sent, _, err := a.send(broadcast.Wish{Message: said("one"), Key: "one", Author: "eva", Reason: "news", Seen: souls})
			if err != nil || sent.Planned != souls || a.woken != 1 {
				t.Fatal(sent, a.woken, err)
			}
			late := addPlayer(t, here, "Late") // was none when it was sent
			_, err = rawDatabase(t, kind, o).ExecContext(t.Context(), `UPDATE players SET created_at = $1 WHERE id = $2`, a.now.UnixMilli()+1, late.ID)
			if err != nil {
				t.Fatal(err)
			}
			a.now = a.now.Add(time.Minute)
			// The power goes before each statement in turn, and at the commit.
			for at := 1; ; at++ {
				f := &store.Failure{Statement: at}
				_, _, err := here.SendBroadcast(store.WithFailure(t.Context(), f), sent.ID, a.now, 10)
				if !errors.Is(err, store.ErrFailure) {
					t.Errorf("statement %d: %v", at, err)
				}
				if f.Statements() < at { // it was the commit
					break
				}
			}
			// It is kept, and the answer lost: nobody tells those players, who have it.
			f := &store.Failure{AtCommit: true, Answer: true}
			if _, _, err := here.SendBroadcast(store.WithFailure(t.Context(), f), sent.ID, a.now, 10); !errors.Is(err, store.ErrFailure) || !f.Committed {
				t.Error(err, f.Committed)
			}
			var wg sync.WaitGroup
			for _, h := range []*herald{a, b, a, b} {
				wg.Go(func() {
					if err := h.Work(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			got := a.get(sent.ID)
			if got.State != broadcast.Done || got.Sent != souls || got.EndedAt.IsZero() || got.Read != 0 {
				t.Errorf("%+v", got)
			}
			var players, notices, numbered int
			row := rawDatabase(t, kind, o).QueryRowContext(t.Context(), `SELECT COUNT(DISTINCT player_id), COUNT(*), SUM(seq) FROM notices WHERE kind = 'broadcast'`)
			if err := row.Scan(&players, &notices, &numbered); err != nil {
				t.Fatal(err)
			}
			if players != souls || notices != souls || numbered != souls {
				t.Errorf("%d players have %d notices, whose numbers make %d", players, notices, numbered)
			}
			for id, times := range a.told {
				if times+b.told[id] != 1 {
					t.Fatalf("%s was told %d times", id, times+b.told[id])
				}
			}
			if list, _ := here.NoticesBefore(t.Context(), late.ID, 100, 10); len(list) != 0 {
				t.Errorf("who came later has %+v", list)
			}
			if err := a.Work(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBroadcasts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		h := newHerald(t, s)
		ana, bea := addPlayer(t, s, "Ana"), addPlayer(t, s, "Bea")
		refused := func(want fault.Code, field string, w broadcast.Wish) {
			t.Helper()
			_, _, err := h.send(w)
			if e, _ := errors.AsType[*fault.Error](err); e == nil || e.Code != want || e.Field != field {
				t.Errorf("got %v, want %s %s", err, want, field)
			}
		}
		wish := broadcast.Wish{Message: said("one"), Filter: broadcast.Filter{Players: []string{ana.ID, bea.ID}}, Key: "one", Author: "eva", Reason: "news", Seen: 2}
		bad := wish
		bad.Title.CA = ""
		refused(fault.InvalidRequest, "title.ca", bad)
		bad = wish
		bad.Text.EN = strings.Repeat("x", broadcast.MaxText+1)
		refused(fault.InvalidRequest, "text.en", bad)
		bad = wish
		bad.Link = "https://example.org"
		refused(fault.InvalidRequest, "link", bad)
		bad = wish
		bad.Players = []string{"nobody"}
		refused(broadcast.CodeNobody, "", bad)

		b, replayed, err := h.send(wish)
		if err != nil || replayed {
			t.Fatal(replayed, err)
		}
		again, replayed, err := h.send(wish)
		if err != nil || !replayed || again.ID != b.ID || h.woken != 1 {
			t.Errorf("sent twice: %+v, %v, %v", again, replayed, err)
		}
		// As two who have prepared it before either has sent it.
		twin := *b
		twin.ID = newID(t)
		if kept, replayed, err := h.Send(ctx, &twin); err != nil || !replayed || kept.ID != b.ID {
			t.Errorf("sent at once: %+v, %v, %v", kept, replayed, err)
		}
		bad = wish
		bad.Link = ""
		refused(fault.IdempotencyConflict, "", bad)
		bad = wish
		bad.Players = []string{ana.ID}
		refused(fault.IdempotencyConflict, "", bad)

		if err := h.Work(ctx); err != nil {
			t.Fatal(err)
		}
		list, err := s.NoticesBefore(ctx, ana.ID, 10, 10)
		want := &notice.Said{ID: b.ID, Title: wish.Title, Text: wish.Text, Link: "shop"}
		if err != nil || len(list) != 1 || list[0].Kind != notice.Broadcast || *list[0].Said != *want {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := s.MarkRead(ctx, ana.ID, 1); err != nil {
			t.Fatal(err)
		}
		if got := h.get(b.ID); got.Sent != 2 || got.Read != 1 || got.State != broadcast.Done || got.Author != "eva" || got.Reason != "news" || got.Message != wish.Message {
			t.Errorf("%+v", got)
		}
		if _, err := h.Cancel(ctx, b.ID); fault.CodeOf(err) != broadcast.CodeOver {
			t.Errorf("cancelling what is done: %v", err)
		}
		if _, err := h.Cancel(ctx, newID(t)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("cancelling nothing: %v", err)
		}

		// Cancelled in the middle: who has it keeps it.
		second := wish
		second.Key, second.Filter = "two", broadcast.Filter{}
		c, _, err := h.send(second)
		if err != nil {
			t.Fatal(err)
		}
		if told, done, err := s.SendBroadcast(ctx, c.ID, h.now, 1); err != nil || done || len(told) != 1 || told[0].PlayerID != ana.ID || told[0].Seq != 2 {
			t.Errorf("%+v, %v, %v", told, done, err)
		}
		if got, err := h.Cancel(ctx, c.ID); err != nil || got.State != broadcast.Cancelled || got.Sent != 1 || got.EndedAt.IsZero() {
			t.Errorf("%+v, %v", got, err)
		}
		if told, done, err := s.SendBroadcast(ctx, c.ID, h.now, 1); err != nil || !done || len(told) != 0 {
			t.Errorf("behind the cancelling: %+v, %v, %v", told, done, err)
		}
		if list, err := s.NoticesBefore(ctx, bea.ID, 10, 10); err != nil || len(list) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		all, err := h.List(ctx, "", 10)
		if err != nil || len(all) != 2 || all[0].ID != c.ID {
			t.Errorf("%+v, %v", all, err)
		}
		if all, err = h.List(ctx, c.ID, 10); err != nil || len(all) != 1 || all[0].ID != b.ID {
			t.Errorf("%+v, %v", all, err)
		}

		// It has grown since it was looked at.
		for i := range 40 {
			addPlayer(t, s, fmt.Sprint("P", i))
		}
		second.Key = "three"
		refused(broadcast.CodeGrown, "", second)
		second.Seen = 40
		if _, _, err := h.send(second); err != nil {
			t.Error(err)
		}
	})
}
