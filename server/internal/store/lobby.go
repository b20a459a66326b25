package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/engagement"
	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/lobby"
	"github.com/cuatrola/cuatrola/server/match"
	"github.com/cuatrola/cuatrola/server/notice"
	"github.com/cuatrola/cuatrola/server/rating"
	"github.com/cuatrola/cuatrola/server/wallet"
)

type ticketRow struct {
	ID        string `gorm:"primaryKey"`
	Rules     string
	Stake     int64
	InvitedID *string
	TableID   *string
	Since     int64
	SatAt     int64
}

func (ticketRow) TableName() string { return "tickets" }

type ticketPlayerRow struct {
	PlayerID string `gorm:"primaryKey"`
	TicketID string
	Place    int
	Points   int
}

func (ticketPlayerRow) TableName() string { return "ticket_players" }

type stakeTableRow struct {
	ID       string `gorm:"primaryKey"`
	Rules    string
	Stake    int64
	Status   string
	OpenedAt int64
	Deadline int64
	MatchID  *string
	ClosedAt int64
}

func (stakeTableRow) TableName() string { return "stake_tables" }

// Statuses of a staked table.
const (
	tableOpen      = "open"
	tableStarted   = "started"
	tableCancelled = "cancelled"
)

// InLobby implements lobby.Store.
func (s *Store) InLobby(ctx context.Context, f func(lobby.Tx) error) (lobby.Outcome, error) {
	var out lobby.Outcome
	err := s.writing(ctx).Transaction(func(tx *gorm.DB) error {
		l := &lobbyTx{tx: tx, store: s}
		if err := f(l); err != nil {
			return err
		}
		out = l.out
		return nil
	})
	return out, err
}

// Queues implements lobby.Store.
func (s *Store) Queues(ctx context.Context) ([]lobby.Queue, error) {
	var rows []struct {
		Rules string
		Stake int64
	}
	err := s.reading(ctx).Raw(`
SELECT rules, stake FROM tickets UNION SELECT rules, stake FROM stake_tables WHERE status = 'open' ORDER BY rules, stake`).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	queues := make([]lobby.Queue, len(rows))
	for i, r := range rows {
		if queues[i], err = lobby.QueueOf(r.Rules, r.Stake); err != nil {
			return nil, err
		}
	}
	return queues, nil
}

// Waiting implements lobby.Store.
func (s *Store) Waiting(ctx context.Context) (map[economy.Mode]int, error) {
	var rows []struct {
		Staked  bool
		Players int
	}
	err := s.reading(ctx).Raw(`
SELECT t.stake > 0 AS staked, COUNT(*) AS players FROM tickets t JOIN ticket_players p ON p.ticket_id = t.id GROUP BY 1`).Scan(&rows).Error
	waiting := make(map[economy.Mode]int)
	for _, r := range rows {
		if r.Staked {
			waiting[economy.Staked] = r.Players
		} else {
			waiting[economy.Online] = r.Players
		}
	}
	return waiting, err
}

// Ticket implements lobby.Store.
func (s *Store) Ticket(ctx context.Context, playerID string) (*lobby.Ticket, error) {
	return oneTicket(s.reading(ctx), ticketOfPlayer, playerID)
}

// Invitations implements lobby.Store.
func (s *Store) Invitations(ctx context.Context, playerID string) ([]lobby.Ticket, error) {
	return tickets(s.reading(ctx), `
SELECT t.* FROM tickets t JOIN ticket_players p ON p.ticket_id = t.id JOIN ties ON ties.friends_since > 0 AND (
  ties.low_id = t.invited_id AND ties.high_id = p.player_id OR ties.high_id = t.invited_id AND ties.low_id = p.player_id)
WHERE t.invited_id = ? ORDER BY t.since, t.id`, playerID)
}

// Table implements lobby.Store.
func (s *Store) Table(ctx context.Context, id string) (*lobby.Table, error) {
	tables, err := stakeTables(s.reading(ctx), `SELECT * FROM stake_tables WHERE id = ? AND status = 'open'`, id)
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	return &tables[0], nil
}

