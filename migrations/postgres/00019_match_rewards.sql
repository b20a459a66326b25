-- +goose Up

-- What the match's end gave the seat's player, in coins: what the match says, beside
-- what the ledger says. NULL while it is open, for bots, and where nothing is settled.
ALTER TABLE match_seats ADD COLUMN reward BIGINT;

-- Matches of before say what the ledger has.
UPDATE match_seats SET reward = COALESCE((
    SELECT e.amount FROM transfers t JOIN entries e ON e.transfer_id = t.id AND e.account_id = 'player:' || match_seats.player_id
    WHERE t.idem_key = 'match:' || match_seats.match_id || ':' || match_seats.player_id), 0)
WHERE player_id IS NOT NULL
    AND match_id IN (SELECT id FROM matches WHERE status = 'over' AND mode IN ('online', 'friends', 'staked'));

-- +goose Down
ALTER TABLE match_seats DROP COLUMN reward;
