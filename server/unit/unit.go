// Package unit lets changes of several domains be kept together or not at all.
//
// A unit of work is begun by the store, which puts its transaction into the context;
// whatever is called with that context reads and writes in it. What may happen only
// once all of it is kept, such as telling other processes, is left with [Then].
//
// The context is good for one goroutine, until the unit ends. Nothing in between may
// go round it with another context: a store with one writer would wait for itself.
package unit

import (
	"context"
	"sync"
)

// Work is one unit of work. The zero value is one that has begun.
type Work struct {
	mu    sync.Mutex
	ended bool
	then  []func()
}

type key struct{}

// Begin returns a context in which w is under way.
func Begin(ctx context.Context, w *Work) context.Context { return context.WithValue(ctx, key{}, w) }

// Of returns the unit that is under way in ctx, nil if none is.
func Of(ctx context.Context) *Work {
	w, _ := ctx.Value(key{}).(*Work)
	if w == nil || w.isOver() {
		return nil
	}
	return w
}

func (w *Work) isOver() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.ended }

// End ends the unit. If it was kept, what was left for then happens, in the order in
// which it was left.
func (w *Work) End(kept bool) {
	w.mu.Lock()
	then := w.then
	w.ended, w.then = true, nil
	w.mu.Unlock()
	if !kept {
		return
	}
	for _, f := range then {
		f()
	}
}

// Then has f happen when the unit that is under way in ctx has been kept, and never if
// it is given up. Without a unit f happens now.
func Then(ctx context.Context, f func()) {
	w, _ := ctx.Value(key{}).(*Work)
	if w == nil {
		f()
		return
	}
	w.mu.Lock()
	if !w.ended {
		w.then = append(w.then, f)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	f()
}
