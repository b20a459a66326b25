package rules_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/cuatrola/cuatrola/shared/rules"
)

// fairVector is one of the test vectors in docs/fair-deal.md.
type fairVector struct {
	ServerSeed  string              `json:"serverSeed"`
	Commitment  string              `json:"commitment"`
	MatchID     string              `json:"matchId"`
	ClientSeeds [rules.Seats]string `json:"clientSeeds"`
	FirstDealer rules.Seat          `json:"firstDealer"`
	Hands       []fairVectorHand    `json:"hands"`
}

type fairVectorHand struct {
	Hand   uint32                              `json:"hand"`
	Dealer rules.Seat                          `json:"dealer"`
	Deal   [rules.Seats][rules.HandSize]string `json:"deal"`
	Trump  string                              `json:"trump"`
}

// The test vectors of docs/fair-deal.md, which others implement from, are what
// this package deals.
func TestFairVectors(t *testing.T) {
	doc, err := os.ReadFile("../../docs/fair-deal.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json vectors\n(.*?)```").FindSubmatch(doc)
	if block == nil {
		t.Fatal("docs/fair-deal.md has no block of vectors")
	}
	var vectors []fairVector
	d := json.NewDecoder(bytes.NewReader(block[1]))
	d.DisallowUnknownFields()
	if err := d.Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, v := range vectors {
		seed, err := hex.DecodeString(v.ServerSeed)
		if err != nil || len(seed) != rules.ServerSeedSize {
			t.Fatalf("server seed %q", v.ServerSeed)
		}
		if c := rules.Commit(seed); hex.EncodeToString(c[:]) != v.Commitment {
			t.Errorf("%s: commitment %x, want %s", v.MatchID, c, v.Commitment)
		}
		clients := clientSeeds(v.ClientSeeds)
		if dealer := rules.FairDealer(seed, v.MatchID, &clients); dealer != v.FirstDealer {
			t.Errorf("%s: seat %d deals first, want %d", v.MatchID, dealer, v.FirstDealer)
		}
		for _, h := range v.Hands {
			checked++
			deal, trump := rules.FairDeal(seed, v.MatchID, &clients, h.Hand, h.Dealer)
			if got, want := fmt.Sprintln(deal, trump), fmt.Sprintln(h.Deal, h.Trump); got != want {
				t.Errorf("%s, hand %d: %s, want %s", v.MatchID, h.Hand, got, want)
			}
			if int(h.Dealer) != (int(v.FirstDealer)+int(h.Hand))%rules.Seats {
				t.Errorf("%s, hand %d: seat %d deals", v.MatchID, h.Hand, h.Dealer)
			}
		}
	}
	if len(vectors) < 4 || checked < 8 {
		t.Errorf("only %d vectors with %d hands", len(vectors), checked)
	}
}

func clientSeeds(texts [rules.Seats]string) (seeds [rules.Seats][]byte) {
	for s, text := range texts {
		seeds[s] = []byte(text)
	}
	return seeds
}

// fairMatch is a proof and the hands that follow from it, without play.
func fairMatch(hands int) (rules.FairProof, []rules.HandRecord) {
	seed := bytes.Repeat([]byte{7}, rules.ServerSeedSize)
	p := rules.FairProof{
		MatchID: "m", Commitment: rules.Commit(seed), ServerSeed: seed,
		ClientSeeds: clientSeeds([rules.Seats]string{"a", "", "ñ", "d"}),
	}
	dealer := rules.FairDealer(seed, p.MatchID, &p.ClientSeeds)
	var recs []rules.HandRecord
	for h := range hands {
		rec := rules.HandRecord{Dealer: dealer}
		rec.Deal, rec.Trump = rules.FairDeal(seed, p.MatchID, &p.ClientSeeds, uint32(h), dealer)
		recs = append(recs, rec)
		dealer = dealer.Next()
	}
	return p, recs
}

