-- +goose Up

-- Tables that people pay to sit down at. The coins are in the escrow of the same
-- name; the row stays, to say what became of it.
CREATE TABLE stake_tables (
    id        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    rules     TEXT NOT NULL,
    stake     BIGINT NOT NULL CHECK (stake > 0),
    status    TEXT    NOT NULL CHECK (status IN ('open', 'started', 'cancelled')),
    opened_at BIGINT NOT NULL,
    deadline  BIGINT NOT NULL,
    match_id  TEXT COLLATE "C" REFERENCES matches (id),
    closed_at BIGINT NOT NULL, -- 0 while it is open
    CHECK ((status = 'started') = (match_id IS NOT NULL))
);

CREATE INDEX stake_tables_open ON stake_tables (rules, stake, opened_at, id) WHERE status = 'open';

-- Those who wait, and those who sit at a table. A ticket that becomes a match, or
-- nothing, goes.
CREATE TABLE tickets (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    rules     TEXT NOT NULL,
    stake      BIGINT NOT NULL CHECK (stake >= 0),
    invited_id TEXT COLLATE "C" REFERENCES players (id), -- whom it still waits for
    table_id   TEXT COLLATE "C" REFERENCES stake_tables (id),
    since      BIGINT NOT NULL,
    sat_at     BIGINT NOT NULL, -- 0 while it sits nowhere
    CHECK (table_id IS NULL OR stake > 0 AND invited_id IS NULL)
);

CREATE INDEX tickets_waiting ON tickets (rules, stake, since, id) WHERE table_id IS NULL;
CREATE INDEX tickets_by_table ON tickets (table_id) WHERE table_id IS NOT NULL;
CREATE INDEX tickets_by_invited ON tickets (invited_id) WHERE invited_id IS NOT NULL;

-- The key keeps a player from having two tickets.
CREATE TABLE ticket_players (
    player_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES players (id),
    ticket_id TEXT COLLATE "C" NOT NULL REFERENCES tickets (id),
    place     INTEGER NOT NULL CHECK (place BETWEEN 0 AND 1), -- 0 took it, 1 came along
    points    INTEGER NOT NULL, -- the rating then
    UNIQUE (ticket_id, place)
);

-- A staked match's entry and table.
ALTER TABLE matches ADD COLUMN stake BIGINT NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN table_id TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE matches DROP COLUMN table_id;
ALTER TABLE matches DROP COLUMN stake;
DROP TABLE ticket_players;
DROP TABLE tickets;
DROP TABLE stake_tables;
