package support

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// Codes of this domain.
const (
	// CodeGrantLimit: more coins than one may give or take at once, or on one day.
	CodeGrantLimit fault.Code = "grant_limit"
	// CodeMerge: these two cannot be merged; the message says why.
	CodeMerge fault.Code = "cannot_merge"
	// CodeSupportCode: the code is nobody's, or has expired.
	CodeSupportCode fault.Code = "support_code_invalid"
)

// Limit is how many coins somebody may give or take. Both count alike.
type Limit struct {
	// Each at once; Day in all on one calendar day.
	Each, Day int64
}

// Limits are those of each role. A role that is not there may give nothing.
type Limits map[string]Limit

// ParseLimits reads limits as "role=each/day,…".
func ParseLimits(text string) (Limits, error) {
	limits := Limits{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		role, amounts, ok := strings.Cut(strings.TrimSpace(part), "=")
		each, day, ok2 := strings.Cut(amounts, "/")
		var l Limit
		var errs [2]error
		l.Each, errs[0] = strconv.ParseInt(each, 10, 64)
		l.Day, errs[1] = strconv.ParseInt(day, 10, 64)
		if !ok || !ok2 || role == "" || errs[0] != nil || errs[1] != nil || l.Each < 0 || l.Day < 0 {
			return nil, fmt.Errorf("support: %q is not role=each/day, in whole coins", part)
		}
		if _, twice := limits[role]; twice {
			return nil, fmt.Errorf("support: limits of %s twice", role)
		}
		l.Each = min(l.Each, reward.MaxGrant)
		limits[role] = l
	}
	return limits, nil
}

// Giver is who gives or takes coins.
type Giver struct{ ID, Name, Role string }

// Allowance is what somebody may give and take.
type Allowance struct {
	Limit
	// Used is how much of the day's was.
	Used int64
}

// today is the day by which grants are counted, in universal time.
func (s *Service) today() string { return s.moment().Format(time.DateOnly) }

// Allowance is what a giver may still give and take today.
func (s *Service) Allowance(ctx context.Context, g Giver) (Allowance, error) {
	used, err := s.Store.Granted(ctx, g.ID, s.today())
	return Allowance{Limit: s.Limits[g.Role], Used: used}, err
}

// Grant gives a player coins out of the house's, or takes them if coins is negative:
// never more than there are, nor than the giver's role may. Under the same key it is
// done once, and counted once; replayed says that it was done before.
//
// Codes: InvalidRequest (coins, key, reason), CodeGrantLimit, NotFound,
// wallet.CodeInsufficient, IdempotencyConflict.
func (s *Service) Grant(ctx context.Context, g Giver, playerID string, coins int64, key, reason string) (t *wallet.Transfer, replayed bool, err error) {
	p, err := s.Player(ctx, playerID)
	if err != nil {
		return nil, false, err
	}
	if !p.DeletedAt.IsZero() {
		return nil, false, fault.New(fault.NotFound, "This player is not here any more.")
	}
	limit, amount := s.Limits[g.Role], max(coins, -coins)
	if amount > limit.Each {
		return nil, false, limited(fmt.Sprintf("Your role gives or takes at most %d coins at once.", limit.Each))
	}
	t, replayed, err = s.Grants.Grant(ctx, playerID, coins, key, g.Name, reason)
	if err != nil || replayed {
		return t, replayed, err
	}
	// Behind it, for a repetition does not count. Too much takes back all of the unit.
	ok, err := s.Store.CountGrant(ctx, g.ID, s.today(), amount, limit.Day)
	if err == nil && !ok {
		err = limited(fmt.Sprintf("Your role gives and takes at most %d coins on one day.", limit.Day))
	}
	return t, false, err
}

func limited(message string) error {
	return &fault.Error{Code: CodeGrantLimit, Field: "coins", Message: message}
}
