package rest

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// ViewJSON gives a view the form that the contract has for it, on every channel.
func ViewJSON(v match.View) View {
	game := &v.Game
	hand := &game.Hand
	out := View{
		MatchID: v.ID, Seq: v.Seq, You: seatOrNull(v.Viewer), Rules: rulesJSON(v.Rules), Phase: ViewPhase(v.Phase),
		Turn: seatOrNull(game.Turn), Deadline: timeOrNull(v.Deadline),
		Legal: []Action{}, Hand: handNumber(game),
		Dealer: seatOrNull(game.Dealer), Trump: cardOrNull(game.Trump), Out: seatOrNull(game.Out),
		Cards: []Card{}, Bids: []SeatBid{}, Bid: Bid(hand.Bid.String()), Bidder: seatOrNull(hand.Bidder),
		Trick: OpenTrick{Lead: seatOrNull(game.Table.Lead), Cards: []SeatCard{}}, Tricks: tricksJSON(hand), Cantes: cantesJSON(hand),
		Points: byPair(hand.Points), TricksWon: byPair(hand.TricksWon), Score: byPair(game.Score),
		Scores: make([]ByPairPoints, len(v.Hands)), Seats: seatsJSON(&v.Seats), Away: []Seat{},
		Fair: fairJSON(&v), Winner: pairOrNull(game.Winner), CreatedAt: v.CreatedAt.UTC(), EndedAt: timeOrNull(v.EndedAt),
	}
	out.Mode, out.Stake = modeJSON(v.Mode, v.Stake)
	for seat, away := range v.Away {
		if away {
			out.Away = append(out.Away, seat)
		}
	}
	for legal := game.Legal; legal != 0; legal = legal.Rest() {
		a, _ := legal.First()
		out.Legal = append(out.Legal, a.String())
	}
	for cards := game.Cards; cards != 0; cards = cards.Without(cards.First()) {
		out.Cards = append(out.Cards, cards.First().String())
	}
	for i, bid := range game.Bids[:game.Spoken] {
		seat := (game.Dealer + 1 + rules.Seat(i)) % rules.Seats
		out.Bids = append(out.Bids, SeatBid{Seat: int(seat), Bid: Bid(bid.String())})
	}
	for i, c := range game.Table.Cards[:game.Table.Count] {
		seat := rules.SeatOf(game.Table.Lead, game.Out, i)
		out.Trick.Cards = append(out.Trick.Cards, SeatCard{Seat: int(seat), Card: c.String()})
	}
	for i := range v.Hands {
		out.Scores[i] = byPair(v.Hands[i].Score)
		if i == len(v.Hands)-1 {
			last := handJSON(&v.Hands[i])
			out.LastHand = &last
		}
	}
	return out
}

// handNumber is that of the hand in play, or of the last one.
func handNumber(game *rules.View) int {
	switch game.Phase {
	case rules.PhaseDeal: // before the first hand
		return 0
	case rules.PhaseMatchOver:
		return int(game.HandsFinished)
	default:
		return int(game.HandsFinished) + 1
	}
}

func handJSON(h *rules.Hand) HandResult {
	return HandResult{
		Bid: Bid(h.Bid.String()), Bidder: seatOrNull(h.Bidder), Tricks: tricksJSON(h), Cantes: cantesJSON(h),
		Points: byPair(h.Points), TricksWon: byPair(h.TricksWon), Winner: int(h.Winner), Value: int(h.Value), Score: byPair(h.Score),
	}
}

func tricksJSON(h *rules.Hand) []Trick {
	tricks := make([]Trick, h.TrickCount)
	for i := range tricks {
		t := &h.Tricks[i]
		tricks[i] = Trick{Lead: int(t.Lead), Winner: int(t.Winner), Cards: make([]Card, t.Count)}
		for j, c := range t.Cards[:t.Count] {
			tricks[i].Cards[j] = c.String()
		}
	}
	return tricks
}

func cantesJSON(h *rules.Hand) []Cante {
	cantes := make([]Cante, h.CanteCount)
	for i, c := range h.Cantes[:h.CanteCount] {
		cantes[i] = Cante{Seat: int(c.Seat), Suit: Suit(c.Suit.String()), Points: int(c.Points), Trick: int(c.Trick)}
	}
	return cantes
}

func seatsJSON(seats *[rules.Seats]match.Seat) []SeatInfo {
	infos := make([]SeatInfo, len(seats))
	for i, s := range seats {
		infos[i] = SeatInfo{Seat: i, Name: s.Name, Bot: s.IsBot()}
		if s.IsBot() {
			infos[i].Name = s.Bot.String()
		}
	}
	return infos
}

func fairJSON(v *match.View) Fair {
	f := Fair{
		Scheme: FairScheme(rules.FairScheme), Commitment: hex.EncodeToString(v.Commitment[:]),
		ClientSeeds: make([]*string, rules.Seats),
	}
	for s := range v.ClientSeeds {
		if v.SeedsMissing>>s&1 == 0 {
			f.ClientSeeds[s] = &v.ClientSeeds[s]
		}
	}
	if v.ServerSeed != nil {
		seed := hex.EncodeToString(v.ServerSeed)
		f.ServerSeed = &seed
	}
	return f
}

func summaryJSON(m *match.Match, playerID string) MatchSummary {
	out := MatchSummary{
		MatchID: m.ID, Rules: rulesJSON(m.Rules), Status: "open", Seats: seatsJSON(&m.Seats),
		CreatedAt: m.CreatedAt.UTC(), EndedAt: timeOrNull(m.EndedAt),
	}
	out.Mode, out.Stake = modeJSON(m.Mode, m.Stake)
	for i, s := range m.Seats {
		if !s.IsBot() && s.PlayerID == playerID {
			out.You = i
		}
	}
	if r := m.Result; r != nil && r.Void != "" {
		out.Status = "void"
	} else if r != nil {
		out.Status = "over"
		out.Result = &MatchResult{Score: byPair(r.Score), Winner: int(r.Winner), Hands: r.Hands}
	}
	return out
}

// modeJSON is how a match came about, and its entry; what there is none of is left out.
func modeJSON(mode economy.Mode, stake int64) (m *Mode, s *Stake) {
	if mode != "" {
		text := Mode(mode)
		m = &text
	}
	if stake > 0 {
		s = &stake
	}
	return m, s
}

func rulesJSON(rs rules.RuleSet) json.RawMessage { return record.AppendRules(nil, rs) }

func byPair[T ~uint8 | ~uint16](n [2]T) ByPairPoints { return ByPairPoints{int(n[0]), int(n[1])} }

func seatOrNull(s rules.Seat) *int {
	if s >= rules.Seats {
		return nil
	}
	n := int(s)
	return &n
}

func pairOrNull(p rules.Pair) *int {
	if p == rules.NoPair {
		return nil
	}
	n := int(p)
	return &n
}

func cardOrNull(c rules.Card) *string {
	if !c.Valid() {
		return nil
	}
	text := c.String()
	return &text
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
