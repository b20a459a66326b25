package store_test

import (
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/internal/store/storetest"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/people"
)

func TestNotices(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		if inbox, err := s.Inbox(ctx, ana.ID); err != nil || inbox != (notice.Inbox{}) {
			t.Errorf("an empty inbox: %+v, %v", inbox, err)
		}
		if inbox, err := s.MarkRead(ctx, ana.ID, 7); err != nil || inbox != (notice.Inbox{}) {
			t.Errorf("an empty inbox, read: %+v, %v", inbox, err)
		}
		from := &notice.Person{ID: ben.ID, Name: ben.Name, Avatar: ben.Avatar}
		var want []notice.Notice
		for _, n := range []notice.Notice{
			{Kind: notice.FriendRequest, From: from},
			{Kind: notice.System, Text: map[string]string{"es": "¡hola!", "en": "hello"}},
			{Kind: notice.FriendAccepted, From: from},
		} {
			n.PlayerID, n.At = ana.ID, t0
			kept, err := s.AddNotice(ctx, n)
			if n.Seq = len(want) + 1; err != nil || !reflect.DeepEqual(kept, n) {
				t.Fatalf("kept %+v, %v; want %+v", kept, err, n)
			}
			want = append(want, n)
		}
		if got, err := s.NoticesAfter(ctx, ana.ID, 0, 10); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if got, err := s.NoticesAfter(ctx, ana.ID, 1, 1); err != nil || !reflect.DeepEqual(got, want[1:2]) {
			t.Errorf("one after the first: %+v, %v", got, err)
		}
		if got, err := s.NoticesBefore(ctx, ana.ID, math.MaxInt32, 1); err != nil || !reflect.DeepEqual(got, want[2:]) {
			t.Errorf("the newest: %+v, %v", got, err)
		}
		if got, err := s.NoticesBefore(ctx, ana.ID, 3, 2); err != nil || len(got) != 2 || got[0].Seq != 2 || got[1].Seq != 1 {
			t.Errorf("two before the third: %+v, %v", got, err)
		}
		if got, err := s.NoticesAfter(ctx, ben.ID, 0, 10); err != nil || len(got) != 0 {
			t.Errorf("Ben is told %+v, %v", got, err)
		}
		for _, c := range []struct{ upTo, read int }{{2, 2}, {1, 2}, {9, 3}} {
			if inbox, err := s.MarkRead(ctx, ana.ID, c.upTo); err != nil || inbox != (notice.Inbox{Last: 3, Read: c.read}) {
				t.Errorf("read up to %d: %+v, %v", c.upTo, inbox, err)
			}
		}
		// A person goes by the name that it has now.
		if err := s.ChangePlayer(ctx, ben.ID, &people.Rename{From: "Ben", To: "Benet", At: t0}, nil, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := s.NoticesAfter(ctx, ana.ID, 2, 1); err != nil || got[0].From.Name != "Benet" {
			t.Errorf("from %+v, %v", got, err)
		}
	})
}

// Of many notices the last ones are kept, by their numbers, and nobody else's go.
func TestNoticesKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana, ben := addPlayer(t, s, "Ana"), addPlayer(t, s, "Ben")
		add := func(player string) {
			if _, err := s.AddNotice(ctx, notice.Notice{PlayerID: player, Kind: notice.System, At: t0}); err != nil {
				t.Fatal(err)
			}
		}
		add(ben.ID)
		for range notice.Kept + 2 {
			add(ana.ID)
		}
		list, err := s.NoticesAfter(ctx, ana.ID, 0, 2*notice.Kept)
		if err != nil || len(list) != notice.Kept || list[0].Seq != 3 {
			t.Errorf("%d notices from number %d on, %v", len(list), list[0].Seq, err)
		}
		if list, err := s.NoticesAfter(ctx, ben.ID, 0, 1); err != nil || len(list) != 1 {
			t.Errorf("Ben has %+v, %v", list, err)
		}
	})
}

// Notices that are added at the same time get each a number of its own, and
// nobody who reads sees a later one before an earlier one.
func TestNoticeRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ana := addPlayer(t, s, "Ana")
		const writers, each = 4, 10
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					n, err := s.AddNotice(ctx, notice.Notice{PlayerID: ana.ID, Kind: notice.System, At: t0})
					if err != nil {
						t.Error(err)
						return
					}
					list, err := s.NoticesAfter(ctx, ana.ID, 0, writers*each)
					if err != nil || len(list) < n.Seq || list[n.Seq-1].Seq != n.Seq {
						t.Errorf("behind notice %d: %d notices, %v", n.Seq, len(list), err)
					}
				}
			})
		}
		wg.Wait()
		if inbox, err := s.Inbox(ctx, ana.ID); err != nil || inbox.Last != writers*each {
			t.Errorf("%+v, %v", inbox, err)
		}
	})
}
