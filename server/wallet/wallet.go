// Package wallet keeps coins. They live in a double-entry ledger: each transfer
// moves whole coins between accounts and sums to zero, is posted once under its
// key, and is never changed. Nothing creates or destroys a coin: what a player
// is given comes out of an account of the house, whose balance says how many.
package wallet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/fault"
)

// AccountID names an account: what kind it is, and whose.
type AccountID string

// Player is the account of a player's coins.
func Player(playerID string) AccountID { return AccountID(kindPlayer + playerID) }

// Debt is what a player owes, because coins were taken back that were spent
// already. It is the one account that goes below zero.
func Debt(playerID string) AccountID { return AccountID(kindDebt + playerID) }

// Escrow holds the stakes of a table until they are paid out or given back.
func Escrow(tableID string) AccountID { return AccountID(kindEscrow + tableID) }

// Accounts of the house, by what they are for. They may go below zero: that is
// how many coins they have put into the world.
const (
	// Grants gives what players get for nothing: welcome, daily reward, operators' grants.
	Grants AccountID = kindHouse + "grants"
	// Rewards pays for matches.
	Rewards AccountID = kindHouse + "rewards"
	// Prizes pays what leagues give.
	Prizes AccountID = kindHouse + "prizes"
	// Sales gives what players buy for money.
	Sales AccountID = kindHouse + "sales"
	// Spending takes what players spend on boosters and passes.
	Spending AccountID = kindHouse + "spending"
)

const (
	kindPlayer = "player:"
	kindDebt   = "debt:"
	kindEscrow = "escrow:"
	kindHouse  = "house:"
)

// Stored says whether the account's balance is kept beside its entries, and
// guarded. A house account's is not: every posting would wait for that one row.
func (id AccountID) Stored() bool { return !strings.HasPrefix(string(id), kindHouse) }

// IsEscrow says whether the account holds a table's stakes.
func (id AccountID) IsEscrow() bool { return strings.HasPrefix(string(id), kindEscrow) }

// IsDebt says whether the account is what a player owes.
func (id AccountID) IsDebt() bool { return strings.HasPrefix(string(id), kindDebt) }

// Owner is the player whose coins or debt the account has; empty for any other.
func (id AccountID) Owner() string {
	switch kind, name, _ := strings.Cut(string(id), ":"); kind + ":" {
	case kindPlayer, kindDebt:
		return name
	default:
		return ""
	}
}

// Sign is 1 for accounts that may not go below zero, -1 for debts, which may not
// go above it.
func (id AccountID) Sign() int64 {
	if id.IsDebt() {
		return -1
	}
	return 1
}

func (id AccountID) valid() bool {
	kind, name, found := strings.Cut(string(id), ":")
	switch kind + ":" {
	case kindPlayer, kindDebt, kindEscrow:
		return found && name != ""
	case kindHouse:
		return slices.Contains([]AccountID{Grants, Rewards, Prizes, Sales, Spending}, id)
	default:
		return false
	}
}

// Kind says what a transfer is for. Clients put it into words.
type Kind string

// Kinds of transfers.
const (
	KindWelcome  Kind = "welcome"
	KindDaily    Kind = "daily"
	KindGrant    Kind = "grant"
	KindReward   Kind = "reward"
	KindPrize    Kind = "prize"
	KindPurchase Kind = "purchase"
	KindClawback Kind = "clawback"
	KindSettle   Kind = "debt_settled"
	KindStake    Kind = "stake"
	KindPot      Kind = "pot"
	KindRefund   Kind = "refund"
	KindBooster  Kind = "booster"
	KindVIP      Kind = "vip"
	// KindMerge: what a guest had went to the account that it was merged into.
	KindMerge Kind = "merge"
)

// Entry is one account's part of a transfer.
type Entry struct {
	Account AccountID
	// Amount in coins, positive for what the account gets; never 0.
	Amount int64
	// Balance of the account behind the transfer; 0 for accounts of the house.
	Balance int64
}

