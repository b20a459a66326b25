package people_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)

// village is some players and what they have been told.
type village struct {
	*people.Service
	ids []string
	now time.Time

	mu   sync.Mutex
	told []notice.Notice
}

func newVillage(t *testing.T, s *store.Store, size int) *village {
	t.Helper()
	v := &village{now: t0}
	for i := range size {
		id := fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", i)
		p := account.Player{ID: id, Name: fmt.Sprint("Villager ", i+2), Guest: true, Avatar: "AO", Language: "es", CreatedAt: t0}
		d := account.Device{ID: id, PlayerID: id, CreatedAt: t0}
		copy(d.SecretHash[:], id[24:])
		if err := s.CreateGuest(t.Context(), p, d, account.Session{ID: id, PlayerID: id, TokenHash: d.SecretHash}); err != nil {
			t.Fatal(err)
		}
		v.ids = append(v.ids, id)
	}
	v.Service = people.New(s, func() time.Time { return v.now }, func(n notice.Notice) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.told = append(v.told, n)
	})
	return v
}

func TestRename(t *testing.T) {
	v := newVillage(t, storetest.New(t, store.SQLite), 2)
	ctx, id := t.Context(), v.ids[0]
	rename := func(to string) error { return v.Change(ctx, id, people.Change{Name: &to}) }
	steps := []struct {
		pass time.Duration
		to   string
		code fault.Code
	}{
		{0, "Ana", ""}, // the first one was made up
		{0, "Ana", ""},
		{0, "ANA", fault.NameTooSoon},
		{people.RenameEvery - time.Millisecond, "Anna", fault.NameTooSoon},
		{time.Millisecond, "Villager 3", fault.NameTaken},
		{0, "vi11ager-3", fault.NameTaken},
		{0, "root", fault.NameReserved},
		{0, "", fault.InvalidRequest},
		{0, "ANA", ""}, // one's own name is free to oneself
		{0, "Ana", fault.NameTooSoon},
	}
	for _, s := range steps {
		v.now = v.now.Add(s.pass)
		if err := rename(s.to); fault.CodeOf(err) != s.code {
			t.Errorf("%q at %v: %v, want %q", s.to, v.now, err, s.code)
		}
	}
	for _, bad := range []string{"", "XX", "solo", "AOO"} {
		if err := v.Change(ctx, id, people.Change{Avatar: &bad}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("avatar %q: %v", bad, err)
		}
		if err := v.Change(ctx, id, people.Change{Language: &bad}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("language %q: %v", bad, err)
		}
	}
}

func TestStatsName(t *testing.T) {
	for _, p := range rules.Presets() {
		rs := p.Rules()
		rs.Target = 20
		if got := people.StatsName(rs); got != p.String() {
			t.Errorf("%s to twenty is %q", p, got)
		}
		rs.PartnerExempt = !rs.PartnerExempt
		if got := people.StatsName(rs); got != people.House {
			t.Errorf("%s with another option is %q", p, got)
		}
	}
}

// model is what ties mean, put as sets of ordered pairs.
type model struct {
	friends, asked, blocked map[[2]int]bool
	told                    map[[2]int]time.Time // when b was told last that a asks
}

func (m *model) hidden(a, b int) bool { return m.blocked[[2]int{a, b}] || m.blocked[[2]int{b, a}] }

func (m *model) befriend(a, b int) {
	m.dismiss(a, b)
	m.friends[[2]int{a, b}], m.friends[[2]int{b, a}] = true, true
}

func (m *model) dismiss(a, b int) { delete(m.asked, [2]int{a, b}); delete(m.asked, [2]int{b, a}) }

func (m *model) part(a, b int) { delete(m.friends, [2]int{a, b}); delete(m.friends, [2]int{b, a}) }

// ask, accept and the rest give the kind of notice that b gets, and the code.
func (m *model) ask(a, b int, now time.Time) (notice.Kind, fault.Code) {
	switch {
	case m.hidden(a, b):
		return "", fault.NotFound
	case m.friends[[2]int{a, b}] || m.asked[[2]int{a, b}]:
		return "", ""
	case m.asked[[2]int{b, a}]:
		m.befriend(a, b)
		return notice.FriendAccepted, ""
	}
	m.asked[[2]int{a, b}] = true
	if last, ok := m.told[[2]int{a, b}]; ok && now.Sub(last) < people.TellEvery {
		return "", ""
	}
	m.told[[2]int{a, b}] = now
	return notice.FriendRequest, ""
}

func (m *model) accept(a, b int) (notice.Kind, fault.Code) {
	switch {
	case m.friends[[2]int{a, b}]:
		return "", ""
	case !m.asked[[2]int{b, a}]:
		return "", fault.NotFound
	}
	m.befriend(a, b)
	return notice.FriendAccepted, ""
}

func (m *model) friendship(a, b int) people.Friendship {
	switch {
	case a == b:
		return people.Self
	case m.friends[[2]int{a, b}]:
		return people.Friends
	case m.asked[[2]int{a, b}]:
		return people.Asked
	case m.asked[[2]int{b, a}]:
		return people.Received
	}
	return people.None
}

