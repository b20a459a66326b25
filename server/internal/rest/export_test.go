package rest

// What the tests hold against the contract.
var (
	Statuses = statuses
	Reason   = reason
)

// Prefork tells whether the server would split into processes of its own, which would
// each count requests and remember sessions for themselves.
func (s *Server) Prefork() bool { return s.app.Config().Prefork }