// Transfer is coins moved. Make one with New.
type Transfer struct {
	ID string // UUID, version 7
	// Key is the transfer's own: a second transfer with the same key is the same.
	Key  string
	Kind Kind
	// Resolves names what the transfer brings to its end, such as an escrow that is
	// paid out or given back. Only one transfer can. Empty for most.
	Resolves string
	// Entries in the order of their accounts. They sum to zero.
	Entries []Entry
	// Input is what was asked for, where the amounts follow from more than that,
	// such as a price that may change: a repetition has to have it in common, and
	// not the amounts.
	Input string
	// Data is JSON about the transfer for its receipt; null for none.
	Data []byte
	At   time.Time
}

// MaxAmount of coins in one entry. No sum of what the world can post overflows.
const MaxAmount = 1 << 40

// New is a transfer of the amounts given, by account. An account that is named
// twice gets the sum.
func New(id, key string, kind Kind, at time.Time, amounts ...Entry) (*Transfer, error) {
	t := &Transfer{ID: id, Key: key, Kind: kind, At: at}
	slices.SortStableFunc(amounts, func(a, b Entry) int { return cmp.Compare(a.Account, b.Account) })
	sum := int64(0)
	for _, e := range amounts {
		if !e.Account.valid() {
			return nil, fmt.Errorf("wallet: transfer %s: no such account: %q", key, e.Account)
		}
		if e.Amount < -MaxAmount || e.Amount > MaxAmount {
			return nil, fmt.Errorf("wallet: transfer %s: amount %d is out of bounds", key, e.Amount)
		}
		sum += e.Amount
		if n := len(t.Entries); n > 0 && t.Entries[n-1].Account == e.Account {
			t.Entries[n-1].Amount += e.Amount
		} else {
			t.Entries = append(t.Entries, Entry{Account: e.Account, Amount: e.Amount})
		}
	}
	t.Entries = slices.DeleteFunc(t.Entries, func(e Entry) bool { return e.Amount == 0 })
	switch {
	case key == "":
		return nil, fmt.Errorf("wallet: a transfer %s without a key", kind)
	case sum != 0:
		return nil, fmt.Errorf("wallet: transfer %s makes %d coins of nothing", key, sum)
	case len(t.Entries) == 0:
		return nil, fmt.Errorf("wallet: transfer %s moves nothing", key)
	}
	return t, nil
}

// Move is the two entries of coins that go from one account to another.
func Move(from, to AccountID, coins int64) []Entry {
	return []Entry{{Account: from, Amount: -coins}, {Account: to, Amount: coins}}
}

// Settling is the transfer that pays a player's debt out of what t has given. Its
// identifier follows that of t; n tells it from others that follow from t.
func (t *Transfer) Settling(playerID string, coins int64, n int) (*Transfer, error) {
	id, err := uuid.Parse(t.ID)
	if err != nil {
		return nil, fmt.Errorf("wallet: transfer %s: its identifier is no UUID: %w", t.Key, err)
	}
	tail := binary.BigEndian.Uint64(id[8:])
	binary.BigEndian.PutUint64(id[8:], tail+1+uint64(n))
	settling, err := New(id.String(), "settle:"+t.ID+":"+playerID, KindSettle, t.At, Move(Player(playerID), Debt(playerID), coins)...)
	if err != nil {
		return nil, err
	}
	settling.Data = []byte(`{"transfer":"` + t.ID + `"}`)
	return settling, nil
}

// Hash stands for everything that a repetition must have in common with the
// first: all but id and time.
func (t *Transfer) Hash() [sha256.Size]byte {
	text := make([]byte, 0, 512)
	part := func(b string) {
		text = append(binary.BigEndian.AppendUint64(text, uint64(len(b))), b...)
	}
	part(string(t.Kind))
	part(t.Resolves)
	part(t.Input)
	if t.Input != "" {
		return sha256.Sum256(text)
	}
	part(string(t.Data))
	for _, e := range t.Entries {
		part(string(e.Account))
		text = binary.BigEndian.AppendUint64(text, uint64(e.Amount))
	}
	return sha256.Sum256(text)
}