func TestVerifyFair(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(p *rules.FairProof, hands []rules.HandRecord)
		fault rules.FairFault
		hand  int
	}{
		{"honest", func(*rules.FairProof, []rules.HandRecord) {}, rules.Fair, 0},
		{"a seat's cards in another order", func(_ *rules.FairProof, h []rules.HandRecord) {
			d := &h[1].Deal[2]
			d[0], d[4] = d[4], d[0]
		}, rules.Fair, 0},
		{"another server seed", func(p *rules.FairProof, _ []rules.HandRecord) { p.ServerSeed[31]++ }, rules.FairCommitment, 0},
		{"another commitment", func(p *rules.FairProof, _ []rules.HandRecord) { p.Commitment[0]++ }, rules.FairCommitment, 0},
		{"another first dealer", func(_ *rules.FairProof, h []rules.HandRecord) { h[0].Dealer = h[0].Dealer.Next() }, rules.FairDealerWrong, 0},
		{"another dealer later", func(_ *rules.FairProof, h []rules.HandRecord) { h[2].Dealer = h[2].Dealer.Next() }, rules.FairDealerWrong, 2},
		{"two cards changed over", func(_ *rules.FairProof, h []rules.HandRecord) {
			d := &h[3].Deal
			d[0][0], d[1][0] = d[1][0], d[0][0]
		}, rules.FairDealWrong, 3},
		{"another card shown", func(_ *rules.FairProof, h []rules.HandRecord) {
			rec := &h[1]
			for _, c := range rec.Deal[rec.Dealer] {
				if c != rec.Trump {
					rec.Trump = c
					break
				}
			}
		}, rules.FairDealWrong, 1},
		{"hands in another order", func(_ *rules.FairProof, h []rules.HandRecord) {
			h[0].Deal, h[4].Deal = h[4].Deal, h[0].Deal // the same dealer's
		}, rules.FairDealWrong, 0},
		{"a malformed deal", func(_ *rules.FairProof, h []rules.HandRecord) { h[2].Deal = rules.Deal{} }, rules.FairDealWrong, 2},
		{"another match's proof", func(p *rules.FairProof, h []rules.HandRecord) {
			p.MatchID = "n"
			h[0].Dealer = rules.FairDealer(p.ServerSeed, "n", &p.ClientSeeds)
		}, rules.FairDealWrong, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			p, hands := fairMatch(5)
			c.spoil(&p, hands)
			if fault, hand := rules.VerifyFair(&p, hands); fault != c.fault || hand != c.hand {
				t.Errorf("%v in hand %d, want %v in hand %d", fault, hand, c.fault, c.hand)
			}
		})
	}
}

// Everything that goes into a deal changes it, and no two ways of cutting the
// same bytes into parts are the same.
func TestDealDependsOnEverything(t *testing.T) {
	seed := bytes.Repeat([]byte{1}, rules.ServerSeedSize)
	other := bytes.Repeat([]byte{2}, rules.ServerSeedSize)
	seen := map[rules.Deal]int{}
	for i, c := range []struct {
		server  []byte
		match   string
		clients [rules.Seats]string
		hand    uint32
	}{
		{seed, "m", [rules.Seats]string{}, 0},
		{other, "m", [rules.Seats]string{}, 0},
		{seed, "n", [rules.Seats]string{}, 0},
		{seed, "", [rules.Seats]string{"m"}, 0},
		{seed, "m", [rules.Seats]string{"a"}, 0},
		{seed, "m", [rules.Seats]string{"", "a"}, 0},
		{seed, "m", [rules.Seats]string{"", "", "a"}, 0},
		{seed, "m", [rules.Seats]string{"", "", "", "a"}, 0},
		{seed, "m", [rules.Seats]string{"a", "b"}, 0},
		{seed, "m", [rules.Seats]string{"ab"}, 0},
		{seed, "ma", [rules.Seats]string{"b"}, 0},
		{seed, "m", [rules.Seats]string{}, 1},
		{seed, "m", [rules.Seats]string{}, 256},
		{seed, "m", [rules.Seats]string{}, 1 << 24},
	} {
		clients := clientSeeds(c.clients)
		deal, _ := rules.FairDeal(c.server, c.match, &clients, c.hand, 3)
		if j, found := seen[deal]; found {
			t.Errorf("cases %d and %d give the same deal", i, j)
		}
		seen[deal] = i
	}
}

// Each card comes to each place as often as the others, within what chance allows.
func TestFairDealIsUniform(t *testing.T) {
	const deals = 20_000
	var count [rules.DeckSize][rules.DeckSize]int
	var dealers [rules.Seats]int
	seed := bytes.Repeat([]byte{9}, rules.ServerSeedSize)
	var clients [rules.Seats][]byte
	for i := range uint32(deals) {
		deal, trump := rules.FairDeal(seed, "uniform", &clients, i, 3)
		for s := range deal {
			for j, c := range deal[s] {
				count[s*rules.HandSize+j][c]++
			}
		}
		if trump != deal[3][4] {
			t.Fatalf("deal %d shows %v, the dealer's last card is %v", i, trump, deal[3][4])
		}
		dealers[rules.FairDealer(seed, fmt.Sprint(i), &clients)]++
	}
	within := func(what string, n int, p float64) {
		if sigma := math.Sqrt(deals * p * (1 - p)); math.Abs(float64(n)-deals*p) > 5*sigma {
			t.Errorf("%s: %d times in %d, want about %.0f", what, n, deals, deals*p)
		}
	}
	for place := range count {
		for c, n := range count[place] {
			within(fmt.Sprintf("%v at place %d", rules.Card(c), place), n, 1.0/rules.DeckSize)
		}
	}
	for s, n := range dealers {
		within(fmt.Sprintf("dealer %d", s), n, 1.0/rules.Seats)
	}
}
