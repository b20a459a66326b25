package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/unit"
	"github.com/cuatrola/cuatrola/server/wallet"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Matches is what the lobby needs of the matches' domain.
type Matches interface {
	Make(setup match.Setup) (*match.Match, error)
	Opened(m *match.Match)
}

// Meter counts what happens in the lobby.
type Meter interface {
	// Waiting says how many players are in a mode's queues and at its tables.
	Waiting(mode economy.Mode, players int)
	// Seated says how long a player waited for a match, and how far apart in points
	// the two pairs of it are.
	Seated(mode economy.Mode, waited time.Duration, gap int)
	// Left says that a player went without one.
	Left(mode economy.Mode, why engagement.Reason)
	// TableClosed says that a staked table was cancelled.
	TableClosed()
}

// Options are what the lobby is put together from.
type Options struct {
	Store   Store
	Matches Matches
	Economy *economy.Service
	Clock   match.Clock
	// Random is where identifiers come from.
	Random io.Reader
	// Announce is told whose engagement has changed, Notify of a notice; both behind
	// the commit. They must not block.
	Announce func(...engagement.Change)
	Notify   func(notice.Notice)
	Meter    Meter
	// NoStakes closes the staked tables, where the law wants it so.
	NoStakes bool
	// Halts knows whether the queue or the staked tables are stopped for a while; nil if
	// they cannot be.
	Halts *halt.Service
}

// Service is the domain's door. Make one with New.
type Service struct {
	Options

	// matching keeps rounds of this process from passing over each other's tickets.
	matching sync.Mutex

	mu       sync.Mutex
	stopping bool
	poked    map[Queue]bool
	// background counts the goroutines that match.
	background sync.WaitGroup
}

// New returns a lobby in which nobody matches before Start.
func New(o Options) *Service { return &Service{Options: o, poked: make(map[Queue]bool)} }

const (
	// sweepEvery is how often each process looks at all the queues: waits grow, and
	// other processes may have died.
	sweepEvery = time.Second
	// roundTimeout bounds one round of the matcher.
	roundTimeout = 10 * time.Second
	// ticketsAtOnce and tablesAtOnce bound what one round looks at, the oldest first.
	ticketsAtOnce, tablesAtOnce = 400, 50
)

func (s *Service) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Millisecond) }

// Start has the matcher run until Stop.
func (s *Service) Start() {
	s.Clock.AfterFunc(sweepEvery, func() {
		if !s.enter() {
			return
		}
		if err := s.Sweep(context.Background()); err != nil {
			slog.Error("lobby: a round failed; it is tried again", "error", err)
		}
		s.background.Done()
		s.Start()
	})
}

// Stop ends what runs in the background and waits for it. Tickets stay, for the
// other processes and the next start.
func (s *Service) Stop() {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	s.background.Wait()
}

func (s *Service) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.background.Add(1)
	return true
}

// poke has the matcher look at a queue soon. Many who come at once make one round.
func (s *Service) poke(q Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poked[q] || s.stopping {
		return
	}
	s.poked[q] = true
	s.Clock.AfterFunc(0, func() {
		s.mu.Lock()
		delete(s.poked, q)
		s.mu.Unlock()
		if !s.enter() {
			return
		}
		defer s.background.Done()
		if err := s.Round(context.Background(), q); err != nil {
			slog.Error("lobby: a round failed; it is tried again", "queue", q.String(), "error", err)
		}
	})
}

// Request is somebody's wish to play.
type Request struct {
	PlayerID, Name, Avatar string
	Queue                  Queue
	// PartnerID is the friend to play with, or empty. Both have to name one another.
	PartnerID string
	// Answer is remembered if it has a key; its body is made by Body of the player's
	// engagement and ticket.
	Answer match.Answer
	Body   func(engagement.Engagement, *Ticket) ([]byte, error)
}

