-- +goose Up

-- Whom a player does not want to hear at the table.
CREATE TABLE mutes (
    player_id TEXT NOT NULL REFERENCES players (id),
    muted_id  TEXT NOT NULL REFERENCES players (id),
    since     INTEGER NOT NULL,
    PRIMARY KEY (player_id, muted_id)
) WITHOUT ROWID;

-- A deleted player's go, from either side.
CREATE INDEX mutes_by_muted ON mutes (muted_id);

-- +goose Down
DROP TABLE mutes;
