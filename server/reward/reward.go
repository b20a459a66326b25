// Package reward gives players coins and experience, and sells them what makes
// more of both: the welcome grant, the daily reward, gold boosters and VIP passes.
// What anything is worth stands in the economy's document; each gift and each sale
// is one transfer in the ledger, kept together with what it changes.
package reward

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Standing is what a player has beside coins.
type Standing struct {
	PlayerID string
	// Welcomed says that the welcome grant was given.
	Welcomed   bool
	Experience int64
	// DailyDay is the calendar day of the last daily reward, "" if there was none;
	// DailyStreak the day of the streak that it was.
	DailyDay    string
	DailyStreak int
	// VIPUntil is when the pass ends; zero or past without one.
	VIPUntil time.Time
	// A booster works until BoosterUntil, or for BoosterMatches more matches.
	BoosterUntil   time.Time
	BoosterMatches int
	// BoostersHeld are bought and not begun.
	BoostersHeld int
	// FriendsCoins were given for matches with friends on the day FriendsDay.
	FriendsDay   string
	FriendsCoins int64
	// Version counts the changes.
	Version int
	// Deed is what has just been done to it, for the store to keep with the change. It is
	// in no standing that the store returns.
	Deed *Deed
}

// VIP says whether the player has a pass at that time.
func (s *Standing) VIP(at time.Time) bool { return s.VIPUntil.After(at) }

// Boosted says whether a booster works for the player at that time.
func (s *Standing) Boosted(at time.Time) bool {
	return s.BoosterMatches > 0 || s.BoosterUntil.After(at)
}

// Holdings are what a player has: a standing, coins, and the coins that are owed.
type Holdings struct {
	Coins, Debt int64
	Standing    Standing
}

// Store keeps standings.
type Store interface {
	// Standing reads a player's; a fresh one if nothing has changed it yet.
	Standing(ctx context.Context, playerID string) (Standing, error)
	// Holdings reads all that a player has, as it is at one moment.
	Holdings(ctx context.Context, playerID string) (Holdings, error)
	// Change has decide change a player's standing and say what is posted with it,
	// nil for nothing; both are kept or neither. decide is called once, with the
	// standing as it is: whoever else changes it waits. It may ask nothing of the
	// store. If its transfer was posted before, nothing is kept. The standing is
	// returned as it is then. What decide and the ledger refuse passes through.
	Change(ctx context.Context, playerID string, decide func(*Standing) (*wallet.Transfer, error)) (Standing, error)
}

// Codes of this domain.
const (
	// CodeClaimed: the day's reward has been claimed.
	CodeClaimed fault.Code = "daily_claimed"
	// CodeNoBooster: none is held.
	CodeNoBooster fault.Code = "no_booster"
	// CodeBoosterRunning: one works already, and they do not add up.
	CodeBoosterRunning fault.Code = "booster_running"
)

// Service is the domain's door. Make one with New.
type Service struct {
	store   Store
	ledger  wallet.Store
	economy *economy.Service
	now     func() time.Time
	random  io.Reader
}

// New returns a service. random is where identifiers come from.
func New(store Store, ledger wallet.Store, e *economy.Service, now func() time.Time, random io.Reader) *Service {
	return &Service{store: store, ledger: ledger, economy: e, now: now, random: random}
}

// Purse is all that a player has.
type Purse struct {
	Holdings
	// Level that the experience gives; Into is how much of it has gone into the
	// next level, which takes Step in all.
	Level      int
	Into, Step int64
	Daily      Daily
}

// Look reads what a player has, as it is: it gives nothing.
func (s *Service) Look(ctx context.Context, playerID string) (*Purse, error) {
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	has, err := s.store.Holdings(ctx, playerID)
	if err != nil {
		return nil, err
	}
	return s.purse(d, has), nil
}

func (s *Service) purse(d *economy.Document, has Holdings) *Purse {
	p := &Purse{Holdings: has, Daily: daily(d, s.moment(), &has.Standing)}
	p.Level, p.Into, p.Step = d.Levels.Level(has.Standing.Experience)
	return p
}

// Account lists at most limit transfers of an account, newest first, older than the one
// with the id given, if any.
func (s *Service) Account(ctx context.Context, id wallet.AccountID, before string, limit int) ([]wallet.Line, error) {
	return s.ledger.Statement(ctx, id, "", before, limit)
}

// Daily is the daily reward as it stands.
type Daily struct {
	// Available says whether it can be claimed now. Coins and Streak are what it
	// gives, and the day of the streak that it would be or was.
	Available bool
	Coins     int64
	Streak    int
	// NextAt is when the next one can be claimed.
	NextAt time.Time
}

