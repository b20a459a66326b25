package store

import (
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/league"
)

type seasonRow struct {
	ID       string `gorm:"primaryKey"`
	StartsAt int64
	EndsAt   int64
	Economy  int
	State    string
	ClosedAt int64
}

func (seasonRow) TableName() string { return "league_seasons" }

func (r seasonRow) domain() league.Season {
	return league.Season{
		ID: r.ID, StartsAt: fromMillis(r.StartsAt), EndsAt: fromMillis(r.EndsAt), Economy: r.Economy,
		State: league.State(r.State), ClosedAt: fromMillis(r.ClosedAt),
	}
}

type leagueGroupRow struct {
	Season   string `gorm:"primaryKey"`
	Division string `gorm:"primaryKey"`
	Number   int    `gorm:"primaryKey;autoIncrement:false"`
	Members  int
	FrozenAt int64
}

func (leagueGroupRow) TableName() string { return "league_groups" }

func (r leagueGroupRow) domain() league.Group {
	return league.Group{SeasonID: r.Season, Division: r.Division, Number: r.Number, Members: r.Members, FrozenAt: fromMillis(r.FrozenAt)}
}

type scoreRow struct {
	PlayerID     string `gorm:"primaryKey"`
	Season       string `gorm:"primaryKey"`
	Division     string
	GroupNo      int
	Points       int64
	Matches      int
	FirstAt      int64
	ReachedAt    int64
	Rank         int
	Prize        int64
	Moved        int
	NextDivision string
	NextLevel    int
}

func (scoreRow) TableName() string { return "league_scores" }

func (r scoreRow) domain() league.Score {
	return league.Score{
		PlayerID: r.PlayerID, SeasonID: r.Season, Division: r.Division, Group: r.GroupNo, Points: r.Points, Matches: r.Matches,
		FirstAt: fromMillis(r.FirstAt), ReachedAt: fromMillis(r.ReachedAt),
		Outcome: league.Outcome{Rank: r.Rank, Prize: r.Prize, Moved: r.Moved, Next: league.Place{Division: r.NextDivision, Level: r.NextLevel}},
	}
}

// leagueLock is the league's on PostgreSQL: a match that scores shares it, and
// whoever closes a season or seats those who wait has it alone. It belongs to the
// schema, and stands in a queue: matches that keep coming cannot keep a close from
// its turn, as they could with locks of the season's row.
const leagueLock = "(hashtextextended('cuatrola league ' || current_schema(), 0))"

// LiveVersion implements league.Tx.
func (t *settlement) LiveVersion(at time.Time) (*economy.Version, error) {
	return liveVersion(t.tx, at)
}

// OpenSeasons implements league.Tx.
func (t *settlement) OpenSeasons() ([]league.Season, error) {
	if t.locks {
		// A statement of its own: the next one sees what was done while it waited.
		if err := t.tx.Exec("SELECT pg_advisory_xact_lock_shared" + leagueLock).Error; err != nil {
			return nil, err
		}
	}
	var rows []seasonRow
	if err := t.tx.Where("state <> 'closed'").Order("id").Find(&rows).Error; err != nil {
		return nil, err
	}
	seasons := make([]league.Season, len(rows))
	for i, r := range rows {
		seasons[i] = r.domain()
	}
	return seasons, nil
}

// NewestSeason implements league.Tx.
func (t *settlement) NewestSeason() (league.Season, bool, error) { return newestSeason(t.tx) }

func newestSeason(db *gorm.DB) (league.Season, bool, error) {
	var row seasonRow
	err := db.Order("id DESC").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return league.Season{}, false, nil
	}
	return row.domain(), err == nil, err
}

// AddSeason implements league.Tx.
func (t *settlement) AddSeason(s league.Season) error {
	return t.tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&seasonRow{
		ID: s.ID, StartsAt: millis(s.StartsAt), EndsAt: millis(s.EndsAt), Economy: s.Economy,
		State: string(s.State), ClosedAt: millis(s.ClosedAt),
	}).Error
}

