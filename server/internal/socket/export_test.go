package socket

import "time"

// SetHelloTimeout sets how long a client may take to say hello.
func (h *Hub) SetHelloTimeout(d time.Duration) { h.helloTimeout = d }
