package rules

import "github.com/cuatrola/cuatrola/shared/rules/sha256"

// FairScheme names the fair deal of docs/fair-deal.md, which this file
// implements, in records.
const FairScheme = "cuatrola-fair/1"

const (
	// ServerSeedSize is the length of a server's seed in bytes.
	ServerSeedSize = 32
	// MaxClientSeed is the longest seed, in bytes, that a seat may bring.
	MaxClientSeed = 64
	// MaxMatchID is the longest match id in bytes.
	MaxMatchID = 64
)

// The domain tags keep what is derived for one purpose from ever being equal to
// what is derived for another.
const (
	dealTag   = FairScheme + "/deal"
	dealerTag = FairScheme + "/dealer"
)

// Commit is the commitment to a server's seed: its SHA-256. It is published
// before any seat brings its own seed, so that the server cannot choose its seed
// in their light.
func Commit(serverSeed []byte) [sha256.Size]byte { return sha256.Sum(serverSeed) }

// FairDealer derives who deals first from the server's seed, the match's id and
// every seat's own seed (empty for a seat that brought none). Seeds and ids
// longer than their limits are not refused here; whoever accepts them does that.
func FairDealer(serverSeed []byte, matchID string, clientSeeds *[Seats][]byte) Seat {
	s := newStream(dealerTag, serverSeed, matchID, clientSeeds, 0)
	return Seat(s.below(Seats))
}

// FairDeal derives the deal of a hand, counted from 0, and the card its dealer
// shows. See [FairDealer].
func FairDeal(serverSeed []byte, matchID string, clientSeeds *[Seats][]byte, hand uint32, dealer Seat) (deal Deal, trump Card) {
	s := newStream(dealTag, serverSeed, matchID, clientSeeds, hand)
	var deck [DeckSize]Card
	for i := range deck {
		deck[i] = Card(i)
	}
	for i := uint8(DeckSize - 1); i > 0; i-- {
		j := s.below(i + 1)
		deck[i], deck[j] = deck[j], deck[i]
	}
	seat := dealer
	for i, c := range deck {
		if i%HandSize == 0 {
			seat = seat.Next()
		}
		deal[seat][i%HandSize] = c
	}
	return deal, deck[DeckSize-1]
}

// stream is the sequence of bytes that a deal is drawn from: the blocks
// HMAC-SHA-256(server seed, message || block number), one behind the other.
type stream struct {
	message sha256.MAC // the message so far, without the block number
	block   [sha256.Size]byte
	next    int // of block; len(block) when it is used up
	count   uint32
}

func newStream(tag string, serverSeed []byte, matchID string, clientSeeds *[Seats][]byte, hand uint32) stream {
	s := stream{message: sha256.NewMAC(serverSeed), next: sha256.Size}
	// Each part stands behind its length, so that no two lists of parts give the
	// same bytes.
	s.message.WriteUint32(uint32(len(tag)))
	s.message.WriteString(tag)
	s.message.WriteUint32(uint32(len(matchID)))
	s.message.WriteString(matchID)
	for _, seed := range clientSeeds {
		s.message.WriteUint32(uint32(len(seed)))
		s.message.Write(seed)
	}
	s.message.WriteUint32(hand)
	return s
}

// below draws a number under n, each as likely as the others: a byte that would
// favour some of them is thrown away.
func (s *stream) below(n uint8) uint8 {
	limit := 256 - 256%uint(n)
	for {
		if s.next == len(s.block) {
			mac := s.message
			mac.WriteUint32(s.count)
			s.block = mac.Sum()
			s.count++
			s.next = 0
		}
		b := s.block[s.next]
		s.next++
		if uint(b) < limit {
			return b % n
		}
	}
}

// FairProof is what a server publishes of a match after its end.
type FairProof struct {
	MatchID     string
	Commitment  [sha256.Size]byte
	ServerSeed  []byte
	ClientSeeds [Seats][]byte
}

// FairFault says what is wrong with a proof; the zero FairFault is an honest one.
type FairFault uint8

// What can be wrong with a proof.
const (
	Fair FairFault = iota
	// FairCommitment: the revealed seed is not the one committed to.
	FairCommitment
	// FairDealerWrong: the first dealer does not follow from the seeds.
	FairDealerWrong
	// FairDealWrong: a deal or the card shown does not follow from the seeds.
	FairDealWrong
)

var fairCodes = []string{"ok", "commitment_mismatch", "dealer_mismatch", "deal_mismatch"}

// String is the stable code.
func (f FairFault) String() string { return nameOf(fairCodes, uint8(f)) }

// VerifyFair derives every deal of a record anew and compares. hand is the first
// that differs. The order of cards within a seat does not matter.
func VerifyFair(p *FairProof, hands []HandRecord) (fault FairFault, hand int) {
	if Commit(p.ServerSeed) != p.Commitment {
		return FairCommitment, 0
	}
	dealer := FairDealer(p.ServerSeed, p.MatchID, &p.ClientSeeds)
	for h := range hands {
		rec := &hands[h]
		if rec.Dealer != dealer {
			return FairDealerWrong, h
		}
		deal, trump := FairDeal(p.ServerSeed, p.MatchID, &p.ClientSeeds, uint32(h), dealer)
		want, _ := deal.Hands()
		got, ok := rec.Deal.Hands()
		if !ok || got != want || rec.Trump != trump {
			return FairDealWrong, h
		}
		dealer = dealer.Next()
	}
	return Fair, 0
}
