package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/engagement"
)

type engagementRow struct {
	PlayerID string `gorm:"primaryKey"`
	Kind     string
	PlaceID  string
	Seq      int
	Reason   string
	Since    int64
}

func (engagementRow) TableName() string { return "engagements" }

// Engagement implements engagement.Store.
func (s *Store) Engagement(ctx context.Context, playerID string) (engagement.Engagement, error) {
	var r engagementRow
	err := s.reading(ctx).Where("player_id = ?", playerID).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return engagement.Engagement{PlayerID: playerID, Place: engagement.Free}, nil
	}
	return engagement.Engagement{
		PlayerID: playerID, Place: engagement.Place{Kind: engagement.Kind(r.Kind), ID: r.PlaceID},
		Seq: r.Seq, Reason: engagement.Reason(r.Reason), Since: fromMillis(r.Since),
	}, err
}

// engage takes a player from one place to another, or returns ErrEngaged if the
// player is not there. Rows of several players are changed in the order of their
// identifiers, and before any of their standings and accounts.
func engage(tx *gorm.DB, playerID string, from, to engagement.Place, why engagement.Reason, at time.Time) (engagement.Change, error) {
	change := engagement.Change{PlayerID: playerID}
	if from == engagement.Free {
		// Most players have no row before their first.
		err := tx.Exec(`INSERT INTO engagements (player_id, kind, place_id, seq, reason, since) VALUES (?, 'none', '', 0, '', 0)
ON CONFLICT DO NOTHING`, playerID).Error
		if err != nil {
			return change, err
		}
	}
	return changed(tx, playerID, `UPDATE engagements SET kind = ?, place_id = ?, reason = ?, since = ?, seq = seq + 1
WHERE player_id = ? AND kind = ? AND place_id = ? RETURNING seq`,
		string(to.Kind), to.ID, string(why), millis(at), playerID, string(from.Kind), from.ID)
}

// touch counts a change of the place where a player is, or returns ErrEngaged if the
// player is not there.
func touch(tx *gorm.DB, playerID string, place engagement.Place) (engagement.Change, error) {
	return changed(tx, playerID, `UPDATE engagements SET seq = seq + 1 WHERE player_id = ? AND kind = ? AND place_id = ? RETURNING seq`,
		playerID, string(place.Kind), place.ID)
}

func changed(tx *gorm.DB, playerID, statement string, args ...any) (engagement.Change, error) {
	var seqs []int
	if err := tx.Raw(statement, args...).Scan(&seqs).Error; err != nil {
		return engagement.Change{}, err
	}
	if len(seqs) != 1 {
		return engagement.Change{}, engagement.ErrEngaged
	}
	return engagement.Change{PlayerID: playerID, Seq: seqs[0]}, nil
}

var _ engagement.Store = (*Store)(nil)