// Purse reads all that a player has. A player who has not had the welcome grant is
// given it: whatever interrupted the sign-up, it comes, and comes once.
func (s *Service) Purse(ctx context.Context, playerID string) (*Purse, error) {
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return nil, err
	}
	has, err := s.store.Holdings(ctx, playerID)
	if err != nil {
		return nil, err
	}
	if !has.Standing.Welcomed {
		if _, err = s.Welcome(ctx, playerID); err != nil {
			return nil, err
		}
		if has, err = s.store.Holdings(ctx, playerID); err != nil {
			return nil, err
		}
	}
	return s.purse(d, has), nil
}

func daily(d *economy.Document, at time.Time, s *Standing) Daily {
	day := Daily{NextAt: at}
	day.Coins, day.Streak, day.Available = d.DailyReward(at, s.DailyDay, s.DailyStreak)
	if !day.Available {
		day.NextAt = d.After(at, s.DailyDay)
		day.Coins, _, _ = d.DailyReward(day.NextAt, s.DailyDay, s.DailyStreak)
	}
	if s.VIP(at) {
		day.Coins += d.VIP.DailyGift
	}
	return day
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// receipt is a transfer's data: under which version of the economy it was made,
// and whatever explains its amount.
type receipt struct {
	Economy int    `json:"economy"`
	Streak  int    `json:"streak,omitempty"`
	Gift    int64  `json:"vipGift,omitempty"`
	Item    string `json:"item,omitempty"`
	Started bool   `json:"started,omitempty"`
	Days    int    `json:"days,omitempty"`
}

func (s *Service) transfer(key string, kind wallet.Kind, r receipt, entries ...wallet.Entry) (*wallet.Transfer, error) {
	id, err := uuid.NewV7FromReader(s.random)
	if err != nil {
		return nil, fmt.Errorf("reward: new transfer's id: %w", err)
	}
	t, err := wallet.New(id.String(), key, kind, s.moment(), entries...)
	if err != nil {
		return nil, err
	}
	t.Data, err = json.Marshal(r)
	return t, err
}

// change makes a change of a player's standing under the economy that is live.
// decide says what is posted with it; nil for nothing.
func (s *Service) change(ctx context.Context, playerID string, decide func(*economy.Version, *economy.Document, *Standing) (*wallet.Transfer, error)) (Standing, error) {
	version, d, err := s.economy.Live(ctx)
	if err != nil {
		return Standing{}, err
	}
	return s.store.Change(ctx, playerID, func(st *Standing) (*wallet.Transfer, error) {
		t, err := decide(version, d, st)
		if st.Deed != nil {
			st.Deed.Economy = version.Number
		}
		return t, err
	})
}

// Welcome gives a new player the welcome grant, once.
func (s *Service) Welcome(ctx context.Context, playerID string) (Standing, error) {
	return s.change(ctx, playerID, func(v *economy.Version, d *economy.Document, st *Standing) (*wallet.Transfer, error) {
		coins := st.Welcome(d, s.moment())
		if coins == 0 {
			return nil, nil
		}
		return s.transfer("welcome:"+playerID, wallet.KindWelcome, receipt{Economy: v.Number},
			wallet.Move(wallet.Grants, wallet.Player(playerID), coins)...)
	})
}

// ClaimDaily gives the day's reward, with the VIP pass's gift. Codes: CodeClaimed.
func (s *Service) ClaimDaily(ctx context.Context, playerID string) error {
	_, err := s.change(ctx, playerID, func(v *economy.Version, d *economy.Document, st *Standing) (*wallet.Transfer, error) {
		coins, gift, err := st.Claim(d, s.moment())
		if err != nil || coins+gift == 0 {
			return nil, err
		}
		r := receipt{Economy: v.Number, Streak: st.DailyStreak, Gift: gift}
		return s.transfer("daily:"+playerID+":"+st.DailyDay, wallet.KindDaily, r,
			wallet.Move(wallet.Grants, wallet.Player(playerID), coins+gift)...)
	})
	return err
}

// BuyBooster sells a gold booster for coins. It is held, or begun at once if start
// is set and none that works keeps it waiting. key makes a request that is sent twice
// one sale. Codes: insufficient_coins, IdempotencyConflict.
func (s *Service) BuyBooster(ctx context.Context, playerID, key string, start bool) error {
	input := "booster"
	if start {
		input = "booster, begun"
	}
	return s.buy(ctx, playerID, key, input, wallet.KindBooster, func(at time.Time, d *economy.Document, st *Standing) (int64, receipt) {
		price, started := st.BuyBooster(d, at, start)
		return price, receipt{Item: "booster", Started: started}
	})
}

// BuyVIP sells a VIP pass for coins. It begins at once, or when the one that runs
// ends. See BuyBooster.
func (s *Service) BuyVIP(ctx context.Context, playerID, key string) error {
	return s.buy(ctx, playerID, key, "vip", wallet.KindVIP, func(at time.Time, d *economy.Document, st *Standing) (int64, receipt) {
		return st.BuyVIP(d, at), receipt{Item: "vip", Days: d.VIP.Days}
	})
}

// buy sells what deliver puts into the standing, for the price that it returns. input
// is what was asked for: a repetition has it in common, though the price may have
// changed since.
func (s *Service) buy(ctx context.Context, playerID, key, input string, kind wallet.Kind, deliver func(time.Time, *economy.Document, *Standing) (int64, receipt)) error {
	_, err := s.change(ctx, playerID, func(v *economy.Version, d *economy.Document, st *Standing) (*wallet.Transfer, error) {
		price, r := deliver(s.moment(), d, st)
		r.Economy = v.Number
		t, err := s.transfer("buy:"+playerID+":"+key, kind, r, wallet.Move(wallet.Player(playerID), wallet.Spending, price)...)
		if err == nil {
			t.Input = input
		}
		return t, err
	})
	return err
}

// StartBooster begins one of the boosters that the player holds. Codes:
// CodeNoBooster, CodeBoosterRunning.
func (s *Service) StartBooster(ctx context.Context, playerID string) error {
	_, err := s.change(ctx, playerID, func(_ *economy.Version, d *economy.Document, st *Standing) (*wallet.Transfer, error) {
		return nil, st.StartBooster(d, s.moment())
	})
	return err
}

// operatorsReceipt is the data of what an operator has given or taken. None of it is
// the player's to see.
type operatorsReceipt struct {
	Author string `json:"author"`
	Reason string `json:"reason"`
}

// MaxGrant bounds what an operator gives or takes at once, in coins.
const MaxGrant = 10_000_000

// Grant gives a player coins on behalf of the house, or takes them if coins is
// negative: never more than there are. The player has to exist. author and reason stay
// in the ledger and are shown to no player. Under the same key it is done once;
// replayed says that it was done before.
//
// Codes: InvalidRequest (its Field is coins, key, author or reason),
// wallet.CodeInsufficient, IdempotencyConflict (the key came with something else).
func (s *Service) Grant(ctx context.Context, playerID string, coins int64, key, author, reason string) (t *wallet.Transfer, replayed bool, err error) {
	for _, needed := range []struct{ field, text string }{{"key", key}, {"author", author}, {"reason", reason}} {
		if strings.TrimSpace(needed.text) == "" {
			return nil, false, &fault.Error{Code: fault.InvalidRequest, Field: needed.field, Message: "This has to say something."}
		}
	}
	if coins == 0 || coins < -MaxGrant || coins > MaxGrant {
		return nil, false, &fault.Error{Code: fault.InvalidRequest, Field: "coins", Message: "So many coins are not given or taken."}
	}
	t, err = s.transfer("grant:"+key, wallet.KindGrant, receipt{}, wallet.Move(wallet.Grants, wallet.Player(playerID), coins)...)
	if err == nil {
		t.Data, err = json.Marshal(operatorsReceipt{author, reason})
	}
	if err != nil {
		return nil, false, err
	}
	return s.ledger.Post(ctx, t)
}

// Statement lists at most limit of the player's transfers, newest first, older
// than the one with the id given, if any, and of the kind given, if any.
func (s *Service) Statement(ctx context.Context, playerID string, kind wallet.Kind, before string, limit int) ([]wallet.Line, error) {
	return s.ledger.Statement(ctx, wallet.Player(playerID), kind, before, limit)
}

// Receipt is one transfer as the player's account has it. Codes: NotFound, also
// for one that the player has no part in.
func (s *Service) Receipt(ctx context.Context, playerID, transferID string) (wallet.Line, error) {
	t, err := s.ledger.Transfer(ctx, transferID)
	if err != nil {
		return wallet.Line{}, err
	}
	for _, e := range t.Entries {
		if e.Account == wallet.Player(playerID) {
			return wallet.Line{TransferID: t.ID, Kind: t.Kind, Amount: e.Amount, Balance: e.Balance, Data: t.Data, At: t.At}, nil
		}
	}
	return wallet.Line{}, fault.New(fault.NotFound, "There is no such transfer.")
}

// Economy is the version that is live, and its document.
func (s *Service) Economy(ctx context.Context) (*economy.Version, *economy.Document, error) {
	return s.economy.Live(ctx)
}

// Level is a player's experience and the level that it gives.
func (s *Service) Level(ctx context.Context, playerID string) (experience int64, level int, err error) {
	_, d, err := s.economy.Live(ctx)
	if err != nil {
		return 0, 0, err
	}
	st, err := s.store.Standing(ctx, playerID)
	if err != nil {
		return 0, 0, err
	}
	level, _, _ = d.Levels.Level(st.Experience)
	return st.Experience, level, nil
}
