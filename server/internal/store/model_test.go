package store_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// This file says once more, as plainly as can be and from the product's words, what
// coins, rewards, boosters, passes and stakes do: a world is a few numbers, and step
// is all that can happen to it. interleaving_test.go holds the store and the services
// against it. Nothing here calls what it is to check.

// rates are what the economy's document says, as far as it comes to coins and
// experience.
type rates struct {
	zone                                         string
	welcome                                      int64
	daily                                        []int64
	online, experience                           [2]int64 // winners, others
	friends, friendsCap, friendsExperience       int64    // percent, coins, percent
	awayAfter                                    int
	away                                         int64 // percent
	boost, boostPrice, boostMinutes, boostMatchs int64
	vip, vipPrice, vipDays, vipGift              int64
	combine, stack                               string
}

// someRates are rates at random, small, so that people can afford things, and odd, so
// that fractions of coins come up.
func someRates(r *rand.Rand) *rates {
	n := func(from, to int64) int64 { return from + r.Int64N(to-from+1) }
	v := &rates{
		zone:    []string{"Europe/Madrid", "Europe/Madrid", "America/New_York", "Pacific/Auckland"}[r.IntN(4)],
		welcome: n(0, 2) * 97,
		friends: n(0, 100), friendsCap: n(0, 90), friendsExperience: n(0, 100),
		awayAfter: int(n(1, 4)), away: n(0, 100),
		boost: n(100, 300), boostPrice: n(1, 80), vip: n(100, 300), vipPrice: n(1, 120), vipDays: n(1, 3), vipGift: n(0, 20),
		combine: []string{"multiply", "add", "highest"}[r.IntN(3)], stack: []string{"extend", "refuse"}[r.IntN(2)],
	}
	for range n(1, 4) {
		v.daily = append(v.daily, n(0, 60))
	}
	v.online[1], v.experience[1] = n(0, 40), n(0, 40)
	v.online[0], v.experience[0] = v.online[1]+n(0, 70), v.experience[1]+n(0, 70)
	if r.IntN(2) == 0 {
		v.boostMatchs = n(1, 3)
	} else {
		v.boostMinutes = n(1, 3000)
	}
	return v
}

// document is the economy's with these rates.
func (r *rates) document() []byte {
	var d map[string]any
	if err := json.Unmarshal(economy.Default(), &d); err != nil {
		panic(err)
	}
	d["timeZone"], d["welcome"], d["daily"], d["combine"] = r.zone, r.welcome, r.daily, r.combine
	d["matches"] = map[string]any{
		"online":  map[string]any{"coins": r.online, "experience": r.experience},
		"friends": map[string]any{"percent": r.friends, "dailyCap": r.friendsCap, "experiencePercent": r.friendsExperience},
		"away":    map[string]any{"afterTurns": r.awayAfter, "percent": r.away},
	}
	lasts := map[string]any{"minutes": r.boostMinutes}
	if r.boostMatchs > 0 {
		lasts = map[string]any{"matches": r.boostMatchs}
	}
	d["booster"] = map[string]any{"percent": r.boost, "price": r.boostPrice, "lasts": lasts, "stack": r.stack}
	d["vip"] = map[string]any{"percent": r.vip, "price": r.vipPrice, "days": r.vipDays, "dailyGift": r.vipGift}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return text
}

// day counts the calendar's days in the rates' zone, from 1970.
func (r *rates) day(at time.Time) int64 {
	zone, err := time.LoadLocation(r.zone)
	if err != nil {
		panic(err)
	}
	_, offset := at.In(zone).Zone()
	return (at.Unix() + int64(offset)) / 86400
}

// person is what one player has.
type person struct {
	coins, debt, experience int64
	welcomed                bool
	day, streak             int64 // of the last daily reward; day 0 for never
	vipUntil                int64 // milliseconds, as are all times here
	boostUntil, boostMatchs int64
	held                    int64
	friendsDay, friendsHad  int64
	played, won             int64
}

const persons = 4

// world is all there is. A step makes another one of it.
type world struct {
	people   [persons]person
	escrows  map[string]int64
	resolved map[string]bool
	keys     map[string]string // what each key was used for
	over     map[string]bool   // matches
}

func newWorld() world {
	return world{escrows: map[string]int64{}, resolved: map[string]bool{}, keys: map[string]string{}, over: map[string]bool{}}
}

func (w world) clone() world {
	w.escrows, w.resolved, w.keys, w.over = maps.Clone(w.escrows), maps.Clone(w.resolved), maps.Clone(w.keys), maps.Clone(w.over)
	return w
}

// What can happen.
const (
	opGrant    = "grant"
	opPurse    = "purse" // which brings the welcome grant
	opDaily    = "daily"
	opBooster  = "booster"
	opVIP      = "vip"
	opStart    = "start"
	opStake    = "stake"
	opPot      = "pot"
	opRefund   = "refund"
	opClawback = "clawback"
	opPayDebt  = "pay debt"
	opFinish   = "finish"
	opVoid     = "void"
	opLook     = "look"
)

