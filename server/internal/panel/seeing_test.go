package panel_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/clock/clocktest"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/overview"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/staff"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// A game is a world in which matches are played and weeks closed, by the clock of its
// own.
type game struct {
	*world
	clock   *clocktest.Clock
	later   time.Duration // by which the league's clock is ahead
	matches *match.Service
	leagues *league.Service
	seen    *overview.Service
	ran     []string // the jobs that were to be run
	fail    error    // what they are refused with
}

func newGame(t *testing.T, kind string) *game {
	t.Helper()
	g := &game{clock: clocktest.New(time.Now())}
	g.world = newWorld(t, kind, func(w *world, o *panel.Options) {
		economies := economy.NewService(w.store, g.clock.Now)
		if err := economies.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		rewards := reward.New(w.store, w.store, economies, g.clock.Now, rand.Reader)
		w.store.SettleWith(rewards.Settle)
		w.store.VoidWith(rewards.Refund)
		g.matches = match.New(w.store, g.clock, func(context.Context, string, match.Entry) {})
		g.leagues = league.New(w.store.League(), economies, func() time.Time { return g.clock.Now().Add(g.later) }, rand.Reader, func(notice.Notice) {})
		g.seen = overview.New(w.store.Overview(), func(context.Context) (*time.Location, error) { return time.UTC, nil }, g.clock.Now)
		o.Seen, o.Matches, o.Leagues = g.seen, g.matches, g.leagues
		o.ViewJSON = func(v match.View) any { return rest.ViewJSON(v) }
		o.RunNow = func(_ context.Context, job string) error {
			g.ran = append(g.ran, job)
			return g.fail
		}
	})
	if err := g.matches.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.matches.Stop)
	return g
}

// player makes one.
func (g *game) player(name string) string {
	g.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	at := g.clock.Now()
	hash := sha256.Sum256([]byte(id))
	err := g.store.CreateGuest(g.t.Context(), account.Player{ID: id, Name: name, Guest: true, CreatedAt: at},
		account.Device{ID: uuid.Must(uuid.NewV7()).String(), PlayerID: id, SecretHash: hash, CreatedAt: at},
		account.Session{ID: uuid.Must(uuid.NewV7()).String(), PlayerID: id, Via: account.ViaDevice, TokenHash: hash, CreatedAt: at, UsedAt: at, ExpiresAt: at.Add(time.Hour)})
	if err != nil {
		g.t.Fatal(err)
	}
	return id
}

