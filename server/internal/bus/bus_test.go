package bus_test

import (
	"context"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/bus"
	"github.com/cuatrola/cuatrola/server/internal/freeport"
	"github.com/cuatrola/cuatrola/server/match"
)

var entry = match.Entry{
	Seq: 7, At: time.Date(2026, 3, 28, 20, 0, 0, 123e6, time.UTC), Kind: match.KindAct, Seat: 3,
	Text: "sing:E", By: match.ByClock, Deadline: time.Date(2026, 3, 28, 20, 0, 30, 0, time.UTC),
}

type news struct {
	id string
	e  match.Entry
}

func listen(t *testing.T, b *bus.Bus) chan news {
	t.Helper()
	heard := make(chan news, 10)
	if err := b.Subscribe(func(_ context.Context, id string, e match.Entry) { heard <- news{id, e} }); err != nil {
		t.Fatal(err)
	}
	return heard
}

// In one process: whoever publishes hears it too, whole and in order.
func TestEmbedded(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if !b.Ready() {
		t.Error("open, but not ready")
	}
	heard := listen(t, b)
	for seq := range 5 {
		e := entry
		e.Seq = seq
		b.Publish(t.Context(), "01890a5d-ac96-774b-bcce-b302099a8057", e)
		if got := <-heard; got.id != "01890a5d-ac96-774b-bcce-b302099a8057" || got.e != e {
			t.Errorf("got %+v, want %+v", got, e)
		}
	}
}

func TestEnded(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heard := make(chan []string, 1)
	if err := b.SubscribeEnded(func(ids []string, why fault.Code) { heard <- append(ids, string(why)) }); err != nil {
		t.Fatal(err)
	}
	b.PublishEnded([]string{"a", "b"}, fault.Suspended)
	if got, want := <-heard, []string{"a", "b", "suspended"}; !slices.Equal(got, want) {
		t.Errorf("heard of %v, want %v", got, want)
	}
}

func TestNotices(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heard := make(chan string, 1)
	if err := b.SubscribeNotices(func(player string, seq int) { heard <- player + " " + strconv.Itoa(seq) }); err != nil {
		t.Fatal(err)
	}
	b.PublishNotice("01890a5d-ac96-774b-bcce-b302099a8057", 12)
	if got := <-heard; got != "01890a5d-ac96-774b-bcce-b302099a8057 12" {
		t.Errorf("heard of %s", got)
	}
}

func TestEngagements(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heard := make(chan string, 1)
	if err := b.SubscribeEngagements(func(player string, seq int) { heard <- player + " " + strconv.Itoa(seq) }); err != nil {
		t.Fatal(err)
	}
	b.PublishNotice("a", 1) // is another matter
	b.PublishEngagement(engagement.Change{PlayerID: "b", Seq: 2})
	if got := <-heard; got != "b 2" {
		t.Errorf("heard of %s", got)
	}
}

// What was published before Close is heard.
func TestCloseDelivers(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	heard := listen(t, b)
	for range cap(heard) {
		b.Publish(t.Context(), "m", entry)
	}
	b.Close()
	if len(heard) != cap(heard) {
		t.Errorf("%d of %d were heard", len(heard), cap(heard))
	}
	if b.Ready() {
		t.Error("closed, but ready")
	}
}

// Two embedded buses are two processes without a cluster: they do not meet.
// Nobody else can reach one either, for it listens nowhere.
func TestEmbeddedIsAlone(t *testing.T) {
	a, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heardA, heardB := listen(t, a), listen(t, b)
	a.Publish(t.Context(), "m", entry)
	<-heardA
	b.Publish(t.Context(), "n", entry)
	if got := <-heardB; got.id != "n" {
		t.Errorf("heard of %s, which another process published", got.id)
	}
}

// With a server of its own, all processes hear of everything.
func TestCluster(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	url := "nats://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Addr().(*net.TCPAddr).Port))
	a, err := bus.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := bus.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heardA, heardB := listen(t, a), listen(t, b)
	// b's subscription is known to the server when b's own message comes back.
	b.Publish(t.Context(), "first", entry)
	<-heardB
	a.Publish(t.Context(), "second", entry)
	if got := <-heardB; got.id != "second" || got.e != entry {
		t.Errorf("got %+v", got)
	}
	for got := <-heardA; got.id != "second"; got = <-heardA {
	}
}

func TestUnreachable(t *testing.T) {
	if b, err := bus.Open("nats://127.0.0.1:1"); err == nil {
		b.Close()
		t.Error("opened a bus that is not there")
	}
}

// A switch that one process has changed is heard of by all.
func TestHalts(t *testing.T) {
	b, err := bus.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heard := make(chan struct{}, 1)
	if err := b.SubscribeHalts(func() { heard <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	b.PublishHalts()
	<-heard
}

// Who was cut off is told that messages may be lost, and hears of the next ones.
func TestGaps(t *testing.T) {
	start := func(port int) *server.Server {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(10 * time.Second) {
			t.Fatal("the NATS server does not start")
		}
		return s
	}
	s := start(freeport.Port()) // which is taken again after a restart
	port := s.Addr().(*net.TCPAddr).Port
	b, err := bus.Open(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	heard := listen(t, b)
	select {
	case <-b.Gaps():
		t.Error("a gap, before anything was lost")
	default:
	}
	s.Shutdown()
	s.WaitForShutdown()
	s = start(port)
	defer s.Shutdown()
	<-b.Gaps()
	b.Publish(t.Context(), "after", entry)
	if got := <-heard; got.id != "after" || !b.Ready() {
		t.Errorf("got %+v", got)
	}
}
