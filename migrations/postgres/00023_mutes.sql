-- +goose Up

-- Whom a player does not want to hear at the table.
CREATE TABLE mutes (
    player_id TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    muted_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    since     BIGINT NOT NULL,
    PRIMARY KEY (player_id, muted_id)
);

-- A deleted player's go, from either side.
CREATE INDEX mutes_by_muted ON mutes (muted_id);

-- +goose Down
DROP TABLE mutes;
