package economy

import "time"

// Mode is how a match came about.
type Mode string

// The modes.
const (
	// Machine: against bots by one's own choice. Pays nothing.
	Machine Mode = "machine"
	// Friends: in a room with a code.
	Friends Mode = "friends"
	// Online: with people that the server found.
	Online Mode = "online"
	// Staked: online, for an entry each; pays the pot and nothing else.
	Staked Mode = "staked"
)

// Finish is how a match ended for one player.
type Finish struct {
	Mode Mode
	// Won says whether the player's pair did.
	Won bool
	// BotsAtTable says whether any seat was a bot's.
	BotsAtTable bool
	// Away says whether the player had gone.
	Away bool
	// Booster and VIP say what works for the player.
	Booster, VIP bool
	// FriendsToday is what the player was given for matches with friends today.
	FriendsToday int64
}

// Reward is what a finished match gives one player, step by step.
type Reward struct {
	// Base in coins, before anything multiplies it.
	Base int64 `json:"base"`
	// Steps lead from Base to Coins, in order.
	Steps []Step `json:"steps"`
	// Coins in all.
	Coins        int64 `json:"coins"`
	Experience   int64 `json:"experience"`
	LeaguePoints int64 `json:"leaguePoints"`
}

// Step is one multiplier or limit, and what it leaves.
type Step struct {
	// What works: friends, away, booster, vip, booster_and_vip, friends_cap.
	What string `json:"what"`
	// Percent that it applies; 0 for a limit.
	Percent int64 `json:"percent,omitempty"`
	Coins   int64 `json:"coins"`
}

// Reward works out what a match gives. Fractions of a coin are left out at each
// step.
func (d *Document) Reward(f Finish) Reward {
	position := 1
	if f.Won {
		position = 0
	}
	online := d.Matches.Online
	var r Reward
	switch f.Mode {
	case Online:
		r.Base, r.Experience = online.Coins[position], online.Experience[position]
		r.LeaguePoints = d.League.Points[position]
		if f.BotsAtTable {
			r.LeaguePoints = percent(r.LeaguePoints, d.League.BotsPercent)
		}
	case Friends:
		if f.Won {
			r.Base = online.Coins[0]
		}
		r.Experience = percent(online.Experience[position], d.Matches.Friends.ExperiencePercent)
	case Staked:
		r.Experience = online.Experience[position]
		return r
	default:
		return r
	}
	r.Coins = r.Base
	step := func(what string, factor int64) {
		r.Coins = percent(r.Coins, factor)
		r.Steps = append(r.Steps, Step{what, factor, r.Coins})
	}
	if f.Mode == Friends && f.Won {
		step("friends", d.Matches.Friends.Percent)
	}
	if f.Away {
		step("away", d.Matches.Away.Percent)
		r.Experience = percent(r.Experience, d.Matches.Away.Percent)
		r.LeaguePoints = percent(r.LeaguePoints, d.Matches.Away.Percent)
	}
	for _, m := range d.multipliers(f.Booster, f.VIP) {
		step(m.what, m.percent)
	}
	if f.Mode == Friends {
		if left := max(d.Matches.Friends.DailyCap-f.FriendsToday, 0); r.Coins > left {
			r.Coins = left
			r.Steps = append(r.Steps, Step{What: "friends_cap", Coins: left})
		}
	}
	return r
}

type multiplier struct {
	what    string
	percent int64
}

func (d *Document) multipliers(booster, vip bool) []multiplier {
	b, v := multiplier{"booster", d.Booster.Percent}, multiplier{"vip", d.VIP.Percent}
	switch {
	case !booster && !vip:
		return nil
	case !vip:
		return []multiplier{b}
	case !booster:
		return []multiplier{v}
	}
	switch d.Combine {
	case Multiply:
		return []multiplier{b, v}
	case Highest:
		if v.percent > b.percent {
			return []multiplier{v}
		}
		return []multiplier{b}
	default:
		return []multiplier{{"booster_and_vip", b.percent + v.percent - 100}}
	}
}

func percent(amount, factor int64) int64 { return amount * factor / 100 }

// Level is the level that experience gives, from 1, and how much of it has gone
// into the next level, which takes step in all.
func (l Levels) Level(experience int64) (level int, into, step int64) {
	level, step = 1, l.First
	for experience >= step {
		experience -= step
		level++
		step += l.Growth
		if l.Growth == 0 { // the rest of the curve is level
			level += int(experience / step)
			experience %= step
		}
	}
	return level, experience, step
}

// Least is the experience from which on a player has a level.
func (l Levels) Least(level int) int64 {
	n := int64(max(0, level-1))
	return n*l.First + l.Growth*(n*(n-1)/2)
}

// Day is a calendar day in the economy's time zone, as YYYY-MM-DD.
func (d *Document) Day(at time.Time) string { return at.In(d.Location()).Format(time.DateOnly) }

// After is when the day after a calendar day begins, that of a time or, if that is
// later, the day last, as Day gives it.
func (d *Document) After(at time.Time, last string) time.Time {
	today := at.In(d.Location())
	if day, err := time.ParseInLocation(time.DateOnly, last, today.Location()); err == nil && day.After(today) {
		today = day
	}
	return time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, today.Location())
}

// DailyReward is what can be claimed at a time. streak is the day of the streak that the
// player has reached, claimed on the day last ("" if never). ok is false if the
// day's reward has been claimed.
func (d *Document) DailyReward(at time.Time, last string, streak int) (coins int64, newStreak int, ok bool) {
	today := at.In(d.Location())
	// By the calendar: a day may have 23 or 25 hours.
	yesterday := time.Date(today.Year(), today.Month(), today.Day()-1, 12, 0, 0, 0, today.Location())
	switch {
	case last >= today.Format(time.DateOnly):
		return 0, streak, false
	case last == yesterday.Format(time.DateOnly):
		newStreak = streak + 1
	default:
		newStreak = 1
	}
	return d.Daily[min(newStreak, len(d.Daily))-1], newStreak, true
}
