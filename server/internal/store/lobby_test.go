package store_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	mrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/account"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/clock/clocktest"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// hall is a lobby over a store, with a clock that stands until it is moved.
type hall struct {
	*lobby.Service
	t       *testing.T
	store   *store.Store
	clock   *clocktest.Clock
	rewards *reward.Service
	people  map[string]account.Player
	names   map[string]string // of identifiers

	mu      sync.Mutex
	changes []engagement.Change
	notices []notice.Notice
	counts  map[string]int // what the meter heard
}

// unplayed makes matches that nobody plays.
type unplayed struct{ *match.Service }

func (unplayed) Opened(*match.Match) {}

// newHall opens a lobby with players of these names, who have had their welcome
// grant. more changes its options.
func newHall(t *testing.T, s *store.Store, names string, more ...func(*lobby.Options)) *hall {
	t.Helper()
	h := &hall{
		t: t, store: s, clock: clocktest.New(t0), people: map[string]account.Player{}, names: map[string]string{}, counts: map[string]int{},
	}
	economies := economy.NewService(s, h.clock.Now)
	if err := economies.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.rewards = reward.New(s, s, economies, h.clock.Now, rand.Reader)
	s.SettleWith(h.rewards.Settle)
	matches := unplayed{match.New(s, h.clock, func(context.Context, string, match.Entry) {})}
	o := lobby.Options{
		Store: s, Matches: matches, Economy: economies, Clock: h.clock, Random: rand.Reader, Meter: h,
		Announce: func(c ...engagement.Change) { h.mu.Lock(); defer h.mu.Unlock(); h.changes = append(h.changes, c...) },
		Notify:   func(n notice.Notice) { h.mu.Lock(); defer h.mu.Unlock(); h.notices = append(h.notices, n) },
	}
	for _, f := range more {
		f(&o)
	}
	h.Service = lobby.New(o)
	for _, name := range strings.Fields(names) {
		h.add(name)
	}
	return h
}

func (h *hall) add(name string) {
	h.t.Helper()
	p := addPlayer(h.t, h.store, name)
	h.people[name], h.names[p.ID] = p, name
	if _, err := h.rewards.Purse(h.t.Context(), p.ID); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hall) heard(what string) { h.mu.Lock(); defer h.mu.Unlock(); h.counts[what]++ }

func (h *hall) Waiting(mode economy.Mode, players int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts["waiting "+string(mode)] = players
}

func (h *hall) Seated(mode economy.Mode, _ time.Duration, _ int) { h.heard("seated " + string(mode)) }

func (h *hall) Left(_ economy.Mode, why engagement.Reason) { h.heard("left " + string(why)) }

func (h *hall) TableClosed() { h.heard("table closed") }

func (h *hall) request(name string, stake int64, partner string) lobby.Request {
	r := lobby.Request{
		PlayerID: h.people[name].ID, Name: name, Queue: lobby.Queue{Rules: rules.Mesa, Stake: stake},
		Body: func(e engagement.Engagement, _ *lobby.Ticket) ([]byte, error) { return []byte(e.Place.ID), nil },
	}
	if partner != "" {
		r.PartnerID = h.people[partner].ID
	}
	return r
}

// enter has players of these names take tickets, and the matcher look.
func (h *hall) enter(names string, stake int64) {
	h.t.Helper()
	for _, name := range strings.Fields(names) {
		h.try("", name, stake, "")
	}
	h.clock.Advance(0)
}

// try takes a ticket, with a partner or without, and wants a code.
func (h *hall) try(want fault.Code, name string, stake int64, partner string) {
	h.t.Helper()
	_, _, err := h.Enter(h.t.Context(), h.request(name, stake, partner))
	if fault.CodeOf(err) != want {
		h.t.Fatalf("%s: got %v, want %q", name, err, want)
	}
}

func (h *hall) leave(name string) {
	h.t.Helper()
	if err := h.Leave(h.t.Context(), h.people[name].ID); err != nil {
		h.t.Fatal(err)
	}
}

