// Package staff is who may use the operator's panel: members with a role, how they come
// in, and what each role may do.
//
// A member comes to be by a link that is good once: the first owner's is printed at the
// server's first start, or made by a command; the others' are made by an owner. Whoever
// follows it chooses a password and sets up a second factor. Nobody comes in without
// both.
package staff

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/cuatrola/cuatrola/server/fault"
)

// Member is one of the staff.
type Member struct {
	ID    string // UUID, version 7
	Name  string
	Email string // in its normal form; members sign in with it
	Role  Role
	// Disabled: the member cannot come in any more. The trail still names them.
	Disabled  bool
	CreatedAt time.Time
	// SignedInAt is when the member last came in.
	SignedInAt time.Time

	// PasswordHash is what is kept of the password, see package password.
	PasswordHash string
	// SealedTOTP is the secret of the second factor under a key that only the password
	// gives: the database alone makes no codes.
	SealedTOTP []byte
	// LastStep is the time step of the last code that was taken; none is taken twice.
	LastStep int64
}

// LinkKind is what a link is for.
type LinkKind string

// Kinds of links.
const (
	LinkInvite LinkKind = "invite" // makes a member
	LinkReset  LinkKind = "reset"  // gives a member another password and second factor
)

// Link is a link that is good once. Its token is kept nowhere, only its hash.
type Link struct {
	ID   string // UUID, version 7
	Hash [sha256.Size]byte
	Kind LinkKind
	// MemberID of whom a reset is for.
	MemberID string
	// Email and Role of whom an invitation is for. The first owner's has no address:
	// whoever follows it says their own.
	Email     string
	Role      Role
	CreatedAt time.Time
	ExpiresAt time.Time
	// UsedAt is when it was followed, or taken back; zero for one that is still good.
	UsedAt time.Time
}

// Session is one time of being signed in.
type Session struct {
	ID       string // UUID, version 7
	Hash     [sha256.Size]byte
	MemberID string
	// Address and Agent tell the member which of their sessions it is.
	Address, Agent string
	CreatedAt      time.Time
	SeenAt         time.Time
	EndedAt        time.Time // zero while it lives
}

// Codes of this domain.
const (
	// CodeCredentials: no such address, or another password, or another code. Which of
	// them, nobody is told.
	CodeCredentials = fault.InvalidCredentials
	// CodeCode: the second factor's code is not the one that is due.
	CodeCode fault.Code = "code_invalid"
	// CodeCSRF: a change without the session's token in its header.
	CodeCSRF fault.Code = "csrf"
	// CodeLastOwner: nobody would be left who may do everything.
	CodeLastOwner fault.Code = "last_owner"
	// CodeEmailTaken: another member has the address.
	CodeEmailTaken fault.Code = "email_taken"
	// CodeLink: the link is unknown, used or expired.
	CodeLink = fault.LinkInvalid
)

// Store keeps the staff.
type Store interface {
	PasskeyStore

	// Members lists all, in the order in which they came.
	Members(ctx context.Context) ([]Member, error)
	// Member reads one. Codes: NotFound.
	Member(ctx context.Context, id string) (Member, error)
	// MemberByEmail reads one by the normal form of an address. Codes: NotFound.
	MemberByEmail(ctx context.Context, email string) (Member, error)
	// ChangeMember has f change a member, alone, and keeps it unless f returns an error.
	// owners is how many owners there are who can come in. Codes: NotFound,
	// CodeEmailTaken.
	ChangeMember(ctx context.Context, id string, f func(m *Member, owners int) error) (Member, error)
	// TakeStep keeps that a code of that time step was taken, and returns false if one of
	// it or of a later one was taken before.
	TakeStep(ctx context.Context, memberID string, step int64) (bool, error)

	// AddLink keeps a new link. If first is set, only if there is no member yet, and in
	// place of all links that were made before; it returns false if there is one.
	AddLink(ctx context.Context, l Link, first bool) (bool, error)
	// Link reads one by the hash of its token. Codes: NotFound.
	Link(ctx context.Context, hash [sha256.Size]byte) (Link, error)
	// OpenLinks lists those that are still good at a time, newest first.
	OpenLinks(ctx context.Context, at time.Time) ([]Link, error)
	// EndLink makes a link good for nothing. Codes: NotFound, also for one that is so
	// already.
	EndLink(ctx context.Context, id string, at time.Time) error
	// Follow uses a link up: it keeps the member, new or changed, with the hashes of the
	// recovery codes in place of those of before, ends the member's sessions and forgets
	// their passkeys; the first owner's link is good no more. One that was used meanwhile
	// is refused. Codes: CodeLink, CodeEmailTaken.
	Follow(ctx context.Context, linkID string, at time.Time, m Member, recovery [][sha256.Size]byte) error

	// SetRecovery puts the hashes of recovery codes in place of those of before.
	SetRecovery(ctx context.Context, memberID string, recovery [][sha256.Size]byte) error
	// UseRecovery uses up a recovery code, and returns false if it is none that is left.
	UseRecovery(ctx context.Context, memberID string, hash [sha256.Size]byte, at time.Time) (bool, error)
	// RecoveryLeft counts those that are left.
	RecoveryLeft(ctx context.Context, memberID string) (int, error)

	// AddSession keeps a session, and that its member came in.
	AddSession(ctx context.Context, s Session) error
	// SessionByHash reads one with its member, whether it has ended or not. Codes:
	// NotFound.
	SessionByHash(ctx context.Context, hash [sha256.Size]byte) (Session, Member, error)
	// SeeSession keeps when a session was last used.
	SeeSession(ctx context.Context, id string, at time.Time) error
	// StaffSessions lists those of a member that have not ended and were used after a time.
	StaffSessions(ctx context.Context, memberID string, seenAfter time.Time) ([]Session, error)
	// EndStaffSessions ends those of a member, or only the one with that ID if it is not "".
	EndStaffSessions(ctx context.Context, memberID, id string, at time.Time) error
	// PruneStaff forgets sessions that were last used, and links that expired, before a
	// time.
	PruneStaff(ctx context.Context, before time.Time) error
}
