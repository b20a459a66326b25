package e2e_test

import (
	"net"
	"sync"
	"testing"
)

// wire is a way from a process to something that it needs, which can be cut and blocked.
type wire struct {
	listener net.Listener
	dial     func() (net.Conn, error)

	mu      sync.Mutex
	cut     bool
	blocked chan struct{} // closed while bytes go through
	conns   map[net.Conn]struct{}
}

// newWire leads to an address.
func newWire(t testing.TB, network, address string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	close(open)
	w := &wire{
		listener: l, dial: func() (net.Conn, error) { return net.Dial(network, address) },
		blocked: open, conns: make(map[net.Conn]struct{}),
	}
	go w.accept()
	t.Cleanup(func() {
		_ = l.Close()
		w.cutOff()
		w.mend() // what waits ends
	})
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		here, err := w.listener.Accept()
		if err != nil {
			return
		}
		there, err := w.dial()
		if err != nil || !w.add(here, there) {
			_ = here.Close()
			if err == nil {
				_ = there.Close()
			}
			continue
		}
		go w.carry(here, there)
		go w.carry(there, here)
	}
}

func (w *wire) add(here, there net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return false
	}
	w.conns[here], w.conns[there] = struct{}{}, struct{}{}
	return true
}

func (w *wire) carry(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		w.mu.Lock()
		open := w.blocked
		w.mu.Unlock()
		<-open
		if n > 0 {
			if _, failed := to.Write(buffer[:n]); failed != nil {
				err = failed
			}
		}
		if err != nil {
			break
		}
	}
	w.mu.Lock()
	delete(w.conns, from)
	delete(w.conns, to)
	w.mu.Unlock()
	_ = from.Close()
	_ = to.Close()
}

// cutOff breaks every connection, and lets nobody make another.
func (w *wire) cutOff() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for c := range w.conns {
		_ = c.Close()
	}
}

// block lets nothing through, and breaks nothing: neither end can tell.
func (w *wire) block() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocked = make(chan struct{})
}

// mend undoes both.
func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
	select {
	case <-w.blocked:
	default:
		close(w.blocked)
	}
}
