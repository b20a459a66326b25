package panel

import (
	"context"
	"encoding/json"

	"github.com/cuatrola/cuatrola/server/staff"
)

// ListOwnStaffSessions implements StrictServerInterface.
func (p *Panel) ListOwnStaffSessions(ctx context.Context, _ ListOwnStaffSessionsRequestObject) (ListOwnStaffSessionsResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	list, err := p.sessionList(ctx, v, v.member.ID)
	return ListOwnStaffSessions200JSONResponse(list), err
}

// EndOtherStaffSessions implements StrictServerInterface.
func (p *Panel) EndOtherStaffSessions(ctx context.Context, _ EndOtherStaffSessionsRequestObject) (EndOtherStaffSessionsResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	return EndOtherStaffSessions204Response{}, p.Staff.EndOthers(ctx, v.session)
}

// ChangeStaffPassword implements StrictServerInterface.
func (p *Panel) ChangeStaffPassword(ctx context.Context, r ChangeStaffPasswordRequestObject) (ChangeStaffPasswordResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	return ChangeStaffPassword204Response{}, p.Staff.ChangePassword(ctx, v.session, v.member, r.Body.Current, r.Body.Password, v.from)
}

// MakeStaffRecovery implements StrictServerInterface.
func (p *Panel) MakeStaffRecovery(ctx context.Context, r MakeStaffRecoveryRequestObject) (MakeStaffRecoveryResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	codes, err := p.Staff.NewRecovery(ctx, v.member, r.Body.Password, v.from)
	return MakeStaffRecovery201JSONResponse{RecoveryCodes: codes}, err
}

// ListPasskeys implements StrictServerInterface.
func (p *Panel) ListPasskeys(ctx context.Context, _ ListPasskeysRequestObject) (ListPasskeysResponseObject, error) {
	m, err := member(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := p.Staff.Passkeys(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	list := ListPasskeys200JSONResponse{Passkeys: []StaffPasskey{}}
	for _, k := range keys {
		list.Passkeys = append(list.Passkeys, passkeyJSON(k))
	}
	return list, nil
}

func passkeyJSON(k staff.Passkey) StaffPasskey {
	return StaffPasskey{ID: k.ID, Name: k.Name, CreatedAt: k.CreatedAt, UsedAt: orNever(k.UsedAt), BackedUp: k.BackedUp}
}

// AskForPasskey implements StrictServerInterface.
func (p *Panel) AskForPasskey(ctx context.Context, r AskForPasskeyRequestObject) (AskForPasskeyResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	c, err := p.Staff.NewPasskey(ctx, v.member, r.Body.Password, v.from)
	if err != nil {
		return nil, err
	}
	asked, err := ceremonyJSON(c)
	return AskForPasskey201JSONResponse(asked), err
}

func ceremonyJSON(c staff.Ceremony) (StaffCeremony, error) {
	asked := StaffCeremony{CeremonyID: c.ID}
	return asked, json.Unmarshal(c.Options, &asked.PublicKey)
}

// AddPasskey implements StrictServerInterface.
func (p *Panel) AddPasskey(ctx context.Context, r AddPasskeyRequestObject) (AddPasskeyResponseObject, error) {
	m, err := member(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(r.Body.Credential)
	if err != nil {
		return nil, err
	}
	k, err := p.Staff.AddPasskey(ctx, m, r.Body.CeremonyID, r.Body.Name, answer)
	return AddPasskey201JSONResponse(passkeyJSON(k)), err
}

// RemovePasskey implements StrictServerInterface.
func (p *Panel) RemovePasskey(ctx context.Context, r RemovePasskeyRequestObject) (RemovePasskeyResponseObject, error) {
	m, err := member(ctx)
	if err != nil {
		return nil, err
	}
	return RemovePasskey204Response{}, p.Staff.RemovePasskey(ctx, m, r.PasskeyID)
}

// AskPasskey implements StrictServerInterface.
func (p *Panel) AskPasskey(ctx context.Context, _ AskPasskeyRequestObject) (AskPasskeyResponseObject, error) {
	c, err := p.Staff.AskPasskey(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := ceremonyJSON(c)
	return AskPasskey201JSONResponse(asked), err
}

// CreateStaffSessionByPasskey implements StrictServerInterface.
func (p *Panel) CreateStaffSessionByPasskey(ctx context.Context, r CreateStaffSessionByPasskeyRequestObject) (CreateStaffSessionByPasskeyResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(r.Body.Credential)
	if err != nil {
		return nil, err
	}
	in, err := p.Staff.SignInByPasskey(ctx, r.Body.CeremonyID, answer, v.from)
	if err != nil {
		return nil, err
	}
	s, err := p.sessionJSON(ctx, in.Session, in.Member, in.Token)
	if err != nil {
		return nil, err
	}
	return CreateStaffSessionByPasskey201JSONResponse{
		Body: s, Headers: CreateStaffSessionByPasskey201ResponseHeaders{SetCookie: p.cookie(in.Token)},
	}, nil
}