// begin makes an online match of a player and bots, and deals.
func (g *game) begin(playerID string) string {
	g.t.Helper()
	rs := rules.Mesa.Rules()
	rs.End, rs.Target = rules.EndHands, 1
	m, err := g.matches.Make(match.Setup{
		Rules: rs, Mode: economy.Online, Economy: 1, TurnTime: match.DefaultTurnTime, BotPause: match.DefaultBotPause,
		Seats: [rules.Seats]match.Seat{{PlayerID: playerID, Name: "Ana"}, {Bot: bot.Tabernero}, {Bot: bot.Tabernero}, {Bot: bot.Tabernero}},
	})
	if err == nil {
		_, err = g.store.CreateMatch(g.t.Context(), m, nil)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.matches.Opened(m)
	if _, err := g.matches.Seed(g.t.Context(), m.ID, playerID, "a seed"); err != nil {
		g.t.Fatal(err)
	}
	return m.ID
}

// end has a player play a match to its end.
func (g *game) end(id, playerID string) {
	g.t.Helper()
	for range 1000 {
		v, err := g.matches.View(g.t.Context(), id, playerID)
		if err != nil {
			g.t.Fatal(err)
		}
		if !v.EndedAt.IsZero() {
			return
		}
		if a, ok := v.Game.Legal.First(); ok {
			if _, err := g.matches.Act(g.t.Context(), id, playerID, v.Seq, a.String()); err != nil {
				g.t.Fatal(err)
			}
			continue
		}
		g.clock.Advance(match.DefaultBotPause)
	}
	g.t.Fatal("the match does not end")
}

const nobodys = "01890a5d-ac96-774b-bcce-b302099a8057"

func TestTables(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		g := newGame(t, kind)
		ana := g.player("<b>Ana</b>")
		viewer, support := g.as(staff.Viewer), g.as(staff.Support)
		first, second := g.begin(ana), g.begin(ana)
		var page panel.TablePage
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches?limit=1", nil).into(t, &page)
		if len(page.Tables) != 1 || page.Tables[0].ID != second || page.NextCursor == nil {
			t.Fatalf("%+v", page)
		}
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches?limit=1&cursor="+*page.NextCursor, nil).into(t, &page)
		one := page.Tables[0]
		if one.ID != first || one.Status != "open" || !one.Readable || *one.Hand != 1 || one.Turn == nil || one.Deadline == nil || *one.Seats[0].PlayerID != ana {
			t.Errorf("%+v", one)
		}
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches?mode=staked", nil).into(t, &page)
		if len(page.Tables) != 0 {
			t.Errorf("%+v", page)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/matches?status=lost", nil)

		// Watched: nobody's cards.
		a := viewer.must(http.StatusOK, "GET", "/admin/v1/matches/"+first+"?after=0", nil)
		var watched struct {
			View   rest.View
			Events []struct{ Kind, Text string }
		}
		a.into(t, &watched)
		if watched.View.You != nil || len(watched.View.Cards) != 0 || len(watched.View.Legal) != 0 || watched.View.Fair.ServerSeed != nil {
			t.Errorf("%s", a.body)
		}
		if len(watched.Events) == 0 || watched.Events[0].Kind != "seed" || watched.Events[0].Text != "" {
			t.Errorf("%+v", watched.Events)
		}
		viewer.refused(http.StatusNotFound, "not_found", "GET", "/admin/v1/matches/"+nobodys, nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/matches/x", nil)

		// The record comes with the end.
		record := func(id string) string { return "/admin/v1/matches/" + id + "/record" }
		viewer.refused(http.StatusConflict, "match_not_over", "GET", record(first), nil)
		viewer.refused(http.StatusNotFound, "not_found", "GET", record(nobodys), nil)
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", record("x"), nil)
		void := func(id string) string { return "/admin/v1/matches/" + id + "/void" }
		why := map[string]any{"reason": "<i>A seat</i> cannot act."}
		viewer.refused(http.StatusForbidden, "forbidden", "POST", void(second), why)
		support.refused(http.StatusBadRequest, "invalid_request", "POST", void(second), map[string]any{"reason": " "})
		support.refused(http.StatusNotFound, "not_found", "POST", void(nobodys), why)
		var gone panel.Table
		support.must(http.StatusOK, "POST", void(second), why).into(t, &gone)
		if gone.Status != "void" || *gone.Void != why["reason"] || gone.EndedAt == nil {
			t.Errorf("%+v", gone)
		}
		viewer.refused(http.StatusConflict, "match_void", "GET", record(second), nil)
		g.end(first, ana)
		support.refused(http.StatusConflict, "match_over", "POST", void(first), why)
		if body := string(viewer.must(http.StatusOK, "GET", record(first), nil).body); !strings.Contains(body, `"format":"cuatrola-record/1"`) {
			t.Error(body)
		}
		page = panel.TablePage{}
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches?status=over", nil).into(t, &page)
		if len(page.Tables) != 2 || page.Tables[0].Status != "void" || page.Tables[1].Status != "over" || page.Tables[1].Winner == nil || page.NextCursor != nil {
			t.Errorf("%+v", page)
		}
		trail := g.trailOf("match", second)
		if len(trail) != 2 || trail[0].Outcome != "done" || trail[1].Outcome != "asked" || trail[1].Reason != why["reason"] {
			t.Errorf("%+v", trail)
		}
		if trail := g.trailOf("match", first); len(trail) != 2 || trail[0].Code != "match_over" {
			t.Errorf("%+v", trail)
		}
		// A log that nobody can read can be listed, looked at and given up.
		third := g.begin(ana)
		pool, err := g.store.SQL()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pool.ExecContext(t.Context(), `INSERT INTO match_log (match_id, seq, at, kind, seat, text, "by", deadline) SELECT id, 1, 1, 'act', 0, 'nonsense', 'player', 1 FROM matches WHERE status = 'open'`); err != nil {
			t.Fatal(err)
		}
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches", nil).into(t, &page)
		if len(page.Tables) != 1 || page.Tables[0].Readable {
			t.Errorf("%+v", page)
		}
		var broken panel.WatchedTable
		viewer.must(http.StatusOK, "GET", "/admin/v1/matches/"+third, nil).into(t, &broken)
		if broken.View != nil || broken.Table.Readable {
			t.Errorf("%+v", broken)
		}
		support.must(http.StatusOK, "POST", void(third), why)
		g.allSeen(common, "panel-tables")
	})
}

func TestLeague(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		g := newGame(t, kind)
		ana := g.player("Ana")
		viewer, economist := g.as(staff.Viewer), g.as(staff.Economist)
		why := map[string]any{"reason": "The night's close has failed."}
		economist.refused(http.StatusConflict, "nothing_due", "POST", "/admin/v1/league/close", why)
		g.end(g.begin(ana), ana)
		var page panel.SeasonPage
		viewer.must(http.StatusOK, "GET", "/admin/v1/league/seasons", nil).into(t, &page)
		if len(page.Seasons) != 1 || page.Seasons[0].State != "open" || page.Seasons[0].Due || page.Job.State != "never" {
			t.Fatalf("%+v", page)
		}
		season := "/admin/v1/league/seasons/" + page.Seasons[0].ID
		var look panel.SeasonProgress
		viewer.must(http.StatusOK, "GET", season, nil).into(t, &look)
		if look.Tally.Players != 1 || look.Tally.Groups != 1 || look.Tally.Frozen != 0 || look.Divisions[0] != "bronze" {
			t.Errorf("%+v", look)
		}
		var preview panel.SeasonPreview
		viewer.must(http.StatusOK, "GET", season+"/preview", nil).into(t, &preview)
		if len(preview.Divisions) != len(look.Divisions) || preview.Divisions[0].Players != 1 {
			t.Errorf("%+v", preview)
		}
		var groups panel.GroupPage
		viewer.must(http.StatusOK, "GET", season+"/groups?division=bronze", nil).into(t, &groups)
		if len(groups.Groups) != 1 || groups.Groups[0].Members != 1 || groups.Groups[0].FrozenAt != nil {
			t.Errorf("%+v", groups)
		}
		viewer.must(http.StatusOK, "GET", season+"/groups?division=bronze&cursor=1", nil).into(t, &groups)
		if len(groups.Groups) != 0 {
			t.Errorf("%+v", groups)
		}
		var standings panel.Standings
		viewer.must(http.StatusOK, "GET", season+"/standings?division=bronze&group=1", nil).into(t, &standings)
		if len(standings.Ranks) != 1 || standings.Ranks[0].Name != "Ana" || standings.Ranks[0].Moves != "up" {
			t.Errorf("%+v", standings)
		}
		const none = "/admin/v1/league/seasons/2020-01-06"
		for _, path := range []string{"", "/preview", "/standings?division=bronze&group=1"} {
			viewer.refused(http.StatusNotFound, "not_found", "GET", none+path, nil)
		}
		for _, path := range []string{"?limit=0", "/x", "/x/preview", "/x/groups?division=bronze", "/x/standings?division=bronze&group=1"} {
			viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/league/seasons"+path, nil)
		}

		g.later = 8 * 24 * time.Hour
		viewer.must(http.StatusOK, "GET", season, nil).into(t, &look)
		if !look.Season.Due {
			t.Errorf("%+v", look)
		}
		viewer.refused(http.StatusForbidden, "forbidden", "POST", "/admin/v1/league/close", why)
		economist.refused(http.StatusBadRequest, "invalid_request", "POST", "/admin/v1/league/close", map[string]any{"reason": ""})
		g.seen.JobBegan(t.Context(), overview.JobLeague, g.now())
		economist.refused(http.StatusConflict, "job_running", "POST", "/admin/v1/league/close", why)
		g.seen.JobEnded(t.Context(), overview.JobLeague, g.now().Add(time.Second), errors.New("the power went"))
		economist.must(http.StatusAccepted, "POST", "/admin/v1/league/close", why)
		if len(g.ran) != 1 || g.ran[0] != overview.JobLeague {
			t.Errorf("ran %v", g.ran)
		}
		viewer.must(http.StatusOK, "GET", "/admin/v1/league/seasons", nil).into(t, &page)
		if page.Job.State != "failed" || *page.Job.Failure != "the power went" || page.Job.Failures != 1 {
			t.Errorf("%+v", page.Job)
		}
		if _, err := g.leagues.CloseDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		viewer.must(http.StatusOK, "GET", season, nil).into(t, &look)
		if look.Season.State != "closed" || look.Season.Due || look.Tally.Frozen != 1 || look.Tally.Prizes != 1 || look.Tally.Coins == 0 {
			t.Errorf("%+v", look)
		}
		if trail := g.trailOf("season", page.Seasons[0].ID); len(trail) != 2 || trail[0].Outcome != "done" || trail[0].Reason != why["reason"] {
			t.Errorf("%+v", trail)
		}
		g.allSeen(common, "panel-league")
	})
}