// op is one thing that somebody does.
type op struct {
	what  string
	who   int
	key   string
	coins int64
	// owed is the part of a clawback that becomes a debt.
	owed  int64
	table string
	// begin says that a booster is begun with its purchase.
	begin bool
	// shares of a pot or refund by person.
	shares [persons]int64
	game   *game
	// rates that are live, and the time.
	rates *rates
	at    time.Time
}

func (o op) String() string {
	text := fmt.Sprintf("%s by %d at %s", o.what, o.who, o.at.Format(time.RFC3339Nano))
	if o.key != "" {
		text += fmt.Sprintf(" key=%s coins=%d", o.key, o.coins)
	}
	switch {
	case o.game != nil:
		text += fmt.Sprintf(" %+v", *o.game)
	case o.table != "":
		text += fmt.Sprintf(" table=%s shares=%v", o.table, o.shares)
	case o.owed > 0 || o.begin:
		text += fmt.Sprintf(" owed=%d begin=%v", o.owed, o.begin)
	}
	return text
}

// game is a match that somebody has begun.
type game struct {
	id     string
	mode   economy.Mode
	seats  [4]int // person, or -1 for a bot
	rates  *rates // live when it began
	winner int    // pair
	missed [4]int
	// stake is what each of four has paid into the escrow of the table.
	stake int64
	table string
}

// pot is what is in the escrow of a match's table, in parts for those whose seats are
// named.
func (g *game) pot(seats ...int) []posting {
	parts := []posting{{table: g.table, coins: -4 * g.stake}}
	for _, seat := range seats {
		parts = append(parts, posting{who: g.seats[seat], coins: 4 * g.stake / int64(len(seats))})
	}
	return parts
}

// codeFailed stands for an error that is no refusal.
const codeFailed fault.Code = "failed"

// codeOver stands for match.ErrConflict.
const codeOver fault.Code = "over"

// posting is one account's part: a person's coins or debt, or an escrow.
type posting struct {
	coins, debt int64
	who         int
	table       string
}

// post is one transfer: wholly or not at all, once by its key.
func (w *world) post(key, what, resolves string, parts ...posting) fault.Code {
	if before, used := w.keys[key]; used {
		if before != what {
			return fault.IdempotencyConflict
		}
		return ""
	}
	if resolves != "" && w.resolved[resolves] {
		return wallet.CodeResolved
	}
	after := w.clone()
	for _, p := range parts {
		if p.table != "" {
			after.escrows[p.table] += p.coins
			switch {
			case after.escrows[p.table] < 0:
				return wallet.CodeInsufficient
			case resolves == "" && w.resolved[p.table]:
				return wallet.CodeResolved
			case resolves != "" && after.escrows[p.table] != 0:
				return codeFailed
			}
			continue
		}
		it := &after.people[p.who]
		it.coins += p.coins
		it.debt += p.debt
		if it.coins < 0 || it.debt < 0 {
			return wallet.CodeInsufficient
		}
	}
	after.keys[key] = what
	if resolves != "" {
		after.resolved[resolves] = true
	}
	*w = after
	return ""
}

// step is what o does to the world, and how it is answered. Then whoever owes has paid
// what there is.
func step(before world, o op) (fault.Code, world) {
	code, w := unsettled(before, o)
	for i := range w.people {
		it := &w.people[i]
		pays := min(it.coins, it.debt)
		it.coins -= pays
		it.debt -= pays
	}
	return code, w
}

