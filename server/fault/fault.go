// Package fault is the one vocabulary of errors that the server's domains and
// its adapters share. An error that a caller may act on is an *[Error] with a
// stable [Code]; any other error is [Internal], and its text is for the log
// alone.
package fault

import (
	"errors"
	"time"
)

// Code names a kind of error. Clients switch on it, so a code never changes
// its meaning; the contract lists every code.
type Code string

// Codes of the server itself. An action that the rules refuse carries the
// rules' own reason (must_follow, bid_too_low, …) as its code.
const (
	Internal            Code = "internal"
	Unavailable         Code = "unavailable"         // draining, or the database does not answer
	InvalidRequest      Code = "invalid_request"     // does not fit the contract
	InvalidRules        Code = "invalid_rules"       // an option outside its type or range; Field names it
	Unauthenticated     Code = "unauthenticated"     // no access token, or not a valid one
	TokenExpired        Code = "token_expired"       // ask for a new one with the refresh token
	SessionEnded        Code = "session_ended"       // signed out: sign in anew
	Suspended           Code = "suspended"           // kept out by the operator; Until and Why say how long and for what
	UnknownDevice       Code = "unknown_device"      // no such device secret
	InvalidCredentials  Code = "invalid_credentials" // no such address, or another password
	UnknownIdentity     Code = "unknown_identity"    // a good ID token, but nobody's here
	InvalidIDToken      Code = "invalid_id_token"
	ProviderDisabled    Code = "provider_disabled" // this server does not take that provider's ID tokens
	IdentityTaken       Code = "identity_taken"    // another player's: nothing is merged
	AlreadyLinked       Code = "already_linked"    // one has another identity of that provider
	LastIdentity        Code = "last_identity"     // without it nobody would come in any more
	LinkInvalid         Code = "link_invalid"      // a mail's link that is unknown, used or expired
	RefreshInvalid      Code = "refresh_invalid"   // a refresh token that is unknown, expired or signed out
	RefreshReused       Code = "refresh_reused"    // a refresh token used before; its session has been ended
	Forbidden           Code = "forbidden"         // not one of this match's players
	NotFound            Code = "not_found"         // no such resource or route
	MethodNotAllowed    Code = "method_not_allowed"
	PayloadTooLarge     Code = "payload_too_large"
	UnsupportedMedia    Code = "unsupported_media"    // a body that is not application/json
	UnsupportedEncoding Code = "unsupported_encoding" // a compressed body
	UpgradeRequired     Code = "upgrade_required"     // a request for the socket that is none
	RateLimited         Code = "rate_limited"         // too many requests; RetryAfter says when the next is taken
	IdempotencyConflict Code = "idempotency_conflict" // the key was used with other input
	StaleSequence       Code = "stale_sequence"       // the match has moved on since that view
	SeedConflict        Code = "seed_conflict"        // the seat gave another seed before
	MatchNotOver        Code = "match_not_over"       // what is asked for is published at the end
	NameTaken           Code = "name_taken"           // another player has it, or one that looks alike
	NameReserved        Code = "name_reserved"        // no name for players
	NameTooSoon         Code = "name_too_soon"        // the last change was a short time ago
)

// Error is an error that a caller may act on.
type Error struct {
	Code    Code
	Message string // one sentence for a person; holds no card, token or secret
	Field   string // the option or member at fault, if one is
	Err     error  // the cause, for the log

	RetryAfter time.Duration // when the same may be tried again, if that is known

	// Of Suspended: when it ends by itself, zero for never; what for, as a code; and the
	// operator's own words to the player, if there are any.
	Until      time.Time
	Why, Words string
}

// New returns an error with the given code and message.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// Wrap is New with a cause for the log.
func Wrap(code Code, message string, err error) *Error {
	return &Error{Code: code, Message: message, Err: err}
}

// Error joins message and cause.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Field != "" {
		s += " (" + e.Field + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first *Error in err's chain, Internal for any
// other error and the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
