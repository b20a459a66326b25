package e2e_test

import (
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/cuatrola/cuatrola/server/internal/freeport"
)

// newBus starts a NATS server and says where it is.
func newBus(t testing.TB) string {
	t.Helper()
	return busAt(t, freeport.Port()).ClientURL()
}

func busAt(t testing.TB, port int) *natsserver.Server {
	t.Helper()
	return busOf(t, &natsserver.Options{Host: "127.0.0.1", Port: port, NoLog: true, NoSigs: true})
}

func busOf(t testing.TB, o *natsserver.Options) *natsserver.Server {
	t.Helper()
	s, err := natsserver.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(startTimeout) {
		t.Fatal("NATS does not start")
	}
	return s
}