// pass lets so many seconds pass, with a sweep in each.
func (h *hall) pass(seconds int) {
	h.t.Helper()
	for range seconds {
		h.clock.Advance(time.Second)
		if err := h.Sweep(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *hall) engagement(name string) engagement.Engagement {
	h.t.Helper()
	e, err := h.store.Engagement(h.t.Context(), h.people[name].ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// are says what players of these names are taken up with, which is the same place,
// and returns it.
func (h *hall) are(names string, kind engagement.Kind, why engagement.Reason) string {
	h.t.Helper()
	place := ""
	for i, name := range strings.Fields(names) {
		e := h.engagement(name)
		if i == 0 {
			place = e.Place.ID
		}
		if e.Place.Kind != kind || e.Reason != why || e.Place.ID != place {
			h.t.Fatalf("%s: %+v, want a %s (%s) at %s", name, e, kind, why, place)
		}
	}
	return place
}

// have says how many coins players of these names have.
func (h *hall) have(names string, coins int64) {
	h.t.Helper()
	for _, name := range strings.Fields(names) {
		if got := balance(h.t, h.store, wallet.Player(h.people[name].ID)); got != coins {
			h.t.Errorf("%s has %d coins, want %d", name, got, coins)
		}
	}
}

// seats names who sits where in a match.
func (h *hall) seats(id string) (list [rules.Seats]string) {
	h.t.Helper()
	m, err := h.store.GetMatch(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	for i, seat := range m.Seats {
		list[i] = h.names[seat.PlayerID]
	}
	return list
}

// finish ends a match, pair 0 wins.
func (h *hall) finish(id string) {
	h.t.Helper()
	last, result := ended()
	result.Missed = [rules.Seats]int{}
	if err := h.store.FinishMatch(h.t.Context(), id, last, result); err != nil {
		h.t.Fatal(err)
	}
}

// clean fails unless everybody is where the tables say, and all coins are.
func (h *hall) clean() {
	h.t.Helper()
	addsUp(h.t, h.store)
	db, err := h.store.SQL()
	if err != nil {
		h.t.Fatal(err)
	}
	for what, query := range map[string]string{
		"a ticket's player is elsewhere": `
SELECT p.player_id FROM ticket_players p JOIN tickets t ON t.id = p.ticket_id LEFT JOIN engagements e ON e.player_id = p.player_id
WHERE e.player_id IS NULL OR e.kind <> CASE WHEN t.table_id IS NULL THEN 'ticket' ELSE 'table' END OR e.place_id <> COALESCE(t.table_id, t.id)`,
		"somebody waits without a ticket": `
SELECT e.player_id FROM engagements e WHERE e.kind IN ('ticket', 'table')
AND NOT EXISTS (SELECT 1 FROM ticket_players p WHERE p.player_id = e.player_id)`,
		"somebody is in a match without a seat": `
SELECT e.player_id FROM engagements e WHERE e.kind = 'match'
AND NOT EXISTS (SELECT 1 FROM match_seats s JOIN matches m ON m.id = s.match_id WHERE s.match_id = e.place_id AND s.player_id = e.player_id AND m.status <> 'over')`,
		"somebody has two seats": `
SELECT s.player_id FROM match_seats s JOIN matches m ON m.id = s.match_id WHERE m.status <> 'over' AND s.player_id IS NOT NULL
GROUP BY s.player_id HAVING COUNT(*) > 1`,
		"a ticket is nobody's": `SELECT t.id FROM tickets t WHERE NOT EXISTS (SELECT 1 FROM ticket_players p WHERE p.ticket_id = t.id)`,
		"a ticket sits at no open table": `
SELECT t.id FROM tickets t JOIN stake_tables s ON s.id = t.table_id WHERE s.status <> 'open'`,
		"an open table is empty": `
SELECT s.id FROM stake_tables s WHERE s.status = 'open' AND NOT EXISTS (SELECT 1 FROM tickets t WHERE t.table_id = s.id)`,
	} {
		for _, id := range ids(h.t, db, query) {
			h.t.Errorf("%s: %s", what, id)
		}
	}
}

func ids(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(t.Context()), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		list = append(list, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLobbyFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora Eva")
		h.enter("Ana Bea Carla", 0)
		h.are("Ana", engagement.Ticket, engagement.Joined)
		h.try(engagement.CodeEngaged, "Ana", 0, "")
		h.clean()
		h.enter("Dora Eva", 0)
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		h.are("Eva", engagement.Ticket, engagement.Joined)
		h.clean()
		h.leave("Ana") // is in a match: nothing to leave
		h.are("Ana", engagement.Match, engagement.Started)

		m, err := s.GetMatch(t.Context(), id)
		if err != nil || m.Mode != economy.Online || m.Economy != 1 || m.Rules != rules.Mesa.Rules() || m.Stake != 0 {
			t.Errorf("%+v, %v", m, err)
		}
		h.finish(id)
		h.are("Ana Bea Carla Dora", engagement.None, engagement.Over)
		seats := h.seats(id)
		h.have(seats[0]+" "+seats[2], 560)
		h.have(seats[1]+" "+seats[3], 520)

		h.pass(29)
		h.are("Eva", engagement.Ticket, engagement.Joined)
		h.pass(1)
		alone := h.are("Eva", engagement.Match, engagement.Started)
		if seats := h.seats(alone); seats != [4]string{"Eva", "", "", ""} {
			t.Errorf("with bots: %q", seats)
		}
		h.clean()
		if h.counts["seated online"] != 5 || h.counts["waiting online"] != 0 {
			t.Errorf("the meter heard %v", h.counts)
		}
	})
}

// A winner's rating rises, the next ticket has it, and a match of friends changes
// nothing.
func TestRatings(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora")
		h.enter("Ana Bea Carla Dora", 0)
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		seats := h.seats(id)
		h.finish(id)
		points := func(name string) int {
			h.t.Helper()
			h.try("", name, 0, "")
			ticket, err := s.Ticket(t.Context(), h.people[name].ID)
			if err != nil || ticket == nil {
				t.Fatal(ticket, err)
			}
			h.leave(name)
			return ticket.Points()
		}
		for i, name := range seats {
			if got := points(name); got <= 1000 != (i%2 == 1) || got > 1200 || got < 800 {
				t.Errorf("seat %d has %d points", i, got)
			}
		}
		before := points("Ana")
		m := newMatch(t, h.people["Ana"], h.people["Bea"], h.people["Carla"], h.people["Dora"])
		m.Mode, m.Economy = economy.Friends, 1
		if _, err := s.CreateMatch(t.Context(), m, nil); err != nil {
			t.Fatal(err)
		}
		h.finish(m.ID)
		if got := points("Ana"); got != before {
			t.Errorf("after a match of friends: %d points, want %d", got, before)
		}
		h.clean()
	})
}

func TestStakedTable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora Eva")
		h.try(fault.InvalidRequest, "Ana", 99, "")
		h.try(wallet.CodeInsufficient, "Ana", 1000, "")
		h.enter("Ana Bea", 250)
		table := h.are("Ana Bea", engagement.Table, engagement.Seated)
		h.have("Ana Bea", 250)
		h.enter("Carla", 250)
		h.clean()
		if got, err := s.Table(t.Context(), table); err != nil || len(got.Players()) != 3 || !got.Deadline.Equal(t0.Add(90*time.Second)) {
			t.Errorf("the table: %+v, %v", got, err)
		}

		// Somebody stands up, and may sit down again.
		number := h.engagement("Bea").Seq
		h.leave("Ana")
		h.are("Ana", engagement.None, engagement.Left)
		h.have("Ana", 500)
		if h.engagement("Bea").Seq == number {
			t.Error("the others were not told")
		}
		h.clean()
		h.enter("Ana Dora", 250)
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		h.have("Ana Bea Carla Dora", 250)
		h.clean()
		m, err := s.GetMatch(t.Context(), id)
		if err != nil || m.Mode != economy.Staked || m.Stake != 250 || m.TableID != table {
			t.Errorf("%+v, %v", m, err)
		}
		if balance(t, s, wallet.Escrow(table)) != 1000 {
			t.Error("the pot is not in the escrow")
		}

		seats := h.seats(id)
		h.finish(id)
		h.have(seats[0]+" "+seats[2], 750)
		h.have(seats[1]+" "+seats[3], 250)
		h.are("Ana Bea Carla Dora", engagement.None, engagement.Over)
		winner := wallet.Player(h.people[seats[0]].ID)
		lines, err := s.Statement(t.Context(), winner, wallet.KindPot, "", 10)
		want := `{"table":"` + table + `","match":"` + id + `","stake":250,"won":true}`
		if err != nil || len(lines) != 1 || lines[0].Amount != 500 || string(lines[0].Data) != want {
			t.Errorf("the receipt: %+v, %v", lines, err)
		}
		h.clean()

		// One that does not fill is cancelled; who came last has waited least.
		h.enter("Ana Bea", 250)
		h.pass(89)
		h.are("Ana Bea", engagement.Table, engagement.Seated)
		h.have("Ana", 500-250+map[bool]int64{true: 250, false: -250}[slices.Index(seats[:], "Ana")%2 == 0])
		h.pass(1)
		h.are("Ana Bea", engagement.None, engagement.Cancelled)
		h.have(seats[0]+" "+seats[2], 750)
		h.have(seats[1]+" "+seats[3], 250)
		h.enter("Ana", 100)
		h.leave("Ana") // closes the table that nobody sits at
		h.are("Ana", engagement.None, engagement.Left)
		h.clean()
		if h.counts["table closed"] != 2 || h.counts["left cancelled"] != 2 {
			t.Errorf("the meter heard %v", h.counts)
		}
	})
}