// addPoints takes the values of each player between its halves. Whoever gives the
// player points holds the player's standing, so no order is needed.
const (
	addPointsHead = `WITH given (player_id, points) AS (VALUES `
	addPointsTail = `)
UPDATE league_scores SET points = league_scores.points + given.points, matches = matches + 1,
	reached_at = CASE WHEN reached_at < ? THEN ? ELSE reached_at END
FROM given WHERE league_scores.player_id = given.player_id AND season = ?
RETURNING league_scores.player_id`
)

// AddPoints implements league.Tx.
func (t *settlement) AddPoints(seasonID string, at time.Time, points []league.Points) ([]league.Points, error) {
	if len(points) == 0 {
		return nil, nil
	}
	args := make([]any, 0, 2*len(points)+3)
	for _, p := range points {
		args = append(args, p.PlayerID, p.Points)
	}
	args = append(args, millis(at), millis(at), seasonID)
	var known []string
	// The casts tell PostgreSQL what it is given.
	err := t.tx.Raw(addPointsHead+times("(CAST(? AS TEXT), CAST(? AS BIGINT))", len(points))+addPointsTail, args...).Scan(&known).Error
	if err != nil {
		return nil, err
	}
	in := make(map[string]bool, len(known))
	for _, id := range known {
		in[id] = true
	}
	var newcomers []league.Points
	for _, p := range points {
		if !in[p.PlayerID] {
			newcomers = append(newcomers, p)
		}
	}
	return newcomers, nil
}

// times is a text n times, with commas between.
func times(text string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text+", ", n), ", ")
}

// LastPlaces implements league.Tx.
func (t *settlement) LastPlaces(playerIDs []string) (map[string]league.Place, error) {
	return lastPlaces(t.tx, playerIDs)
}

const lastPlacesQuery = `
SELECT player_id, next_division, next_level FROM league_scores s
WHERE player_id IN ? AND rank > 0
	AND season = (SELECT MAX(season) FROM league_scores WHERE player_id = s.player_id AND rank > 0)`

func lastPlaces(db *gorm.DB, playerIDs []string) (map[string]league.Place, error) {
	var rows []scoreRow
	if err := db.Raw(lastPlacesQuery, playerIDs).Scan(&rows).Error; err != nil {
		return nil, err
	}
	places := make(map[string]league.Place, len(rows))
	for _, r := range rows {
		places[r.PlayerID] = league.Place{Division: r.NextDivision, Level: r.NextLevel}
	}
	return places, nil
}

// takeSeat counts one more member in the division's newest group, if it has room.
// Whoever comes at the same time waits for the row, and sees it as it is then.
const takeSeat = `
UPDATE league_groups SET members = members + 1
WHERE season = @season AND division = @division AND members < @size
	AND number = (SELECT MAX(number) FROM league_groups WHERE season = @season AND division = @division)
RETURNING number`

// TakeSeat implements league.Tx.
func (t *settlement) TakeSeat(seasonID, division string, size int) (int, error) {
	with := map[string]any{"season": seasonID, "division": division, "size": size}
	for {
		var number int
		if err := t.tx.Raw(takeSeat, with).Scan(&number).Error; err != nil || number > 0 {
			return number, err
		}
		newest := leagueGroupRow{Members: size}
		err := t.tx.Where("season = ? AND division = ?", seasonID, division).Order("number DESC").Take(&newest).Error
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return 0, err
		}
		if newest.Members < size {
			continue // somebody else has made it since
		}
		// The one after the one that is seen to be full, which it stays: so no group
		// is ever passed over.
		next := leagueGroupRow{Season: seasonID, Division: division, Number: newest.Number + 1}
		if err := t.tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&next).Error; err != nil {
			return 0, err
		}
	}
}

// AddScores implements league.Tx.
func (t *settlement) AddScores(scores []league.Score) error {
	rows := make([]scoreRow, len(scores))
	for i, s := range scores {
		rows[i] = scoreRow{
			PlayerID: s.PlayerID, Season: s.SeasonID, Division: s.Division, GroupNo: s.Group, Points: s.Points, Matches: s.Matches,
			FirstAt: millis(s.FirstAt), ReachedAt: millis(s.ReachedAt),
		}
	}
	return t.tx.Create(&rows).Error
}

var _ league.Tx = (*settlement)(nil)
