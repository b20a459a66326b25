package rest

// What the tests hold against the contract.
var (
	Statuses = statuses
	Reason   = reason
)
