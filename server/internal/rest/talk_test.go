package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/rest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/talk"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Everything that can be said and muted over HTTP, with each answer that the contract
// knows.
func TestTalk(t *testing.T) {
	storetest.Each(t, func(t *testing.T, _ *store.Store) {
		kind := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
		w := newWorld(t, kind)
		ana, _ := w.guest("Ana")
		ben, _ := w.guest("Ben")
		eva, _ := w.guest("Eva")
		id := w.pairUp(ana, ben)
		at := "/v1/matches/" + id

		var lines rest.TalkCatalogue
		w.send(request{method: "GET", path: "/v1/talk"}).into(t, &lines)
		phrases, reactions := 0, 0
		for _, l := range lines.Lines {
			switch {
			case l.Words.Es == "" || l.Words.Ca == "" || l.Words.En == "":
				t.Errorf("%s has not all words", l.Say)
			case l.Kind == "phrase" && l.Symbol == nil:
				phrases++
			case l.Kind == "reaction" && l.Symbol != nil:
				reactions++
			}
		}
		if phrases < 12 || reactions < 8 || phrases+reactions != len(lines.Lines) {
			t.Errorf("%d phrases and %d reactions of %d lines", phrases, reactions, len(lines.Lines))
		}

		say := func(token, line string) request {
			return request{method: "POST", path: at + "/talk", token: token, body: map[string]string{"say": line}}
		}
		for _, r := range w.requestExamples("say") {
			w.expect(http.StatusNoContent, "", request{method: "POST", path: at + "/talk", token: ana, body: r})
		}
		w.expect(http.StatusNoContent, "", say(ana, "clap"))
		w.mu.Lock()
		if last := w.said[len(w.said)-1]; last.Code != "clap" || last.Seat != 0 || last.MatchID != id || len(last.To) != 2 {
			t.Errorf("said: %+v", last)
		}
		w.mu.Unlock()

		seat := func(method, token, seat string) request {
			return request{method: method, path: at + "/mutes/" + seat, token: token}
		}
		muted := func(token string) []rest.Seat {
			var m rest.Mutes
			w.send(request{method: "GET", path: at + "/mutes", token: token}).into(t, &m)
			return m.Seats
		}
		for range 2 {
			w.expect(http.StatusNoContent, "", seat("PUT", ben, "0"))
		}
		if got := muted(ben); !slices.Equal(got, []rest.Seat{0}) || len(muted(ana)) != 0 {
			t.Errorf("muted: %v", got)
		}
		w.expect(http.StatusNoContent, "", say(ana, "hello")) // ana is not told
		w.mu.Lock()
		if last := w.said[len(w.said)-1]; len(last.To) != 1 {
			t.Errorf("who has muted her hears it: %+v", last)
		}
		w.mu.Unlock()
		// At another table too.
		other := w.pairUp(ben, ana)
		var m rest.Mutes
		w.send(request{method: "GET", path: "/v1/matches/" + other + "/mutes", token: ben}).into(t, &m)
		if !slices.Equal(m.Seats, []rest.Seat{1}) {
			t.Errorf("at another table: %v", m.Seats)
		}
		for range 2 {
			w.expect(http.StatusNoContent, "", seat("DELETE", ben, "0"))
		}
		if got := muted(ben); len(got) != 0 {
			t.Errorf("still muted: %v", got)
		}

		w.expect(http.StatusNoContent, "", say(ana, "thanks")) // the fourth
		if a := w.send(say(ana, "thanks")); a.code() != "rate_limited" || a.header.Get("Retry-After") == "" {
			t.Errorf("the fifth at once: %d %s", a.status, a.body)
		}
		w.expect(http.StatusNoContent, "", say(ben, "thanks"))
		w.pass(talk.Every)
		w.expect(http.StatusNoContent, "", say(ana, "thanks"))

		w.expect(http.StatusBadRequest, "invalid_request", say(ana, "anything_else"))
		w.expect(http.StatusBadRequest, "invalid_request", seat("PUT", ana, "0"))    // her own
		w.expect(http.StatusBadRequest, "invalid_request", seat("DELETE", ana, "3")) // a bot's
		w.expect(http.StatusBadRequest, "invalid_request", request{method: "GET", path: "/v1/matches/x/mutes", token: ana})
		w.expect(http.StatusUnsupportedMediaType, "unsupported_media", request{
			method: "POST", path: at + "/talk", token: ana, body: "say=clap", header: map[string]string{"Content-Type": "text/plain"},
		})
		w.expect(http.StatusUnsupportedMediaType, "unsupported_encoding", request{
			method: "POST", path: at + "/talk", token: ana, body: `{"say":"clap"}`, header: map[string]string{"Content-Encoding": "gzip"},
		})
		w.tooLarge(request{method: "POST", path: at + "/talk", token: ana})
		for _, r := range []request{say("", "clap"), {method: "GET", path: at + "/mutes"}, seat("PUT", "", "0"), seat("DELETE", "", "0")} {
			w.expect(http.StatusUnauthorized, "unauthenticated", r)
			r.token = eva
			w.expect(http.StatusForbidden, "forbidden", r)
			r.path = strings.Replace(r.path, id, "01890a5d-ac96-774b-bcce-b302099a8057", 1)
			w.expect(http.StatusNotFound, "not_found", r)
		}
		// 401 in its other forms is the same for all operations.
		for _, op := range []string{"say", "listMutes", "mute", "unmute"} {
			for _, code := range []string{"token_expired", "session_ended"} {
				w.seen[op+" 401 "+code] = true
			}
		}

		w.finish(id, ana, ben)
		w.expect(http.StatusNoContent, "", say(ben, "well_played"))
		w.pass(talk.Lingering + time.Minute)
		w.expect(http.StatusConflict, "match_over", say(ben, "well_played"))
		w.allSeen("talk")
	})
}

// pairUp makes a match of two people and two bots.
func (w *world) pairUp(tokens ...string) (id string) {
	w.t.Helper()
	m := match.Setup{Rules: rules.Mesa.Rules(), TurnTime: match.MaxTurnTime}
	m.Rules.Target = 1
	for seat, token := range tokens {
		var me rest.Player
		w.send(request{method: "GET", path: "/v1/me", token: token}).into(w.t, &me)
		m.Seats[seat] = match.Seat{PlayerID: me.ID, Name: me.Name}
	}
	_, err := w.matches.Create(w.t.Context(), m, func(v match.View) (*match.Answer, error) {
		id = v.ID
		return &match.Answer{}, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// finish plays a match of several people to its end.
func (w *world) finish(id string, tokens ...string) {
	w.t.Helper()
	for _, token := range tokens {
		w.seed(token, id)
	}
	for over := false; !over; {
		for _, token := range tokens {
			v := w.view(token, id)
			if over = v.Phase == "over"; over || len(v.Legal) == 0 {
				continue
			}
			if a := w.act(token, id, v.Seq, v.Legal[0]); a.status != http.StatusOK && a.code() != "stale_sequence" {
				w.t.Fatalf("%d: %s", a.status, a.body)
			}
		}
	}
}
