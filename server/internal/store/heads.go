package store

import (
	"context"
)

// Numbers of what was kept last, many at a time: for whoever asks whether a message was
// lost. What has nothing yet is left out.

// MatchHeads gives the number of the newest entry of each match's log.
func (s *Store) MatchHeads(ctx context.Context, matchIDs []string) (map[string]int, error) {
	// For each its own look into the index: of a whole group all entries would be read.
	return s.heads(ctx, `SELECT id, (SELECT MAX(seq) FROM match_log WHERE match_id = matches.id) AS seq FROM matches WHERE id IN ?`, matchIDs)
}

// NoticeHeads gives the number of the newest notice of each player.
func (s *Store) NoticeHeads(ctx context.Context, playerIDs []string) (map[string]int, error) {
	return s.heads(ctx, `SELECT player_id AS id, last_seq AS seq FROM inboxes WHERE player_id IN ?`, playerIDs)
}

// EngagementHeads gives the number of each player's engagement.
func (s *Store) EngagementHeads(ctx context.Context, playerIDs []string) (map[string]int, error) {
	return s.heads(ctx, `SELECT player_id AS id, seq FROM engagements WHERE player_id IN ?`, playerIDs)
}

func (s *Store) heads(ctx context.Context, query string, ids []string) (map[string]int, error) {
	var rows []struct {
		ID  string
		Seq *int
	}
	if err := s.reading(ctx).Raw(query, ids).Scan(&rows).Error; err != nil {
		return nil, err
	}
	heads := make(map[string]int, len(rows))
	for _, r := range rows {
		if r.Seq != nil {
			heads[r.ID] = *r.Seq
		}
	}
	return heads, nil
}
