package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/league"
)

// Season implements league.Store.
func (l LeagueStore) Season(ctx context.Context, id string) (league.Season, error) {
	var row seasonRow
	err := l.s.reading(ctx).Where("id = ?", id).Take(&row).Error
	return row.domain(), notFound(err, "There is no such season.")
}

// Seasons implements league.Store.
func (l LeagueStore) Seasons(ctx context.Context, before string, limit int) ([]league.Season, error) {
	query := l.s.reading(ctx).Order("id DESC").Limit(limit)
	if before != "" {
		query = query.Where("id < ?", before)
	}
	var rows []seasonRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, err
	}
	seasons := make([]league.Season, len(rows))
	for i, r := range rows {
		seasons[i] = r.domain()
	}
	return seasons, nil
}

// ScoreOf implements league.Store.
func (l LeagueStore) ScoreOf(ctx context.Context, playerID, seasonID string) (league.Score, error) {
	var row scoreRow
	err := l.s.reading(ctx).Where("player_id = ? AND season = ?", playerID, seasonID).Take(&row).Error
	return row.domain(), notFound(err, "There is no such score.")
}

// PlaceOf implements league.Store.
func (l LeagueStore) PlaceOf(ctx context.Context, playerID string) (league.Place, bool, error) {
	var row scoreRow
	err := l.s.reading(ctx).Where("player_id = ? AND rank > 0", playerID).Order("season DESC").Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return league.Place{}, false, nil
	}
	return row.domain().Next, err == nil, err
}

// entryRow of a list of scores.
type leagueEntryRow struct {
	PlayerID, Season, Division string
	GroupNo                    int
	Points                     int64
	Matches                    int
	FirstAt, ReachedAt         int64
	Rank                       int
	Prize                      int64
	Moved                      int
	NextDivision               string
	NextLevel                  int
	Name, Avatar               string
}

func (r *leagueEntryRow) domain() league.Entry {
	score := scoreRow{
		PlayerID: r.PlayerID, Season: r.Season, Division: r.Division, GroupNo: r.GroupNo, Points: r.Points, Matches: r.Matches,
		FirstAt: r.FirstAt, ReachedAt: r.ReachedAt, Rank: r.Rank, Prize: r.Prize, Moved: r.Moved,
		NextDivision: r.NextDivision, NextLevel: r.NextLevel,
	}
	return league.Entry{Score: score.domain(), Name: r.Name, Avatar: r.Avatar}
}

const scoreColumns = `s.player_id, s.season, s.division, s.group_no, s.points, s.matches, s.first_at, s.reached_at,
	s.rank, s.prize, s.moved, s.next_division, s.next_level`

const inGroupQuery = `SELECT ` + scoreColumns + `, p.name, p.avatar FROM league_scores s JOIN players p ON p.id = s.player_id
WHERE s.season = ? AND s.division = ? AND s.group_no = ?`

// InGroup implements league.Store.
func (l LeagueStore) InGroup(ctx context.Context, g league.Group) ([]league.Entry, error) {
	var rows []leagueEntryRow
	if err := l.s.reading(ctx).Raw(inGroupQuery, g.SeasonID, g.Division, g.Number).Scan(&rows).Error; err != nil {
		return nil, err
	}
	entries := make([]league.Entry, len(rows))
	for i := range rows {
		entries[i] = rows[i].domain()
	}
	return entries, nil
}

// stretches of the index of the best lie behind a score, one behind the other: those
// of the same moment, those who came to as many points later, those with fewer points.
// One condition for all three would read every score with as many points first.
func stretches(behind *league.Score) (where []string, args [][]any) {
	if behind == nil {
		return []string{""}, [][]any{nil}
	}
	points, at := behind.Points, millis(behind.ReachedAt)
	return []string{
		" AND points = ? AND reached_at = ? AND player_id > ?",
		" AND points = ? AND reached_at > ?",
		" AND points < ?",
	}, [][]any{{points, at, behind.PlayerID}, {points, at}, {points}}
}

// bestOf reads the first scores of a stretch in each division. They are put in order
// here: there, it would be a sort beside the index.
func bestOf(db *gorm.DB, seasonID string, divisions []string, where string, with []any, limit int) ([]league.Score, error) {
	const part = `SELECT * FROM (SELECT ` + scoreColumns + ` FROM league_scores s WHERE season = ? AND division = ?`
	const order = ` ORDER BY points DESC, reached_at, player_id LIMIT ?) AS part`
	var parts []string
	var args []any
	for _, division := range divisions {
		parts = append(parts, part+where+order)
		args = append(append(append(args, seasonID, division), with...), limit)
	}
	var rows []scoreRow
	if err := db.Raw(strings.Join(parts, "\nUNION ALL\n"), args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	scores := scoresOf(rows)
	slices.SortFunc(scores, league.Compare)
	return scores, nil
}

// Best implements league.Store.
func (l LeagueStore) Best(ctx context.Context, seasonID string, divisions []string, behind *league.Score, limit int) ([]league.Entry, error) {
	db := l.s.reading(ctx)
	var scores []league.Score
	where, with := stretches(behind)
	for i := 0; i < len(where) && len(scores) < limit; i++ {
		more, err := bestOf(db, seasonID, divisions, where[i], with[i], limit-len(scores))
		if err != nil {
			return nil, err
		}
		scores = append(scores, more...)
	}
	scores = scores[:min(limit, len(scores))]
	ids := make([]string, len(scores))
	for i, s := range scores {
		ids[i] = s.PlayerID
	}
	var people []playerRow
	if err := db.Where("id IN ?", ids).Find(&people).Error; err != nil {
		return nil, err
	}
	byID := make(map[string]playerRow, len(people))
	for _, p := range people {
		byID[p.ID] = p
	}
	entries := make([]league.Entry, len(scores))
	for i, s := range scores {
		entries[i] = league.Entry{Score: s, Name: byID[s.PlayerID].Name, Avatar: byID[s.PlayerID].Avatar}
	}
	return entries, nil
}

// Frozen implements league.Store.
func (l LeagueStore) Frozen(ctx context.Context, playerID, before string, limit int) ([]league.Past, error) {
	db := l.s.reading(ctx)
	query := db.Where("player_id = ? AND rank > 0", playerID).Order("season DESC").Limit(limit)
	if before != "" {
		query = query.Where("season < ?", before)
	}
	var rows []scoreRow
	if err := query.Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.Season
	}
	var seasons []seasonRow
	if err := db.Where("id IN ?", ids).Find(&seasons).Error; err != nil {
		return nil, err
	}
	byID := make(map[string]seasonRow, len(seasons))
	for _, r := range seasons {
		byID[r.ID] = r
	}
	past := make([]league.Past, len(rows))
	for i, r := range rows {
		past[i] = league.Past{Season: byID[r.Season].domain(), Score: r.domain()}
	}
	return past, nil
}
