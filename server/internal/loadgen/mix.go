package loadgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mix is what the clients do, all at once.
type Mix struct {
	Tables Tables
	// Idle is how many sockets are open beside those of the tables.
	Idle int
	// Requests by what they do, in the order of Kinds.
	Requests []Requests
}

// Tables are tables of four people, each with a socket.
type Tables struct {
	Count int
	// Pace is how often they act.
	Pace Pace
}

// Requests are those of one kind.
type Requests struct {
	Kind Kind
	Pace Pace
}

// Pace is how often something is done. One of its members is set.
type Pace struct {
	// Rate is how many are due in a second, whether or not those before have been
	// answered: an open loop.
	Rate float64
	// Clients is how many clients do one after the other as fast as they may. Of
	// tables: each as soon as it can.
	Clients int
	// Human: at tables, after a person's time to think.
	Human bool
}

// Kind is what a request does.
type Kind string

// The kinds.
const (
	// Profiles are reads of one's own profile, signed in.
	Profiles Kind = "profiles"
	// SignIns are of guests that the server knows.
	SignIns Kind = "sign-ins"
	// Dailies claim the day's reward: a posting, for each player one a day.
	Dailies Kind = "dailies"
	// Postings buy a booster for coins, each another player's.
	Postings Kind = "postings"
	// HotPostings do so too, all of one player's.
	HotPostings Kind = "hot-postings"
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Profiles, SignIns, Dailies, Postings, HotPostings} }

const (
	maxTables = 10_000
	maxIdle   = 20_000
	maxRate   = 1_000_000
)

// ParseMix reads a mix such as tables=200@800/s,profiles=50/s,sign-ins=max:16,idle=1000.
func ParseMix(text string) (Mix, error) {
	var m Mix
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || seen[name] {
			return m, fmt.Errorf("mix: %q: a name and a value, each name once", part)
		}
		seen[name] = true
		var err error
		switch {
		case name == "tables":
			m.Tables, err = parseTables(value)
		case name == "idle":
			m.Idle, err = count(value, maxIdle)
		case slices.Contains(Kinds(), Kind(name)):
			r := Requests{Kind: Kind(name)}
			r.Pace, err = parsePace(value)
			m.Requests = append(m.Requests, r)
		default:
			err = fmt.Errorf("there are tables, idle and %v", Kinds())
		}
		if err != nil {
			return m, fmt.Errorf("mix: %s: %w", name, err)
		}
	}
	return m, nil
}

func parseTables(text string) (Tables, error) {
	number, pace, paced := strings.Cut(text, "@")
	n, err := count(number, maxTables)
	t := Tables{Count: n, Pace: Pace{Human: true}}
	switch {
	case err != nil || !paced || pace == "human":
	case pace == "max":
		t.Pace = Pace{Clients: n}
	default:
		t.Pace.Human = false
		t.Pace.Rate, err = rate(pace)
	}
	return t, err
}

func parsePace(text string) (p Pace, err error) {
	if clients, ok := strings.CutPrefix(text, "max:"); ok {
		p.Clients, err = count(clients, maxTables)
		return p, err
	}
	p.Rate, err = rate(text)
	return p, err
}

func count(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q: a number from 1 to %d", text, most)
	}
	return n, nil
}

func rate(text string) (float64, error) {
	number, perSecond := strings.CutSuffix(text, "/s")
	r, err := strconv.ParseFloat(number, 64)
	if err != nil || !perSecond || !(r > 0 && r <= maxRate) {
		return 0, fmt.Errorf("%q: how many a second, as 50/s", text)
	}
	return r, nil
}