// Enter takes a ticket and returns the answer. The same request again, by its key, is
// answered as the first.
//
// Codes: engaged, InvalidRequest (the stake, the partner), NotFound (no such friend),
// party_differs, stakes_off, stopped, in_debt, insufficient_coins,
// IdempotencyConflict.
func (s *Service) Enter(ctx context.Context, r Request) (answer *match.Answer, replayed bool, err error) {
	_, d, err := s.Economy.Live(ctx)
	if err != nil {
		return nil, false, err
	}
	switch {
	case r.Queue.Stake != 0 && !slices.Contains(d.Stakes, r.Queue.Stake):
		return nil, false, &fault.Error{Code: fault.InvalidRequest, Field: "stake", Message: "There are no tables with this entry."}
	case r.PartnerID == r.PlayerID:
		return nil, false, &fault.Error{Code: fault.InvalidRequest, Field: "partnerId", Message: "That is you."}
	}
	id, err := s.newID()
	if err != nil {
		return nil, false, err
	}
	answer = &r.Answer
	ready := false
	out, err := s.Store.InLobby(ctx, func(tx Tx) error {
		if answer.Key != "" {
			earlier, err := tx.Claim(answer)
			if err != nil || earlier != nil {
				answer, replayed = earlier, true
				return err
			}
		}
		// Behind the claim: a repetition is answered whatever has changed since.
		if err := s.open(r.Queue); err != nil {
			return err
		}
		if err := s.mayStake(tx, r.PlayerID, r.Queue.Stake); err != nil {
			return err
		}
		t, e, err := s.take(tx, r, id, s.now())
		if err != nil {
			return err
		}
		ready = t.InvitedID == ""
		if answer.Body, err = r.Body(e, t); err != nil || answer.Key == "" {
			return err
		}
		return tx.Answer(answer)
	})
	if err != nil || replayed {
		return answer, replayed, err
	}
	s.tell(ctx, out)
	if ready {
		s.poke(r.Queue)
	}
	return answer, false, nil
}

// open refuses whoever comes while the queue is closed, as far as this process knows.
// Who comes in all the same is let go by the next round.
func (s *Service) open(q Queue) error {
	if q.Stake > 0 {
		if s.NoStakes {
			return fault.New(CodeStakesOff, "There are no staked tables here.")
		}
		if err := s.Halts.Check(halt.Stakes); err != nil {
			return err
		}
	}
	return s.Halts.Check(halt.Queue)
}

// closed is why nobody of a queue is matched, or empty.
func (s *Service) closed(q Queue, halts halt.State) engagement.Reason {
	switch {
	case q.Stake > 0 && s.NoStakes:
		return engagement.StakesOff
	case q.Stake > 0 && halts.Of(halt.Stakes).Stopped, halts.Of(halt.Queue).Stopped:
		return engagement.Stopped
	}
	return ""
}

// mayStake refuses whoever cannot pay the entry.
func (s *Service) mayStake(tx Tx, playerID string, stake int64) error {
	if stake == 0 {
		return nil
	}
	funds, err := tx.Funds([]string{playerID})
	if err != nil {
		return err
	}
	switch f := funds[playerID]; {
	case f.Debt > 0:
		return fault.New(CodeInDebt, "You owe coins. Pay them back before you play for coins.")
	case f.Coins < stake:
		return wallet.ErrInsufficient
	}
	return nil
}