// The ledger's check knows what an escrow should hold.
func TestEscrowsAreChecked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea")
		h.enter("Ana Bea", 250)
		table := h.are("Ana Bea", engagement.Table, engagement.Seated)
		db, err := s.SQL()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			change, back string
			want         int64
		}{
			{`UPDATE stake_tables SET stake = 300`, `UPDATE stake_tables SET stake = 250`, 600},
			{`UPDATE stake_tables SET status = 'cancelled'`, `UPDATE stake_tables SET status = 'open'`, 0},
		} {
			if _, err := db.ExecContext(t.Context(), c.change); err != nil {
				t.Fatal(err)
			}
			found, err := s.CheckLedger(t.Context(), 10)
			want := wallet.Discrepancy{What: wallet.WrongEscrow, Subject: string(wallet.Escrow(table)), Want: c.want, Got: 500}
			if err != nil || len(found) != 1 || found[0] != want {
				t.Errorf("%s: found %+v, %v", c.change, found, err)
			}
			if _, err := db.ExecContext(t.Context(), c.back); err != nil {
				t.Fatal(err)
			}
		}
		h.clean()
	})
}

// A booster and a VIP pass work for free matches only.
func TestNothingMultipliesAPot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora")
		for _, p := range h.people {
			grant := transfer(t, "grant "+p.ID, wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(p.ID), 4400)...)
			if _, _, err := s.Post(t.Context(), grant); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(h.rewards.BuyVIP(t.Context(), p.ID, "v"), h.rewards.BuyBooster(t.Context(), p.ID, "b", false)); err != nil {
				t.Fatal(err)
			}
		}
		h.have("Ana Bea Carla Dora", 500)
		h.enter("Ana Bea Carla Dora", 500)
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		h.have("Ana Bea Carla Dora", 0)
		seats := h.seats(id)
		h.finish(id)
		h.have(seats[0]+" "+seats[2], 1000)
		h.have(seats[1]+" "+seats[3], 0)
		h.clean()
	})
}