// Codes of this domain.
const (
	CodeInsufficient fault.Code = "insufficient_coins"
	CodeResolved     fault.Code = "already_resolved"
)

// Refusals of a posting.
var (
	// ErrInsufficient: an account would go below zero, or a debt above it.
	ErrInsufficient = fault.New(CodeInsufficient, "There are not enough coins for this.")
	// ErrResolved: another transfer has brought it to its end, or the escrow is at
	// its end.
	ErrResolved = fault.New(CodeResolved, "This has been settled already.")
	// ErrKeyUsed: the key was used for another transfer.
	ErrKeyUsed = fault.New(fault.IdempotencyConflict, "This key came with another transfer before.")
)

// Line is a transfer as one account's statement shows it.
type Line struct {
	TransferID string
	Kind       Kind
	Amount     int64
	Balance    int64
	Data       []byte
	At         time.Time
}

// What can be wrong with a ledger.
const (
	// Unbalanced: a transfer's entries do not sum to zero, or are fewer than two.
	Unbalanced = "unbalanced_transfer"
	// WrongBalance: an account's stored balance is not the sum of its entries.
	WrongBalance = "wrong_balance"
	// UnbalancedLedger: all entries together do not sum to zero.
	UnbalancedLedger = "unbalanced_ledger"
	// NegativeBalance: a player or an escrow has less than nothing, or a debt is
	// less than none.
	NegativeBalance = "negative_balance"
	// OpenEscrow: an escrow that has come to its end holds coins.
	OpenEscrow = "open_escrow"
	// WrongEscrow: the escrow of a staked table does not hold the entries of those who
	// sit there or play, or holds any when all is over.
	WrongEscrow = "wrong_escrow"
	// UnsettledMatch: a match that pays is over, and does not say what it has given a
	// player; or says so while it is open.
	UnsettledMatch = "unsettled_match"
	// WrongReward: what a match says that it has given a player is not what the
	// ledger has: nothing, something else, or another time.
	WrongReward = "wrong_reward"
	// WrongPrize: the same of a frozen rank and its prize.
	WrongPrize = "wrong_prize"
	// UnsettledDebt: a player who owes has coins, or the account does not know that its
	// player owes.
	UnsettledDebt = "unsettled_debt"
	// WrongOrder: what an order says that it has given, less what was taken back, is
	// not what the ledger has.
	WrongOrder = "wrong_order"
)

// Differences lists all that can be wrong.
var Differences = []string{
	Unbalanced, UnbalancedLedger, WrongBalance, NegativeBalance, OpenEscrow, WrongEscrow, UnsettledMatch, WrongReward, WrongPrize,
	UnsettledDebt, WrongOrder,
}

// Discrepancy is a place where the ledger does not add up.
type Discrepancy struct {
	// What is wrong, one of Differences.
	What string
	// Subject is what it is about: a transfer by its id, an account, or by the key of
	// its transfer what a match has given a player.
	Subject string
	// Want and Got in coins.
	Want, Got int64
}

// Store keeps the ledger.
type Store interface {
	// Post keeps the transfer with all its entries, or nothing. If its key was used
	// before for the same transfer, that one is returned and replayed is true.
	// Refused with ErrInsufficient, ErrResolved or ErrKeyUsed. A transfer that
	// resolves an escrow has to empty it. Coins of a player who owes pay the debt at
	// once, by a transfer of their own.
	Post(ctx context.Context, t *Transfer) (kept *Transfer, replayed bool, err error)
	// Balance in coins; 0 for an account that nothing has been posted to.
	Balance(ctx context.Context, id AccountID) (int64, error)
	// Statement lists at most limit lines of an account, newest first, older than
	// the transfer with the id given, if any, and of the kind given, if any. With a
	// limit below 0 it lists all.
	Statement(ctx context.Context, id AccountID, kind Kind, before string, limit int) ([]Line, error)
	// Transfer reads one. Codes: NotFound.
	Transfer(ctx context.Context, id string) (*Transfer, error)
	// CheckLedger looks for everything that does not add up, at most limit places.
	CheckLedger(ctx context.Context, limit int) ([]Discrepancy, error)
}
