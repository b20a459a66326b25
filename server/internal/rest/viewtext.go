package rest

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/cuatrola/cuatrola/server/internal/jsontext"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/rules"
)

// AppendView appends the view as JSON: byte for byte what encoding/json makes of
// [ViewJSON], without building that first. Each action is told to every socket at its
// table, each with a view of its own, so that making views was a quarter of all that the
// server did.
func AppendView(b []byte, v *match.View) []byte {
	game := &v.Game
	hand := &game.Hand
	b = appendSeats(append(b, `{"away":`...), v.Away)
	b = jsontext.AppendString(append(b, `,"bid":`...), hand.Bid.String())
	b = appendSeat(append(b, `,"bidder":`...), hand.Bidder)
	b = appendList(append(b, `,"bids":`...), int(game.Spoken), func(b []byte, i int) []byte {
		b = jsontext.AppendString(append(b, `{"bid":`...), game.Bids[i].String())
		b = appendSeat(append(b, `,"seat":`...), (game.Dealer+1+rules.Seat(i))%rules.Seats)
		return append(b, '}')
	})
	b = appendCantes(append(b, `,"cantes":`...), hand)
	b = append(b, `,"cards":`...)
	b = appendCards(b, game.Cards)
	b = jsontext.AppendTime(append(b, `,"createdAt":`...), v.CreatedAt.UTC())
	b = appendTimeOrNull(append(b, `,"deadline":`...), v.Deadline)
	b = appendSeat(append(b, `,"dealer":`...), game.Dealer)
	b = appendTimeOrNull(append(b, `,"endedAt":`...), v.EndedAt)
	b = appendFair(append(b, `,"fair":`...), v)
	b = jsontext.AppendInt(append(b, `,"hand":`...), handNumber(game))
	b = append(b, `,"lastHand":`...)
	if n := len(v.Hands); n > 0 {
		b = appendHand(b, &v.Hands[n-1])
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"legal":[`...)
	for legal := game.Legal; legal != 0; legal = legal.Rest() {
		if legal != game.Legal {
			b = append(b, ',')
		}
		a, _ := legal.First()
		b = jsontext.AppendString(b, a.String())
	}
	b = jsontext.AppendString(append(b, `],"matchId":`...), v.ID)
	if v.Mode != "" {
		b = jsontext.AppendString(append(b, `,"mode":`...), v.Mode)
	}
	b = appendSeat(append(b, `,"out":`...), game.Out)
	b = jsontext.AppendString(append(b, `,"phase":`...), v.Phase)
	b = appendPairs(append(b, `,"points":`...), hand.Points)
	b = record.AppendRules(append(b, `,"rules":`...), v.Rules)
	b = appendPairs(append(b, `,"score":`...), game.Score)
	b = appendList(append(b, `,"scores":`...), len(v.Hands), func(b []byte, i int) []byte {
		return appendPairs(b, v.Hands[i].Score)
	})
	b = appendList(append(b, `,"seats":`...), rules.Seats, func(b []byte, i int) []byte {
		s := &v.Seats[i]
		name := s.Name
		if s.IsBot() {
			name = s.Bot.String()
		}
		b = strconv.AppendBool(append(b, `{"bot":`...), s.IsBot())
		b = jsontext.AppendString(append(b, `,"name":`...), name)
		b = jsontext.AppendInt(append(b, `,"seat":`...), i)
		return append(b, '}')
	})
	b = jsontext.AppendInt(append(b, `,"seq":`...), v.Seq)
	if v.Stake > 0 {
		b = jsontext.AppendInt(append(b, `,"stake":`...), v.Stake)
	}
	b = appendList(append(b, `,"trick":{"cards":`...), int(game.Table.Count), func(b []byte, i int) []byte {
		b = jsontext.AppendString(append(b, `{"card":`...), game.Table.Cards[i].String())
		b = appendSeat(append(b, `,"seat":`...), rules.SeatOf(game.Table.Lead, game.Out, i))
		return append(b, '}')
	})
	b = appendSeat(append(b, `,"lead":`...), game.Table.Lead)
	b = appendTricks(append(b, `},"tricks":`...), hand)
	b = appendPairs(append(b, `,"tricksWon":`...), hand.TricksWon)
	b = append(b, `,"trump":`...)
	if game.Trump.Valid() {
		b = jsontext.AppendString(b, game.Trump.String())
	} else {
		b = append(b, "null"...)
	}
	b = appendSeat(append(b, `,"turn":`...), game.Turn)
	b = append(b, `,"winner":`...)
	if game.Winner == rules.NoPair {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendInt(b, game.Winner)
	}
	b = appendSeat(append(b, `,"you":`...), v.Viewer)
	return append(b, '}')
}

func appendHand(b []byte, h *rules.Hand) []byte {
	b = jsontext.AppendString(append(b, `{"bid":`...), h.Bid.String())
	b = appendSeat(append(b, `,"bidder":`...), h.Bidder)
	b = appendCantes(append(b, `,"cantes":`...), h)
	b = appendPairs(append(b, `,"points":`...), h.Points)
	b = appendPairs(append(b, `,"score":`...), h.Score)
	b = appendTricks(append(b, `,"tricks":`...), h)
	b = appendPairs(append(b, `,"tricksWon":`...), h.TricksWon)
	b = jsontext.AppendInt(append(b, `,"value":`...), h.Value)
	b = jsontext.AppendInt(append(b, `,"winner":`...), h.Winner)
	return append(b, '}')
}

func appendTricks(b []byte, h *rules.Hand) []byte {
	return appendList(b, int(h.TrickCount), func(b []byte, i int) []byte {
		t := &h.Tricks[i]
		b = appendList(append(b, `{"cards":`...), int(t.Count), func(b []byte, j int) []byte {
			return jsontext.AppendString(b, t.Cards[j].String())
		})
		b = jsontext.AppendInt(append(b, `,"lead":`...), t.Lead)
		b = jsontext.AppendInt(append(b, `,"winner":`...), t.Winner)
		return append(b, '}')
	})
}

func appendCantes(b []byte, h *rules.Hand) []byte {
	return appendList(b, int(h.CanteCount), func(b []byte, i int) []byte {
		c := &h.Cantes[i]
		b = jsontext.AppendInt(append(b, `{"points":`...), c.Points)
		b = jsontext.AppendInt(append(b, `,"seat":`...), c.Seat)
		b = jsontext.AppendString(append(b, `,"suit":`...), c.Suit.String())
		b = jsontext.AppendInt(append(b, `,"trick":`...), c.Trick)
		return append(b, '}')
	})
}

func appendCards(b []byte, cards rules.Cards) []byte {
	b = append(b, '[')
	for rest := cards; rest != 0; rest = rest.Without(rest.First()) {
		if rest != cards {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, rest.First().String())
	}
	return append(b, ']')
}

func appendFair(b []byte, v *match.View) []byte {
	b = appendList(append(b, `{"clientSeeds":`...), rules.Seats, func(b []byte, i int) []byte {
		if v.SeedsMissing>>i&1 != 0 {
			return append(b, "null"...)
		}
		return jsontext.AppendString(b, v.ClientSeeds[i])
	})
	b = append(hex.AppendEncode(append(b, `,"commitment":"`...), v.Commitment[:]), '"')
	b = jsontext.AppendString(append(b, `,"scheme":`...), rules.FairScheme)
	b = append(b, `,"serverSeed":`...)
	if v.ServerSeed == nil {
		return append(b, "null}"...)
	}
	return append(hex.AppendEncode(append(b, '"'), v.ServerSeed), `"}`...)
}

// appendList appends what item appends for 0 to n-1.
func appendList(b []byte, n int, item func(b []byte, i int) []byte) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return append(b, ']')
}

// appendSeats appends those that are in.
func appendSeats(b []byte, in [rules.Seats]bool) []byte {
	b = append(b, '[')
	for s, is := range in {
		if !is {
			continue
		}
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = jsontext.AppendInt(b, s)
	}
	return append(b, ']')
}

func appendPairs[T ~uint8 | ~uint16](b []byte, n [2]T) []byte {
	b = jsontext.AppendInt(append(b, '['), n[0])
	b = jsontext.AppendInt(append(b, ','), n[1])
	return append(b, ']')
}

func appendSeat(b []byte, s rules.Seat) []byte {
	if s >= rules.Seats {
		return append(b, "null"...)
	}
	return jsontext.AppendInt(b, s)
}

func appendTimeOrNull(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return jsontext.AppendTime(b, t.UTC())
}
