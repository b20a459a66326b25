package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// cuts kills a server while it is asked for something, now before and now behind the
// commit that matters. How long that takes depends on the machine, so every fourth time
// the server is killed as soon as it has answered everything, and the others come at some
// point of as long a time.
type cuts struct {
	server         *server
	random         *rand.Rand
	kills          int
	whole          time.Duration
	uncut          bool
	before, behind int
}

// during kills the server while the requests are under way, and starts it again.
func (c *cuts) during(ctx context.Context, requests ...func()) {
	var asking sync.WaitGroup
	began := time.Now()
	for _, ask := range requests {
		asking.Go(ask)
	}
	c.uncut = c.kills%4 == 0
	c.kills++
	if c.uncut {
		asking.Wait()
		c.whole = time.Since(began)
	} else {
		<-time.NewTimer(time.Duration(c.random.Int64N(int64(c.whole)))).C
	}
	c.server.kill()
	asking.Wait()
	c.server.start()
	c.server.wait(ctx)
}

// found counts whether what was asked for had been committed when the kill came.
func (c *cuts) found(t *testing.T, committed bool) {
	t.Helper()
	switch {
	case c.uncut && !committed:
		t.Error("it was answered, and is not there after the kill")
	case c.uncut:
	case committed:
		c.behind++
	default:
		c.before++
	}
}

// ended says how often the kill came where.
func (c *cuts) ended(t *testing.T, what string) {
	t.Helper()
	fmt.Printf("%s: %d kills, %d before and %d behind the commit\n", what, c.kills, c.before, c.behind)
	if c.before < c.kills/10 || c.behind < c.kills/10 {
		t.Errorf("%d kills before the commit and %d behind it are no test of it", c.before, c.behind)
	}
}
