package reward

import (
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
)

// What may be done to a standing, beside what the end of a match does, is here: without
// a ledger, so that what would have been under another document is worked out by the
// same rules. Each notes its deed.

// DeedKind says what was done to a standing.
type DeedKind string

// Kinds of deeds.
const (
	// DeedWelcome: the welcome grant was given.
	DeedWelcome DeedKind = "welcome"
	// DeedDaily: the day's reward was claimed.
	DeedDaily DeedKind = "daily"
	// DeedBooster: a booster was bought, to be begun at once if Start says so.
	DeedBooster DeedKind = "booster"
	// DeedStart: a booster that was held was begun.
	DeedStart DeedKind = "start"
	// DeedVIP: a VIP pass was bought.
	DeedVIP DeedKind = "vip"
	// DeedReceive: Boosters and Days of a VIP pass came from an order, or were taken back.
	DeedReceive DeedKind = "receive"
	// DeedMerge: what a guest had came to the account that it was merged into, with its
	// Boosters; or went from the guest. What follows begins from the standing behind it.
	DeedMerge DeedKind = "merge"
)

// Deed is one thing that was done to a standing. All of a player's, with the matches
// that they finished, say how the standing came to be what it is.
type Deed struct {
	Kind DeedKind
	At   time.Time
	// Economy is the version that it was done under; 0 where none matters.
	Economy int
	// Coins that it gave, or below zero took.
	Coins int64
	// Start, Boosters and Days: see the kinds.
	Start          bool
	Boosters, Days int
	// Before is the standing that it was done to.
	Before Standing
}

// did notes a deed that began from a standing.
func (s *Standing) did(before Standing, d Deed) {
	before.Deed = nil
	d.Before = before
	s.Deed = &d
}

// Welcome takes the welcome grant, and tells how many coins it is: none for who has had
// it.
func (s *Standing) Welcome(d *economy.Document, at time.Time) (coins int64) {
	if s.Welcomed {
		return 0
	}
	before := *s
	s.Welcomed = true
	s.did(before, Deed{Kind: DeedWelcome, At: at, Coins: d.Welcome})
	return d.Welcome
}

// Claim takes the day's reward, and the gift of a VIP pass with it. Codes: CodeClaimed.
func (s *Standing) Claim(d *economy.Document, at time.Time) (coins, gift int64, err error) {
	before := *s
	coins, streak, ok := d.DailyReward(at, s.DailyDay, s.DailyStreak)
	if !ok {
		return 0, 0, fault.New(CodeClaimed, "You have had today's reward.")
	}
	if s.VIP(at) {
		gift = d.VIP.DailyGift
	}
	s.DailyDay, s.DailyStreak = d.Day(at), streak
	s.did(before, Deed{Kind: DeedDaily, At: at, Coins: coins + gift})
	return coins, gift, nil
}

// BuyBooster adds a booster to those held, and begins it if start is set and none that
// works keeps it waiting.
func (s *Standing) BuyBooster(d *economy.Document, at time.Time, start bool) (price int64, started bool) {
	before := *s
	s.BoostersHeld++
	started = start && s.begin(d, at) == nil
	s.did(before, Deed{Kind: DeedBooster, At: at, Coins: -d.Booster.Price, Start: start})
	return d.Booster.Price, started
}

// BuyVIP adds a pass, which begins when the one that runs ends.
func (s *Standing) BuyVIP(d *economy.Document, at time.Time) (price int64) {
	before := *s
	if !s.VIP(at) {
		s.VIPUntil = at
	}
	s.VIPUntil = s.VIPUntil.Add(time.Duration(d.VIP.Days) * 24 * time.Hour)
	s.did(before, Deed{Kind: DeedVIP, At: at, Coins: -d.VIP.Price, Days: d.VIP.Days})
	return d.VIP.Price
}

// StartBooster begins one of those held. Codes: CodeNoBooster, CodeBoosterRunning.
func (s *Standing) StartBooster(d *economy.Document, at time.Time) error {
	before := *s
	if err := s.begin(d, at); err != nil {
		return err
	}
	s.did(before, Deed{Kind: DeedStart, At: at})
	return nil
}