// unsettled is step before the debts are paid.
func unsettled(before world, o op) (fault.Code, world) {
	w := before.clone()
	me, rates, now := &w.people[o.who], o.rates, o.at.UnixMilli()
	code := fault.Code("")
	switch o.what {
	case opLook:
	case opGrant:
		code = w.post("grant:"+o.key, fmt.Sprint(o.what, o.who, o.coins), "", posting{who: o.who, coins: o.coins})
	case opPurse:
		if !me.welcomed {
			me.welcomed = true
			me.coins += rates.welcome
		}
	case opDaily:
		today := rates.day(o.at)
		if me.day >= today {
			return reward.CodeClaimed, before
		}
		if me.day != today-1 {
			me.streak = 0
		}
		me.day = today
		me.streak++
		me.coins += rates.daily[min(int(me.streak), len(rates.daily))-1]
		if me.vipUntil > now {
			me.coins += rates.vipGift
		}
	case opBooster, opVIP:
		key := fmt.Sprint("buy:", o.who, ":", o.key)
		_, sold := w.keys[key]
		price := rates.boostPrice
		if o.what == opVIP {
			price = rates.vipPrice
		}
		code = w.post(key, fmt.Sprint(o.what, o.begin), "", posting{who: o.who, coins: -price})
		if me = &w.people[o.who]; sold || code != "" {
			break
		}
		if o.what == opBooster {
			me.held++
			if o.begin {
				begin(me, rates, now) // or it waits
			}
		} else {
			me.vipUntil = max(me.vipUntil, now) + rates.vipDays*24*time.Hour.Milliseconds()
		}
	case opStart:
		code = begin(me, rates, now)
	case opStake:
		code = w.post("stake:"+o.key, fmt.Sprint(o.what, o.who, o.table, o.coins), "",
			posting{table: o.table, coins: o.coins}, posting{who: o.who, coins: -o.coins})
	case opPot, opRefund:
		parts := []posting{{table: o.table}}
		for who, share := range o.shares {
			parts[0].coins -= share
			parts = append(parts, posting{who: who, coins: share})
		}
		code = w.post(o.what+":"+o.table, fmt.Sprint(o.what, o.shares), o.table, parts...)
	case opClawback:
		code = w.post("clawback:"+o.key, fmt.Sprint(o.what, o.who, o.coins, o.owed), "",
			posting{who: o.who, coins: -o.coins, debt: o.owed})
	case opPayDebt:
		code = w.post("pay:"+o.key, fmt.Sprint(o.what, o.who, o.coins), "", posting{who: o.who, coins: -o.coins, debt: -o.coins})
	case opFinish:
		g := o.game
		if w.over[g.id] {
			return codeOver, before
		}
		w.over[g.id] = true
		for seat, who := range g.seats {
			if who < 0 {
				continue
			}
			it, won := &w.people[who], seat%2 == g.winner
			it.played++
			if won {
				it.won++
			}
			g.pay(it, won, g.missed[seat] >= g.rates.awayAfter, o.at)
		}
		if g.stake > 0 {
			code = w.post("pot:"+g.table, o.what, g.table, g.pot(g.winner, g.winner+2)...)
		}
	case opVoid: // nothing is won, and entries are given back
		g := o.game
		if w.over[g.id] {
			return codeOver, before
		}
		w.over[g.id] = true
		if g.stake > 0 {
			code = w.post("refund:"+g.table, o.what, g.table, g.pot(0, 1, 2, 3)...)
		}
	default:
		panic(o.what)
	}
	if code != "" {
		return code, before
	}
	return "", w
}

// boosted says whether a booster works, for a time or for matches.
func (p *person) boosted(now int64) bool { return p.boostMatchs > 0 || p.boostUntil > now }

// begin takes a booster from those that are held.
func begin(it *person, r *rates, now int64) fault.Code {
	switch {
	case it.boosted(now) && r.stack == "refuse":
		return reward.CodeBoosterRunning
	case it.held == 0:
		return reward.CodeNoBooster
	}
	it.held--
	it.boostMatchs += r.boostMatchs
	if r.boostMinutes > 0 {
		it.boostUntil = max(it.boostUntil, now) + r.boostMinutes*time.Minute.Milliseconds()
	}
	return ""
}

// pay is what a match's end gives one person.
func (g *game) pay(it *person, won, away bool, at time.Time) {
	r, now, today, position := g.rates, at.UnixMilli(), g.rates.day(at), 1
	boosted, vip := it.boosted(now), it.vipUntil > now
	if won {
		position = 0
	}
	share := func(of, percent int64) int64 { return of * percent / 100 }
	var coins, experience int64
	switch g.mode {
	case economy.Staked: // the pot and nothing else, whoever has gone
		it.experience += r.experience[position]
		return
	case economy.Online:
		coins, experience = r.online[position], r.experience[position]
	case economy.Friends:
		experience = share(r.experience[position], r.friendsExperience)
		if won {
			coins = share(r.online[0], r.friends)
		}
	default: // against the machine
		return
	}
	if it.boostMatchs > 0 && it.boostUntil <= now && coins > 0 {
		it.boostMatchs-- // none works for a time, and there is something to multiply
	}
	if away {
		coins, experience = share(coins, r.away), share(experience, r.away)
	}
	switch {
	case boosted && vip && r.combine == "multiply":
		coins = share(share(coins, r.boost), r.vip)
	case boosted && vip && r.combine == "add":
		coins = share(coins, 100+(r.boost-100)+(r.vip-100))
	case boosted && vip:
		coins = share(coins, max(r.boost, r.vip))
	case boosted:
		coins = share(coins, r.boost)
	case vip:
		coins = share(coins, r.vip)
	}
	if g.mode == economy.Friends {
		// A day that begins again, in another zone, is not another day.
		if today > it.friendsDay {
			it.friendsDay, it.friendsHad = today, 0
		}
		coins = min(coins, max(r.friendsCap-it.friendsHad, 0))
		it.friendsHad += coins
	}
	it.coins += coins
	it.experience += experience
}
