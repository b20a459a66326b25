package fairness

import (
	"context"

	"github.com/cuatrola/cuatrola/server/economy"
)

// Trial is one of Tail's.
type Trial struct {
	Chance float64
	Weight int64
}

// Tail is tail.
func Tail(trials []Trial, seen int64) float64 {
	own := make([]trial, len(trials))
	for i, t := range trials {
		own[i] = trial(struct {
			chance float64
			weight int64
		}{t.Chance, t.Weight})
	}
	return tail(own, seen)
}

// AtLeast and Both are the other two.
var (
	AtLeast = atLeast
	Both    = both
)

// Search makes all steps of a search.
func Search(ctx context.Context, facts Facts, w Window, limits economy.Fairness) ([]Finding, error) {
	s := &search{facts: facts, window: w, limits: limits}
	for _, step := range steps {
		if err := step(s, ctx); err != nil {
			return nil, err
		}
	}
	return s.found, nil
}
