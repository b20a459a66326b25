package rest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/reward"
	"github.com/cuatrola/cuatrola/server/wallet"
)

// purse is what the player who sent the request has, after what do does.
func (s *Server) purse(ctx context.Context, do func(playerID string) error) (Purse, error) {
	me, err := s.me(ctx)
	if err != nil {
		return Purse{}, err
	}
	if do != nil {
		err := do(me.ID)
		if errors.Is(err, wallet.ErrInsufficient) {
			// What is bought is paid for with the welcome grant, too, which may not have come yet.
			if _, err := s.rewards.Purse(ctx, me.ID); err != nil {
				return Purse{}, err
			}
			err = do(me.ID)
		}
		if err != nil {
			return Purse{}, err
		}
	}
	p, err := s.rewards.Purse(ctx, me.ID)
	if err != nil {
		return Purse{}, err
	}
	st := &p.Standing
	out := Purse{Coins: p.Coins, Debt: p.Debt, Experience: st.Experience}
	out.Level.Level, out.Level.Into, out.Level.Step = p.Level, p.Into, p.Step
	if now := s.now(); st.VIP(now) {
		out.VipUntil = &st.VIPUntil
	}
	if st.BoosterUntil.After(s.now()) {
		out.Booster.Until = &st.BoosterUntil
	}
	out.Booster.Held, out.Booster.Matches = st.BoostersHeld, st.BoosterMatches
	out.Daily.Available, out.Daily.Coins, out.Daily.Streak, out.Daily.NextAt =
		p.Daily.Available, p.Daily.Coins, p.Daily.Streak, p.Daily.NextAt.UTC()
	return out, nil
}

// GetWallet implements StrictServerInterface.
func (s *Server) GetWallet(ctx context.Context, _ GetWalletRequestObject) (GetWalletResponseObject, error) {
	p, err := s.purse(ctx, nil)
	if err != nil {
		return nil, err
	}
	return GetWallet200JSONResponse(p), nil
}

// ClaimDaily implements StrictServerInterface.
func (s *Server) ClaimDaily(ctx context.Context, _ ClaimDailyRequestObject) (ClaimDailyResponseObject, error) {
	p, err := s.purse(ctx, func(id string) error { return s.rewards.ClaimDaily(ctx, id) })
	if err != nil {
		return nil, err
	}
	return ClaimDaily200JSONResponse(p), nil
}

// SpendCoins implements StrictServerInterface.
func (s *Server) SpendCoins(ctx context.Context, r SpendCoinsRequestObject) (SpendCoinsResponseObject, error) {
	p, err := s.purse(ctx, func(id string) error {
		if r.Body.Item == "vip" {
			return s.rewards.BuyVIP(ctx, id, r.Params.IdempotencyKey)
		}
		return s.rewards.BuyBooster(ctx, id, r.Params.IdempotencyKey, r.Body.Start != nil && *r.Body.Start)
	})
	if err != nil {
		return nil, err
	}
	return SpendCoins200JSONResponse(p), nil
}

// StartBooster implements StrictServerInterface.
func (s *Server) StartBooster(ctx context.Context, _ StartBoosterRequestObject) (StartBoosterResponseObject, error) {
	p, err := s.purse(ctx, func(id string) error { return s.rewards.StartBooster(ctx, id) })
	if err != nil {
		return nil, err
	}
	return StartBooster200JSONResponse(p), nil
}

// ListTransfers implements StrictServerInterface.
func (s *Server) ListTransfers(ctx context.Context, r ListTransfersRequestObject) (ListTransfersResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	limit, kind := paging.Size(r.Params.Limit), wallet.Kind("")
	if r.Params.Kind != nil {
		kind = wallet.Kind(*r.Params.Kind)
	}
	lines, err := s.rewards.Statement(ctx, me, kind, text(r.Params.Cursor), limit+1)
	if err != nil {
		return nil, err
	}
	page := TransferPage{Transfers: []Transfer{}}
	lines, page.NextCursor = paging.Cut(lines, limit, func(l wallet.Line) string { return l.TransferID })
	for _, line := range lines {
		page.Transfers = append(page.Transfers, transferJSON(line))
	}
	return ListTransfers200JSONResponse(page), nil
}

// GetTransfer implements StrictServerInterface.
func (s *Server) GetTransfer(ctx context.Context, r GetTransferRequestObject) (GetTransferResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	line, err := s.rewards.Receipt(ctx, me, r.TransferID)
	if err != nil {
		return nil, err
	}
	return GetTransfer200JSONResponse(transferJSON(line)), nil
}

func transferJSON(line wallet.Line) Transfer {
	w := reward.WordsFor(line)
	t := Transfer{
		ID: line.TransferID, Kind: TransferKind(line.Kind), At: line.At.UTC(), Amount: line.Amount, Balance: line.Balance,
		Text: Words{Es: w.ES, Ca: w.CA, En: w.EN},
	}
	var details map[string]any
	if json.Unmarshal(reward.DetailsFor(line), &details) == nil && details != nil {
		t.Details = &details
	}
	return t
}

// GetEconomy implements StrictServerInterface.
func (s *Server) GetEconomy(ctx context.Context, _ GetEconomyRequestObject) (GetEconomyResponseObject, error) {
	v, _, err := s.rewards.Economy(ctx)
	if err != nil {
		return nil, err
	}
	out := Economy{Version: v.Number, LiveFrom: v.LiveFrom.UTC(), StakesOpen: !s.lobby.NoStakes}
	if err := json.Unmarshal(v.Document, &out.Document); err != nil {
		return nil, err
	}
	// These are the operator's own: whoever plays is not to know what is looked for.
	delete(out.Document, "approval")
	delete(out.Document, "fairness")
	return GetEconomy200JSONResponse(out), nil
}
