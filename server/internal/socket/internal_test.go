package socket

import (
	"sync"
	"testing"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Behind letGo nothing is written, whoever goes on waking the socket: its connection may be
// another client's by then.
func TestNothingIsWrittenBehindTheEnd(t *testing.T) {
	h := &Hub{crew: newCrew(), meter: noMeter{}}
	for range 2000 {
		c := &conn{hub: h, bye: make(chan fault.Code, 1), gone: make(chan struct{})}
		c.begin()
		var wakers sync.WaitGroup
		for range 3 {
			wakers.Go(c.poke)
		}
		c.letGo()
		c.askPing()
		if c.ping.Stop() {
			t.Fatal("it would be pinged for ever")
		}
		c.leave(fault.Unavailable) // to be written, it would need the connection that there is none of
		wakers.Wait()
		c.writer.Wait()
		if len(c.bye) != 1 {
			t.Fatal("a writer ran behind the end")
		}
	}
	h.crew.dismiss()
}
