package socket

// crew runs functions, each in a goroutine of its own: one that has done with another if
// there is one, for a new one would have to grow its stack first, which took a tenth of the
// time of telling.
type crew struct {
	idle chan func()
	// rest has a place for each goroutine that may wait for work.
	rest chan struct{}
}

// maxIdle is how many goroutines of a crew wait for work.
const maxIdle = 64

func newCrew() *crew { return &crew{make(chan func()), make(chan struct{}, maxIdle)} }

// dismiss ends those that wait. Nothing may be run after it.
func (c *crew) dismiss() { close(c.idle) }

func (c *crew) run(f func()) {
	select {
	case c.idle <- f:
	default:
		go c.work(f)
	}
}

func (c *crew) work(f func()) {
	for f != nil {
		f()
		select {
		case c.rest <- struct{}{}:
			f = <-c.idle
			<-c.rest
		default:
			return
		}
	}
}
