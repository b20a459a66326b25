package store

import (
	"context"
	"time"
)

// SharesClock says whether several machines may share the database, whose clock is then
// the one that they agree on. SQLite's is the machine's own.
func (s *Store) SharesClock() bool { return s.kind == Postgres }

// Time is the time by the database's clock.
func (s *Store) Time(ctx context.Context) (time.Time, error) {
	query := "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"
	if s.kind == SQLite {
		query = "SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)"
	}
	var micros int64
	err := s.reading(ctx).Raw(query).Scan(&micros).Error
	return time.UnixMicro(micros), err
}
