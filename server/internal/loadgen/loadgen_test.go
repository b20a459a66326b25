package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/cuatrola/cuatrola/shared/rules"
)

func TestMixes(t *testing.T) {
	m, err := ParseMix("tables=200@800/s, profiles=50.5/s,sign-ins=max:16,idle=1000")
	want := fmt.Sprint(Mix{
		Tables: Tables{200, Pace{Rate: 800}}, Idle: 1000,
		Requests: []Requests{{Profiles, Pace{Rate: 50.5}}, {SignIns, Pace{Clients: 16}}},
	})
	if err != nil || fmt.Sprint(m) != want {
		t.Errorf("%v %+v", err, m)
	}
	for text, pace := range map[string]Pace{"tables=8": {Human: true}, "tables=8@human": {Human: true}, "tables=8@max": {Clients: 8}} {
		if m, err := ParseMix(text); err != nil || m.Tables != (Tables{8, pace}) {
			t.Errorf("%s: %v %+v", text, err, m)
		}
	}
	for _, text := range []string{
		"", "tables", "tables=0", "tables=1@fast", "tables=1@0/s", "idle=-1", "profiles=5", "profiles=NaN/s", "profiles=1/s,profiles=1/s",
		"profiles=max:0", "dances=1/s", "profiles=1e99/s",
	} {
		if m, err := ParseMix(text); err == nil {
			t.Errorf("%q is taken as %+v", text, m)
		}
	}
}

// A server that hangs for a second is not let off with one slow request: all that were
// due meanwhile have waited.
func TestWhatIsDueIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeries("hanging")
		began := time.Now()
		s.measure(began, began.Add(10*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		open(ctx, s, 100, 1000, rand.New(rand.NewPCG(1, 1)), func(_ context.Context, due time.Time) {
			if at := due.Sub(began); at > 5*time.Second && at < 6*time.Second {
				<-time.After(6*time.Second - at)
			}
			s.done(due, time.Now())
		})
		r := s.report(10 * time.Second)
		if r.Count < 900 || r.Count > 1100 || r.Unsent != 0 {
			t.Errorf("%d done, %d unsent", r.Count, r.Unsent)
		}
		if r.P50 > 1 || r.P99 < 800 || r.Max > 1001 {
			t.Errorf("p50 %v, p99 %v, most %v ms", r.P50, r.P99, r.Max)
		}
	})
}

// No more than so many are under way; what is due beyond is counted, not forgotten.
func TestWhatIsNotSentCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeries("stuck")
		began := time.Now()
		s.measure(began.Add(time.Second), began.Add(11*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)
		defer cancel()
		var under, most atomic.Int64
		open(ctx, s, 100, 10, rand.New(rand.NewPCG(1, 1)), func(_ context.Context, due time.Time) {
			most.Store(max(most.Load(), under.Add(1)))
			<-time.After(time.Second)
			under.Add(-1)
			if due.Before(began.Add(6 * time.Second)) {
				s.failed(due, "no_answer")
			} else {
				s.done(due, time.Now())
			}
		})
		r := s.report(10 * time.Second)
		all := r.Count + r.Unsent + r.Errors["no_answer"]
		if most.Load() != 10 || all < 900 || all > 1100 || r.Count < 40 || r.Count > 60 || r.Errors["no_answer"] < 40 || r.Errors["no_answer"] > 60 {
			t.Errorf("%d under way, %d in all, %+v", most.Load(), all, r)
		}
	})
}

func TestReport(t *testing.T) {
	s := newSeries("reads")
	began := time.Unix(1000, 0)
	s.measure(began, began.Add(time.Minute))
	for i := range 1000 {
		due := began.Add(time.Duration(i) * time.Millisecond)
		s.done(due, due.Add(time.Duration(i+1)*time.Millisecond))
		if i%500 == 499 {
			s.tick(time.Duration(i)*time.Millisecond, time.Second)
		}
	}
	s.done(began.Add(-1), began)               // the warm-up's
	s.done(began.Add(time.Minute), time.Now()) // the end's
	s.done(began, began.Add(time.Hour))        // as long as can be told
	s.failed(began, "rate_limited")
	r := Report{Mix: "profiles=1/s", Seconds: 60, Series: []Series{s.report(time.Minute)}, Violations: []string{}}

	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(r); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	reads := back.Of("reads")
	h, err := hdrhistogram.Decode([]byte(reads.HDR))
	if err != nil {
		t.Fatal(err)
	}
	if reads.Count != 1001 || h.TotalCount() != 1001 || reads.Errors["rate_limited"] != 1 || len(reads.Points) != 2 {
		t.Errorf("%d done, %d in the histogram, %v, %v", reads.Count, h.TotalCount(), reads.Errors, reads.Points)
	}
	if p50 := float64(h.ValueAtQuantile(50)) / 1000; p50 != reads.P50 || p50 < 499 || p50 > 503 {
		t.Errorf("p50 %v and %v ms", reads.P50, p50)
	}
	if reads.Points[0].P99 > 501 || reads.Points[1].P50 < 700 || reads.Max < 119_000 {
		t.Errorf("%+v, most %v ms", reads.Points, reads.Max)
	}

	out.Reset()
	if err := back.Write(&out); err != nil || !strings.Contains(out.String(), "reads: 1 × rate_limited") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := back.Plot(&out); err != nil {
		t.Fatal(err)
	}
	elements := make(map[string]int)
	for d := xml.NewDecoder(&out); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
		}
	}
	if elements["svg"] != 1 || elements["path"] < 10 || elements["text"] < 10 {
		t.Errorf("the picture has %v", elements)
	}
}

