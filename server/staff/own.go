package staff

import (
	"context"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/password"
)

// ChangePassword gives a member another password. The second factor stays; the member's
// other sessions end.
//
// Codes: CodePassword, InvalidRequest (password), RateLimited, Unavailable.
func (s *Service) ChangePassword(ctx context.Context, one Session, m Member, current, next string, from From) error {
	if err := password.CheckFrom(next, MinPassword); err != nil {
		return err
	}
	if err := s.knows(ctx, m, current, from); err != nil {
		return err
	}
	secret, err := s.open(ctx, current, m.SealedTOTP)
	if err != nil {
		return err
	}
	hash, err := s.passwords.Hash(ctx, next)
	if err != nil {
		return err
	}
	sealed, err := s.seal(ctx, next, secret)
	if err != nil {
		return err
	}
	return s.trail.Do(ctx, change("staff.password", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		_, err = s.store.ChangeMember(ctx, m.ID, func(now *Member, _ int) error {
			if now.PasswordHash != m.PasswordHash {
				return fault.New(CodePassword, "The password was changed meanwhile.")
			}
			now.PasswordHash, now.SealedTOTP = hash, sealed
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, s.endOthers(ctx, one)
	})
}

// NewRecovery gives a member recovery codes in place of those of before. They are shown
// this once.
//
// Codes: CodePassword, RateLimited, Unavailable.
func (s *Service) NewRecovery(ctx context.Context, m Member, word string, from From) ([]string, error) {
	if err := s.knows(ctx, m, word, from); err != nil {
		return nil, err
	}
	codes, hashes, err := s.newRecovery()
	if err != nil {
		return nil, err
	}
	err = s.trail.Do(ctx, change("staff.recovery", m.ID, ""), func(ctx context.Context) (before, after any, err error) {
		return nil, nil, s.store.SetRecovery(ctx, m.ID, hashes)
	})
	return codes, err
}

// EndOthers signs the member of a session out everywhere else.
func (s *Service) EndOthers(ctx context.Context, one Session) error {
	return s.trail.Do(ctx, change("staff.sign-out", one.MemberID, ""), func(ctx context.Context) (before, after any, err error) {
		return nil, nil, s.endOthers(ctx, one)
	})
}

func (s *Service) endOthers(ctx context.Context, one Session) error {
	all, err := s.store.StaffSessions(ctx, one.MemberID, s.moment().Add(-s.idle))
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID == one.ID {
			continue
		}
		if err := s.store.EndStaffSessions(ctx, one.MemberID, other.ID, s.moment()); err != nil {
			return err
		}
	}
	return nil
}
