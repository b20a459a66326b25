package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// RoomJSON gives a room the form that the contract has for it, on every channel.
func RoomJSON(r room.Room) Room {
	out := Room{
		ID: r.ID, Code: r.Code, Owner: r.OwnerID, Rules: rulesJSON(r.Settings.Rules),
		TurnSeconds: int(r.Settings.TurnTime / time.Second), BotPauseMs: int(r.Settings.BotPause / time.Millisecond),
		Seats: make([]RoomSeat, len(r.Seats)), CreatedAt: r.CreatedAt.UTC(), Version: r.Version,
	}
	if r.MatchID != "" {
		out.MatchID = &r.MatchID
	} else {
		expires := r.TouchedAt.Add(room.IdleTime).UTC()
		out.ExpiresAt = &expires
	}
	for i, s := range r.Seats {
		seat := RoomSeat{Seat: i, Taken: RoomSeatTaken("open"), Ready: s.Ready}
		switch s.Taken {
		case room.ByPerson:
			person := personJSON(s.Person)
			seat.Taken, seat.Player = "person", &person
		case room.ByBot:
			level := BotLevel(s.Bot.String())
			seat.Taken, seat.Level = "bot", &level
		}
		out.Seats[i] = seat
	}
	return out
}

// roomRequest is the request that makes something, as it is kept with its answer.
func roomRequest(playerID string, key *string, route string, status int, body any, at time.Time) (*match.Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(text)
	a := &match.Answer{PlayerID: playerID, Route: route, RequestHash: hash[:], Status: status, At: at.UTC()}
	if key != nil {
		a.Key = *key
	}
	return a, nil
}

func roomBody(r room.Room) ([]byte, error) { return json.Marshal(RoomJSON(r)) }

// CreateRoom implements StrictServerInterface.
func (s *Server) CreateRoom(ctx context.Context, r CreateRoomRequestObject) (CreateRoomResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	settings := room.Settings{TurnTime: match.DefaultTurnTime, BotPause: match.DefaultBotPause}
	change, err := settingsOf(&r.Body.Rules, r.Body.TurnSeconds, r.Body.BotPauseMs)
	if err != nil {
		return nil, err
	}
	change(&settings)
	request, err := roomRequest(me.ID, r.Params.IdempotencyKey, "POST /v1/rooms", fiber.StatusCreated, r.Body, s.now())
	if err != nil {
		return nil, err
	}
	answer, err := s.rooms.Create(ctx, people.Person{ID: me.ID, Name: me.Name, Avatar: me.Avatar}, settings, request, roomBody)
	if err != nil {
		return nil, err
	}
	return storedAnswer{answer, answer != request}, nil
}

// VisitCreateRoomResponse sends it.
func (a storedAnswer) VisitCreateRoomResponse(c *fiber.Ctx) error { return a.send(c) }

// settingsOf is what a request changes of a room's settings.
func settingsOf(form *RoomRules, turnSeconds, botPauseMs *int) (func(*room.Settings), error) {
	var rs rules.RuleSet
	if form != nil {
		var err error
		if rs, err = parseRules(*form); err != nil {
			return nil, err
		}
	}
	return func(s *room.Settings) {
		if form != nil {
			s.Rules = rs
		}
		if turnSeconds != nil {
			s.TurnTime = time.Duration(*turnSeconds) * time.Second
		}
		if botPauseMs != nil {
			s.BotPause = time.Duration(*botPauseMs) * time.Millisecond
		}
	}, nil
}

// JoinRoom implements StrictServerInterface.
func (s *Server) JoinRoom(ctx context.Context, r JoinRoomRequestObject) (JoinRoomResponseObject, error) {
	me, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	joined, err := s.joinRoom(ctx, me.ID, r.Body.Code)
	if err != nil {
		return nil, err
	}
	return JoinRoom200JSONResponse(RoomJSON(joined)), nil
}

// GetRoom implements StrictServerInterface.
func (s *Server) GetRoom(ctx context.Context, r GetRoomRequestObject) (GetRoomResponseObject, error) {
	out, err := s.inRoom(ctx, func(me string) (room.Room, error) { return s.rooms.Get(ctx, r.RoomID, me) })
	return GetRoom200JSONResponse(out), err
}