// told is what a server that keeps to the rules tells four seats of one match.
type told struct {
	m     rules.Match
	event event
	views [rules.Seats]*view
}

func (g *told) look(seq int) {
	for s := range g.views {
		var v rules.View
		g.m.View(rules.Seat(s), &v)
		out := &view{seq: seq, phase: v.Phase.String(), turn: int(v.Turn), cards: v.Cards, trump: v.Trump, dealer: int(v.Dealer), score: [2]int{int(v.Score[0]), int(v.Score[1])}}
		if v.Turn >= rules.Seats {
			out.turn = -1
		}
		for legal := v.Legal; legal != 0; legal = legal.Rest() {
			a, _ := legal.First()
			out.legal = append(out.legal, a.String())
		}
		for _, c := range v.Table.Cards[:v.Table.Count] {
			out.table = append(out.table, c.String())
		}
		g.views[s] = out
	}
}

// tell plays a match and gives each event and its views to hear, until that says
// something is wrong, or the match is over.
func tell(seed uint64, hear func(seq int, g *told) error) error {
	random := rand.New(rand.NewPCG(seed, 7))
	g := &told{m: rules.NewMatch(tableRules())}
	dealer := rules.Seat(random.IntN(rules.Seats))
	for seq := 1; ; seq++ {
		if seq <= rules.Seats {
			g.event = event{kind: "seed", seat: seq - 1, by: "player"}
			g.look(seq)
			for _, v := range g.views {
				v.phase = "seeds"
			}
		} else {
			a := g.m.Legal().Nth(random.IntN(g.m.Legal().Len()))
			g.event = event{kind: "act", seat: int(g.m.Turn()), action: a.String(), by: "player"}
			g.m.Apply(g.m.Turn(), a)
		}
		if seq >= rules.Seats && g.m.Phase() == rules.PhaseDeal {
			var deal rules.Deal
			for i, c := range random.Perm(rules.DeckSize) {
				deal[i/rules.HandSize][i%rules.HandSize] = rules.Card(c)
			}
			if seq > rules.Seats {
				dealer = dealer.Next()
			}
			g.m.Deal(dealer, &deal, deal[dealer][0])
		}
		if seq >= rules.Seats {
			g.look(seq)
		}
		if err := hear(seq, g); err != nil || g.m.Phase() == rules.PhaseMatchOver {
			return err
		}
	}
}

func TestHonestServer(t *testing.T) {
	for seed := range uint64(20) {
		w := newWatch(tableRules())
		checked := 0
		random := rand.New(rand.NewPCG(seed, 9))
		err := tell(seed, func(seq int, g *told) error {
			views := g.views
			if n := random.IntN(8); n < rules.Seats { // who is slow is shown the next one
				views[n] = nil
			}
			n, err := w.follow(g.event, &views)
			checked += n
			return err
		})
		if err != nil || w.lost || checked < 1000 {
			t.Errorf("seed %d: %v after %d views", seed, err, checked)
		}
	}
}

