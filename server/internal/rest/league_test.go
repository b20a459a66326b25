package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// wins has a player win an online match against three bots, now: 5 points.
func (w *world) wins(playerID string) {
	w.t.Helper()
	m := &match.Match{
		ID: uuid.Must(uuid.NewV7()).String(), Rules: rules.Mesa.Rules(), ServerSeed: []byte{1}, TurnTime: time.Minute,
		CreatedAt: w.now(), Mode: economy.Online, Economy: 1,
	}
	m.Seats[0].PlayerID = playerID
	_, err := w.store.CreateMatch(w.t.Context(), m, nil)
	if err == nil {
		last := match.Entry{At: w.now(), Kind: match.KindAct, Text: "AO", By: match.ByPlayer}
		err = w.store.FinishMatch(w.t.Context(), m.ID, last, match.Result{Score: [2]uint16{7, 3}, Hands: 5})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// weekLeft is how long the week lasts yet.
func (w *world) weekLeft() time.Duration {
	w.t.Helper()
	season, _, err := w.leagues.Current(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return w.leagues.Left(season)
}

func (w *world) league(token string) rest.League {
	w.t.Helper()
	var l rest.League
	w.send(request{method: "GET", path: "/v1/league", token: token}).into(w.t, &l)
	return l
}

func (w *world) leaderboard(token, query string) rest.Leaderboard {
	w.t.Helper()
	var l rest.Leaderboard
	w.send(request{method: "GET", path: "/v1/league/leaderboard" + query, token: token}).into(w.t, &l)
	return l
}

// Every answer that the contract has for the league is one that the server gives,
// over two weeks.
func TestLeagueContract(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		names := []string{"Ana", "Ben", "Carla", "Dora", "Enric"}
		tokens, ids := map[string]string{}, map[string]string{}
		for _, name := range names {
			tokens[name], _ = w.guest(name)
			ids[name] = w.me(tokens[name]).ID
		}
		ana := tokens["Ana"]
		get := func(path string) request { return request{method: "GET", path: path, token: ana} }

		// From the first moment of a week.
		w.pass(w.weekLeft() + time.Minute)
		week := w.league(ana)
		if week.Score != nil || week.Group != nil || week.Waiting || week.Division != "bronze" || week.Season.State != "open" ||
			!slices.Equal(week.Divisions, []string{"bronze", "silver", "gold", "master"}) {
			t.Errorf("a new player: %+v", week)
		}
		if left := week.Season.SecondsLeft; left < 6*24*3600 || left > 169*3600 {
			t.Errorf("%d seconds left", left)
		}
		w.expect(http.StatusNotFound, "not_found", get("/v1/league/seasons/"+week.Season.ID))
		if page := w.leaderboard(ana, ""); len(page.Entries) != 0 || page.NextCursor != nil {
			t.Errorf("nobody has scored: %+v", page)
		}

		// Carla comes to as many points as Ben, later.
		for i, name := range []string{"Ana", "Ben", "Carla", "Ana", "Dora"} {
			w.pass(time.Duration(i) * time.Second)
			w.wins(ids[name])
		}
		mine := w.league(ana)
		if mine.Score == nil || mine.Score.Points != 10 || *mine.Score.Rank != 1 || mine.Score.Prize != 300 || mine.Score.Moves != "up" ||
			mine.Group.Number != 1 || mine.Group.Size != 30 || mine.Group.Up != 2 || mine.Group.Down != 0 || !slices.Equal(mine.Group.Prizes, []int64{300, 200, 100}) {
			t.Errorf("Ana: %+v %+v", mine.Score, mine.Group)
		}
		var got []string
		for _, m := range mine.Group.Members {
			got = append(got, fmt.Sprint(m.Rank, " ", m.Player.Name, " ", m.Points, " ", m.Prize, " ", m.Moves))
		}
		if want := []string{"1 Ana 10 300 up", "2 Ben 5 200 up", "3 Carla 5 100 stay", "4 Dora 5 0 stay"}; !slices.Equal(got, want) {
			t.Errorf("the group: %q", got)
		}
		if l := w.league(tokens["Enric"]); l.Score != nil || l.Group != nil {
			t.Errorf("Enric has not scored: %+v", l)
		}

		// The list goes on where a page ended.
		var listed []string
		for query := "?limit=2&division=bronze"; ; {
			page := w.leaderboard(ana, query)
			for _, e := range page.Entries {
				listed = append(listed, fmt.Sprint(e.Position, " ", e.Player.Name, " ", e.Division, " ", e.Points))
			}
			if page.NextCursor == nil {
				break
			}
			query = "?limit=2&division=bronze&cursor=" + *page.NextCursor
		}
		if want := []string{"1 Ana bronze 10", "2 Ben bronze 5", "3 Carla bronze 5", "4 Dora bronze 5"}; !slices.Equal(listed, want) {
			t.Errorf("the list: %q", listed)
		}
		if page := w.leaderboard(ana, "?division=gold&season="+week.Season.ID); len(page.Entries) != 0 {
			t.Errorf("nobody is in gold: %+v", page)
		}
		w.expect(http.StatusBadRequest, "invalid_request", get("/v1/league/leaderboard?division=tin"))
		w.expect(http.StatusBadRequest, "invalid_request", get("/v1/league/leaderboard?cursor=2026"))
		w.expect(http.StatusBadRequest, "invalid_request", get("/v1/league/leaderboard?season=2001-01-01&cursor="+week.Season.ID+".5.1."+ids["Ana"]+".1"))
		w.expect(http.StatusNotFound, "not_found", get("/v1/league/leaderboard?season=2001-01-01"))

		// In the next week Dora scores before this one is closed.
		w.pass(w.weekLeft() + 30*time.Second)
		w.wins(ids["Dora"])
		if l := w.league(tokens["Dora"]); !l.Waiting || l.Score.Points != 5 || l.Score.Rank != nil || l.Group != nil || l.Season.ID <= week.Season.ID {
			t.Errorf("Dora waits: %+v", l)
		}
		w.pass(time.Minute)
		if closed, err := w.leagues.CloseDue(t.Context()); err != nil || !slices.Equal(closed, []string{week.Season.ID}) {
			t.Fatalf("closed %v, %v", closed, err)
		}
		if l := w.league(tokens["Dora"]); l.Waiting || l.Division != "bronze" || *l.Score.Rank != 1 || len(l.Group.Members) != 1 {
			t.Errorf("Dora has a group: %+v", l)
		}
		if l := w.league(ana); l.Division != "silver" || l.Score != nil {
			t.Errorf("Ana has moved up: %+v", l)
		}
		var profile rest.Profile
		w.send(get("/v1/players/"+ids["Ben"])).into(t, &profile)
		if profile.Division == nil || *profile.Division != "silver" {
			t.Errorf("Ben's profile: %+v", profile)
		}
		if p := w.wallet(ana); p.Coins != 500+120+300 {
			t.Errorf("Ana has %d coins", p.Coins)
		}
		var inbox rest.NoticePage
		w.send(get("/v1/notices")).into(t, &inbox)
		if n := inbox.Notices[0]; n.Kind != "league_closed" || n.League == nil || n.League.Rank != 1 || n.League.Prize != 300 || n.League.Moves != "up" || n.League.Next != "silver" {
			t.Errorf("Ana is told %+v", n)
		}
		var transfers rest.TransferPage
		w.send(get("/v1/wallet/transfers?kind=prize")).into(t, &transfers)
		if len(transfers.Transfers) != 1 || transfers.Transfers[0].Text.Es != "Premio de la liga, puesto 1" || (*transfers.Transfers[0].Details)["season"] != week.Season.ID {
			t.Errorf("Ana's prizes: %+v", transfers)
		}

		// What is closed stays, also when somebody is deleted; the name goes.
		var past rest.LeagueResultPage
		w.send(get("/v1/league/seasons")).into(t, &past)
		if len(past.Seasons) != 1 || past.NextCursor != nil || past.Seasons[0].Season != week.Season.ID || past.Seasons[0].Rank != 1 || past.Seasons[0].Next != "silver" {
			t.Errorf("Ana's weeks: %+v", past)
		}
		w.send(get("/v1/league/seasons?cursor="+week.Season.ID)).into(t, &past)
		if len(past.Seasons) != 0 {
			t.Errorf("before them: %+v", past)
		}
		w.expect(http.StatusBadRequest, "invalid_request", get("/v1/league/seasons?cursor=yesterday"))
		w.expect(http.StatusBadRequest, "invalid_request", get("/v1/league/seasons/yesterday"))
		w.expect(http.StatusAccepted, "", request{method: "DELETE", path: "/v1/me", token: tokens["Carla"]})
		w.pass(2 * grace)
		if err := w.rights.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var then rest.League
		w.send(get("/v1/league/seasons/"+week.Season.ID)).into(t, &then)
		if then.Season.State != "closed" || then.Season.SecondsLeft != 0 || *then.Score.Rank != 1 || len(then.Group.Members) != 4 {
			t.Errorf("the closed week: %+v", then)
		}
		if third := then.Group.Members[2]; third.Player.ID != ids["Carla"] || third.Player.Name == "Carla" || third.Rank != 3 {
			t.Errorf("Carla is %+v", third)
		}

		w.refusals(ana, request{method: "GET", path: "/v1/league"}, request{method: "GET", path: "/v1/league/leaderboard"},
			request{method: "GET", path: "/v1/league/seasons"}, request{method: "GET", path: "/v1/league/seasons/2026-03-02"})
		w.allSeen("league")
		if found, err := w.store.CheckLedger(t.Context(), 10); err != nil || len(found) > 0 {
			t.Errorf("the ledger does not add up: %+v, %v", found, err)
		}
	})
}