// take makes the player's ticket, or the player the second of a friend's.
func (s *Service) take(tx Tx, r Request, id string, now time.Time) (*Ticket, engagement.Engagement, error) {
	none := engagement.Engagement{}
	rated, err := tx.Rating(r.PlayerID)
	if err != nil {
		return nil, none, err
	}
	me := Member{PlayerID: r.PlayerID, Name: r.Name, Avatar: r.Avatar, Points: rated.Points()}
	t := &Ticket{ID: id, Queue: r.Queue, Members: []Member{me}, InvitedID: r.PartnerID, Since: now}
	var theirs *Ticket
	if r.PartnerID != "" {
		if theirs, err = s.invitation(tx, r); err != nil {
			return nil, none, err
		}
	}
	if theirs != nil {
		t = theirs
		t.Members, t.InvitedID, t.Since = append(t.Members, me), "", now
	}
	e := engagement.Engagement{PlayerID: r.PlayerID, Place: t.place(), Reason: engagement.Joined, Since: now}
	for _, player := range engagement.Sorted(t.Players()) {
		if player != r.PlayerID {
			err = tx.Touch(player, t.place())
		} else {
			e.Seq, err = tx.Engage(player, engagement.Free, t.place(), engagement.Joined, now)
		}
		if err != nil {
			return nil, none, err
		}
	}
	// Behind the engagement, which refuses whoever has a ticket.
	if theirs != nil {
		return t, e, tx.Join(*t, me)
	}
	if err := tx.AddTicket(*t); err != nil || t.InvitedID == "" {
		return t, e, err
	}
	return t, e, tx.Tell(notice.Notice{
		PlayerID: r.PartnerID, Kind: notice.PartyInvite, From: &notice.Person{ID: r.PlayerID}, At: now,
	})
}

// invitation is the ticket with which the friend waits for the player, or nil.
func (s *Service) invitation(tx Tx, r Request) (*Ticket, error) {
	friends, err := tx.HoldPair(r.PlayerID, r.PartnerID)
	// Nor is it told whether there is such a player: whoever has blocked this one is
	// nobody to it.
	if fault.CodeOf(err) == fault.NotFound || err == nil && !friends {
		err = &fault.Error{Code: fault.NotFound, Field: "partnerId", Message: "You have no such friend."}
	}
	if err != nil {
		return nil, err
	}
	theirs, err := tx.HoldInvitation(r.PartnerID, r.PlayerID)
	if err == nil && theirs != nil && theirs.Queue != r.Queue {
		err = fault.New(CodePartyDiffers, "Your friend waits to play by other rules or for another entry.")
	}
	return theirs, err
}

// Policy is what the matcher goes by now in a queue that is not closed.
func (s *Service) Policy(ctx context.Context) (Policy, error) {
	_, d, err := s.Economy.Live(ctx)
	if err != nil {
		return Policy{}, err
	}
	return policyOf(d), nil
}

// Ticket is the player's; nil if there is none.
func (s *Service) Ticket(ctx context.Context, playerID string) (*Ticket, error) {
	return s.Store.Ticket(ctx, playerID)
}

// Table is a staked table that has not begun; nil if there is none.
func (s *Service) Table(ctx context.Context, id string) (*Table, error) {
	return s.Store.Table(ctx, id)
}

// Invitations are the tickets of friends who wait for the player.
func (s *Service) Invitations(ctx context.Context, playerID string) ([]Ticket, error) {
	return s.Store.Invitations(ctx, playerID)
}

// Leave gives the player's ticket up, also at a table, which gives the entry back. A
// party leaves together. Without a ticket it changes nothing. Codes: Unavailable.
func (s *Service) Leave(ctx context.Context, playerID string) error {
	const tries = 5
	for try := 1; ; try++ {
		var left []left
		out, err := s.Store.InLobby(ctx, func(tx Tx) error {
			t, table, err := tx.HoldTicket(playerID)
			if err != nil || t == nil {
				return err
			}
			left, err = s.leave(tx, t, table, playerID)
			return err
		})
		if errors.Is(err, ErrBusy) {
			if try < tries {
				continue
			}
			return fault.Wrap(fault.Unavailable, "The table is changing just now. Try again.", err)
		}
		if err != nil {
			return err
		}
		s.tell(ctx, out)
		s.count(left)
		return nil
	}
}

// left is what the meter is told of a player who goes.
type left struct {
	mode   economy.Mode
	why    engagement.Reason
	closed bool // a table with it
}