func TestWhoCannotPayLeaves(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla")
		ctx := t.Context()
		// Taken a ticket, then spent the coins, before the matcher looked.
		h.try("", "Ana", 500, "")
		if err := h.rewards.BuyBooster(ctx, h.people["Ana"].ID, "b", false); err != nil {
			t.Fatal(err)
		}
		h.clock.Advance(0)
		h.are("Ana", engagement.None, engagement.InsufficientCoins)
		// Or owes coins since.
		owe := func(name string) {
			t.Helper()
			id := h.people[name].ID
			debt := transfer(t, "debt "+id, wallet.KindClawback, "", wallet.Move(wallet.Debt(id), wallet.Sales, 600)...)
			if _, _, err := s.Post(ctx, debt); err != nil {
				t.Fatal(err)
			}
		}
		h.try("", "Bea", 250, "")
		owe("Bea")
		h.clock.Advance(0)
		h.are("Bea", engagement.None, engagement.InDebt)
		h.try(lobby.CodeInDebt, "Bea", 100, "")
		h.enter("Bea", 0) // a free match it may be
		h.are("Bea", engagement.Ticket, engagement.Joined)
		h.clean()
	})
}

func TestStakesOff(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea")
		h.enter("Ana", 250)
		h.are("Ana", engagement.Table, engagement.Seated)
		h.Service.NoStakes = true // as after a new start
		h.try(lobby.CodeStakesOff, "Bea", 100, "")
		h.pass(1)
		h.are("Ana", engagement.None, engagement.StakesOff)
		h.have("Ana", 500)
		h.enter("Ana Bea", 0)
		h.clean()
	})
}

