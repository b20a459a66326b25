package socket

import "time"

// SetHelloTimeout sets how long a client may take to say hello.
func (h *Hub) SetHelloTimeout(d time.Duration) { h.helloTimeout = d }

// SetFirstRetry sets after how long a topic is read again that could not be.
func (h *Hub) SetFirstRetry(d time.Duration) { h.firstRetry = d }