const ticketOfPlayer = `SELECT t.* FROM tickets t JOIN ticket_players p ON p.ticket_id = t.id WHERE p.player_id = ?`

func oneTicket(db *gorm.DB, query string, args ...any) (*lobby.Ticket, error) {
	all, err := tickets(db, query, args...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// tickets reads those that a query finds, in its order, with who has them.
func tickets(db *gorm.DB, query string, args ...any) ([]lobby.Ticket, error) {
	var rows []ticketRow
	if err := db.Raw(query, args...).Scan(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	list, ids, place := make([]lobby.Ticket, len(rows)), make([]string, len(rows)), make(map[string]int, len(rows))
	for i, r := range rows {
		queue, err := lobby.QueueOf(r.Rules, r.Stake)
		if err != nil {
			return nil, err
		}
		list[i] = lobby.Ticket{ID: r.ID, Queue: queue, Since: fromMillis(r.Since)}
		if r.InvitedID != nil {
			list[i].InvitedID = *r.InvitedID
		}
		if r.TableID != nil {
			list[i].TableID = *r.TableID
		}
		ids[i], place[r.ID] = r.ID, i
	}
	var members []struct {
		TicketID, PlayerID, Name, Avatar string
		Points                           int
	}
	err := db.Raw(`
SELECT p.ticket_id, p.player_id, players.name, players.avatar, p.points FROM ticket_players p JOIN players ON players.id = p.player_id
WHERE p.ticket_id IN ? ORDER BY p.ticket_id, p.place`, ids).Scan(&members).Error
	for _, m := range members {
		t := &list[place[m.TicketID]]
		t.Members = append(t.Members, lobby.Member{PlayerID: m.PlayerID, Name: m.Name, Avatar: m.Avatar, Points: m.Points})
	}
	return list, err
}

// stakeTables reads those that a query finds, in its order, with who sits there.
func stakeTables(db *gorm.DB, query string, args ...any) ([]lobby.Table, error) {
	var rows []stakeTableRow
	if err := db.Raw(query, args...).Scan(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	list, ids, place := make([]lobby.Table, len(rows)), make([]string, len(rows)), make(map[string]int, len(rows))
	for i, r := range rows {
		queue, err := lobby.QueueOf(r.Rules, r.Stake)
		if err != nil {
			return nil, err
		}
		list[i] = lobby.Table{ID: r.ID, Queue: queue, OpenedAt: fromMillis(r.OpenedAt), Deadline: fromMillis(r.Deadline)}
		ids[i], place[r.ID] = r.ID, i
	}
	sitting, err := tickets(db, `SELECT * FROM tickets WHERE table_id IN ? ORDER BY sat_at, id`, ids)
	for _, t := range sitting {
		table := &list[place[t.TableID]]
		table.Tickets = append(table.Tickets, t)
	}
	return list, err
}

// lobbyTx implements lobby.Tx in a transaction that is under way.
type lobbyTx struct {
	tx    *gorm.DB
	store *Store
	out   lobby.Outcome
}

// locking is what a query ends with that holds its rows: SQLite has one writer, and
// does not know the words.
func (l *lobbyTx) locking(words string) string {
	if l.store.kind == Postgres {
		return " " + words
	}
	return ""
}

func (l *lobbyTx) Halts() (halt.State, error) { return heldHalts(l.tx, l.store.kind == Postgres) }

func (l *lobbyTx) Claim(a *match.Answer) (*match.Answer, error) {
	placeholder := *a
	placeholder.Body = []byte{}
	return claim(l.tx, &placeholder)
}

func (l *lobbyTx) Answer(a *match.Answer) error {
	return l.tx.Model(&answerRow{}).Where("player_id = ? AND key = ?", a.PlayerID, a.Key).Update("body", a.Body).Error
}

func (l *lobbyTx) HoldQueue(q lobby.Queue) error {
	if l.store.kind != Postgres {
		return nil // there is one writer
	}
	return l.tx.Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, "lobby "+q.String()).Error
}

func (l *lobbyTx) ClaimTickets(q lobby.Queue, limit int) ([]lobby.Ticket, error) {
	return tickets(l.tx, `SELECT * FROM tickets WHERE rules = ? AND stake = ? AND table_id IS NULL ORDER BY since, id LIMIT ?`+
		l.locking("FOR UPDATE SKIP LOCKED"), q.Rules.String(), q.Stake, limit)
}

func (l *lobbyTx) ClaimTables(q lobby.Queue, limit int) ([]lobby.Table, error) {
	return stakeTables(l.tx, `SELECT * FROM stake_tables WHERE rules = ? AND stake = ? AND status = 'open' ORDER BY opened_at, id LIMIT ?`+
		l.locking("FOR UPDATE"), q.Rules.String(), q.Stake, limit)
}

func (l *lobbyTx) HoldTicket(playerID string) (*lobby.Ticket, *lobby.Table, error) {
	found, err := oneTicket(l.tx, ticketOfPlayer, playerID)
	if err != nil || found == nil {
		return nil, nil, err
	}
	if found.TableID == "" {
		held, err := oneTicket(l.tx, `SELECT * FROM tickets WHERE id = ? AND table_id IS NULL`+l.locking("FOR UPDATE"), found.ID)
		if err == nil && held == nil {
			err = lobby.ErrBusy
		}
		return held, nil, err
	}
	// A ticket that sits changes only under its table's lock.
	tables, err := stakeTables(l.tx, `SELECT * FROM stake_tables WHERE id = ? AND status = 'open'`+l.locking("FOR UPDATE"), found.TableID)
	if err != nil || len(tables) == 0 {
		return nil, nil, orBusy(err)
	}
	for i := range tables[0].Tickets {
		if t := tables[0].Tickets[i]; t.ID == found.ID {
			return &t, &tables[0], nil
		}
	}
	return nil, nil, lobby.ErrBusy
}

func orBusy(err error) error {
	if err == nil {
		return lobby.ErrBusy
	}
	return err
}

func (l *lobbyTx) HoldInvitation(fromID, invitedID string) (*lobby.Ticket, error) {
	return oneTicket(l.tx, `
SELECT t.* FROM tickets t JOIN ticket_players p ON p.ticket_id = t.id WHERE p.player_id = ? AND t.invited_id = ?`+
		l.locking("FOR UPDATE OF t"), fromID, invitedID)
}

func (l *lobbyTx) HoldPair(a, b string) (friends bool, err error) {
	if err := l.store.lockPair(l.tx, a, b); err != nil {
		return false, err
	}
	row, err := readTie(l.tx, a, b)
	return row.FriendsSince != 0, err
}

func (l *lobbyTx) Apart(players []string) (map[[2]string]bool, error) {
	var rows []tieRow
	err := l.tx.Where("low_id IN ? AND high_id IN ? AND low_blocked_at + high_blocked_at > 0", players, players).Find(&rows).Error
	apart := make(map[[2]string]bool, len(rows))
	for _, r := range rows {
		apart[[2]string{r.LowID, r.HighID}] = true
	}
	return apart, err
}

func (l *lobbyTx) KeptOut(players []string, at time.Time) (map[string]bool, error) {
	if len(players) == 0 {
		return nil, nil
	}
	var ids []string
	err := l.tx.Model(&sanctionRow{}).Where("player_id IN ?", players).Where(inForce, millis(at)).Pluck("player_id", &ids).Error
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}

func (l *lobbyTx) Funds(players []string) (map[string]lobby.Funds, error) {
	var ids []string
	for _, p := range players {
		ids = append(ids, string(wallet.Player(p)), string(wallet.Debt(p)))
	}
	var rows []struct {
		ID      string
		Balance int64
	}
	if err := l.tx.Raw(`SELECT id, balance FROM accounts WHERE id IN ?`, ids).Scan(&rows).Error; err != nil {
		return nil, err
	}
	balances := make(map[string]int64, len(rows))
	for _, r := range rows {
		balances[r.ID] = r.Balance
	}
	funds := make(map[string]lobby.Funds, len(players))
	for _, p := range players {
		funds[p] = lobby.Funds{Coins: balances[string(wallet.Player(p))], Debt: balances[string(wallet.Debt(p))]}
	}
	return funds, nil
}

func (l *lobbyTx) Rating(playerID string) (rating.Rating, error) {
	row, err := readRating(l.tx, playerID)
	return row.rating(), err
}

func (l *lobbyTx) AddTicket(t lobby.Ticket) error {
	row := ticketRow{ID: t.ID, Rules: t.Queue.Rules.String(), Stake: t.Queue.Stake, InvitedID: orNull(t.InvitedID), Since: millis(t.Since)}
	if err := l.tx.Create(&row).Error; err != nil {
		return err
	}
	return l.addMembers(t.ID, 0, t.Members...)
}

func (l *lobbyTx) addMembers(ticketID string, from int, members ...lobby.Member) error {
	rows := make([]ticketPlayerRow, len(members))
	for i, m := range members {
		rows[i] = ticketPlayerRow{PlayerID: m.PlayerID, TicketID: ticketID, Place: from + i, Points: m.Points}
	}
	return l.tx.Create(&rows).Error
}

func (l *lobbyTx) Join(t lobby.Ticket, second lobby.Member) error {
	err := l.tx.Exec(`UPDATE tickets SET invited_id = NULL, since = ? WHERE id = ?`, millis(t.Since), t.ID).Error
	if err != nil {
		return err
	}
	return l.addMembers(t.ID, 1, second)
}

func (l *lobbyTx) RemoveTicket(id string) error {
	if err := l.tx.Exec(`DELETE FROM ticket_players WHERE ticket_id = ?`, id).Error; err != nil {
		return err
	}
	return l.tx.Exec(`DELETE FROM tickets WHERE id = ?`, id).Error
}

func (l *lobbyTx) OpenTable(t lobby.Table) error {
	return l.tx.Create(&stakeTableRow{
		ID: t.ID, Rules: t.Queue.Rules.String(), Stake: t.Queue.Stake, Status: tableOpen,
		OpenedAt: millis(t.OpenedAt), Deadline: millis(t.Deadline),
	}).Error
}

func (l *lobbyTx) Sit(t lobby.Ticket, tableID string, at time.Time) error {
	return l.tx.Exec(`UPDATE tickets SET table_id = ?, sat_at = ? WHERE id = ?`, tableID, millis(at), t.ID).Error
}

func (l *lobbyTx) Return(t lobby.Ticket, newID string) error {
	if err := l.RemoveTicket(t.ID); err != nil {
		return err
	}
	t.ID, t.TableID = newID, ""
	return l.AddTicket(t)
}

func (l *lobbyTx) CloseTable(id, matchID string, at time.Time) error {
	status := tableStarted
	if matchID == "" {
		status = tableCancelled
	}
	return l.tx.Exec(`UPDATE stake_tables SET status = ?, match_id = ?, closed_at = ? WHERE id = ?`,
		status, orNull(matchID), millis(at), id).Error
}

func (l *lobbyTx) Engage(playerID string, from, to engagement.Place, why engagement.Reason, at time.Time) (int, error) {
	change, err := engage(l.tx, playerID, from, to, why, at)
	l.out.Changes = append(l.out.Changes, change)
	return change.Seq, err
}

func (l *lobbyTx) Touch(playerID string, place engagement.Place) error {
	change, err := touch(l.tx, playerID, place)
	l.out.Changes = append(l.out.Changes, change)
	return err
}

func (l *lobbyTx) CreateMatch(m *match.Match) error { return createMatch(l.tx, m) }

func (l *lobbyTx) Post(t *wallet.Transfer) error {
	_, replayed, err := post(l.tx, t)
	if err == nil && replayed {
		return errPosted
	}
	return err
}

func (l *lobbyTx) Tell(n notice.Notice) error {
	kept, err := addNotice(l.tx, n)
	l.out.Notices = append(l.out.Notices, kept)
	return err
}

var _ lobby.Store = (*Store)(nil)