func (s *Service) count(all []left) {
	for _, l := range all {
		if l.closed {
			s.Meter.TableClosed()
		} else {
			s.Meter.Left(l.mode, l.why)
		}
	}
}

func (s *Service) leave(tx Tx, t *Ticket, table *Table, playerID string) (gone []left, err error) {
	now, mode := s.now(), t.Queue.Mode()
	for _, id := range engagement.Sorted(t.Players()) {
		why := engagement.Left
		if id != playerID {
			why = engagement.PartnerLeft
		}
		if _, err := tx.Engage(id, t.place(), engagement.Free, why, now); err != nil {
			return nil, err
		}
		gone = append(gone, left{mode: mode, why: why})
	}
	if table != nil {
		if err := s.standUp(tx, t, table, "left"); err != nil {
			return nil, err
		}
		if len(table.Tickets) == 0 {
			gone = append(gone, left{closed: true})
		}
	}
	return gone, tx.RemoveTicket(t.ID)
}

// standUp gives a ticket's entries back and takes it from its table, whose last
// ticket closes it.
func (s *Service) standUp(tx Tx, t *Ticket, table *Table, why string) error {
	now := s.now()
	table.Tickets = slices.DeleteFunc(table.Tickets, func(one Ticket) bool { return one.ID == t.ID })
	here := engagement.Place{Kind: engagement.Table, ID: table.ID}
	for _, id := range engagement.Sorted(table.Players()) {
		if err := tx.Touch(id, here); err != nil {
			return err
		}
	}
	entries := make([]wallet.Entry, 0, 2*len(t.Members))
	for _, id := range t.Players() {
		entries = append(entries, wallet.Move(wallet.Escrow(table.ID), wallet.Player(id), t.Queue.Stake)...)
	}
	if err := s.post(tx, "stand:"+t.ID, wallet.KindRefund, "", stakeData{table.ID, t.Queue.Rules.String(), t.Queue.Stake, why}, entries); err != nil {
		return err
	}
	if len(table.Tickets) > 0 {
		return nil
	}
	return tx.CloseTable(table.ID, "", now)
}

func (s *Service) post(tx Tx, key string, kind wallet.Kind, resolves string, data stakeData, entries []wallet.Entry) error {
	id, err := s.newID()
	if err != nil {
		return err
	}
	t, err := wallet.New(id, key, kind, s.now(), entries...)
	if err != nil {
		return err
	}
	t.Resolves = resolves
	if t.Data, err = json.Marshal(data); err != nil {
		return err
	}
	return tx.Post(t)
}

func (s *Service) newID() (string, error) {
	id, err := uuid.NewV7FromReader(s.Random)
	if err != nil {
		return "", fmt.Errorf("lobby: new id: %w", err)
	}
	return id.String(), nil
}

func (s *Service) tell(ctx context.Context, out Outcome) {
	unit.Then(ctx, func() {
		s.Announce(out.Changes...)
		for _, n := range out.Notices {
			s.Notify(n)
		}
	})
}