func (h *hall) befriend(a, b string) {
	h.t.Helper()
	p := people.New(h.store, h.clock.Now, func(notice.Notice) {})
	if _, _, err := p.Ask(h.t.Context(), h.people[a].ID, h.people[b].ID, ""); err != nil {
		h.t.Fatal(err)
	}
	if err := p.Accept(h.t.Context(), h.people[b].ID, h.people[a].ID); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hall) block(a, b string) {
	h.t.Helper()
	if err := people.New(h.store, h.clock.Now, func(notice.Notice) {}).Block(h.t.Context(), h.people[a].ID, h.people[b].ID); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hall) unblock(a, b string) {
	h.t.Helper()
	if err := people.New(h.store, h.clock.Now, func(notice.Notice) {}).Unblock(h.t.Context(), h.people[a].ID, h.people[b].ID); err != nil {
		h.t.Fatal(err)
	}
}

func TestParties(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, h := t.Context(), newHall(t, s, "Ana Bea Carla Dora Eva")
		h.try(fault.InvalidRequest, "Ana", 0, "Ana")
		h.try(fault.NotFound, "Ana", 0, "Bea") // no friends
		h.befriend("Ana", "Bea")
		h.befriend("Carla", "Dora")
		h.try("", "Ana", 0, "Bea")
		if len(h.notices) != 1 || h.notices[0].PlayerID != h.people["Bea"].ID || h.notices[0].Kind != notice.PartyInvite {
			t.Errorf("told %+v", h.notices)
		}
		invitations, err := s.Invitations(ctx, h.people["Bea"].ID)
		if err != nil || len(invitations) != 1 || invitations[0].Members[0].Name != "Ana" {
			t.Errorf("%+v, %v", invitations, err)
		}
		h.pass(40) // not even bots play with half a party
		h.are("Ana", engagement.Ticket, engagement.Joined)

		// Whoever is no friend any more is not shown, and cannot be found out to exist.
		h.block("Ana", "Bea")
		if invitations, err := s.Invitations(ctx, h.people["Bea"].ID); err != nil || len(invitations) != 0 {
			t.Errorf("invited by %+v, %v", invitations, err)
		}
		stranger := h.request("Bea", 0, "Eva")
		stranger.PartnerID = "01890a5d-ac96-774b-bcce-b302099a8057"
		_, _, nobody := h.Enter(ctx, stranger)
		_, _, blocking := h.Enter(ctx, h.request("Bea", 0, "Ana"))
		if fault.CodeOf(nobody) != fault.NotFound || nobody.Error() != blocking.Error() {
			t.Errorf("nobody: %v; who blocks: %v", nobody, blocking)
		}
		h.unblock("Ana", "Bea")
		h.befriend("Ana", "Bea")
		h.try(lobby.CodePartyDiffers, "Bea", 100, "Ana")
		number := h.engagement("Ana").Seq
		h.try("", "Bea", 0, "Ana")
		h.are("Ana Bea", engagement.Ticket, engagement.Joined)
		if h.engagement("Ana").Seq != number+1 {
			t.Error("Ana was not told")
		}
		h.clean()

		h.leave("Bea")
		h.are("Bea", engagement.None, engagement.Left)
		h.are("Ana", engagement.None, engagement.PartnerLeft)

		// Both ask at the same time: they are a party all the same.
		for _, pair := range [][2]string{{"Ana", "Bea"}, {"Carla", "Dora"}} {
			var both sync.WaitGroup
			for i := range 2 {
				both.Go(func() {
					if _, _, err := h.Enter(ctx, h.request(pair[i], 0, pair[1-i])); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		}
		h.are("Ana Bea", engagement.Ticket, engagement.Joined)
		h.clock.Advance(0)
		seats := h.seats(h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started))
		if slices.Index(seats[:], "Ana")%2 != slices.Index(seats[:], "Bea")%2 {
			t.Errorf("the party is split: %q", seats)
		}
		h.clean()

		// Nobody comes: the invitation expires.
		h.befriend("Eva", "Ana")
		h.try("", "Eva", 0, "Ana")
		h.pass(300)
		h.are("Eva", engagement.None, engagement.Expired)
		h.clean()
	})
}

