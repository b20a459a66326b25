package rest

import (
	"context"
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// EnterQueue implements StrictServerInterface.
func (s *Server) EnterQueue(ctx context.Context, r EnterQueueRequestObject) (EnterQueueResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	wish := lobby.Request{PlayerID: me.ID, Name: me.Name, Avatar: me.Avatar, Queue: lobby.Queue{Rules: rules.Mesa}}
	if r.Body.Stake != nil {
		wish.Queue.Stake = *r.Body.Stake
	}
	if r.Body.Rules != nil {
		if wish.Queue, err = lobby.QueueOf(string(*r.Body.Rules), wish.Queue.Stake); err != nil {
			return nil, err
		}
	}
	if r.Body.PartnerID != nil {
		wish.PartnerID = *r.Body.PartnerID
	}
	if wish.Queue.Stake > 0 {
		// The entry is paid with the welcome grant, too.
		if _, err := s.rewards.Purse(ctx, me.ID); err != nil {
			return nil, err
		}
	}
	request, err := roomRequest(me.ID, r.Params.IdempotencyKey, "POST /v1/queue", fiber.StatusCreated, r.Body, s.now())
	if err != nil {
		return nil, err
	}
	policy, err := s.lobby.Policy(ctx)
	if err != nil {
		return nil, err
	}
	wish.Answer = *request
	wish.Body = func(e engagement.Engagement, t *lobby.Ticket) ([]byte, error) {
		out := engagementJSON(e)
		out.Ticket = ticketJSON(t, policy)
		return json.Marshal(out)
	}
	answer, replayed, err := s.lobby.Enter(ctx, wish)
	if err != nil {
		return nil, err
	}
	return storedAnswer{answer, replayed}, nil
}

// VisitEnterQueueResponse sends it.
func (a storedAnswer) VisitEnterQueueResponse(c *fiber.Ctx) error { return a.send(c) }

// LeaveQueue implements StrictServerInterface.
func (s *Server) LeaveQueue(ctx context.Context, _ LeaveQueueRequestObject) (LeaveQueueResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.lobby.Leave(ctx, me); err != nil {
		return nil, err
	}
	out, err := s.engagementOf(ctx, me)
	return LeaveQueue200JSONResponse(out), err
}

// ListQueueInvitations implements StrictServerInterface.
func (s *Server) ListQueueInvitations(ctx context.Context, _ ListQueueInvitationsRequestObject) (ListQueueInvitationsResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	policy, err := s.lobby.Policy(ctx)
	if err != nil {
		return nil, err
	}
	tickets, err := s.lobby.Invitations(ctx, me)
	if err != nil {
		return nil, err
	}
	out := QueueInvitations{Invitations: make([]QueueInvitation, len(tickets))}
	for i := range tickets {
		t := &tickets[i]
		out.Invitations[i] = QueueInvitation{
			From: lobbyPerson(t.Members[0]), Rules: PresetName(t.Queue.Rules.String()), Stake: t.Queue.Stake,
			Since: t.Since.UTC(), ExpiresAt: t.Since.Add(policy.MaxWait).UTC(),
		}
	}
	return ListQueueInvitations200JSONResponse(out), nil
}

func lobbyPerson(m lobby.Member) Person {
	return Person{ID: m.PlayerID, Name: m.Name, Avatar: m.Avatar}
}

func ticketJSON(t *lobby.Ticket, policy lobby.Policy) *Ticket {
	out := &Ticket{
		Rules: PresetName(t.Queue.Rules.String()), Stake: t.Queue.Stake, Members: []Person{},
		Since: t.Since.UTC(), ExpiresAt: t.Since.Add(policy.MaxWait).UTC(),
	}
	for _, m := range t.Members {
		out.Members = append(out.Members, lobbyPerson(m))
	}
	if t.InvitedID != "" {
		out.Invited = &t.InvitedID
	} else if t.Queue.Stake == 0 {
		bots := t.Since.Add(policy.BotFill).UTC()
		out.BotsAt = &bots
	}
	return out
}

func tableJSON(t *lobby.Table) *StakedTable {
	out := &StakedTable{
		Rules: PresetName(t.Queue.Rules.String()), Stake: t.Queue.Stake, People: []Person{}, Deadline: t.Deadline.UTC(),
	}
	for i := range t.Tickets {
		for _, m := range t.Tickets[i].Members {
			out.People = append(out.People, lobbyPerson(m))
		}
	}
	return out
}
