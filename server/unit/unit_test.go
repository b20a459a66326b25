package unit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cuatrola/cuatrola/server/unit"
)

// What is left for later happens in order once the unit is kept, never if it is given
// up, and at once where there is none.
func TestThen(t *testing.T) {
	var said []string
	say := func(word string) func() { return func() { said = append(said, word) } }
	ctx := context.Background()
	unit.Then(ctx, say("alone"))

	var kept unit.Work
	within := unit.Begin(ctx, &kept)
	if unit.Of(within) != &kept || unit.Of(ctx) != nil {
		t.Error("a unit is under way in its own context only")
	}
	unit.Then(within, say("first"))
	unit.Then(within, say("second"))
	if len(said) != 1 {
		t.Errorf("%q came before the unit was kept", said[1:])
	}
	kept.End(true)
	if unit.Of(within) != nil {
		t.Error("a unit that has ended is not under way")
	}
	unit.Then(within, say("behind"))

	var givenUp unit.Work
	unit.Then(unit.Begin(ctx, &givenUp), say("never"))
	givenUp.End(false)

	if want := []string{"alone", "first", "second", "behind"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}
