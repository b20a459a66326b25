package record

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// fairJSON is a record's "fair" member: server seed and commitment in
// hexadecimal, the seats' own seeds as the texts they were given as.
type fairJSON struct {
	Scheme      string              `json:"scheme"`
	MatchID     string              `json:"matchId"`
	Commitment  string              `json:"commitment"`
	ServerSeed  string              `json:"serverSeed"`
	ClientSeeds [rules.Seats]string `json:"clientSeeds"`
}

func fairToJSON(p *rules.FairProof) fairJSON {
	f := fairJSON{
		Scheme: rules.FairScheme, MatchID: p.MatchID,
		Commitment: hex.EncodeToString(p.Commitment[:]),
		ServerSeed: hex.EncodeToString(p.ServerSeed),
	}
	for s, seed := range p.ClientSeeds {
		f.ClientSeeds[s] = string(seed)
	}
	return f
}

// fairMembers is the number of members of a "fair" object.
const fairMembers = 5

// parseFair reads a "fair" member. It is strict about what a proof needs: one
// that cannot be checked to the last byte is none.
func parseFair(v any) (*rules.FairProof, error) {
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("fair is not a JSON object")
	}
	if o["scheme"] != rules.FairScheme {
		return nil, fmt.Errorf("fair.scheme is not %q", rules.FairScheme)
	}
	p := &rules.FairProof{}
	if p.MatchID, ok = o["matchId"].(string); !ok || len(p.MatchID) > rules.MaxMatchID {
		return nil, fmt.Errorf("fair.matchId is not a text of at most %d bytes", rules.MaxMatchID)
	}
	commitment, ok := hexOf(o["commitment"], len(p.Commitment))
	if !ok {
		return nil, fmt.Errorf("fair.commitment is not %d bytes in hexadecimal", len(p.Commitment))
	}
	copy(p.Commitment[:], commitment)
	if p.ServerSeed, ok = hexOf(o["serverSeed"], rules.ServerSeedSize); !ok {
		return nil, fmt.Errorf("fair.serverSeed is not %d bytes in hexadecimal", rules.ServerSeedSize)
	}
	seeds, _ := o["clientSeeds"].([]any)
	if len(seeds) != rules.Seats {
		return nil, errors.New("fair.clientSeeds is not a list of four texts")
	}
	for s, v := range seeds {
		seed, ok := v.(string)
		if !ok || len(seed) > rules.MaxClientSeed {
			return nil, fmt.Errorf("fair.clientSeeds[%d] is not a text of at most %d bytes", s, rules.MaxClientSeed)
		}
		p.ClientSeeds[s] = []byte(seed)
	}
	return p, nil
}

func hexOf(v any, size int) ([]byte, bool) {
	text, _ := v.(string)
	b, err := hex.DecodeString(text)
	return b, err == nil && len(b) == size
}

// AppendVerdict checks the record's deals against its proof and writes
// {"ok":true,"hands":11} or {"ok":false,"error":"deal_mismatch","hand":3}. honest
// is what "ok" says. The error says why there is nothing to check.
func (r *Record) AppendVerdict(dst []byte) (out []byte, honest bool, err error) {
	switch {
	case r.badFair != nil:
		return dst, false, r.badFair
	case r.Fair == nil:
		return dst, false, errors.New("fair is missing")
	}
	fault, hand := rules.VerifyFair(r.Fair, r.Hands)
	if fault == rules.Fair {
		dst = append(dst, `{"ok":true,"hands":`...)
		dst = appendInt(dst, len(r.Hands))
		return append(dst, '}'), true, nil
	}
	dst = append(dst, `{"ok":false,"error":"`...)
	dst = append(dst, fault.String()...)
	dst = append(dst, `","hand":`...)
	dst = appendInt(dst, hand)
	return append(dst, '}'), false, nil
}
