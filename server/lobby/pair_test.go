package lobby_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/shared/rules"
)

var t0 = time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)

var policy = lobby.Policy{
	Window: 150, Widening: 10, AnyAfter: 30 * time.Second, PartyWait: 10 * time.Second,
	BotFill: 30 * time.Second, MaxWait: 5 * time.Minute,
}

func nobody(string, string) bool { return false }

// free and staked are queues.
var free, staked = lobby.Queue{Rules: rules.Mesa}, lobby.Queue{Rules: rules.Mesa, Stake: 100}

// ticket is one that was taken so many seconds before t0, by players of so many
// points whose names are its letters.
func ticket(q lobby.Queue, names string, points, waited int) lobby.Ticket {
	t := lobby.Ticket{ID: names, Queue: q, Since: t0.Add(-time.Duration(waited) * time.Second)}
	for _, n := range names {
		t.Members = append(t.Members, lobby.Member{PlayerID: string(n), Points: points})
	}
	return t
}

func table(deadline time.Duration, tickets ...lobby.Ticket) lobby.Table {
	t := lobby.Table{ID: "table", Queue: staked, OpenedAt: t0, Deadline: t0.Add(deadline)}
	for _, one := range tickets {
		one.TableID = t.ID
		t.Tickets = append(t.Tickets, one)
	}
	return t
}

// words are decisions that one can read.
func words(all []lobby.Decision) (list []string) {
	names := map[lobby.Act]string{lobby.Drop: "drop", lobby.Unseat: "unseat", lobby.Close: "close", lobby.Sit: "sit", lobby.Begin: "begin"}
	for _, d := range all {
		text := names[d.Act]
		if d.Table != nil {
			text += " " + d.Table.ID
		}
		for _, t := range d.Tickets {
			text += " " + t.ID
		}
		if d.Act == lobby.Begin {
			text += ":"
			for _, m := range d.Seats {
				text += " " + max(m.PlayerID, "-")
			}
		}
		if d.Reason != "" {
			text += " (" + string(d.Reason) + ")"
		}
		list = append(list, text)
	}
	return list
}

