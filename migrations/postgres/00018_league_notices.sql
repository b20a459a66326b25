-- +goose Up

-- JSON: how a week of the league ended for the player.
ALTER TABLE notices ADD COLUMN league TEXT;

-- +goose Down
DELETE FROM notices WHERE kind = 'league_closed';
ALTER TABLE notices DROP COLUMN league;
