package store_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/name"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/privacy"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/support"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// desk is the support of a small house, with a clock that stands until it is moved.
type desk struct {
	*support.Service
	*purses
	store   *store.Store
	notices *notice.Service
	ended   []string
}

var deskLimits = support.Limits{"owner": {Each: 1000, Day: 1 << 40}, "support": {Each: 100, Day: 250}}

func newDesk(t testing.TB, s *store.Store) *desk {
	t.Helper()
	d := &desk{purses: newPurses(t, s), store: s}
	clock := func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.now }
	d.notices = notice.New(s, clock, func(string, int) {})
	d.Service = support.New(support.Options{
		Store: s, Notices: d.notices, Grants: d.purses, Sessions: d, Limits: deskLimits, Now: clock, Random: rand.Reader,
	})
	return d
}

func (d *desk) Ended(_ context.Context, ids []string, _ fault.Code) {
	d.ended = append(d.ended, ids...)
}

// member is an account that is no guest.
func (d *desk) member(called string) account.Player {
	d.t.Helper()
	p := addPlayer(d.t, d.store, called)
	err := d.store.LinkIdentity(d.t.Context(), account.Identity{
		Provider: account.ViaEmail, Subject: strings.ToLower(called) + "@example.org", PlayerID: p.ID, Secret: "x", CreatedAt: t0,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *desk) code(playerID string) string {
	d.t.Helper()
	c, err := d.NewCode(d.t.Context(), playerID)
	if err != nil || len(c.Text) != 9 || !c.ExpiresAt.Equal(d.now.Add(support.CodeTTL)) {
		d.t.Fatal(c, err)
	}
	return c.Text
}

func (d *desk) told(playerID string) (texts []string) {
	d.t.Helper()
	list, _, err := d.notices.List(d.t.Context(), playerID, 1000, 100)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, n := range list {
		if n.Kind == notice.System {
			texts = append(texts, n.Text["en"])
		}
	}
	return texts
}

func TestFindPlayers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ana, anabel, anton := d.member("Ana"), addPlayer(t, s, "Ana Belén"), addPlayer(t, s, "Antón")
		zoe := addPlayer(t, s, "Zoe")
		find := func(text string, contact bool, want ...account.Player) {
			t.Helper()
			got, err := d.Find(t.Context(), text, contact, 3)
			if err != nil {
				t.Fatal(err)
			}
			var ids, wanted []string
			for _, f := range got {
				ids = append(ids, f.Name)
			}
			for _, p := range want {
				wanted = append(wanted, p.Name)
			}
			if !slices.Equal(ids, wanted) {
				t.Errorf("%q finds %v, want %v", text, ids, wanted)
			}
		}
		find("an", true, ana, anabel, anton)
		find("ÁNA", true, ana, anabel)
		find("anab", false, anabel)
		find("АNA", false, ana, anabel) // in Cyrillic
		find("a%", false, ana, anabel, anton)
		find("__", false)
		find("nobody", false)
		find("\x00", false)
		find("", false, zoe, anton, anabel) // who came last
		find(" "+ana.ID+" ", false, ana)
		find(newID(t), false)
		find("ANA@example.org", true, ana)
		find("ana@example.org", false)
		find(strings.ToLower(d.code(zoe.ID)), false, zoe)

		// Who is gone is found by identifier only.
		if err := s.ChangePlayer(t.Context(), zoe.ID, &people.Rename{From: "Zoe", To: "Anna", At: t0}, nil, nil); err != nil {
			t.Fatal(err)
		}
		find("zoe", true)
		door := newDoor(s)
		until := t0.Add(time.Hour)
		if _, err := door.Impose(t.Context(), door.wish(zoe.ID, until)); err != nil {
			t.Fatal(err)
		}
		f, err := d.Player(t.Context(), zoe.ID)
		if err != nil || f.Name != "Anna" || !f.KeptOut || !f.KeptOutUntil.Equal(until) || !f.SeenAt.Equal(t0) || !f.DeletedAt.IsZero() {
			t.Errorf("%+v, %v", f, err)
		}
		d.advance(2 * time.Hour)
		if f, err := d.Player(t.Context(), zoe.ID); err != nil || f.KeptOut {
			t.Errorf("%+v, %v", f, err)
		}
		if _, err := d.Player(t.Context(), newID(t)); fault.CodeOf(err) != fault.NotFound {
			t.Error(err)
		}
	})
}

func TestNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, ana := newDesk(t, s), addPlayer(t, s, "Ana")
		for _, text := range []string{" first ", "<b>second</b>", "third"} {
			if _, err := d.WriteNote(t.Context(), ana.ID, "eva", text); err != nil {
				t.Fatal(err)
			}
		}
		page, err := d.Notes(t.Context(), ana.ID, "", 2)
		if err != nil || len(page) != 2 || page[0].Text != "third" || page[1].Text != "<b>second</b>" || page[1].Author != "eva" {
			t.Fatalf("%+v, %v", page, err)
		}
		page, err = d.Notes(t.Context(), ana.ID, page[1].ID, 2)
		if err != nil || len(page) != 1 || page[0].Text != "first" || !page[0].At.Equal(t0) {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, text := range []string{" ", strings.Repeat("x", support.MaxNote+1), "\xff"} {
			_, err := d.WriteNote(t.Context(), ana.ID, "eva", text)
			d.refused(fault.InvalidRequest, err)
		}
		_, err = d.WriteNote(t.Context(), newID(t), "eva", "nobody")
		d.refused(fault.NotFound, err)
	})
}

// Each role gives so much at once and on one day; a repetition counts once, and what is
// over the limit is not given, also by many at once.
func TestGrantLimits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d, ana := t.Context(), newDesk(t, s), addPlayer(t, s, "Ana").ID
		d.purse(ana)
		eva := support.Giver{ID: newID(t), Name: "Eva", Role: "support"}
		give := func(g support.Giver, coins int64, key string) error {
			return s.Atomically(ctx, func(ctx context.Context) error {
				_, _, err := d.Service.Grant(ctx, g, ana, coins, key, "lost in the outage")
				return err
			})
		}
		for _, err := range []error{give(eva, 100, "a"), give(eva, 100, "a"), give(eva, -100, "b")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		d.refused(support.CodeGrantLimit, give(eva, 101, "c"))
		d.refused(support.CodeGrantLimit, give(eva, -101, "c"))
		d.refused(support.CodeGrantLimit, give(eva, 60, "c"))
		d.refused(support.CodeGrantLimit, give(support.Giver{ID: newID(t), Name: "Vic", Role: "viewer"}, 1, "c"))
		d.refused(fault.IdempotencyConflict, give(eva, 50, "a"))
		d.refused(fault.InvalidRequest, give(eva, 50, " "))
		if a, err := d.Allowance(ctx, eva); err != nil || a.Used != 200 || a.Each != 100 || a.Day != 250 {
			t.Errorf("%+v, %v", a, err)
		}
		if got := balance(t, s, wallet.Player(ana)); got != 500 {
			t.Errorf("%d coins", got)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		given := 0
		for i := range 4 {
			wg.Go(func() {
				err := give(eva, 20, string(rune('p'+i)))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					given++
				} else if fault.CodeOf(err) != support.CodeGrantLimit {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := balance(t, s, wallet.Player(ana)); given != 2 || got != 540 {
			t.Errorf("%d were given, she has %d", given, got)
		}
		d.advance(24 * time.Hour)
		if err := give(eva, 100, "tomorrow"); err != nil {
			t.Error(err)
		}
		_, _, err := d.Service.Grant(ctx, eva, newID(t), 1, "k", "nobody")
		d.refused(fault.NotFound, err)
	})
}

func TestTakeName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		rude, ben := addPlayer(t, s, "Rude"), addPlayer(t, s, "Ben")
		chosen := t0.Add(-time.Hour)
		if err := s.ChangePlayer(ctx, rude.ID, &people.Rename{From: "Rude", To: "Ruder", At: chosen}, nil, nil); err != nil {
			t.Fatal(err)
		}
		before, after, err := d.TakeName(ctx, rude.ID, "")
		if err != nil || before != "Ruder" || !strings.HasPrefix(after, "Guest-") {
			t.Fatalf("%q, %q, %v", before, after, err)
		}
		p, err := s.PlayerByID(ctx, rude.ID)
		if err != nil || p.Name != after || !p.RenamedAt.Equal(chosen) {
			t.Errorf("%+v, %v", p, err)
		}
		if told := d.told(rude.ID); len(told) != 1 || !strings.Contains(told[0], after) {
			t.Errorf("told %q", told)
		}
		// The name is free.
		if err := s.ChangePlayer(ctx, ben.ID, &people.Rename{From: "Ben", To: "Ruder", At: t0}, nil, nil); err != nil {
			t.Error(err)
		}
		for wish, code := range map[string]fault.Code{"RUDER": fault.NameTaken, "admin": fault.NameReserved, "\n": fault.InvalidRequest} {
			_, _, err := d.TakeName(ctx, rude.ID, wish)
			d.refused(code, err)
		}
		_, _, err = d.TakeName(ctx, newID(t), "Carla")
		d.refused(fault.NotFound, err)
	})
}