func TestPair(t *testing.T) {
	apart := func(pairs ...string) func(a, b string) bool {
		return func(a, b string) bool { return slices.Contains(pairs, min(a, b)+max(a, b)) }
	}
	for _, c := range []struct {
		name    string
		tickets []lobby.Ticket
		tables  []lobby.Table
		apart   func(a, b string) bool
		want    []string
	}{
		{name: "nobody"},
		{
			name:    "four who are alike",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 4), ticket(free, "b", 1000, 3), ticket(free, "c", 1000, 2), ticket(free, "d", 1000, 1)},
			want:    []string{"begin a b c d: a c b d"},
		},
		{
			name:    "the pairs are made even",
			tickets: []lobby.Ticket{ticket(free, "a", 1040, 4), ticket(free, "b", 1000, 3), ticket(free, "c", 1010, 2), ticket(free, "d", 970, 1)},
			want:    []string{"begin a c b d: a c d b"},
		},
		{
			name:    "three wait",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 29), ticket(free, "b", 1000, 3), ticket(free, "c", 1000, 2)},
		},
		{
			name:    "bots come after the wait",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 30), ticket(free, "b", 1000, 3), ticket(free, "c", 1100, 2)},
			want:    []string{"begin a b c: a c b -"},
		},
		{
			name:    "but not for those who have just come and are far apart",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 30), ticket(free, "b", 1500, 3)},
			want:    []string{"begin a: a - - -"},
		},
		{
			name:    "too far apart at first",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 4), ticket(free, "b", 1000, 3), ticket(free, "c", 1000, 2), ticket(free, "d", 1200, 1)},
		},
		{
			name:    "near enough when both have waited",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 6), ticket(free, "b", 1000, 6), ticket(free, "c", 1000, 6), ticket(free, "d", 1200, 5)},
			want:    []string{"begin a b c d: a c b d"},
		},
		{
			name:    "a party keeps a pair of seats",
			tickets: []lobby.Ticket{ticket(free, "ab", 1000, 10), ticket(free, "c", 1000, 3), ticket(free, "d", 1000, 2)},
			want:    []string{"begin ab c d: a c b d"},
		},
		{
			name:    "a party waits for a party",
			tickets: []lobby.Ticket{ticket(free, "ab", 1000, 9), ticket(free, "c", 1000, 3), ticket(free, "d", 1000, 2)},
		},
		{
			name:    "and takes one before anybody else",
			tickets: []lobby.Ticket{ticket(free, "c", 1000, 20), ticket(free, "d", 1000, 20), ticket(free, "ab", 1000, 15), ticket(free, "ef", 1000, 2)},
			want:    []string{"begin ab ef: a e b f"},
		},
		{
			name:    "a block keeps two from one table",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 4), ticket(free, "b", 1000, 3), ticket(free, "c", 1000, 2), ticket(free, "d", 1000, 1)},
			apart:   apart("ad"),
		},
		{
			name:    "somebody else comes for the one who is blocked",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 4), ticket(free, "b", 1000, 3), ticket(free, "c", 1000, 2), ticket(free, "d", 1000, 1), ticket(free, "e", 1000, 0)},
			apart:   apart("ab"),
			want:    []string{"begin a c d e: a d c e"},
		},
		{
			name:    "a party with a block ends",
			tickets: []lobby.Ticket{ticket(free, "ab", 1000, 1)},
			apart:   apart("ab"),
			want:    []string{"drop ab (partner_left)"},
		},
		{
			name:    "who has waited too long goes",
			tickets: []lobby.Ticket{ticket(free, "a", 1000, 300), ticket(free, "b", 1000, 299)},
			want:    []string{"drop a (expired)", "begin b: b - - -"},
		},
		{
			name:    "the first opens a table, the next sits down there",
			tickets: []lobby.Ticket{ticket(staked, "a", 1000, 1), ticket(staked, "b", 1100, 0)},
			want:    []string{"sit a b"},
		},
		{
			name:    "at a table that is open",
			tickets: []lobby.Ticket{ticket(staked, "c", 1000, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 5))},
			want:    []string{"sit table c"},
		},
		{
			name:    "who is too far from it waits, and opens no other",
			tickets: []lobby.Ticket{ticket(staked, "c", 1500, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 5))},
		},
		{
			name:    "but four who are together begin at once",
			tickets: []lobby.Ticket{ticket(staked, "c", 1500, 1), ticket(staked, "d", 1500, 1), ticket(staked, "e", 1500, 1), ticket(staked, "f", 1500, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 5))},
			want:    []string{"begin c d e f: c e d f"},
		},
		{
			name:    "who may not sit there opens another",
			tickets: []lobby.Ticket{ticket(staked, "c", 1000, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 5))},
			apart:   apart("ac"),
			want:    []string{"sit c"},
		},
		{
			name:    "the fourth begins",
			tickets: []lobby.Ticket{ticket(staked, "d", 1000, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "ab", 1000, 15), ticket(staked, "c", 1000, 5))},
			want:    []string{"begin table d: a c b d"},
		},
		{
			name:    "a party sits against the party there",
			tickets: []lobby.Ticket{ticket(staked, "c", 1000, 50), ticket(staked, "d", 1000, 50), ticket(staked, "ef", 1000, 1)},
			tables:  []lobby.Table{table(time.Minute, ticket(staked, "ab", 1000, 15))},
			want:    []string{"begin table ef: a e b f", "sit c d"},
		},
		{
			name:    "a table that is not full in time is cancelled",
			tickets: []lobby.Ticket{ticket(staked, "d", 1000, 1)},
			tables:  []lobby.Table{table(0, ticket(staked, "a", 1000, 90))},
			want:    []string{"close table (cancelled)", "sit d"},
		},
		{
			name:   "a block that came later sends away who came later",
			tables: []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 9), ticket(staked, "b", 1000, 9), ticket(staked, "c", 1000, 5))},
			apart:  apart("ac"),
			want:   []string{"unseat table c (unseated)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.apart == nil {
				c.apart = nobody
			}
			if got := words(lobby.Pair(t0, c.tickets, c.tables, c.apart, policy)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestClosed(t *testing.T) {
	off := policy
	off.Closed = engagement.StakesOff
	got := words(lobby.Pair(t0, []lobby.Ticket{ticket(staked, "b", 1000, 0)}, []lobby.Table{table(time.Minute, ticket(staked, "a", 1000, 1))}, nobody, off))
	if want := []string{"close table (stakes_off)", "drop b (stakes_off)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// crowd is a lobby that obeys the matcher and checks each of its decisions.
type crowd struct {
	t       *testing.T
	seed    uint64
	random  *rand.Rand
	queue   lobby.Queue
	now     time.Time
	next    int
	waiting []lobby.Ticket
	tables  []lobby.Table
	blocks  map[[2]string]bool
	seated  map[string]bool // for ever
}

func (c *crowd) apart(a, b string) bool { return c.blocks[[2]string{min(a, b), max(a, b)}] }

func (c *crowd) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("seed %d, queue %s: %s", c.seed, c.queue, fmt.Sprintf(format, args...))
}

func (c *crowd) come() {
	t := lobby.Ticket{ID: strconv.Itoa(c.next), Queue: c.queue, Since: c.now}
	for range 1 + c.random.IntN(4)/3 {
		c.next++
		m := lobby.Member{PlayerID: "p" + strconv.Itoa(c.next), Points: 600 + c.random.IntN(900)}
		for id := range c.seated {
			if c.random.IntN(40) == 0 {
				c.blocks[[2]string{min(id, m.PlayerID), max(id, m.PlayerID)}] = true
			}
		}
		for i := range c.waiting {
			for _, id := range c.waiting[i].Players() {
				if c.random.IntN(25) == 0 {
					c.blocks[[2]string{min(id, m.PlayerID), max(id, m.PlayerID)}] = true
				}
			}
		}
		t.Members = append(t.Members, m)
	}
	if c.random.IntN(20) == 0 && len(t.Members) == 1 {
		t.InvitedID = "somebody"
	}
	c.waiting = append(c.waiting, t)
}

func (c *crowd) take(id string) lobby.Ticket {
	c.t.Helper()
	i := slices.IndexFunc(c.waiting, func(t lobby.Ticket) bool { return t.ID == id })
	if i < 0 {
		c.fail("ticket %s is used twice, or was never there", id)
	}
	t := c.waiting[i]
	c.waiting = slices.Delete(c.waiting, i, i+1)
	return t
}

func (c *crowd) round() {
	c.t.Helper()
	for _, d := range lobby.Pair(c.now, slices.Clone(c.waiting), slices.Clone(c.tables), c.apart, policy) {
		var there lobby.Table
		at := -1
		if d.Table != nil {
			if at = slices.IndexFunc(c.tables, func(t lobby.Table) bool { return t.ID == d.Table.ID }); at < 0 {
				c.fail("there is no table %q", d.Table.ID)
			}
			there = c.tables[at]
		}
		switch d.Act {
		case lobby.Drop:
			t := c.take(d.Tickets[0].ID)
			switch {
			case d.Reason == engagement.Expired && c.now.Sub(t.Since) < policy.MaxWait:
				c.fail("%s expired early", t.ID)
			case d.Reason == engagement.PartnerLeft && !c.apart(t.Members[0].PlayerID, t.Members[1].PlayerID):
				c.fail("%s has no block", t.ID)
			}
			continue
		case lobby.Close:
			if c.now.Before(there.Deadline) {
				c.fail("table %s is closed early", there.ID)
			}
			c.tables = slices.Delete(c.tables, at, at+1)
			continue
		case lobby.Unseat:
			c.fail("no block came later")
		}
		group := slices.Clone(there.Tickets)
		for _, t := range d.Tickets {
			t = c.take(t.ID)
			if t.InvitedID != "" {
				c.fail("ticket %s still waits for its second", t.ID)
			}
			group = append(group, t)
		}
		c.together(group)
		if d.Act == lobby.Begin {
			c.begins(d, group)
			if at >= 0 {
				c.tables = slices.Delete(c.tables, at, at+1)
			}
			continue
		}
		if at < 0 {
			there = lobby.Table{ID: "t" + d.Tickets[0].ID, Queue: c.queue, OpenedAt: c.now, Deadline: c.now.Add(90 * time.Second)}
			c.tables = append(c.tables, there)
			at = len(c.tables) - 1
		}
		c.tables[at].Tickets = group
	}
	c.partiesMet()
}

// together checks those who are put together.
func (c *crowd) together(group []lobby.Ticket) {
	c.t.Helper()
	for i := range group {
		for j := range i {
			a, b := &group[i], &group[j]
			wait := (c.now.Sub(a.Since) + c.now.Sub(b.Since)) / 2
			gap := max(a.Points()-b.Points(), b.Points()-a.Points())
			// Those who sit already were near enough when they sat down; here all waits
			// are later, so that the windows are wider.
			if wait < policy.AnyAfter && gap > policy.Window+int(wait.Seconds()*float64(policy.Widening)) {
				c.fail("%d points apart after %v", gap, wait)
			}
			for _, x := range a.Players() {
				for _, y := range b.Players() {
					if c.apart(x, y) {
						c.fail("%s and %s have a block", x, y)
					}
				}
			}
		}
	}
}

// begins checks a match.
func (c *crowd) begins(d lobby.Decision, group []lobby.Ticket) {
	c.t.Helper()
	pair := make(map[string]rules.Pair)
	for seat, m := range d.Seats {
		if m.PlayerID == "" {
			if c.queue.Stake > 0 {
				c.fail("a bot at a staked table")
			}
			continue
		}
		if c.seated[m.PlayerID] {
			c.fail("%s is seated twice", m.PlayerID)
		}
		c.seated[m.PlayerID] = true
		pair[m.PlayerID] = rules.Seat(seat).Pair()
	}
	people, oldest := 0, time.Duration(0)
	for i := range group {
		t := &group[i]
		people += len(t.Members)
		oldest = max(oldest, c.now.Sub(t.Since))
		for _, id := range t.Players() {
			if p, ok := pair[id]; !ok || p != pair[t.Members[0].PlayerID] {
				c.fail("ticket %s is split", t.ID)
			}
		}
	}
	if people != len(pair) {
		c.fail("%d people are at the table, %d have seats", people, len(pair))
	}
	if people < rules.Seats && oldest < policy.BotFill {
		c.fail("bots came after %v", oldest)
	}
}

// partiesMet checks that no two parties were passed over who could have played one
// another, and that whoever may be filled up with bots was.
func (c *crowd) partiesMet() {
	c.t.Helper()
	for i := range c.waiting {
		a := &c.waiting[i]
		if a.InvitedID != "" {
			continue
		}
		if c.queue.Stake == 0 && c.now.Sub(a.Since) >= policy.BotFill {
			c.fail("ticket %s still waits for bots", a.ID)
		}
		for j := range i {
			b := &c.waiting[j]
			if b.InvitedID != "" || len(a.Members) != 2 || len(b.Members) != 2 {
				continue
			}
			wait := (c.now.Sub(a.Since) + c.now.Sub(b.Since)) / 2
			gap := max(a.Points()-b.Points(), b.Points()-a.Points())
			blocked := false
			for _, x := range a.Players() {
				for _, y := range b.Players() {
					blocked = blocked || c.apart(x, y)
				}
			}
			if gap <= policy.Window+int(wait.Seconds()*float64(policy.Widening)) && !blocked {
				c.fail("parties %s and %s both wait", a.ID, b.ID)
			}
		}
	}
}

// Crowds come and go for ten minutes, and every decision is looked at. At the end
// nobody is left: everybody has played or was told why not.
func TestCrowds(t *testing.T) {
	for _, queue := range []lobby.Queue{free, staked} {
		for range 30 {
			seed := rand.Uint64()
			c := &crowd{
				t: t, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), queue: queue, now: t0,
				blocks: map[[2]string]bool{}, seated: map[string]bool{},
			}
			busy := 1 + c.random.IntN(8)
			for second := range 600 {
				c.now = c.now.Add(time.Second)
				if second < 250 {
					for range c.random.IntN(busy + 1) {
						c.come()
					}
				}
				c.round()
			}
			if len(c.waiting) > 0 || len(c.tables) > 0 {
				c.fail("%d tickets and %d tables are left", len(c.waiting), len(c.tables))
			}
		}
	}
}

// However many wait, a round takes little: each looks at a bounded number.
func BenchmarkPair(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var tickets []lobby.Ticket
	for i := range 400 {
		tickets = append(tickets, lobby.Ticket{
			ID: strconv.Itoa(i), Queue: free, Since: t0.Add(-time.Duration(random.IntN(20)) * time.Second),
			Members: []lobby.Member{{PlayerID: strconv.Itoa(i), Points: random.IntN(20000)}},
		})
	}
	for b.Loop() {
		lobby.Pair(t0, tickets, nil, nobody, policy)
	}
}
