package rules

// Seat is a place at the table, 0 to 3 in playing order (to the right at a real
// table). Partners sit opposite: seats 0 and 2 against seats 1 and 3.
type Seat uint8

const (
	// Seats is the number of seats.
	Seats = 4
	// NoSeat stands where no seat is meant, such as the bidder of a hand that
	// nobody bid, or the turn while nobody may act.
	NoSeat Seat = 255
	// Spectator views a match from no seat: what is public and nothing else.
	Spectator Seat = 4
	// Viewers counts the seats and the spectator.
	Viewers = 5
)

// Pair is one of the two partnerships: 0 for seats 0 and 2, 1 for seats 1 and 3.
type Pair uint8

// NoPair stands where no pair has won yet.
const NoPair Pair = 255

// Pair the seat plays for.
func (s Seat) Pair() Pair { return Pair(s & 1) }

// Partner is the seat opposite.
func (s Seat) Partner() Seat { return s ^ 2 }

// Next is the seat that plays after s.
func (s Seat) Next() Seat { return (s + 1) & 3 }

// Other is the opposing pair.
func (p Pair) Other() Pair { return p ^ 1 }