func TestSupportCodes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d, ana := t.Context(), newDesk(t, s), addPlayer(t, s, "Ana").ID
		first := d.code(ana)
		second := d.code(ana)
		for text, want := range map[string]string{second: ana, strings.ToLower(strings.Replace(second, "-", " ", 1)): ana, first: "", "ABCD-EFGI": "", "": ""} {
			got, err := d.ByCode(ctx, text)
			if got != want || (want == "") != (fault.CodeOf(err) == support.CodeSupportCode) {
				t.Errorf("%q: %q, %v", text, got, err)
			}
		}
		d.advance(support.CodeTTL)
		_, err := d.ByCode(ctx, second)
		d.refused(support.CodeSupportCode, err)
		_, err = d.NewCode(ctx, newID(t))
		d.refused(fault.NotFound, err)
	})
}

// What a guest has goes to the account, all of it and once; what still comes to the
// guest follows.
func TestMerge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		guest, ana, ben, carla := addPlayer(t, s, "Guest 7"), d.member("Ana"), addPlayer(t, s, "Ben"), addPlayer(t, s, "Carla")
		for _, p := range []account.Player{guest, ana} {
			d.purse(p.ID) // 500 each to welcome them
		}
		standing := func(id string, change func(*reward.Standing)) {
			t.Helper()
			_, err := s.Change(ctx, id, func(st *reward.Standing) (*wallet.Transfer, error) { change(st); return nil, nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		standing(guest.ID, func(st *reward.Standing) {
			st.Experience, st.BoostersHeld, st.BoosterMatches = 70, 2, 3
			st.VIPUntil, st.BoosterUntil = d.now.Add(48*time.Hour), d.now.Add(time.Hour)
		})
		standing(ana.ID, func(st *reward.Standing) {
			st.Experience, st.BoostersHeld = 30, 1
			st.VIPUntil = d.now.Add(24 * time.Hour)
		})
		tie := people.New(s, func() time.Time { return t0 }, func(notice.Notice) {})
		for _, err := range []error{
			second(tie.Ask(ctx, guest.ID, ben.ID, "")), tie.Accept(ctx, ben.ID, guest.ID),
			tie.Block(ctx, guest.ID, carla.ID), second(tie.Ask(ctx, ana.ID, carla.ID, "")), tie.Accept(ctx, carla.ID, ana.ID),
			s.Mute(ctx, guest.ID, ben.ID, true, t0), s.Mute(ctx, ben.ID, guest.ID, true, t0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		result := matchResult()
		if err := s.FinishMatch(ctx, addMatch(t, s, guest, ana).ID, entry(0, "AO"), result); err != nil {
			t.Fatal(err)
		}

		m, err := d.Merge(ctx, d.code(guest.ID), d.code(ana.ID))
		if err != nil || m.GuestID != guest.ID || m.AccountID != ana.ID || m.Coins != 500 || m.Experience != 70 {
			t.Fatalf("%+v, %v", m, err)
		}
		purse := d.purse(ana.ID)
		if st := purse.Standing; purse.Coins != 1000 || st.Experience != 100 || st.BoostersHeld != 3 || st.BoosterMatches != 3 ||
			!st.VIPUntil.Equal(d.now.Add(72*time.Hour)) || !st.BoosterUntil.Equal(d.now.Add(time.Hour)) {
			t.Errorf("%+v", purse)
		}
		if got := balance(t, s, wallet.Player(guest.ID)); got != 0 {
			t.Errorf("the guest has %d", got)
		}
		addsUp(t, s)
		lines, err := d.Statement(ctx, ana.ID, wallet.KindMerge, "", 10)
		if err != nil || len(lines) != 1 || lines[0].Amount != 500 {
			t.Errorf("%+v, %v", lines, err)
		}
		// Its device is the account's, its sessions are over, and nobody finds it any more.
		if p, err := s.PlayerByDevice(ctx, sha256.Sum256([]byte(guest.ID))); err != nil || p.ID != ana.ID {
			t.Errorf("the device is %+v's, %v", p, err)
		}
		if len(d.ended) != 1 {
			t.Errorf("ended %v", d.ended)
		}
		if _, err := s.PersonByName(ctx, name.Key("Guest 7")); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the name is not free: %v", err)
		}
		if f, err := d.Player(ctx, guest.ID); err != nil || f.MergedInto != ana.ID || f.DeletedAt.IsZero() {
			t.Errorf("%+v, %v", f, err)
		}
		if all, err := d.Guests(ctx, ana.ID); err != nil || len(all) != 1 || all[0].ID != guest.ID {
			t.Errorf("%+v, %v", all, err)
		}
		if p, err := s.Profile(ctx, ana.ID); err != nil || len(p.Stats) != 1 || p.Stats[0].Played != 2 {
			t.Errorf("%+v, %v", p, err)
		}
		for other, want := range map[string]people.Friendship{ben.ID: people.Friends, carla.ID: people.None} {
			if between, err := s.Tie(ctx, ana.ID, other); err != nil || between.Friendship() != want || between.Hidden() != (other == carla.ID) {
				t.Errorf("%+v, %v", between, err)
			}
		}
		for _, pair := range [][2]string{{ana.ID, ben.ID}, {ben.ID, ana.ID}} {
			if muted, err := s.Muted(ctx, pair[0], pair[1:]); err != nil || len(muted) != 1 {
				t.Errorf("%v: %v, %v", pair, muted, err)
			}
		}
		if told := d.told(ana.ID); len(told) != 1 {
			t.Errorf("told %q", told)
		}
		// Codes are good once.
		_, err = d.Merge(ctx, d.code(ben.ID), "ABCD-EFGH")
		d.refused(support.CodeSupportCode, err)

		// What comes later follows: coins, and a debt, which the account pays.
		sweep := func(coins, debt int64) {
			t.Helper()
			if err := d.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{guest.ID} {
				if balance(t, s, wallet.Player(id)) != 0 || balance(t, s, wallet.Debt(id)) != 0 {
					t.Error("the guest has something again")
				}
			}
			if got, owes := balance(t, s, wallet.Player(ana.ID)), -balance(t, s, wallet.Debt(ana.ID)); got != coins || owes != debt {
				t.Errorf("ana has %d and owes %d, want %d and %d", got, owes, coins, debt)
			}
			addsUp(t, s)
		}
		sweep(1000, 0)
		_, _, err = s.Post(ctx, transfer(t, "late", wallet.KindPrize, "", wallet.Move(wallet.Prizes, wallet.Player(guest.ID), 50)...))
		if err != nil {
			t.Fatal(err)
		}
		storetest.Tampered(s) // a prize that no league knows of
		if err := d.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if err := takeBack(t, s, "back:1", guest.ID, 1100); err != nil {
			t.Fatal(err)
		}
		if err := d.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if got, owes := balance(t, s, wallet.Player(ana.ID)), -balance(t, s, wallet.Debt(ana.ID)); got != 0 || owes != 50 {
			t.Errorf("ana has %d and owes %d", got, owes)
		}
		standing(guest.ID, func(st *reward.Standing) { st.BoostersHeld = 1 })
		if err := d.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if got := d.purse(ana.ID).Standing.BoostersHeld; got != 4 {
			t.Errorf("%d boosters", got)
		}
		if left, err := s.Leftovers(ctx, d.now, 10); err != nil || len(left) != 0 {
			t.Errorf("%v, %v", left, err)
		}
	})
}

func second[A, B any](_ A, _ B, err error) error { return err }

func TestMergeRefusals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		guest, ana, eva := addPlayer(t, s, "Guest 7"), d.member("Ana"), d.member("Eva")
		d.purse(guest.ID)
		try := func(what string, code fault.Code, guestID, accountID string) {
			t.Helper()
			before := balance(t, s, wallet.Player(guest.ID))
			if _, err := d.Merge(ctx, d.code(guestID), d.code(accountID)); fault.CodeOf(err) != code {
				t.Errorf("%s: %v, want %q", what, err, code)
			}
			if code != "" && balance(t, s, wallet.Player(guest.ID)) != before {
				t.Errorf("%s: coins have moved", what)
			}
		}
		try("itself", support.CodeSupportCode, guest.ID, guest.ID) // the second code ends the first
		try("an account", support.CodeMerge, eva.ID, ana.ID)
		try("into a guest", support.CodeMerge, guest.ID, addPlayer(t, s, "Ben").ID)
		inRoom := func(kind engagement.Kind, place string) {
			t.Helper()
			pool, err := s.SQL()
			if err != nil {
				t.Fatal(err)
			}
			const query = `INSERT INTO engagements (player_id, kind, place_id, seq, reason, since) VALUES ($1, $2, $3, 1, '', 0)
ON CONFLICT (player_id) DO UPDATE SET kind = excluded.kind, place_id = excluded.place_id`
			if _, err := pool.ExecContext(ctx, query, guest.ID, string(kind), place); err != nil {
				t.Fatal(err)
			}
		}
		inRoom(engagement.Room, newID(t))
		try("in a room", support.CodeMerge, guest.ID, ana.ID)
		inRoom(engagement.None, "")
		door := newDoor(s)
		if _, err := door.Impose(ctx, door.wish(ana.ID, time.Time{})); err != nil {
			t.Fatal(err)
		}
		try("kept out", support.CodeMerge, guest.ID, ana.ID)
		if err := door.Lift(ctx, ana.ID, "eva", "a mistake"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RequestDeletion(ctx, deletion(guest.ID)); err != nil {
			t.Fatal(err)
		}
		try("leaving", support.CodeMerge, guest.ID, ana.ID)
		if err := s.CancelDeletion(ctx, guest.ID); err != nil {
			t.Fatal(err)
		}
		try("now", "", guest.ID, ana.ID)
		for i := range support.MaxGuests - 1 {
			try("more", "", addPlayer(t, s, "More "+string(rune('A'+i))).ID, ana.ID)
		}
		try("too many", support.CodeMerge, addPlayer(t, s, "Too many").ID, ana.ID)
		_, err := d.NewCode(ctx, guest.ID)
		d.refused(fault.NotFound, err)
	})
}