// Whatever a view has wrong is found.
func TestLyingServer(t *testing.T) {
	lies := map[string]func(g *told){
		"a card more may be played": func(g *told) {
			s := g.m.Turn()
			g.views[s].legal = append(g.views[s].legal, "pass", "AO", "AC", "AE", "AB")
		},
		"one less":             func(g *told) { s := g.m.Turn(); g.views[s].legal = g.views[s].legal[1:] },
		"another's turn":       func(g *told) { g.views[0].turn = (g.views[0].turn + 1) % rules.Seats },
		"another's cards":      func(g *told) { g.views[0].cards, g.views[1].cards = g.views[1].cards, g.views[0].cards },
		"another score":        func(g *told) { g.views[2].score[0]++ },
		"another phase":        func(g *told) { g.views[3].phase = "over" },
		"a card on the table":  func(g *told) { g.views[3].table = append(g.views[3].table, "AO") },
		"another trump":        func(g *told) { g.views[1].trump = (g.views[1].trump + 1) % rules.DeckSize },
		"an action by another": func(g *told) { g.event.seat = (g.event.seat + 1) % rules.Seats },
		"no action":            func(g *told) { g.event.action = "dance" },
	}
	for name, lie := range lies {
		w := newWatch(tableRules())
		err := tell(3, func(seq int, g *told) error {
			if seq == 12 {
				lie(g)
			}
			_, err := w.follow(g.event, &g.views)
			if seq < 12 && err != nil {
				t.Fatal(err)
			}
			return err
		})
		if err == nil {
			t.Errorf("%s: nobody notices", name)
		}
	}
}

// newTestTable is a table of a match that is played, whose people hear what the test
// has them hear.
func newTestTable() *table {
	r := &run{Options: Options{URLs: []string{"http://localhost"}}}
	r.acts, r.heard, r.fromSent, r.matches = newSeries("act"), newSeries("heard"), newSeries("sent"), newSeries("next match")
	t := &table{r: r, match: "m", first: 1, acked: make(map[int]string), sent: make(map[int]*attempt), random: rand.New(rand.NewPCG(1, 1))}
	for n := range t.seats {
		t.seats[n] = &seat{t: t, n: n, seen: true, ws: gone, match: "m"}
	}
	return t
}

func TestMissedDoubledAndDifferent(t *testing.T) {
	card := event{kind: "act", seat: 1, action: "AO", by: "player"}
	other := event{kind: "act", seat: 1, action: "AC", by: "player"}
	type heard struct {
		seat, seq int
		event     event
	}
	everybody := []heard{{0, 1, card}, {1, 1, card}, {2, 1, card}, {3, 1, card}}
	cases := map[string]struct {
		told  []heard
		wrong bool
		open  bool // something is missing at the end
	}{
		"all":                {everybody, false, false},
		"one not":            {everybody[:3], false, true},
		"one twice":          {append(everybody[:4:4], heard{2, 1, card}), true, false},
		"one misses one":     {append(everybody[:3:3], heard{3, 2, card}), true, true},
		"one something else": {append(everybody[:3:3], heard{3, 1, other}), true, false},
	}
	for name, c := range cases {
		table := newTestTable()
		for _, h := range c.told {
			table.hear(t.Context(), table.seats[h.seat], &frame{kind: "event", topic: "match:m", seq: h.seq, event: h.event}, time.Now())
		}
		if err := table.settled(); (table.r.wrong > 0) != c.wrong || (err != nil) != c.open {
			t.Errorf("%s: %v, at the end %v", name, table.r.violations, err)
		}
	}
}

// What was acknowledged has to be what is heard, be it before or after.
func TestAcknowledged(t *testing.T) {
	for _, first := range []string{"answer", "event"} {
		for _, action := range []string{"AO", "AC"} {
			table := newTestTable()
			a := &attempt{id: 1, seat: 1, seq: 0, match: "m", action: "AO", due: time.Now(), sent: time.Now(), on: gone}
			table.now, table.sent[1] = a, a
			event := frame{kind: "event", topic: "match:m", seq: 1, event: event{kind: "act", seat: 1, action: action, by: "player"}}
			if first == "answer" {
				table.hear(t.Context(), table.seats[1], &frame{kind: "result", id: 1}, time.Now())
			}
			for _, s := range table.seats {
				table.hear(t.Context(), s, &event, time.Now())
			}
			if first == "event" {
				table.hear(t.Context(), table.seats[1], &frame{kind: "result", id: 1}, time.Now())
			}
			if (table.r.wrong > 0) != (action != "AO") || table.settled() != nil {
				t.Errorf("%s first, %s heard: %v %v", first, action, table.r.violations, table.settled())
			}
		}
	}
	table := newTestTable()
	table.now = &attempt{id: 1, seat: 1, match: "m", action: "AO", sent: time.Now(), on: gone}
	table.sent[1] = table.now
	table.hear(t.Context(), table.seats[1], &frame{kind: "result", id: 1}, time.Now())
	if table.settled() == nil {
		t.Error("nobody misses what was acknowledged and is never heard of")
	}
}
