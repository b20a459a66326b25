package rest

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/paging"
	"github.com/cuatrola/cuatrola/server/notice"
)

// ListNotices implements StrictServerInterface.
func (s *Server) ListNotices(ctx context.Context, r ListNoticesRequestObject) (ListNoticesResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	limit, before := paging.Size(r.Params.Limit), math.MaxInt32
	if r.Params.Cursor != nil {
		if before, err = strconv.Atoi(*r.Params.Cursor); err != nil {
			return nil, &fault.Error{Code: fault.InvalidRequest, Field: "cursor", Message: "A cursor is one that a page gave.", Err: err}
		}
	}
	list, inbox, err := s.notices.List(ctx, me, before, limit)
	if err != nil {
		return nil, err
	}
	page := NoticePage{Notices: []Notice{}, Unread: inbox.Unread(), Last: inbox.Last}
	for _, n := range list {
		page.Notices = append(page.Notices, NoticeJSON(n, inbox))
	}
	// They are numbered without gaps: the last page is the one with the oldest that is
	// kept.
	if n := len(list); n > 0 && list[n-1].Seq > max(1, inbox.Last-notice.Kept+1) {
		next := fmt.Sprint(list[n-1].Seq)
		page.NextCursor = &next
	}
	return ListNotices200JSONResponse(page), nil
}

// ReadNotices implements StrictServerInterface.
func (s *Server) ReadNotices(ctx context.Context, r ReadNoticesRequestObject) (ReadNoticesResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	inbox, err := s.notices.MarkRead(ctx, me, r.Body.UpTo)
	if err != nil {
		return nil, err
	}
	return ReadNotices200JSONResponse{Unread: inbox.Unread(), Last: inbox.Last}, nil
}

// PutPushToken implements StrictServerInterface.
func (s *Server) PutPushToken(ctx context.Context, r PutPushTokenRequestObject) (PutPushTokenResponseObject, error) {
	me, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.notices.Register(ctx, me.PlayerID, me.SessionID, r.Body.Token, string(r.Body.Platform))
	if err != nil {
		return nil, err
	}
	return PutPushToken200JSONResponse{ID: d.ID, Platform: Platform(d.Platform), CreatedAt: d.CreatedAt.UTC()}, nil
}

// DropPushToken implements StrictServerInterface.
func (s *Server) DropPushToken(ctx context.Context, r DropPushTokenRequestObject) (DropPushTokenResponseObject, error) {
	return DropPushToken204Response{}, s.toOther(ctx, r.PushTokenID, s.notices.Unregister)
}

// NoticeJSON gives a notice the form that the contract has for it, on every channel.
func NoticeJSON(n notice.Notice, inbox notice.Inbox) Notice {
	out := Notice{Seq: n.Seq, Kind: NoticeKind(n.Kind), At: n.At.UTC(), Read: n.Seq <= inbox.Read}
	if n.From != nil {
		out.From = &Person{ID: n.From.ID, Name: n.From.Name, Avatar: n.From.Avatar}
	}
	if n.Room != nil {
		out.Room = &RoomAddress{Code: n.Room.Code, ID: n.Room.ID}
	}
	if n.Text != nil {
		text := NoticeText(n.Text)
		out.Text = &text
	}
	if n.Said != nil {
		said := NoticeBroadcast{Title: wordsJSON(n.Said.Title), Text: wordsJSON(n.Said.Text)}
		if n.Said.Link != "" {
			link := NoticeBroadcastLink(n.Said.Link)
			said.Link = &link
		}
		out.Broadcast = &said
	}
	if l := n.League; l != nil {
		out.League = &NoticeLeague{
			Season: l.Season, Division: l.Division, Rank: l.Rank, Prize: l.Prize, Moves: movesJSON(l.Moved), Next: l.Next,
		}
	}
	return out
}