// Of several mergers of one guest at once, one happens.
func TestMergeOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		guest, ana := addPlayer(t, s, "Guest 7"), d.member("Ana")
		d.purse(guest.ID)
		d.purse(ana.ID)
		one, two := d.code(guest.ID), d.code(ana.ID)
		var wg sync.WaitGroup
		var mu sync.Mutex
		done := 0
		for range 4 {
			wg.Go(func() {
				_, err := d.Merge(ctx, one, two)
				mu.Lock()
				defer mu.Unlock()
				switch fault.CodeOf(err) {
				case "":
					done++
				case support.CodeSupportCode, fault.NotFound:
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := balance(t, s, wallet.Player(ana.ID)); done != 1 || got != 1000 {
			t.Errorf("merged %d times; %d coins", done, got)
		}
	})
}

func matchResult() match.Result { return match.Result{Winner: 1, Hands: 5, HandsWon: [2]int{2, 3}} }

func deletion(playerID string) privacy.Deletion {
	return privacy.Deletion{PlayerID: playerID, RequestedAt: t0, DueAt: t0.Add(time.Hour)}
}

// Who is forgotten is so with the guests that were merged into it.
func TestMergedGuestsAreForgottenToo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, d := t.Context(), newDesk(t, s)
		guest, ana := addPlayer(t, s, "Xiquet d'Ana"), d.member("Ana")
		if _, err := d.Merge(ctx, d.code(guest.ID), d.code(ana.ID)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RequestDeletion(ctx, deletion(ana.ID)); err != nil {
			t.Fatal(err)
		}
		if done, err := s.Erase(ctx, ana.ID, privacy.Pseudonym(ana.ID), t0.Add(time.Hour)); err != nil || !done {
			t.Fatal(done, err)
		}
		for _, v := range storetest.Dump(t, s) {
			if strings.Contains(v.Text, "Xiquet") {
				t.Errorf("the guest's name is still in %s.%s", v.Table, v.Column)
			}
		}
		if f, err := d.Player(ctx, guest.ID); err != nil || f.Name != privacy.Pseudonym(guest.ID) {
			t.Errorf("%+v, %v", f, err)
		}
		if _, err := s.PlayerByDevice(ctx, sha256.Sum256([]byte(guest.ID))); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the device: %v", err)
		}
	})
}
