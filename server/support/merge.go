package support

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

const (
	// CodeTTL is how long a support code is good: for as long as it takes to read it out.
	CodeTTL = 15 * time.Minute
	// MaxGuests is how many guests may be merged into one account, ever: each of them had
	// a welcome grant.
	MaxGuests = 5

	// codeAlphabet has 32 characters, five bits each, none of which is read for another.
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	// codeLength makes forty bits. Few codes are good at a time, and only staff can try
	// one.
	codeLength = 8
	codeTries  = 4
)

// Code shows that an account is its player's: the app asks for it, and the player reads
// it out.
type Code struct {
	Text      string // as it is shown: two groups of four
	ExpiresAt time.Time
}

// NewCode makes a code for a player, in place of an earlier one. Codes: NotFound.
func (s *Service) NewCode(ctx context.Context, playerID string) (Code, error) {
	expires := s.moment().Add(CodeTTL)
	for try := 1; ; try++ {
		code := make([]byte, codeLength)
		if _, err := io.ReadFull(s.Random, code); err != nil {
			return Code{}, fmt.Errorf("support: new code: %w", err)
		}
		for i, b := range code {
			code[i] = codeAlphabet[int(b)%len(codeAlphabet)]
		}
		err := s.Store.PutCode(ctx, playerID, hashOf(string(code)), expires)
		if err == nil {
			return Code{Text: string(code[:4]) + "-" + string(code[4:]), ExpiresAt: expires}, nil
		}
		if fault.CodeOf(err) != fault.NameTaken || try == codeTries {
			return Code{}, err
		}
	}
}

// cleanCode is a code as a person has typed it, in the form in which it was made.
func cleanCode(text string) (code string, ok bool) {
	code = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	return code, len(code) == codeLength && strings.Trim(code, codeAlphabet) == ""
}

func hashOf(code string) [sha256.Size]byte { return sha256.Sum256([]byte("support code " + code)) }

// ByCode is whose code it is. Codes: CodeSupportCode.
func (s *Service) ByCode(ctx context.Context, text string) (playerID string, err error) {
	wrong := fault.New(CodeSupportCode, "This code is nobody's, or it has expired. Have another one made.")
	code, ok := cleanCode(text)
	if !ok {
		return "", wrong
	}
	playerID, err = s.Store.PlayerByCode(ctx, hashOf(code), s.moment())
	if fault.CodeOf(err) == fault.NotFound {
		return "", wrong
	}
	return playerID, err
}

// Side is one of the two that are merged, as it stands.
type Side struct {
	PlayerID string
	// Linked is how many ways in the player has beside devices.
	Linked int
	Place  engagement.Place
	// Coins, and Debt, which is 0 or more.
	Coins, Debt int64
	Standing    reward.Standing
	// KeptOut: a sanction is in force. Leaving: the player has asked to be forgotten.
	KeptOut, Leaving bool
	// Guests is how many were merged into it.
	Guests int
}

// Merger is two codes, and what came of them.
type Merger struct {
	GuestID, AccountID string
	// Coins and Debt that went over.
	Coins, Debt int64
	Experience  int64
}

// Preview says who would be merged into whom by these codes. Codes: CodeSupportCode (its
// Field is guestCode or accountCode).
func (s *Service) Preview(ctx context.Context, guestCode, accountCode string) (m Merger, err error) {
	if m.GuestID, err = s.ByCode(ctx, guestCode); err != nil {
		return m, at("guestCode", err)
	}
	if m.AccountID, err = s.ByCode(ctx, accountCode); err != nil {
		return m, at("accountCode", err)
	}
	if m.GuestID == m.AccountID {
		return m, &fault.Error{Code: CodeMerge, Field: "guestCode", Message: "Both codes are of one and the same player."}
	}
	return m, nil
}

func at(field string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		there := *f
		there.Field = field
		return &there
	}
	return err
}

