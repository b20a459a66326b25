package wire

import "github.com/cuatrola/cuatrola/shared/rules"

// AppendSeeds writes what a fair deal is drawn from: the server's seed, the
// match's id and the seed of each seat, each behind its length of one byte.
func AppendSeeds(b, serverSeed []byte, matchID string, clientSeeds *[rules.Seats][]byte) []byte {
	b = appendBytes(b, serverSeed)
	b = append(b, uint8(len(matchID)))
	b = append(b, matchID...)
	for _, seed := range clientSeeds {
		b = appendBytes(b, seed)
	}
	return b
}

func appendBytes(b, part []byte) []byte {
	return append(append(b, uint8(len(part))), part...)
}

// Seeds is what a fair deal is drawn from. Its slices point into what was read.
type Seeds struct {
	Server  []byte
	MatchID string
	Clients [rules.Seats][]byte
}

// ReadSeeds reads what AppendSeeds wrote.
func ReadSeeds(b []byte) (s Seeds, rest []byte, ok bool) {
	r := reader{b: b}
	s.Server = r.bytes()
	s.MatchID = string(r.bytes())
	for i := range s.Clients {
		s.Clients[i] = r.bytes()
	}
	return s, r.b, !r.bad
}

// VerifyFair checks a record's deals. b is the commitment's 32 bytes, the seeds
// and the record. hand is the first that differs; ok is false if b is not that.
func (rec *Record) VerifyFair(b []byte) (fault rules.FairFault, hand int, ok bool) {
	var proof rules.FairProof
	if len(b) < len(proof.Commitment) {
		return 0, 0, false
	}
	copy(proof.Commitment[:], b)
	seeds, rest, ok := ReadSeeds(b[len(proof.Commitment):])
	if !ok || !rec.Read(rest) {
		return 0, 0, false
	}
	proof.ServerSeed, proof.MatchID, proof.ClientSeeds = seeds.Server, seeds.MatchID, seeds.Clients
	fault, hand = rules.VerifyFair(&proof, rec.Hands)
	return fault, hand, true
}
