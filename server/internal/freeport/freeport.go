// Package freeport finds addresses for the servers that tests and benchmarks start in
// processes of their own.
package freeport

import (
	"math/rand/v2"
	"net"
	"strconv"
)

// Address is one of loopback that nobody listens on just now.
//
// The kernel's own choice would not do: it takes free ports and the near ends of outgoing
// connections from the same range, so that a port found free, or left by a server that is
// started again, may be a connection's by the time it is wanted. These are below that
// range.
func Address() string {
	const first, count = 12_000, 20_000
	var err error
	for range 1000 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(count))) //nolint:gosec // nobody is to be kept from guessing it
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	panic(err)
}

// Port is the port of such an address.
func Port() int {
	_, port, _ := net.SplitHostPort(Address())
	n, _ := strconv.Atoi(port)
	return n
}
