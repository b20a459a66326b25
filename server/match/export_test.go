package match

import "runtime"

// HoldThinkers lets no bot think until it is released.
func (s *Service) HoldThinkers() (release func()) {
	for range cap(s.thinkers) {
		s.thinkers <- struct{}{}
	}
	return func() {
		for range cap(s.thinkers) {
			<-s.thinkers
		}
	}
}

// AwaitThinking returns when somebody thinks, or waits to, about the match's next entry.
func (s *Service) AwaitThinking(matchID string) {
	for {
		s.mu.Lock()
		t := s.tables[matchID]
		s.mu.Unlock()
		t.mu.Lock()
		on := t.thinking.on && t.fold != nil && t.thinking.seq == len(t.fold.log)
		t.mu.Unlock()
		if on {
			return
		}
		runtime.Gosched()
	}
}
