package wallet

import "time"

// Pot pays everything that an escrow holds to the winners in equal parts. What
// cannot be divided goes to the first of them, a coin each. It brings the escrow to
// its end.
func Pot(id, tableID string, coins int64, winners []string, data []byte, at time.Time) (*Transfer, error) {
	var entries []Entry
	for i, player := range winners {
		n := int64(len(winners))
		share := coins / n
		if int64(i) < coins%n {
			share++
		}
		entries = append(entries, Move(Escrow(tableID), Player(player), share)...)
	}
	return ending(id, "pot:", tableID, KindPot, entries, data, at)
}

// Refund gives all who have paid into an escrow their entry back, because the table
// has not filled or its match was given up. It brings the escrow to its end.
func Refund(id, tableID string, stake int64, players []string, data []byte, at time.Time) (*Transfer, error) {
	var entries []Entry
	for _, player := range players {
		entries = append(entries, Move(Escrow(tableID), Player(player), stake)...)
	}
	return ending(id, "refund:", tableID, KindRefund, entries, data, at)
}

// ending is a transfer that brings a table's escrow to its end: of all there may be,
// one is posted.
func ending(id, prefix, tableID string, kind Kind, entries []Entry, data []byte, at time.Time) (*Transfer, error) {
	t, err := New(id, prefix+tableID, kind, at, entries...)
	if err != nil {
		return nil, err
	}
	t.Resolves, t.Data = string(Escrow(tableID)), data
	return t, nil
}
