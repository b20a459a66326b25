// Package simulation works out what a draft of the economy would have given and taken in
// the last days: it goes through what happened, in the order of time, and asks the rules
// that settle matches, claims, sales and the league's weeks what they make of it under the
// draft. Whoever did something is taken to do the same again.
package simulation

import (
	"slices"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/league"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// Match is one that has been settled.
type Match struct {
	ID   string
	Mode economy.Mode
	// Economy is the version that it was settled under.
	Economy int
	EndedAt time.Time
	Winner  rules.Pair
	Seats   [rules.Seats]Seat
}

// Seat at a match. A bot's is empty.
type Seat struct {
	PlayerID string
	// Missed counts the turns that the player had missed in a row.
	Missed int
	// Coins that it gave.
	Coins int64
	// Known says that Before is: of the player's standing what worked then, and what had
	// been given for matches with friends. It is not for matches of before that was kept.
	Known  bool
	Before reward.Standing
}

// Deed is one of a player's. Of the standing that it was done to, what there is of matches
// with friends is left out.
type Deed struct {
	PlayerID string
	// Version of the standing behind it.
	Version int
	reward.Deed
}

// Sale is an order that has been paid for with money.
type Sale struct {
	PlayerID, SKU string
	At            time.Time
	// Coins that the order promised, and those that it has given: fewer if some of the
	// money went back.
	Promised, Given int64
}

// Replay is a simulation under way: pure, and told in the order of time. Make one with
// NewReplay.
type Replay struct {
	draft *economy.Document
	// document is that of a version.
	document func(number int) (*economy.Document, error)
	weeks    *weeks

	players     map[string]*player
	matches     int64
	inferred    int64
	unexplained int64

	total                                                             Sum
	bySource, byMode, byPosition, byBooster, byDivision, byVIP, byDay tally
}

// player is what the draft would have made of one.
type player struct {
	standing reward.Standing
	// Parts of the standing that are known, each from where it is first told.
	knowsWorking, knowsHeld, knowsFriends bool

	matches       int
	before, after int64
	division      string
	vip           bool
	counted       bool
}

// NewReplay begins one of a draft. document is asked for the
// versions that matches were settled under; seasons are those of the league, the oldest
// first, that took or gave something since a time. Codes: economy.CodeInvalid.
func NewReplay(draft []byte, document func(number int) (*economy.Document, error), seasons []league.Season, since time.Time) (*Replay, error) {
	d, problems := economy.Parse(draft)
	if len(problems) > 0 {
		return nil, &fault.Error{Code: economy.CodeInvalid, Field: problems[0].Path, Message: problems[0].Message}
	}
	r := &Replay{
		draft: d, document: document, players: make(map[string]*player),
		bySource: tally{}, byMode: tally{}, byPosition: tally{}, byBooster: tally{}, byDivision: tally{}, byVIP: tally{}, byDay: tally{},
	}
	r.weeks = newWeeks(r, draft, seasons, since)
	return r, nil
}

func (r *Replay) player(id string) *player {
	p := r.players[id]
	if p == nil {
		p = &player{standing: reward.Standing{PlayerID: id}}
		r.players[id] = p
	}
	return p
}

// learn takes over what is told of a standing and was not known.
func (p *player) learn(s *reward.Standing, held, friends bool) {
	if !p.knowsWorking {
		p.knowsWorking = true
		p.standing.VIPUntil, p.standing.BoosterUntil, p.standing.BoosterMatches = s.VIPUntil, s.BoosterUntil, s.BoosterMatches
	}
	if held && !p.knowsHeld {
		p.knowsHeld = true
		p.standing.BoostersHeld, p.standing.DailyDay, p.standing.DailyStreak = s.BoostersHeld, s.DailyDay, s.DailyStreak
	}
	if friends && !p.knowsFriends {
		p.knowsFriends = true
		p.standing.FriendsDay, p.standing.FriendsCoins = s.FriendsDay, s.FriendsCoins
	}
}

// count counts what a player was given, or paid, and would have.
func (r *Replay) count(p *player, division string, from Source, at time.Time, before, after int64) {
	p.counted = true
	p.before += before
	p.after += after
	r.total.add(before, after)
	r.bySource.add(string(from), before, after)
	r.byDivision.add(division, before, after)
	r.byVIP.add(yes(p.vip), before, after)
	r.byDay.add(r.draft.Day(at), before, after)
}

func yes(b bool) string {
	if b {
		return Yes
	}
	return No
}

// Division tells in which division of the league a player really is from then on.
func (r *Replay) Division(playerID, division string) { r.player(playerID).division = division }

// Deed takes in one, and returns what it gave or took and what it would have.
func (r *Replay) Deed(d *Deed) (before, after int64) {
	r.weeks.advance(d.At)
	p := r.player(d.PlayerID)
	p.learn(&d.Before, true, false)
	p.vip = d.Before.VIP(d.At)
	s := &p.standing
	var from Source
	switch d.Kind {
	case reward.DeedWelcome:
		from, after = FromWelcome, s.Welcome(r.draft, d.At)
	case reward.DeedDaily:
		from = FromDaily
		// Claimed already: by the draft's clocks it may be the same day.
		if coins, gift, err := s.Claim(r.draft, d.At); err == nil {
			after = coins + gift
		}
	case reward.DeedBooster:
		price, _ := s.BuyBooster(r.draft, d.At, d.Start)
		from, after = FromBoosters, -price
	case reward.DeedVIP:
		from, after = FromPasses, -s.BuyVIP(r.draft, d.At)
	case reward.DeedStart:
		_ = s.StartBooster(r.draft, d.At) // refused, it is held on
	case reward.DeedReceive:
		s.Receive(d.At, d.Boosters, d.Days)
	case reward.DeedMerge:
		// What was left of a pass comes with the next standing that is seen.
		s.Receive(d.At, d.Boosters, 0)
	}
	s.Deed = nil
	if from != "" {
		r.count(p, p.division, from, d.At, d.Coins, after)
	}
	return d.Coins, after
}

// Match takes in one, and returns what it would have given each seat.
func (r *Replay) Match(m *Match) (would [rules.Seats]int64, err error) {
	live, err := r.document(m.Economy)
	if err != nil {
		return would, err
	}
	r.weeks.advance(m.EndedAt)
	r.matches++
	bots := slices.ContainsFunc(m.Seats[:], func(s Seat) bool { return s.PlayerID == "" })
	points := make([]league.Points, 0, rules.Seats)
	for i := range m.Seats {
		seat := &m.Seats[i]
		if seat.PlayerID == "" {
			continue
		}
		p := r.player(seat.PlayerID)
		p.matches++
		end := reward.End{
			Mode: m.Mode, At: m.EndedAt, Won: rules.Seat(i).Pair() == m.Winner, Bots: bots, Missed: seat.Missed,
		}
		was := seat.Before
		if !seat.Known {
			r.inferred++
			was = infer(live, end, p.standing, seat.Coins)
		} else {
			p.learn(&seat.Before, false, true)
		}
		booster := was.Boosted(end.At)
		p.vip = was.VIP(end.At)
		then := was
		if off := then.Finish(live, end).Coins - seat.Coins; off < 0 {
			r.unexplained -= off
		} else {
			r.unexplained += off
		}

		given := p.finish(r.draft, end, seat.Known, &was)
		points = append(points, league.Points{PlayerID: seat.PlayerID, Points: given.LeaguePoints})
		would[i] = given.Coins
		r.count(p, p.division, FromMatches, m.EndedAt, seat.Coins, given.Coins)
		r.byMode.add(string(m.Mode), seat.Coins, given.Coins)
		r.byBooster.add(yes(booster), seat.Coins, given.Coins)
		position := Losers
		if end.Won {
			position = Winners
		}
		r.byPosition.add(position, seat.Coins, given.Coins)
	}
	// Whoever is first is in the group that is fuller, so in the order of a settlement.
	slices.SortFunc(points, func(a, b league.Points) int { return strings.Compare(a.PlayerID, b.PlayerID) })
	return would, r.weeks.award(m.EndedAt, points)
}

// finish gives the player what a match would have given. If it was not kept what worked,
// it is what was inferred for this match.
func (p *player) finish(draft *economy.Document, end reward.End, known bool, inferred *reward.Standing) economy.Reward {
	if known {
		return p.standing.Finish(draft, end)
	}
	s := p.standing
	s.VIPUntil, s.BoosterUntil, s.BoosterMatches = inferred.VIPUntil, inferred.BoosterUntil, 0
	given := s.Finish(draft, end)
	p.standing.FriendsDay, p.standing.FriendsCoins = s.FriendsDay, s.FriendsCoins
	return given
}

// infer finds what must have worked for a player to whom a match gave so many coins. If
// that may have been more than one thing, it is the least.
func infer(d *economy.Document, end reward.End, carried reward.Standing, coins int64) reward.Standing {
	soon := end.At.Add(time.Millisecond)
	none := reward.Standing{PlayerID: carried.PlayerID, FriendsDay: carried.FriendsDay, FriendsCoins: carried.FriendsCoins}
	for _, works := range []struct{ booster, vip bool }{{}, {vip: true}, {booster: true}, {booster: true, vip: true}} {
		s := none
		if works.booster {
			s.BoosterUntil = soon
		}
		if works.vip {
			s.VIPUntil = soon
		}
		then := s
		if then.Finish(d, end).Coins == coins {
			return s
		}
	}
	return none
}

// Sale takes in one, at any time. A product that the draft does not have gives what it
// gave.
func (r *Replay) Sale(s *Sale) (before, after int64) {
	after = s.Given
	if product := r.draft.Product(s.SKU); product != nil && s.Promised > 0 {
		after = s.Given * product.Grants.Coins / s.Promised
	}
	if s.Given == 0 && after == 0 {
		return 0, 0
	}
	p := r.player(s.PlayerID)
	r.count(p, p.division, FromSales, s.At, s.Given, after)
	return s.Given, after
}

// Prize takes in what the close of a season at a time has really given, at any time.
func (r *Replay) Prize(score league.Score, at time.Time) {
	r.prize(score, at, score.Prize, 0)
}

func (r *Replay) prize(score league.Score, at time.Time, before, after int64) {
	if before == 0 && after == 0 {
		return
	}
	r.count(r.player(score.PlayerID), score.Division, FromPrizes, at, before, after)
}

// End is behind everything up to a time.
func (r *Replay) End(at time.Time) error {
	r.weeks.advance(at)
	return r.weeks.err
}
