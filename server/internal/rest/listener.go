package rest

import (
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"
)

// maxAcceptPause is the longest wait before another connection is tried.
const maxAcceptPause = time.Second

// patient is a listener that goes on where the process or the system has no file
// or memory left for one more connection, as net/http does. fasthttp takes that
// for the listener's end, so that whoever opens enough connections would end the
// server.
type patient struct {
	net.Listener
	log *slog.Logger
}

func (l patient) Accept() (net.Conn, error) {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, maxAcceptPause) {
		c, err := l.Listener.Accept()
		if !passing(err) {
			return c, err
		}
		l.log.Warn("a connection could not be taken; the next is tried after a pause", "error", err)
		<-time.After(pause)
	}
}

// passing says whether an error of accept goes away when connections end.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
