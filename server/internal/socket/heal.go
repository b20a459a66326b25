package socket

import (
	"context"
	"errors"
	"strings"

	"github.com/cuatrola/cuatrola/server/match"
)

// Heads knows the number of what was kept last on topics, of matches by their ids and of
// the rest by their players'. What has nothing yet is left out.
type Heads interface {
	MatchHeads(ctx context.Context, matchIDs []string) (map[string]int, error)
	NoticeHeads(ctx context.Context, playerIDs []string) (map[string]int, error)
	EngagementHeads(ctx context.Context, playerIDs []string) (map[string]int, error)
}

// healBatch is how many topics are asked after at once.
const healBatch = 500

// Heal asks for the newest number of every topic that somebody watches here, and sends
// on those that have gone on unheard: a message that is lost is noticed by the number of
// the next, but the last one by nothing else. It returns how many messages were missed.
func (h *Hub) Heal(ctx context.Context, heads Heads) (missed int, err error) {
	ask := map[string]func(context.Context, []string) (map[string]int, error){
		matchTopic: heads.MatchHeads, noticeTopic: heads.NoticeHeads, engagementTopic: heads.EngagementHeads,
	}
	for kind, ids := range h.watched() {
		for len(ids) > 0 {
			some := ids[:min(healBatch, len(ids))]
			ids = ids[len(some):]
			newest, failed := ask[kind](ctx, some)
			if failed != nil {
				err = errors.Join(err, failed)
				break
			}
			for id, seq := range newest {
				missed += h.heal(topicKey(kind, id), seq)
			}
		}
	}
	return missed, err
}

// watched lists the ids of topics that somebody watches, by kind.
func (h *Hub) watched() map[string][]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := make(map[string][]string)
	for key := range h.watchers {
		kind, id, _ := strings.Cut(key, ":")
		ids[kind] = append(ids[kind], id)
	}
	return ids
}

func (h *Hub) heal(key string, seq int) (missed int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers[key] {
		c.mu.Lock()
		t := c.topics[key]
		behind := t != nil && t.known < seq
		if behind {
			if t.known != match.AskStore {
				missed++
			}
			t.dirty, t.known = true, seq
		}
		c.mu.Unlock()
		if behind {
			c.poke()
		}
	}
	return missed
}