// inRoom has the requesting player do something in a room.
func (s *Server) inRoom(ctx context.Context, do func(playerID string) (room.Room, error)) (Room, error) {
	me, err := player(ctx)
	if err != nil {
		return Room{}, err
	}
	r, err := do(me)
	if err != nil {
		return Room{}, err
	}
	return RoomJSON(r), nil
}

// ChangeRoom implements StrictServerInterface.
func (s *Server) ChangeRoom(ctx context.Context, r ChangeRoomRequestObject) (ChangeRoomResponseObject, error) {
	change, err := settingsOf(r.Body.Rules, r.Body.TurnSeconds, r.Body.BotPauseMs)
	if err != nil {
		return nil, err
	}
	out, err := s.inRoom(ctx, func(me string) (room.Room, error) { return s.rooms.Set(ctx, r.RoomID, me, change) })
	return ChangeRoom200JSONResponse(out), err
}

// ChangeSeat implements StrictServerInterface.
func (s *Server) ChangeSeat(ctx context.Context, r ChangeSeatRequestObject) (ChangeSeatResponseObject, error) {
	seat := rules.Seat(r.Seat) // from 0 to 3, by the contract
	switch {
	case r.Body.Level != nil && r.Body.Who != "bot":
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "level", Message: "Only a bot has a level."}
	case r.Body.From != nil && r.Body.Who != "seat":
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "from", Message: "Only seats that change places have a from."}
	}
	out, err := s.inRoom(ctx, func(me string) (room.Room, error) {
		switch r.Body.Who {
		case "me":
			return s.rooms.Sit(ctx, r.RoomID, me, seat)
		case "bot":
			return s.rooms.GiveToBot(ctx, r.RoomID, me, seat, levelOr(r.Body.Level, bot.Tabernero))
		case "nobody":
			return s.rooms.Clear(ctx, r.RoomID, me, seat)
		default:
			if r.Body.From == nil {
				return room.Room{}, &fault.Error{Code: fault.InvalidRequest, Field: "from", Message: "Say which seat to change with: from."}
			}
			return s.rooms.Swap(ctx, r.RoomID, me, seat, rules.Seat(*r.Body.From))
		}
	})
	return ChangeSeat200JSONResponse(out), err
}

// SetReady implements StrictServerInterface.
func (s *Server) SetReady(ctx context.Context, r SetReadyRequestObject) (SetReadyResponseObject, error) {
	out, err := s.inRoom(ctx, func(me string) (room.Room, error) { return s.rooms.Ready(ctx, r.RoomID, me, r.Body.Ready) })
	return SetReady200JSONResponse(out), err
}

// StartRoom implements StrictServerInterface.
func (s *Server) StartRoom(ctx context.Context, r StartRoomRequestObject) (StartRoomResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	request, err := roomRequest(me, r.Params.IdempotencyKey, "POST /v1/rooms/"+r.RoomID+"/start", fiber.StatusOK, nil, s.now())
	if err != nil {
		return nil, err
	}
	// Not the room: an answer that is kept must not hold others' names.
	answer, err := s.rooms.Start(ctx, r.RoomID, me, request, func(r room.Room) ([]byte, error) {
		return json.Marshal(RoomMatch{MatchID: r.MatchID})
	})
	if err != nil {
		return nil, err
	}
	return storedAnswer{answer, answer != request}, nil
}

// VisitStartRoomResponse sends it.
func (a storedAnswer) VisitStartRoomResponse(c *fiber.Ctx) error { return a.send(c) }

// InviteToRoom implements StrictServerInterface.
func (s *Server) InviteToRoom(ctx context.Context, r InviteToRoomRequestObject) (InviteToRoomResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	id, name := whom(r.Body.PlayerID, r.Body.Name)
	other, err := s.rooms.Invite(ctx, r.RoomID, me, id, name)
	if err != nil {
		return nil, err
	}
	return InviteToRoom200JSONResponse(personJSON(other)), nil
}

// LeaveRoom implements StrictServerInterface.
func (s *Server) LeaveRoom(ctx context.Context, r LeaveRoomRequestObject) (LeaveRoomResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	return LeaveRoom204Response{}, s.rooms.Remove(ctx, r.RoomID, me, r.PlayerID)
}
