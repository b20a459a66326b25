package panel

import (
	"context"

	"github.com/cuatrola/cuatrola/server/staff"
)

// ListStaff implements StrictServerInterface.
func (p *Panel) ListStaff(ctx context.Context, _ ListStaffRequestObject) (ListStaffResponseObject, error) {
	members, err := p.Staff.Members(ctx)
	if err != nil {
		return nil, err
	}
	links, err := p.Staff.Links(ctx)
	if err != nil {
		return nil, err
	}
	list := ListStaff200JSONResponse{Members: []StaffMember{}, Invitations: []StaffLink{}}
	for _, m := range members {
		list.Members = append(list.Members, memberJSON(m))
	}
	for _, l := range links {
		list.Invitations = append(list.Invitations, StaffLink{
			ID: l.ID, Kind: StaffLinkKind(l.Kind), Email: l.Email, Role: StaffRole(l.Role), CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
		})
	}
	return list, nil
}

// InviteStaff implements StrictServerInterface.
func (p *Panel) InviteStaff(ctx context.Context, r InviteStaffRequestObject) (InviteStaffResponseObject, error) {
	l, token, err := p.Staff.Invite(ctx, r.Body.Email, staff.Role(r.Body.Role), r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return InviteStaff201JSONResponse(p.newLink(l, token)), nil
}

// ResetStaff implements StrictServerInterface.
func (p *Panel) ResetStaff(ctx context.Context, r ResetStaffRequestObject) (ResetStaffResponseObject, error) {
	l, token, err := p.Staff.Reset(ctx, r.MemberID, r.Body.Reason)
	if err != nil {
		return nil, err
	}
	return ResetStaff201JSONResponse(p.newLink(l, token)), nil
}

func (p *Panel) newLink(l staff.Link, token string) StaffNewLink {
	return StaffNewLink{
		ID: l.ID, Kind: StaffNewLinkKind(l.Kind), Email: l.Email, Role: StaffRole(l.Role), CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt,
		URL: InvitationURL(p.PublicURL, token),
	}
}

// InvitationURL is the link itself. The token stands behind the #, which no browser
// sends and no proxy logs.
func InvitationURL(publicURL, token string) string { return publicURL + "/admin/invitation#" + token }

// TakeBackInvitation implements StrictServerInterface.
func (p *Panel) TakeBackInvitation(ctx context.Context, r TakeBackInvitationRequestObject) (TakeBackInvitationResponseObject, error) {
	return TakeBackInvitation204Response{}, p.Staff.TakeBack(ctx, r.LinkID, r.Body.Reason)
}

// ChangeStaff implements StrictServerInterface.
func (p *Panel) ChangeStaff(ctx context.Context, r ChangeStaffRequestObject) (ChangeStaffResponseObject, error) {
	m, err := p.Staff.Change(ctx, r.MemberID, (*staff.Role)(r.Body.Role), r.Body.Disabled, r.Body.Reason)
	return ChangeStaff200JSONResponse(memberJSON(m)), err
}

// ListStaffSessions implements StrictServerInterface.
func (p *Panel) ListStaffSessions(ctx context.Context, r ListStaffSessionsRequestObject) (ListStaffSessionsResponseObject, error) {
	v, err := visitOf(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := p.Staff.Member(ctx, r.MemberID); err != nil {
		return nil, err
	}
	list, err := p.sessionList(ctx, v, r.MemberID)
	return ListStaffSessions200JSONResponse(list), err
}

func (p *Panel) sessionList(ctx context.Context, v visit, memberID string) (StaffSessionList, error) {
	list := StaffSessionList{Sessions: []StaffSessionItem{}}
	sessions, err := p.Staff.Sessions(ctx, memberID)
	if err != nil {
		return list, err
	}
	for _, one := range sessions {
		list.Sessions = append(list.Sessions, StaffSessionItem{
			ID: one.ID, Address: one.Address, Agent: one.Agent, CreatedAt: one.CreatedAt, SeenAt: one.SeenAt, Current: one.ID == v.session.ID,
		})
	}
	return list, nil
}

// EndStaffSessions implements StrictServerInterface.
func (p *Panel) EndStaffSessions(ctx context.Context, r EndStaffSessionsRequestObject) (EndStaffSessionsResponseObject, error) {
	return EndStaffSessions204Response{}, p.Staff.EndSessions(ctx, r.MemberID, "", r.Body.Reason)
}