// Sweep runs one round for each queue that has anybody in it.
func (s *Service) Sweep(ctx context.Context) error {
	queues, err := s.Store.Queues(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, q := range queues {
		if err := s.Round(ctx, q); err != nil {
			errs = append(errs, fmt.Errorf("queue %s: %w", q, err))
		}
	}
	waiting, err := s.Store.Waiting(ctx)
	if err == nil {
		for _, mode := range []economy.Mode{economy.Online, economy.Staked} {
			s.Meter.Waiting(mode, waiting[mode])
		}
	}
	return errors.Join(append(errs, err)...)
}

// Round matches whoever of a queue can be matched now, in one transaction.
func (s *Service) Round(ctx context.Context, q Queue) error {
	s.matching.Lock()
	defer s.matching.Unlock()
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	version, d, err := s.Economy.Live(ctx)
	if err != nil {
		return err
	}
	var r *round
	out, err := s.Store.InLobby(ctx, func(tx Tx) error {
		r = &round{s: s, tx: tx, queue: q, economy: version.Number, bots: &d.Bots, now: s.now(), fill: time.Duration(d.Queue.TableFillSeconds) * time.Second}
		return r.run(policyOf(d))
	})
	if err != nil {
		return err
	}
	for _, m := range r.begun {
		s.Matches.Opened(m)
	}
	s.tell(ctx, out)
	s.count(r.left)
	for _, seated := range r.seated {
		s.Meter.Seated(q.Mode(), seated.waited, seated.gap)
	}
	return nil
}

// round is one run of the matcher in its transaction.
type round struct {
	s       *Service
	tx      Tx
	queue   Queue
	economy int
	bots    *economy.Bots
	now     time.Time
	fill    time.Duration // how long a table is open

	begun  []*match.Match
	left   []left
	seated []seatedPlayer
}

type seatedPlayer struct {
	waited time.Duration
	gap    int
}

func (r *round) run(policy Policy) error {
	// Asked in the transaction, so that no table is opened, filled or begun, here or by
	// any process, once the stop has been kept.
	halts, err := r.tx.Halts()
	if err != nil {
		return err
	}
	policy.Closed = r.s.closed(r.queue, halts)
	if r.queue.Stake > 0 {
		// Two at once would each open a table, since neither sees the other's, and two
		// half-full tables are both cancelled. Free matches need no such care: who is
		// passed over is looked at again in a second.
		if err := r.tx.HoldQueue(r.queue); err != nil {
			return err
		}
	}
	tickets, err := r.tx.ClaimTickets(r.queue, ticketsAtOnce)
	if err != nil {
		return err
	}
	var tables []Table
	if r.queue.Stake > 0 {
		if tables, err = r.tx.ClaimTables(r.queue, tablesAtOnce); err != nil {
			return err
		}
	}
	var players []string
	for i := range tickets {
		players = append(players, tickets[i].Players()...)
	}
	for i := range tables {
		players = append(players, tables[i].Players()...)
	}
	if len(players) == 0 {
		return nil
	}
	if tickets, err = r.admitted(tickets); err != nil {
		return err
	}
	if r.queue.Stake > 0 && policy.Closed == "" {
		if tickets, err = r.able(tickets); err != nil {
			return err
		}
	}
	blocks, err := r.tx.Apart(players)
	if err != nil {
		return err
	}
	apart := func(a, b string) bool { return blocks[[2]string{min(a, b), max(a, b)}] }
	for _, d := range Pair(r.now, tickets, tables, apart, policy) {
		if err := r.do(d); err != nil {
			return err
		}
	}
	return nil
}

// admitted are the tickets whose players nothing keeps out; the others leave the queue.
// Who is put out gives the ticket up; this is for those who took it at that moment.
func (r *round) admitted(tickets []Ticket) ([]Ticket, error) {
	var players []string
	for i := range tickets {
		players = append(players, tickets[i].Players()...)
	}
	out, err := r.tx.KeptOut(players, r.now)
	if err != nil || len(out) == 0 {
		return tickets, err
	}
	var admitted []Ticket
	for i := range tickets {
		t := &tickets[i]
		isOut := func(id string) bool { return out[id] }
		if !slices.ContainsFunc(t.Players(), isOut) {
			admitted = append(admitted, *t)
			continue
		}
		for _, id := range engagement.Sorted(t.Players()) {
			why := engagement.PartnerLeft
			if isOut(id) {
				why = engagement.Suspended
			}
			if err := r.let(t, id, why); err != nil {
				return nil, err
			}
		}
		if err := r.tx.RemoveTicket(t.ID); err != nil {
			return nil, err
		}
	}
	return admitted, nil
}

// able are the tickets whose players can pay the entry; the others leave the queue.
// Who spends the coins between this look and the posting makes the round fail, and
// is seen by the next.
func (r *round) able(tickets []Ticket) ([]Ticket, error) {
	var players []string
	for i := range tickets {
		players = append(players, tickets[i].Players()...)
	}
	funds, err := r.tx.Funds(players)
	if err != nil {
		return nil, err
	}
	var able []Ticket
	for _, t := range tickets {
		why := engagement.Reason("")
		for _, id := range t.Players() {
			if f := funds[id]; f.Debt > 0 {
				why = engagement.InDebt
			} else if f.Coins < r.queue.Stake && why == "" {
				why = engagement.InsufficientCoins
			}
		}
		if why == "" {
			able = append(able, t)
		} else if err := r.drop(&t, why); err != nil {
			return nil, err
		}
	}
	return able, nil
}

func (r *round) do(d Decision) error {
	switch d.Act {
	case Drop:
		return r.drop(&d.Tickets[0], d.Reason)
	case Unseat:
		return r.unseat(&d.Tickets[0], d.Table, d.Reason)
	case Close:
		return r.close(d.Table, d.Reason)
	case Sit:
		return r.sit(d)
	default:
		return r.begin(d)
	}
}

// free lets a ticket's players go.
func (r *round) free(t *Ticket, why engagement.Reason) error {
	for _, id := range engagement.Sorted(t.Players()) {
		if err := r.let(t, id, why); err != nil {
			return err
		}
	}
	return nil
}

// let lets one of a ticket's players go.
func (r *round) let(t *Ticket, playerID string, why engagement.Reason) error {
	if _, err := r.tx.Engage(playerID, t.place(), engagement.Free, why, r.now); err != nil {
		return err
	}
	r.left = append(r.left, left{mode: r.queue.Mode(), why: why})
	return nil
}

func (r *round) drop(t *Ticket, why engagement.Reason) error {
	if err := r.free(t, why); err != nil {
		return err
	}
	return r.tx.RemoveTicket(t.ID)
}

// unseat sends a ticket back into the queue, under a new identifier: its entry has
// been paid and returned under the old one.
func (r *round) unseat(t *Ticket, table *Table, why engagement.Reason) error {
	id, err := r.s.newID()
	if err != nil {
		return err
	}
	back := engagement.Place{Kind: engagement.Ticket, ID: id}
	for _, player := range engagement.Sorted(t.Players()) {
		if _, err := r.tx.Engage(player, t.place(), back, why, r.now); err != nil {
			return err
		}
	}
	if err := r.tx.Return(*t, id); err != nil {
		return err
	}
	return r.s.standUp(r.tx, t, table, string(why))
}

// close cancels a table and gives every entry back.
func (r *round) close(table *Table, why engagement.Reason) error {
	players := engagement.Sorted(table.Players())
	here := engagement.Place{Kind: engagement.Table, ID: table.ID}
	for _, id := range players {
		if _, err := r.tx.Engage(id, here, engagement.Free, why, r.now); err != nil {
			return err
		}
		r.left = append(r.left, left{mode: economy.Staked, why: why})
	}
	r.left = append(r.left, left{closed: true})
	for i := range table.Tickets {
		if err := r.tx.RemoveTicket(table.Tickets[i].ID); err != nil {
			return err
		}
	}
	if err := r.tx.CloseTable(table.ID, "", r.now); err != nil {
		return err
	}
	id, err := r.s.newID()
	if err != nil {
		return err
	}
	data, err := json.Marshal(stakeData{table.ID, r.queue.Rules.String(), r.queue.Stake, string(why)})
	if err != nil {
		return err
	}
	refund, err := wallet.Refund(id, table.ID, r.queue.Stake, players, data, r.now)
	if err != nil {
		return err
	}
	return r.tx.Post(refund)
}

// table is the decision's, opened if it is none yet.
func (r *round) table(d *Decision) error {
	if d.Table != nil && d.Table.ID != "" {
		return nil
	}
	id, err := r.s.newID()
	if err != nil {
		return err
	}
	d.Table = &Table{ID: id, Queue: r.queue, OpenedAt: r.now, Deadline: r.now.Add(r.fill)}
	return r.tx.OpenTable(*d.Table)
}

// pay has the tickets' players pay their entries into the table's escrow.
func (r *round) pay(d *Decision) error {
	for i := range d.Tickets {
		t := &d.Tickets[i]
		var entries []wallet.Entry
		for _, id := range t.Players() {
			entries = append(entries, wallet.Move(wallet.Player(id), wallet.Escrow(d.Table.ID), r.queue.Stake)...)
		}
		data := stakeData{Table: d.Table.ID, Rules: r.queue.Rules.String(), Stake: r.queue.Stake}
		if err := r.s.post(r.tx, "stake:"+t.ID, wallet.KindStake, "", data, entries); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) sit(d Decision) error {
	if err := r.table(&d); err != nil {
		return err
	}
	here := engagement.Place{Kind: engagement.Table, ID: d.Table.ID}
	from := make(map[string]engagement.Place)
	players := d.Table.Players()
	for i := range d.Tickets {
		t := &d.Tickets[i]
		for _, id := range t.Players() {
			from[id] = t.place()
			players = append(players, id)
		}
		if err := r.tx.Sit(*t, d.Table.ID, r.now); err != nil {
			return err
		}
	}
	for _, id := range engagement.Sorted(players) {
		var err error
		if place, comes := from[id]; comes {
			_, err = r.tx.Engage(id, place, here, engagement.Seated, r.now)
		} else {
			err = r.tx.Touch(id, here)
		}
		if err != nil {
			return err
		}
	}
	return r.pay(&d)
}

func (r *round) begin(d Decision) error {
	setup := match.Setup{
		Rules: r.queue.Rules.Rules(), TurnTime: match.DefaultTurnTime, BotPause: time.Duration(r.bots.Pause.Milliseconds) * time.Millisecond,
		Mode: r.queue.Mode(), Economy: r.economy, Stake: r.queue.Stake,
	}
	if r.queue.Stake > 0 {
		if err := r.table(&d); err != nil {
			return err
		}
		setup.TableID = d.Table.ID
	}
	sum, people := 0, 0
	for _, m := range d.Seats {
		if m.PlayerID != "" {
			sum, people = sum+m.Points, people+1
		}
	}
	for seat, m := range d.Seats {
		if m.PlayerID == "" {
			setup.Seats[seat] = match.Seat{Bot: Level(r.bots, sum/people)}
		} else {
			setup.Seats[seat] = match.Seat{PlayerID: m.PlayerID, Name: m.Name}
		}
	}
	m, err := r.s.Matches.Make(setup)
	if err != nil {
		return err
	}
	if err := r.tx.CreateMatch(m); err != nil {
		return err
	}
	gap := 0
	for seat, m := range d.Seats {
		if rules.Seat(seat).Pair() == 0 {
			gap += m.Points
		} else {
			gap -= m.Points
		}
	}
	gap = max(gap, -gap)
	tickets := d.Tickets
	if d.Table != nil {
		tickets = append(slices.Clip(tickets), d.Table.Tickets...)
	}
	from := make(map[string]engagement.Place)
	for i := range tickets {
		t := &tickets[i]
		for _, id := range t.Players() {
			from[id] = t.place()
			r.seated = append(r.seated, seatedPlayer{max(r.now.Sub(t.Since), 0), gap})
		}
		if err := r.tx.RemoveTicket(t.ID); err != nil {
			return err
		}
	}
	for _, p := range m.Players() {
		to := engagement.Place{Kind: engagement.Match, ID: m.ID}
		if _, err := r.tx.Engage(p.PlayerID, from[p.PlayerID], to, engagement.Started, r.now); err != nil {
			return err
		}
	}
	r.begun = append(r.begun, m)
	if d.Table == nil {
		return nil
	}
	if err := r.tx.CloseTable(d.Table.ID, m.ID, r.now); err != nil {
		return err
	}
	return r.pay(&d)
}
