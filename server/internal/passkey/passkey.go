// Package passkey speaks WebAuthn with browsers and devices, for package staff.
package passkey

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/staff"
)

// Keys implements staff.Authenticators. Make one with New.
type Keys struct{ party *webauthn.WebAuthn }

var _ staff.Authenticators = (*Keys)(nil)

// New returns keys for the site that people reach at a URL: a passkey is good on one
// site only.
func New(publicURL string) (*Keys, error) {
	site, err := url.Parse(publicURL)
	if err != nil || site.Hostname() == "" {
		return nil, fmt.Errorf("passkey: %q is no site", publicURL)
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: site.Hostname(), RPDisplayName: "Cuatrola", RPOrigins: []string{site.Scheme + "://" + site.Host},
		// Which model a device is does not matter here.
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			// The passkey says whose it is, so that one types nothing.
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			// It stands for the password too: the device has to ask its owner.
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("passkey: %w", err)
	}
	return &Keys{party}, nil
}

// person is a member as the library wants one.
type person struct {
	member staff.Member
	keys   []staff.Passkey
}

func (p person) WebAuthnID() []byte          { return handle(p.member.ID) }
func (p person) WebAuthnName() string        { return p.member.Email }
func (p person) WebAuthnDisplayName() string { return p.member.Name }

func (p person) WebAuthnCredentials() []webauthn.Credential {
	list := make([]webauthn.Credential, len(p.keys))
	for i, k := range p.keys {
		list[i] = webauthn.Credential{
			ID: k.Credential, PublicKey: k.PublicKey,
			Flags:         webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: k.BackupEligible, BackupState: k.BackedUp},
			Authenticator: webauthn.Authenticator{SignCount: k.SignCount},
		}
	}
	return list
}

// handle is a member's identifier as devices keep it: nothing that says who it is.
func handle(memberID string) []byte {
	id, err := uuid.Parse(memberID)
	if err != nil {
		return []byte(memberID)
	}
	return id[:]
}

func (k *Keys) session(challenge, member []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: k.party.Config.RPID, UserID: member,
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}
}

// Creation implements staff.Authenticators.
func (k *Keys) Creation(m staff.Member, have []staff.Passkey, challenge []byte) (json.RawMessage, error) {
	who := person{m, have}
	creation, _, err := k.party.BeginRegistration(who,
		webauthn.WithExclusions(webauthn.Credentials(who.WebAuthnCredentials()).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error { o.Challenge = challenge; return nil })
	if err != nil {
		return nil, explained(err)
	}
	return json.Marshal(creation.Response)
}

// Created implements staff.Authenticators.
func (k *Keys) Created(m staff.Member, challenge []byte, answer json.RawMessage) (staff.Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return staff.Passkey{}, explained(err)
	}
	made, err := k.party.CreateCredential(person{member: m}, k.session(challenge, handle(m.ID)), parsed)
	if err != nil {
		return staff.Passkey{}, explained(err)
	}
	return staff.Passkey{
		MemberID: m.ID, Credential: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount,
		BackupEligible: made.Flags.BackupEligible, BackedUp: made.Flags.BackupState,
	}, nil
}

// Request implements staff.Authenticators.
func (k *Keys) Request(challenge []byte) (json.RawMessage, error) {
	request, _, err := k.party.BeginDiscoverableLogin(webauthn.WithChallenge(challenge))
	if err != nil {
		return nil, explained(err)
	}
	return json.Marshal(request.Response)
}

// Requested implements staff.Authenticators.
func (k *Keys) Requested(challenge []byte, answer json.RawMessage, find func(memberID string, credential []byte) (staff.Passkey, error)) (staff.Passkey, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return staff.Passkey{}, explained(err)
	}
	var found staff.Passkey
	_, used, err := k.party.ValidatePasskeyLogin(func(credential, user []byte) (webauthn.User, error) {
		id, err := uuid.FromBytes(user)
		if err != nil {
			return nil, fmt.Errorf("passkey: a user's handle: %w", err)
		}
		if found, err = find(id.String(), credential); err != nil {
			return nil, err
		}
		return person{staff.Member{ID: found.MemberID}, []staff.Passkey{found}}, nil
	}, k.session(challenge, nil), parsed)
	if err != nil {
		return staff.Passkey{}, explained(err)
	}
	// The count of a copy stays what it was: whoever keeps the use sees that.
	found.SignCount, found.BackedUp = used.Authenticator.SignCount, used.Flags.BackupState
	return found, nil
}

// explained has what the library says only to developers.
func explained(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return fmt.Errorf("passkey: %w (%s)", err, e.DevInfo)
	}
	return fmt.Errorf("passkey: %w", err)
}