// A party pays together, stands up together, and one who cannot pay takes the other
// along.
func TestStakedParty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora")
		h.befriend("Ana", "Bea")
		h.try("", "Ana", 500, "Bea")
		h.try("", "Bea", 500, "Ana")
		h.clock.Advance(0)
		h.are("Ana Bea", engagement.Table, engagement.Seated)
		h.have("Ana Bea", 0)
		h.clean()
		h.leave("Ana")
		h.have("Ana Bea", 500)
		h.are("Ana", engagement.None, engagement.Left)
		h.are("Bea", engagement.None, engagement.PartnerLeft)
		h.clean()

		h.try("", "Ana", 500, "Bea")
		h.try("", "Bea", 500, "Ana")
		if err := h.rewards.BuyBooster(t.Context(), h.people["Bea"].ID, "b", false); err != nil {
			t.Fatal(err)
		}
		h.clock.Advance(0)
		h.are("Ana Bea", engagement.None, engagement.InsufficientCoins)
		h.clean()
	})
}

func TestBlocksInTheLobby(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora Eva")
		h.block("Ana", "Dora")
		h.enter("Ana Bea Carla Dora", 0)
		h.are("Ana", engagement.Ticket, engagement.Joined)
		h.enter("Eva", 0)
		h.are("Ana Bea Carla Eva", engagement.Match, engagement.Started)
		h.are("Dora", engagement.Ticket, engagement.Joined)
		h.leave("Dora")
		h.finish(h.engagement("Ana").Place.ID)
		before := balance(t, s, wallet.Player(h.people["Carla"].ID))

		// A block at a table: who came later goes back to the queue with the entry, and
		// may sit there again when it is over.
		h.enter("Bea Carla", 250)
		h.pass(25) // their ratings are apart by now
		table := h.are("Bea Carla", engagement.Table, engagement.Seated)
		h.block("Bea", "Carla")
		h.pass(1)
		e := h.engagement("Carla")
		if later := h.engagement("Bea"); e.Place.Kind == engagement.Table {
			e = later
		}
		if e.Place.ID == table {
			t.Errorf("%+v", e)
		}
		h.clean()
		h.pass(1)
		h.clean() // a table of its own by now
		h.leave("Bea")
		h.leave("Carla")
		h.have("Carla", before)
		h.clean()
	})
}

func TestLobbyIdempotency(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, h := t.Context(), newHall(t, s, "Ana")
		r := h.request("Ana", 100, "")
		r.Answer = match.Answer{PlayerID: r.PlayerID, Key: "k", Route: "POST /v1/queue", RequestHash: []byte("h"), Status: 201, At: t0}
		var wg sync.WaitGroup
		bodies := make(chan string, 8)
		for range 8 {
			wg.Go(func() {
				a, _, err := h.Enter(ctx, r)
				if err != nil {
					t.Error(err)
					return
				}
				bodies <- string(a.Body)
			})
		}
		wg.Wait()
		close(bodies)
		first := <-bodies
		for body := range bodies {
			if body != first || body == "" {
				t.Errorf("answered %q and %q", first, body)
			}
		}
		h.clock.Advance(0)
		h.leave("Ana")
		if a, replayed, err := h.Enter(ctx, r); err != nil || !replayed || string(a.Body) != first {
			t.Errorf("sent again when all was over: %v, %v", a, err)
		}
		h.are("Ana", engagement.None, engagement.Left)
		r.Answer.RequestHash = []byte("another")
		if _, _, err := h.Enter(ctx, r); fault.CodeOf(err) != fault.IdempotencyConflict {
			t.Errorf("another request by the key: %v", err)
		}
		// What was refused is not remembered.
		r = h.request("Ana", 1000, "")
		r.Answer = match.Answer{PlayerID: r.PlayerID, Key: "poor", Route: "POST /v1/queue", RequestHash: []byte("h"), Status: 201, At: t0}
		if _, _, err := h.Enter(ctx, r); fault.CodeOf(err) != wallet.CodeInsufficient {
			t.Error(err)
		}
		grant := transfer(t, "grant", wallet.KindGrant, "", wallet.Move(wallet.Grants, wallet.Player(r.PlayerID), 1000)...)
		if _, _, err := s.Post(ctx, grant); err != nil {
			t.Fatal(err)
		}
		if _, replayed, err := h.Enter(ctx, r); err != nil || replayed {
			t.Error(replayed, err)
		}
		h.clean()
	})
}

