package lobby

import (
	"cmp"
	"slices"
	"time"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/rating"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Policy is what the matcher goes by. Times are waits.
type Policy struct {
	// Window is how far apart in points those who have just come may be, Widening how
	// much wider it gets in a second. From AnyAfter on it has no bounds.
	Window, Widening int
	AnyAfter         time.Duration
	// PartyWait is how long a party waits for another before it plays two who are none.
	PartyWait time.Duration
	// BotFill is when bots take the seats at a free table that people do not.
	BotFill time.Duration
	// MaxWait is when a ticket is given up.
	MaxWait time.Duration
	// Closed is why nobody of the queue is matched; empty as a rule.
	Closed engagement.Reason
}

// window is how far apart two may be who have waited so long.
func (p Policy) window(a, b time.Duration) (points int, bounded bool) {
	mean := (a + b) / 2
	if mean >= p.AnyAfter {
		return 0, false
	}
	return p.Window + int(mean.Seconds()*float64(p.Widening)), true
}

// Act is what the matcher wants done.
type Act uint8

// The acts.
const (
	// Drop: the ticket leaves the queue, for the reason given.
	Drop Act = iota
	// Unseat: the ticket leaves its table, and gets its entry back.
	Unseat
	// Close: the table is cancelled, and everybody gets the entry back.
	Close
	// Sit: the tickets sit down at the table, which is opened if it is none yet.
	Sit
	// Begin: the tickets, with those at the table, begin a match.
	Begin
)

// Decision is one thing that the matcher wants done.
type Decision struct {
	Act    Act
	Reason engagement.Reason // of Drop, Unseat and Close
	// Tickets from the queue; for Unseat, of the table.
	Tickets []Ticket
	// Table that it is about; nil for a free match, and for a new table.
	Table *Table
	// Seats of the match that begins; one without a player is a bot's.
	Seats [rules.Seats]Member
}

// group is those who might play together.
type group struct {
	table   *Table
	sitting []*Ticket // at the table already
	come    []*Ticket // from the queue
}

func (g *group) all() []*Ticket { return append(slices.Clip(g.sitting), g.come...) }

func (g *group) size() (n int) {
	for _, t := range g.all() {
		n += len(t.Members)
	}
	return n
}

func (g *group) with(t *Ticket) *group {
	return &group{g.table, g.sitting, append(slices.Clip(g.come), t)}
}

// pairing is one run of the matcher.
type pairing struct {
	now     time.Time
	policy  Policy
	apart   func(a, b string) bool
	waiting []*Ticket // oldest first; nil once it is used
	open    []*group  // tables with free seats
	out     []Decision
}

// Pair says who of one queue sits down with whom now, and who has to go. apart says
// whether two players have a block between them. What is handed in is not changed.
//
// The oldest come first. Tickets and tables are not split, and nobody is in two
// decisions that seat them. It is called again before long, so that it need not find
// the best answer, only a good one that wrongs nobody.
func Pair(now time.Time, tickets []Ticket, tables []Table, apart func(a, b string) bool, policy Policy) []Decision {
	p := &pairing{now: now, policy: policy, apart: apart}
	for i := range tables {
		p.look(&tables[i])
	}
	for i := range tickets {
		t := &tickets[i]
		switch {
		case policy.Closed != "":
			p.drop(t, policy.Closed)
		case p.wait(t) >= policy.MaxWait:
			p.drop(t, engagement.Expired)
		case len(t.Members) == 2 && apart(t.Members[0].PlayerID, t.Members[1].PlayerID):
			p.drop(t, engagement.PartnerLeft)
		case t.InvitedID == "":
			p.waiting = append(p.waiting, t)
		}
	}
	slices.SortStableFunc(p.waiting, func(a, b *Ticket) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	slices.SortStableFunc(p.open, func(a, b *group) int {
		return cmp.Or(a.table.OpenedAt.Compare(b.table.OpenedAt), cmp.Compare(a.table.ID, b.table.ID))
	})
	p.pairParties()
	p.fillTables()
	p.fillNew()
	return p.out
}

func (p *pairing) wait(t *Ticket) time.Duration { return max(p.now.Sub(t.Since), 0) }

func (p *pairing) drop(t *Ticket, why engagement.Reason) {
	p.out = append(p.out, Decision{Act: Drop, Reason: why, Tickets: []Ticket{*t}})
}

// look takes up a table: closes it, or sends away whoever came last and has a block
// with somebody there, or keeps it open.
func (p *pairing) look(t *Table) {
	switch {
	case p.policy.Closed != "":
		p.out = append(p.out, Decision{Act: Close, Reason: p.policy.Closed, Table: t})
		return
	case !p.now.Before(t.Deadline):
		p.out = append(p.out, Decision{Act: Close, Reason: engagement.Cancelled, Table: t})
		return
	}
	g := &group{table: t}
	for i := range t.Tickets {
		one := &t.Tickets[i]
		if p.blocked(g, one) || len(one.Members) == 2 && p.apart(one.Members[0].PlayerID, one.Members[1].PlayerID) {
			p.out = append(p.out, Decision{Act: Unseat, Reason: engagement.Unseated, Table: t, Tickets: []Ticket{*one}})
			continue
		}
		g.sitting = append(g.sitting, one)
	}
	if len(g.sitting) > 0 { // a table that everybody leaves is closed
		p.open = append(p.open, g)
	}
}

// blocked says whether somebody of the ticket has a block with somebody of the group.
func (p *pairing) blocked(g *group, t *Ticket) bool {
	for _, other := range g.all() {
		for _, a := range other.Members {
			for _, b := range t.Members {
				if p.apart(a.PlayerID, b.PlayerID) {
					return true
				}
			}
		}
	}
	return false
}

// mayEver says whether the ticket could join the group once it has waited enough. Two
// parties, a party and two others, or four: whoever fits by number can be seated.
func (p *pairing) mayEver(g *group, t *Ticket) bool {
	return g.size()+len(t.Members) <= rules.Seats && !p.blocked(g, t)
}

// fits says whether the ticket may join the group now.
func (p *pairing) fits(g *group, t *Ticket) bool {
	if !p.mayEver(g, t) {
		return false
	}
	for _, other := range g.all() {
		if !p.near(t, other) || !p.patient(t, other) || !p.patient(other, t) {
			return false
		}
	}
	return true
}

func (p *pairing) near(a, b *Ticket) bool {
	points, bounded := p.policy.window(p.wait(a), p.wait(b))
	return !bounded || distance(a, b) <= points
}

func distance(a, b *Ticket) int {
	d := a.Points() - b.Points()
	return max(d, -d)
}

// patient says whether a party has waited long enough to play with somebody alone.
func (p *pairing) patient(party, other *Ticket) bool {
	return len(party.Members) == 1 || len(other.Members) == 2 || p.wait(party) >= p.policy.PartyWait
}

func (p *pairing) used(tickets []*Ticket) {
	for i, t := range p.waiting {
		if slices.Contains(tickets, t) {
			p.waiting[i] = nil
		}
	}
}

// pairParties puts parties against one another before anybody else takes them.
func (p *pairing) pairParties() {
	for _, g := range p.open {
		if len(g.sitting) != 1 || len(g.sitting[0].Members) != 2 {
			continue
		}
		for _, t := range p.waiting {
			if t != nil && len(t.Members) == 2 && p.fits(g, t) {
				p.seat(g.with(t))
				*g = group{table: g.table, sitting: append(g.sitting, t)} // full
				break
			}
		}
	}
	for i, t := range p.waiting {
		if t == nil || len(t.Members) != 2 {
			continue
		}
		g := &group{come: []*Ticket{t}}
		for _, other := range p.waiting[i+1:] {
			if other != nil && len(other.Members) == 2 && p.fits(g, other) {
				p.seat(g.with(other))
				break
			}
		}
	}
}

// fillTables lets tickets sit down at the tables that are open.
func (p *pairing) fillTables() {
	for _, g := range p.open {
		before := len(g.sitting)
		whole := p.complete(g, p.candidates(g.sitting))
		if whole == nil {
			whole = p.most(g, p.candidates(g.sitting))
		}
		if len(whole.come) == 0 {
			continue
		}
		p.seat(whole)
		g.sitting = append(g.sitting[:before:before], whole.come...)
	}
}

// fillNew begins matches of those who wait, and opens tables.
func (p *pairing) fillNew() {
	for _, t := range p.waiting {
		if t == nil {
			continue
		}
		g := &group{come: []*Ticket{t}}
		others := p.candidates(g.come)
		if whole := p.complete(g, others); whole != nil {
			p.seat(whole)
			continue
		}
		switch {
		case t.Queue.Stake == 0 && p.wait(t) >= p.policy.BotFill:
			p.seat(p.most(g, others))
		case t.Queue.Stake > 0 && !slices.ContainsFunc(p.open, func(open *group) bool { return p.mayEver(open, t) }):
			// Whoever could sit at a table that is open waits until the windows let
			// them, rather than that two tables stay half empty.
			g = p.most(g, others)
			g.table = &Table{Queue: t.Queue}
			p.seat(g)
			p.open = append(p.open, &group{table: g.table, sitting: g.come})
		}
	}
}

// maxCandidates bounds the search for four who fit one another.
const maxCandidates = 16

// candidates are those who wait, but for the tickets given: those nearest to the
// first of them, the older before the younger.
func (p *pairing) candidates(to []*Ticket) []*Ticket {
	var list []*Ticket
	for _, t := range p.waiting {
		if t != nil && !slices.Contains(to, t) && (len(to) == 0 || p.near(to[0], t)) {
			list = append(list, t)
		}
	}
	if len(to) > 0 {
		slices.SortStableFunc(list, func(a, b *Ticket) int { return distance(to[0], a) - distance(to[0], b) })
	}
	return list[:min(len(list), maxCandidates)]
}

// complete finds tickets that fill the group, or returns nil.
func (p *pairing) complete(g *group, candidates []*Ticket) *group {
	if g.size() == rules.Seats {
		return g
	}
	for i, t := range candidates {
		if p.fits(g, t) {
			if whole := p.complete(g.with(t), candidates[i+1:]); whole != nil {
				return whole
			}
		}
	}
	return nil
}

// most adds whoever fits, one after the other.
func (p *pairing) most(g *group, candidates []*Ticket) *group {
	for _, t := range candidates {
		if p.fits(g, t) {
			g = g.with(t)
		}
	}
	return g
}

// seat decides for the group: it begins if nothing is missing, or if bots may fill it.
func (p *pairing) seat(g *group) {
	d := Decision{Act: Begin, Table: g.table}
	var queue Queue
	for _, t := range g.come {
		d.Tickets, queue = append(d.Tickets, *t), t.Queue
	}
	if queue.Stake > 0 && g.size() < rules.Seats {
		d.Act = Sit
	} else {
		if d.Table != nil && d.Table.ID == "" {
			d.Table = nil
		}
		d.Seats = arrange(g.all())
	}
	if d.Act == Sit && d.Table.ID == "" {
		d.Table = nil
	}
	p.out = append(p.out, d)
	p.used(g.come)
}

// arrange gives a party a pair of seats, and makes the pairs of the others as equal
// as can be.
func arrange(tickets []*Ticket) (seats [rules.Seats]Member) {
	var parties, others []Member
	for _, t := range tickets {
		if len(t.Members) == 2 {
			parties = append(parties, t.Members...)
		} else {
			others = append(others, t.Members...)
		}
	}
	for len(parties)+len(others) < rules.Seats {
		others = append(others, Member{Points: rating.Bot().Points()})
	}
	four := append(parties, others...)
	if len(parties) == 0 {
		best := -1
		for mate := 1; mate < rules.Seats; mate++ {
			gap := 2 * (four[0].Points + four[mate].Points)
			for _, m := range four {
				gap -= m.Points
			}
			if gap = max(gap, -gap); best < 0 || gap < best {
				best = gap
				seats = split(four, mate)
			}
		}
		return seats
	}
	return split(four, 1)
}

// split seats the first with the one given, and the other two across.
func split(four []Member, mate int) (seats [rules.Seats]Member) {
	seats[0], seats[2] = four[0], four[mate]
	seat := 1
	for i, m := range four {
		if i != 0 && i != mate {
			seats[seat] = m
			seat += 2
		}
	}
	return seats
}