// Whatever a village does, its lists, profiles and notices are the model's.
func TestTiesAgainstModel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const size, steps = 4, 250
		v := newVillage(t, s, size)
		m := &model{map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int]time.Time{}}
		ctx := t.Context()
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		var want []notice.Notice
		seqs := map[int]int{}
		for step := range steps {
			// Often enough within the day in which nobody is told twice, often enough past it.
			v.now = v.now.Add(time.Duration(1+random.IntN(4)) * people.TellEvery / 8)
			a, b := random.IntN(size), random.IntN(size)
			ida, idb := v.ids[a], v.ids[b]
			var err error
			var kind notice.Kind
			var code fault.Code
			what := []string{"ask", "ask", "ask", "accept", "accept", "dismiss", "unfriend", "block", "unblock", "unblock"}[random.IntN(10)]
			if a == b {
				code = fault.InvalidRequest
			}
			switch what {
			case "ask":
				if a != b {
					kind, code = m.ask(a, b, v.now)
				}
				var p people.Person
				var f people.Friendship
				if p, f, err = v.Ask(ctx, ida, idb, ""); err == nil && (p.ID != idb || f != m.friendship(a, b)) {
					t.Fatalf("step %d: asked %v, is %s", step, p, f)
				}
			case "accept":
				if a != b {
					kind, code = m.accept(a, b)
				}
				err = v.Accept(ctx, ida, idb)
			case "dismiss":
				m.dismiss(a, b)
				err = v.Dismiss(ctx, ida, idb)
			case "unfriend":
				m.part(a, b)
				err = v.Unfriend(ctx, ida, idb)
			case "block":
				if a != b {
					m.dismiss(a, b)
					m.part(a, b)
					m.blocked[[2]int{a, b}] = true
				}
				err = v.Block(ctx, ida, idb)
			case "unblock":
				delete(m.blocked, [2]int{a, b})
				err = v.Unblock(ctx, ida, idb)
			}
			if fault.CodeOf(err) != code {
				t.Fatalf("step %d: %d %ss %d: %v, want %q", step, a, what, b, err, code)
			}
			if kind != "" {
				seqs[b]++
				want = append(want, notice.Notice{PlayerID: idb, Seq: seqs[b], Kind: kind, From: &notice.Person{ID: ida}, At: v.now})
			}
			if step%5 == 0 || step == steps-1 {
				v.check(t, m)
			}
		}
		same := func(a, b notice.Notice) bool {
			return a.PlayerID == b.PlayerID && a.Seq == b.Seq && a.Kind == b.Kind && a.From.ID == b.From.ID && a.At.Equal(b.At)
		}
		if !slices.EqualFunc(v.told, want, same) {
			t.Errorf("told %v, want %v", v.told, want)
		}
		for i, id := range v.ids {
			kept, err := s.NoticesAfter(ctx, id, 0, steps)
			if err != nil || len(kept) != seqs[i] {
				t.Fatalf("%d notices are kept of %d, %v", len(kept), seqs[i], err)
			}
			for j, n := range kept {
				if n.Seq != j+1 {
					t.Fatalf("notice %d is numbered %d", j+1, n.Seq)
				}
				if from := n.From; from != nil && m.hidden(i, slices.Index(v.ids, from.ID)) {
					t.Errorf("%d is told of %v behind a block", i, from)
				}
			}
		}
	})
}

func (v *village) check(t *testing.T, m *model) {
	t.Helper()
	ctx := t.Context()
	for a, ida := range v.ids {
		for list, on := range map[people.List]func(b int) bool{
			people.ListFriends:  func(b int) bool { return m.friends[[2]int{a, b}] },
			people.ListSent:     func(b int) bool { return m.asked[[2]int{a, b}] },
			people.ListReceived: func(b int) bool { return m.asked[[2]int{b, a}] },
			people.ListBlocked:  func(b int) bool { return m.blocked[[2]int{a, b}] },
		} {
			var want, got []string
			for b, idb := range v.ids {
				if on(b) {
					want = append(want, idb)
				}
			}
			for after := ""; ; after = got[len(got)-1] {
				page, err := v.Ties(ctx, ida, list, after, 2)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range page {
					if r.Since.Before(t0) || r.Since.After(v.now) || r.Name == "" || r.Avatar == "" {
						t.Errorf("on the list: %+v", r)
					}
					got = append(got, r.ID)
				}
				if len(page) < 2 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("list %d of %d: %v, want %v", list, a, got, want)
			}
		}
		for b, idb := range v.ids {
			p, err := v.Profile(ctx, ida, idb)
			if m.hidden(a, b) {
				if fault.CodeOf(err) != fault.NotFound || p.Name != "" {
					t.Fatalf("%d sees %+v behind a block, %v", a, p, err)
				}
			} else if err != nil || p.Friendship != m.friendship(a, b) {
				t.Fatalf("%d to %d: %+v, %v", b, a, p, err)
			}
			apart, err := v.Apart(ctx, []string{ida, idb})
			if err != nil || apart != m.hidden(a, b) {
				t.Fatalf("%d and %d apart: %v, %v", a, b, apart, err)
			}
		}
	}
}

// Two who ask one another at the same time are friends, and each of the two that
// were told is told once.
func TestAskTogether(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const pairs = 8
		v := newVillage(t, s, 2*pairs)
		var wg sync.WaitGroup
		for i := range 2 * pairs {
			wg.Go(func() {
				if _, _, err := v.Ask(t.Context(), v.ids[i], v.ids[i^1], ""); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i, id := range v.ids {
			if p, err := v.Profile(t.Context(), id, v.ids[i^1]); err != nil || p.Friendship != people.Friends {
				t.Errorf("%+v, %v", p, err)
			}
		}
		if len(v.told) != 2*pairs {
			t.Errorf("%d notices of %d", len(v.told), 2*pairs)
		}
	})
}