// Several processes match at once while people come, leave and finish. No ticket is
// split, nobody is seated twice, no coin is lost.
func TestProcessesMatchAtOnce(t *testing.T) {
	for _, kind := range storetest.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, kind)
			first, second := storetest.Open(t, o), storetest.Open(t, o)
			if _, err := first.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			matchAtOnce(t, first, second)
		})
	}
}

// matchAtOnce plays two processes, each with its own connections to one database, and
// two lobbies in each.
func matchAtOnce(t *testing.T, s, other *store.Store) {
	const crowd, rounds = 60, 12
	var names []string
	for i := range crowd {
		names = append(names, "P"+strconv.Itoa(i))
	}
	h := newHall(t, s, strings.Join(names, " "))
	there := h.Options
	there.Store = other
	halls := []*lobby.Service{h.Service, lobby.New(h.Options), lobby.New(there), lobby.New(there)}
	for i := 0; i < crowd/4; i += 2 {
		h.befriend(names[i], names[i+1])
	}
	seed := mrand.Uint64()
	for round := range rounds {
		var wg sync.WaitGroup
		for i, name := range names {
			random := mrand.New(mrand.NewPCG(seed, uint64(round*crowd+i)))
			wg.Go(func() {
				service := halls[random.IntN(len(halls))]
				stake := []int64{0, 0, 100}[random.IntN(3)]
				switch random.IntN(4) {
				case 0:
					if err := service.Leave(t.Context(), h.people[name].ID); err != nil && fault.CodeOf(err) != fault.Unavailable {
						t.Error(err)
					}
				case 1, 2:
					partner := ""
					if i < crowd/4 && random.IntN(2) == 0 {
						partner = names[i^1]
					}
					_, _, err := service.Enter(t.Context(), h.request(name, stake, partner))
					if code := fault.CodeOf(err); code == fault.Internal {
						t.Error(err)
					}
				}
			})
		}
		for _, service := range halls {
			wg.Go(func() {
				for range 3 {
					if err := service.Sweep(t.Context()); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			})
		}
		wg.Wait()
		h.clean()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for id := range h.names {
			e, err := s.Engagement(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if e.Place.Kind == engagement.Match {
				last, result := ended()
				err := s.FinishMatch(t.Context(), e.Place.ID, last, result)
				if err != nil && !errors.Is(err, match.ErrConflict) {
					t.Fatal(err)
				}
			}
		}
		h.clock.Advance(13 * time.Second)
	}
	if h.counts["seated online"] == 0 || h.counts["seated staked"] == 0 {
		t.Errorf("seed %d: the meter heard %v", seed, h.counts)
	}
	// Everybody leaves: what is left over is nothing.
	for _, name := range names {
		h.leave(name)
	}
	h.clean()
	for _, name := range names {
		if e := h.engagement(name); e.Place.Kind == engagement.Ticket || e.Place.Kind == engagement.Table {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Two processes that look at a queue at once do not open two tables for people who
// could sit at one.
func TestProcessesOpenOneTable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla")
		services := []*lobby.Service{h.Service, lobby.New(h.Options), lobby.New(h.Options)}
		for range 10 {
			var wg sync.WaitGroup
			for i, name := range []string{"Ana", "Bea", "Carla"} {
				wg.Go(func() {
					_, _, err := services[i].Enter(t.Context(), h.request(name, 100, ""))
					if err == nil {
						err = services[i].Round(t.Context(), lobby.Queue{Rules: rules.Mesa, Stake: 100})
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			h.are("Ana Bea Carla", engagement.Table, engagement.Seated)
			h.clean()
			for _, name := range []string{"Ana", "Bea", "Carla"} {
				h.leave(name)
			}
		}
	})
}

// breaking is a lobby's store that dies at a statement: nothing that its transaction
// has done is kept.
type breaking struct {
	*store.Store
	// left counts the statements to the break.
	left int
}

var errPower = errors.New("the power went")

func (b *breaking) InLobby(ctx context.Context, f func(lobby.Tx) error) (lobby.Outcome, error) {
	return b.Store.InLobby(ctx, func(tx lobby.Tx) error { return f(&breakingTx{tx, b}) })
}

type breakingTx struct {
	lobby.Tx
	b *breaking
}

func (t *breakingTx) step() error {
	t.b.left--
	if t.b.left == 0 {
		return errPower
	}
	return nil
}

func (t *breakingTx) AddTicket(x lobby.Ticket) error { return errors.Join(t.Tx.AddTicket(x), t.step()) }

func (t *breakingTx) RemoveTicket(id string) error {
	return errors.Join(t.Tx.RemoveTicket(id), t.step())
}

func (t *breakingTx) OpenTable(x lobby.Table) error { return errors.Join(t.Tx.OpenTable(x), t.step()) }

func (t *breakingTx) Sit(x lobby.Ticket, id string, at time.Time) error {
	return errors.Join(t.Tx.Sit(x, id, at), t.step())
}

func (t *breakingTx) CloseTable(id, m string, at time.Time) error {
	return errors.Join(t.Tx.CloseTable(id, m, at), t.step())
}

func (t *breakingTx) Engage(id string, from, to engagement.Place, why engagement.Reason, at time.Time) (int, error) {
	seq, err := t.Tx.Engage(id, from, to, why, at)
	return seq, errors.Join(err, t.step())
}

func (t *breakingTx) CreateMatch(m *match.Match) error {
	return errors.Join(t.Tx.CreateMatch(m), t.step())
}
func (t *breakingTx) Post(x *wallet.Transfer) error { return errors.Join(t.Tx.Post(x), t.step()) }

// Wherever the power goes, nobody is in limbo, and the next round does it all.
func TestCrashInTheLobby(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		b := &breaking{Store: s}
		h := newHall(t, s, "Ana Bea Carla Dora", func(o *lobby.Options) { o.Store = b })
		// broken does something again and again, each time one statement further.
		broken := func(what string, do func() error) {
			t.Helper()
			for at := 1; ; at++ {
				b.left = at
				err := do()
				h.clean()
				if t.Failed() {
					t.Fatalf("%s, broken at statement %d", what, at)
				}
				if err == nil {
					b.left = 0
					return
				}
				if !errors.Is(err, errPower) || at > 100 {
					t.Fatal(what, err)
				}
			}
		}
		mesa := lobby.Queue{Rules: rules.Mesa, Stake: 100}
		for _, name := range []string{"Ana", "Bea", "Carla"} {
			broken(name+" enters", func() error { _, _, err := h.Enter(ctx, h.request(name, 100, "")); return err })
		}
		broken("they sit down", func() error { return h.Round(ctx, mesa) })
		table := h.are("Ana Bea Carla", engagement.Table, engagement.Seated)
		broken("one stands up", func() error { return h.Leave(ctx, h.people["Ana"].ID) })
		h.clock.Advance(0)
		for _, name := range []string{"Ana", "Dora"} {
			h.try("", name, 100, "")
		}
		broken("they begin", func() error { return h.Round(ctx, mesa) })
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		if m, err := s.GetMatch(ctx, id); err != nil || m.TableID != table {
			t.Error(m, err)
		}
		h.finish(id)
		h.try("", "Ana", 100, "")
		h.clock.Advance(0)
		h.clock.Advance(90 * time.Second)
		broken("a table is cancelled", func() error { return h.Round(ctx, mesa) })
		h.are("Ana", engagement.None, engagement.Cancelled)
	})
}

// A staked match that is given up gives every entry back, once.
func TestRefund(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHall(t, s, "Ana Bea Carla Dora")
		s.SettleWith(func(tx reward.Tx, m *match.Match, _ match.Result) error {
			if err := h.rewards.Refund(tx, m); err != nil {
				return err
			}
			return nil
		})
		h.enter("Ana Bea Carla Dora", 500)
		id := h.are("Ana Bea Carla Dora", engagement.Match, engagement.Started)
		h.finish(id)
		h.have("Ana Bea Carla Dora", 500)
		m, err := s.GetMatch(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		pot, err := wallet.Pot(newID(t), m.TableID, 2000, []string{h.people["Ana"].ID, h.people["Bea"].ID}, nil, t0)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Post(t.Context(), pot); fault.CodeOf(err) != wallet.CodeResolved && fault.CodeOf(err) != wallet.CodeInsufficient {
			t.Errorf("a pot after the refund: %v", err)
		}
		h.clean()
	})
}
