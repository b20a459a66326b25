package crowd

import (
	"context"
	"time"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/people"
	"github.com/cuatrola/cuatrola/server/room"
	"github.com/cuatrola/cuatrola/shared/bot"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// liveEconomy is the number of the version that is live.
func (w *world) liveEconomy(ctx context.Context) (int, error) {
	v, _, err := w.economies.Live(ctx)
	if err != nil {
		return 0, err
	}
	return v.Number, nil
}

// sweepRooms closes rooms that were left alone, every minute.
func (w *world) sweepRooms() {
	w.clock.AfterFunc(time.Minute, func() {
		if err := w.processes[0].rooms.Sweep(w.ctx); err != nil {
			w.wrong("idle rooms are not closed: %v", err)
		}
		w.sweepRooms()
	})
}

// request is one to the server, with a key of its own.
func (a *actor) request(route string) *match.Answer {
	return &match.Answer{Key: newID(), PlayerID: a.id, Route: route, RequestHash: []byte(route), Status: 200, At: a.w.clock.Now()}
}

// openRoom plays with a friend and two bots, if the friend comes.
func (a *actor) openRoom(f *actor) {
	w := a.w
	settings := room.Settings{Rules: rules.Mesa.Rules(), TurnTime: match.DefaultTurnTime, BotPause: match.DefaultBotPause}
	var made room.Room
	_, err := a.process().rooms.Create(w.ctx, people.Person{ID: a.id, Name: a.name}, settings, a.request("rooms"), func(r room.Room) ([]byte, error) {
		made = r
		return []byte(r.ID), nil
	})
	if !a.mayBe("room", err, engagement.CodeEngaged) {
		a.soon(a.about(time.Minute), a.next)
		return
	}
	w.report.Rooms++
	a.place = engagement.Place{Kind: engagement.Room, ID: made.ID}
	a.soon(a.about(90*time.Second), a.leaveRoom)
	if a.random.IntN(8) == 0 {
		return // the friend does not come
	}
	f.soon(f.about(5*time.Second), func() {
		if f.place != engagement.Free || w.closing {
			return
		}
		r, err := f.process().rooms.Join(w.ctx, f.id, made.Code)
		if !f.mayBe("join", err, fault.NotFound, engagement.CodeEngaged) {
			f.soon(f.about(30*time.Second), f.next)
			return
		}
		f.place = engagement.Place{Kind: engagement.Room, ID: r.ID}
		f.soon(f.about(2*time.Minute), f.leaveRoom)
		f.after(f.about(5*time.Second), func() {
			if f.online {
				_, err := f.process().rooms.Ready(w.ctx, r.ID, f.id, true)
				f.mayBe("ready", err, fault.NotFound, room.CodePlaying)
			}
		})
		a.after(a.about(12*time.Second), func() { a.startRoom(r.ID) })
	})
}

// startRoom begins the room's match, with bots where nobody sits.
func (a *actor) startRoom(id string) {
	if !a.online || a.place.ID != id {
		return
	}
	rooms := a.process().rooms
	r, err := rooms.Get(a.w.ctx, id, a.id)
	if !a.mayBe("room", err, fault.NotFound) {
		return
	}
	for seat, s := range r.Seats {
		if s.Taken == room.Open {
			_, err := rooms.GiveToBot(a.w.ctx, id, a.id, rules.Seat(seat), bot.Tabernero)
			if !a.mayBe("bot", err, fault.NotFound, room.CodePlaying, room.CodeNotOwner) {
				return
			}
		}
	}
	_, err = rooms.Start(a.w.ctx, id, a.id, a.request("start"), func(r room.Room) ([]byte, error) { return []byte(r.ID), nil })
	a.mayBe("start", err, fault.NotFound, room.CodePlaying, room.CodeNotOwner, room.CodeNotReady, room.CodeAlone)
}

// afterRoom is what somebody does whose match in a room is over: play again, or go.
func (a *actor) afterRoom() {
	id := a.place.ID
	if a.w.closing || a.w.clock.Now().After(a.until) || a.random.IntN(2) == 0 {
		a.leaveRoom()
		return
	}
	_, err := a.process().rooms.Ready(a.w.ctx, id, a.id, true)
	a.mayBe("ready", err, fault.NotFound, room.CodePlaying)
	a.startRoom(id)
	a.soon(a.about(time.Minute), a.leaveRoom)
}

func (a *actor) leaveRoom() {
	if a.place.Kind != engagement.Room {
		return
	}
	a.mayBe("leave the room", a.process().rooms.Remove(a.w.ctx, a.place.ID, a.id, a.id), fault.NotFound, room.CodePlaying)
	a.look()
}
