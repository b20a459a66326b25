package panel

import (
	"context"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/staff"
)

// GetStaffSession implements StrictServerInterface.
func (p *Panel) GetStaffSession(ctx context.Context, _ GetStaffSessionRequestObject) (GetStaffSessionResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	s, err := p.sessionJSON(ctx, v.session, v.member, v.token)
	return GetStaffSession200JSONResponse(s), err
}

// CreateStaffSession implements StrictServerInterface.
func (p *Panel) CreateStaffSession(ctx context.Context, r CreateStaffSessionRequestObject) (CreateStaffSessionResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	in, err := p.Staff.SignIn(ctx, r.Body.Email, r.Body.Password, r.Body.Code, v.from)
	if err != nil {
		return nil, err
	}
	s, err := p.sessionJSON(ctx, in.Session, in.Member, in.Token)
	if err != nil {
		return nil, err
	}
	return CreateStaffSession201JSONResponse{Body: s, Headers: CreateStaffSession201ResponseHeaders{SetCookie: p.cookie(in.Token)}}, nil
}

// EndStaffSession implements StrictServerInterface.
func (p *Panel) EndStaffSession(ctx context.Context, _ EndStaffSessionRequestObject) (EndStaffSessionResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	return EndStaffSession204Response{Headers: EndStaffSession204ResponseHeaders{SetCookie: p.cookie("")}}, p.Staff.SignOut(ctx, v.session)
}

// LookAtInvitation implements StrictServerInterface.
func (p *Panel) LookAtInvitation(ctx context.Context, r LookAtInvitationRequestObject) (LookAtInvitationResponseObject, error) {
	i, err := p.Staff.Look(ctx, r.Body.Token)
	if err != nil {
		return nil, err
	}
	whose := i.Email
	if whose == "" {
		whose = "panel"
	}
	uri := url.URL{Scheme: "otpauth", Host: "totp", Path: "/Cuatrola:" + whose, RawQuery: url.Values{"secret": {i.TOTPSecret}, "issuer": {"Cuatrola"}}.Encode()}
	return LookAtInvitation200JSONResponse{
		Kind: StaffInvitationKind(i.Kind), Email: i.Email, Role: StaffRole(i.Role), Name: orAbsent(i.Name),
		ExpiresAt: i.ExpiresAt, TotpSecret: i.TOTPSecret, TotpURI: uri.String(),
	}, nil
}

// AcceptInvitation implements StrictServerInterface.
func (p *Panel) AcceptInvitation(ctx context.Context, r AcceptInvitationRequestObject) (AcceptInvitationResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	in, recovery, err := p.Staff.Accept(ctx, staff.Acceptance{
		Token: r.Body.Token, Name: r.Body.Name, Email: text(r.Body.Email), Password: r.Body.Password, Code: r.Body.Code,
	}, v.from)
	if err != nil {
		return nil, err
	}
	s, err := p.sessionJSON(ctx, in.Session, in.Member, in.Token)
	if err != nil {
		return nil, err
	}
	return AcceptInvitation201JSONResponse{
		Body: StaffAccepted{Session: s, RecoveryCodes: recovery}, Headers: AcceptInvitation201ResponseHeaders{SetCookie: p.cookie(in.Token)},
	}, nil
}

// cookie keeps a session's token where no script reads it, for the panel's paths and
// for what its own pages send. An empty one takes it away.
func (p *Panel) cookie(token string) *string {
	c := fiber.Cookie{Name: CookieName, Value: token, Path: "/admin", HTTPOnly: true, SameSite: fiber.CookieSameSiteStrictMode, Secure: p.secure}
	text := c.Name + "=" + c.Value + "; Path=" + c.Path + "; HttpOnly; SameSite=" + c.SameSite
	if c.Secure {
		text += "; Secure"
	}
	if token == "" {
		text += "; Max-Age=0"
	}
	return &text
}

func (p *Panel) sessionJSON(ctx context.Context, one staff.Session, m staff.Member, token string) (StaffSession, error) {
	left, err := p.Staff.RecoveryLeft(ctx, m.ID)
	s := StaffSession{
		SessionID: one.ID, Member: memberJSON(m), CsrfToken: staff.CSRF(token), ExpiresAt: p.Staff.Expiry(one), RecoveryLeft: left,
		Permissions: []string{},
	}
	for _, may := range staff.Permissions(m.Role) {
		s.Permissions = append(s.Permissions, string(may))
	}
	return s, err
}

func memberJSON(m staff.Member) StaffMember {
	return StaffMember{
		ID: m.ID, Name: m.Name, Email: m.Email, Role: StaffRole(m.Role), Disabled: m.Disabled,
		CreatedAt: m.CreatedAt, SignedInAt: orNever(m.SignedInAt),
	}
}

// orNever leaves out the time of what never was.
func orNever(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
