package simulation

import "context"

// reader reads things piece by piece, the next piece while this one is worked on.
type reader[T any] struct {
	pieces chan piece[T]
	piece  []T
	err    error // what the last piece has failed with
}

type piece[T any] struct {
	things []T
	err    error
}

// read begins to read. next gives the things behind the last one, none at the end, and
// is called in a goroutine of its own until ctx is done.
func read[T any](ctx context.Context, next func(last *T) ([]T, error)) *reader[T] {
	r := &reader[T]{pieces: make(chan piece[T], 1)}
	go func() {
		defer close(r.pieces)
		var last *T
		for {
			things, err := next(last)
			if err == nil && len(things) == 0 {
				return
			}
			select {
			case r.pieces <- piece[T]{things, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
			last = &things[len(things)-1]
		}
	}()
	return r
}

// peek is the next thing, nil at the end or after an error.
func (r *reader[T]) peek() *T {
	for len(r.piece) == 0 {
		p, ok := <-r.pieces
		if !ok || p.err != nil {
			if p.err != nil {
				r.err = p.err
			}
			return nil
		}
		r.piece = p.things
	}
	return &r.piece[0]
}

// drop goes on to the one behind it.
func (r *reader[T]) drop() { r.piece = r.piece[1:] }
