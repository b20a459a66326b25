package store

import (
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/rating"
	"github.com/cuatrola/cuatrola/shared/rules"
)

type ratingRow struct {
	PlayerID  string `gorm:"primaryKey"`
	Mu        float64
	Sigma     float64
	Matches   int
	UpdatedAt int64 `gorm:"autoUpdateTime:false"`
}

func (ratingRow) TableName() string { return "ratings" }

func (r ratingRow) rating() rating.Rating { return rating.Rating{Mu: r.Mu, Sigma: r.Sigma} }

func readRating(db *gorm.DB, playerID string) (ratingRow, error) {
	var row ratingRow
	err := db.Where("player_id = ?", playerID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		fresh := rating.New()
		return ratingRow{PlayerID: playerID, Mu: fresh.Mu, Sigma: fresh.Sigma}, nil
	}
	return row, err
}

// rate changes the ratings of a match's players by its result. Matches between
// friends say nothing: there, the players choose who wins. Nobody is in two of the
// others at once, so that the rows need not be held from the reading on.
func rate(tx *gorm.DB, m *match.Match, r match.Result, at time.Time) error {
	people := m.Players()
	if len(people) == 0 || m.Mode != economy.Online && m.Mode != economy.Staked {
		return nil
	}
	before, ids := make(map[string]ratingRow), make([]string, len(people))
	for i, p := range people {
		fresh := rating.New()
		before[p.PlayerID] = ratingRow{PlayerID: p.PlayerID, Mu: fresh.Mu, Sigma: fresh.Sigma}
		ids[i] = p.PlayerID
	}
	var rows []ratingRow
	if err := tx.Where("player_id IN ?", ids).Find(&rows).Error; err != nil {
		return err
	}
	for _, row := range rows {
		before[row.PlayerID] = row
	}
	var sides [2][]rating.Rating
	for seat, who := range m.Seats {
		now := rating.Bot()
		if !who.IsBot() {
			now = before[who.PlayerID].rating()
		}
		pair := rules.Seat(seat).Pair()
		sides[pair] = append(sides[pair], now)
	}
	sides[r.Winner], sides[1-r.Winner] = rating.Rate(sides[r.Winner], sides[1-r.Winner])
	rows = rows[:0]
	for _, p := range people {
		// A pair's seats are two apart.
		after, row := sides[p.Seat.Pair()][p.Seat/2], before[p.PlayerID]
		row.Mu, row.Sigma, row.Matches, row.UpdatedAt = after.Mu, after.Sigma, row.Matches+1, millis(at)
		rows = append(rows, row)
	}
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&rows).Error
}