// begin takes a booster from those held. If one works already, the document says
// whether this one adds to it.
func (s *Standing) begin(d *economy.Document, at time.Time) error {
	switch {
	case s.Boosted(at) && d.Booster.Stack == economy.Refuse:
		return fault.New(CodeBoosterRunning, "A booster is working for you already.")
	case s.BoostersHeld == 0:
		return fault.New(CodeNoBooster, "You hold no booster.")
	}
	s.BoostersHeld--
	s.BoosterMatches += d.Booster.Lasts.Matches
	if minutes := d.Booster.Lasts.Minutes; minutes > 0 {
		if s.BoosterUntil.Before(at) {
			s.BoosterUntil = at
		}
		s.BoosterUntil = s.BoosterUntil.Add(time.Duration(minutes) * time.Minute)
	}
	return nil
}

// Receive adds boosters and days of a VIP pass, or takes them back if they are below
// zero. It returns how many it was: what has been used up is not there to be taken.
// Of a day that has begun, all counts as taken.
func (s *Standing) Receive(at time.Time, boosters, days int) (gotBoosters, gotDays int) {
	before := *s
	gotBoosters, gotDays = s.receive(at, boosters, days)
	if gotBoosters != 0 || gotDays != 0 {
		s.did(before, Deed{Kind: DeedReceive, At: at, Boosters: gotBoosters, Days: gotDays})
	}
	return gotBoosters, gotDays
}

func (s *Standing) receive(at time.Time, boosters, days int) (gotBoosters, gotDays int) {
	gotBoosters = max(boosters, -s.BoostersHeld)
	s.BoostersHeld += gotBoosters
	if days == 0 {
		return gotBoosters, 0
	}
	if !s.VIP(at) {
		if days < 0 {
			return gotBoosters, 0
		}
		s.VIPUntil = at
	}
	const day = 24 * time.Hour
	left := int((s.VIPUntil.Sub(at) + day - 1) / day)
	gotDays = max(days, -left)
	if s.VIPUntil = s.VIPUntil.Add(time.Duration(gotDays) * day); s.VIPUntil.Before(at) {
		s.VIPUntil = at
	}
	return gotBoosters, gotDays
}

// Absorb takes over all that the other, a guest's, has beside coins, and leaves it
// empty: experience, boosters, and what is left of a pass. Daily rewards and the caps of
// a day stay each one's own.
func (s *Standing) Absorb(at time.Time, other *Standing) {
	before, theirs := *s, *other
	s.Experience += other.Experience
	s.BoostersHeld += other.BoostersHeld
	s.BoosterMatches += other.BoosterMatches
	s.VIPUntil = prolonged(at, s.VIPUntil, other.VIPUntil)
	s.BoosterUntil = prolonged(at, s.BoosterUntil, other.BoosterUntil)
	other.Experience, other.BoostersHeld, other.BoosterMatches = 0, 0, 0
	if other.VIPUntil.After(at) {
		other.VIPUntil = at
	}
	if other.BoosterUntil.After(at) {
		other.BoosterUntil = at
	}
	s.did(before, Deed{Kind: DeedMerge, At: at, Boosters: theirs.BoostersHeld})
	other.did(theirs, Deed{Kind: DeedMerge, At: at, Boosters: -theirs.BoostersHeld})
}

// prolonged is a time with what is left of another behind it.
func prolonged(at, until, other time.Time) time.Time {
	if !other.After(at) {
		return until
	}
	if until.Before(at) {
		until = at
	}
	return until.Add(other.Sub(at))
}

// End is how a match that pays ended for one player.
type End struct {
	Mode economy.Mode
	At   time.Time
	Won  bool
	// Bots says whether any seat was a bot's.
	Bots bool
	// Missed counts the turns that the player had missed in a row.
	Missed int
}

// Finish takes what the end of a match gives.
func (s *Standing) Finish(d *economy.Document, e End) economy.Reward {
	f := economy.Finish{
		Mode: e.Mode, Won: e.Won, BotsAtTable: e.Bots, Away: e.Missed >= d.Matches.Away.AfterTurns,
		Booster: s.Boosted(e.At), VIP: s.VIP(e.At),
	}
	// What a match began under may have another zone than the last one had: a day
	// that begins again there is not another day.
	today := max(d.Day(e.At), s.FriendsDay)
	if s.FriendsDay == today {
		f.FriendsToday = s.FriendsCoins
	}
	given := d.Reward(f)
	s.Experience += given.Experience
	// One that lasts for a time works first, and costs no match.
	if s.BoosterMatches > 0 && given.Base > 0 && !s.BoosterUntil.After(e.At) {
		s.BoosterMatches--
	}
	if e.Mode == economy.Friends {
		s.FriendsDay, s.FriendsCoins = today, f.FriendsToday+given.Coins
	}
	return given
}