// Merge makes the guest whose code the one is a part of the account whose code the
// other is. Both have to be shown: with the guest's alone, anybody could have their own
// phone signed in to somebody else's account.
//
// Coins, debt, experience, boosters and what is left of a VIP pass go over, as do
// statistics, friends and whom the guest has blocked or muted; so does its device, which
// from then on signs in to the account. What stays is history: the guest's matches, its
// statement and its orders; the rating, for the account has its own; and the points of a
// week of the league that is not closed. Two scores would not add up fairly, so the guest
// is ranked with its own, and a prize comes to the account as everything else that is
// still given to the guest does: see [Service.Sweep].
//
// Codes: CodeSupportCode, CodeMerge, NotFound.
func (s *Service) Merge(ctx context.Context, guestCode, accountCode string) (Merger, error) {
	m, err := s.Preview(ctx, guestCode, accountCode)
	if err != nil {
		return m, err
	}
	now := s.moment()
	ended, err := s.Store.Merge(ctx, m.GuestID, m.AccountID, now, func(guest, account *Side) (*wallet.Transfer, error) {
		if err := mayMerge(guest, account); err != nil {
			return nil, err
		}
		m.Coins, m.Debt, m.Experience = guest.Coins, guest.Debt, guest.Standing.Experience
		return s.carry(now, guest, account)
	})
	if err != nil {
		return m, err
	}
	s.Sessions.Ended(ctx, ended, fault.SessionEnded)
	return m, s.Notices.Send(ctx, m.AccountID, merged)
}

func mayMerge(guest, account *Side) error {
	no := func(why string) error { return fault.New(CodeMerge, why) }
	switch {
	case guest.Linked > 0:
		return no("The first is no guest: it has an account of its own.")
	case account.Linked == 0:
		return no("The second is a guest too. Link it to an address, Apple or Google first.")
	case guest.Place.Kind != engagement.None:
		return no("The guest is in a room, a queue or a match. It has to leave or to finish first.")
	case guest.KeptOut || account.KeptOut:
		return no("One of the two is suspended.")
	case guest.Leaving || account.Leaving:
		return no("One of the two is about to be deleted.")
	case account.Guests >= MaxGuests:
		return no(fmt.Sprintf("%d guests have been merged into this account already.", MaxGuests))
	}
	return nil
}

// carry moves all that the guest has to the account, and says what is posted with it;
// nil for nothing.
func (s *Service) carry(now time.Time, guest, account *Side) (*wallet.Transfer, error) {
	account.Standing.Absorb(now, &guest.Standing)
	var entries []wallet.Entry
	if guest.Coins > 0 {
		entries = append(entries, wallet.Move(wallet.Player(guest.PlayerID), wallet.Player(account.PlayerID), guest.Coins)...)
	}
	if guest.Debt > 0 {
		entries = append(entries, wallet.Move(wallet.Debt(account.PlayerID), wallet.Debt(guest.PlayerID), guest.Debt)...)
	}
	if len(entries) == 0 {
		return nil, nil
	}
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	// Both rows are held, so that it comes once; each time has its own key.
	t, err := wallet.New(id, "merge:"+guest.PlayerID+":"+id, wallet.KindMerge, now, entries...)
	if err != nil {
		return nil, err
	}
	t.Data, err = json.Marshal(map[string]string{"guest": guest.PlayerID, "account": account.PlayerID})
	return t, err
}

// sweepLimit is how many guests are looked at in one query.
const sweepLimit = 100

// Sweep carries over what has come to guests since they were merged: a league's prize,
// what a purchase from before gave late, or the debt of one that was given back. Any
// number of processes may do it at once.
//
// What a purchase gave beside coins is in the account by then, where nothing tells it
// from the account's own: when the purchase is given back, only the coins are taken.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.moment()
	guests, err := s.Store.Leftovers(ctx, now, sweepLimit)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range guests {
		errs = append(errs, s.Store.CarryOver(ctx, id, now, func(guest, account *Side) (*wallet.Transfer, error) {
			return s.carry(now, guest, account)
		}))
	}
	return errors.Join(errs...)
}