func TestOverview(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		g := newGame(t, kind)
		ana := g.player("Ana")
		viewer, economist := g.as(staff.Viewer), g.as(staff.Economist)
		g.end(g.begin(ana), ana)
		g.begin(ana)
		pulse := overview.NewPulse(g.store.Overview(), "one", g.clock.Now, nil)
		pulse.Request("GET", "/v1/me", 500)
		pulse.Add(overview.ClientFaults, "disagreement", 1)
		if err := pulse.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		var now panel.Overview
		viewer.must(http.StatusOK, "GET", "/admin/v1/overview", nil).into(t, &now)
		sum := int64(0)
		for _, c := range now.Coins {
			sum += c.Coins
		}
		if now.Players.All != 1 || now.Players.Active.Today != 1 || now.Modes[0].Open != 1 || now.Coins[0].Coins == 0 || sum != 0 || now.Faults.Failed != 1 || now.Ledger.Job.State != "never" {
			t.Errorf("%+v", now)
		}
		if w := now.Week; w.Season == nil || *w.State != "open" || w.Players != 1 || w.Groups != 1 || w.Frozen != 0 {
			t.Errorf("the week is %+v", w)
		}
		var series panel.OverviewSeries
		viewer.must(http.StatusOK, "GET", "/admin/v1/overview/series?unit=day&count=30", nil).into(t, &series)
		if len(series.Times) != 30 || len(series.Coins[0].Values) != 30 || series.Coins[0].Values[29] != now.Coins[0].Coins || len(series.Issued) == 0 {
			t.Errorf("%+v", series)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/overview/series?unit=hour&count=337", nil)
		var payments panel.OverviewPayments
		viewer.must(http.StatusOK, "GET", "/admin/v1/overview/payments", nil).into(t, &payments)
		if payments.Payments == nil || len(payments.Payments) != 0 {
			t.Errorf("%+v", payments)
		}
		viewer.refused(http.StatusBadRequest, "invalid_request", "GET", "/admin/v1/overview/payments?days=0", nil)
		var faults panel.OverviewFaults
		viewer.must(http.StatusOK, "GET", "/admin/v1/overview/faults", nil).into(t, &faults)
		if len(faults.Failures) != 1 || faults.Failures[0].Route != "GET /v1/me" || len(faults.ClientFaults) != 1 || faults.ClientFaults[0].Kind != "disagreement" {
			t.Errorf("%+v", faults)
		}

		const path = "/admin/v1/overview/ledger-check"
		viewer.refused(http.StatusForbidden, "forbidden", "POST", path, nil)
		economist.must(http.StatusAccepted, "POST", path, nil)
		g.seen.JobBegan(t.Context(), overview.JobLedger, g.now())
		economist.refused(http.StatusConflict, "job_running", "POST", path, nil)
		if _, err := g.seen.CheckLedger(t.Context(), g.store, 100); err != nil {
			t.Fatal(err)
		}
		g.seen.JobEnded(t.Context(), overview.JobLedger, g.now().Add(time.Second), nil)
		var check panel.LedgerCheck
		viewer.must(http.StatusOK, "GET", path, nil).into(t, &check)
		if check.Job.State != "done" || check.Job.Done != check.Job.Total || check.Job.Total == 0 || check.Differences != 0 || check.Places == nil {
			t.Errorf("%+v", check)
		}
		if len(g.ran) != 1 || g.ran[0] != overview.JobLedger || len(g.trailOf("ledger", "")) < 2 {
			t.Errorf("ran %v", g.ran)
		}
		g.allSeen(common, "panel-overview")
	})
}
