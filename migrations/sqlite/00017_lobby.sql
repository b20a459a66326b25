-- +goose Up

-- Tables that people pay to sit down at. The coins are in the escrow of the same
-- name; the row stays, to say what became of it.
CREATE TABLE stake_tables (
    id        TEXT    NOT NULL PRIMARY KEY,
    rules     TEXT    NOT NULL,
    stake     INTEGER NOT NULL CHECK (stake > 0),
    status    TEXT    NOT NULL CHECK (status IN ('open', 'started', 'cancelled')),
    opened_at INTEGER NOT NULL,
    deadline  INTEGER NOT NULL,
    match_id  TEXT    REFERENCES matches (id),
    closed_at INTEGER NOT NULL, -- 0 while it is open
    CHECK ((status = 'started') = (match_id IS NOT NULL))
) WITHOUT ROWID;

CREATE INDEX stake_tables_open ON stake_tables (rules, stake, opened_at, id) WHERE status = 'open';

-- Those who wait, and those who sit at a table. A ticket that becomes a match, or
-- nothing, goes.
CREATE TABLE tickets (
    id         TEXT    NOT NULL PRIMARY KEY,
    rules      TEXT    NOT NULL,
    stake      INTEGER NOT NULL CHECK (stake >= 0),
    invited_id TEXT    REFERENCES players (id), -- whom it still waits for
    table_id   TEXT    REFERENCES stake_tables (id),
    since      INTEGER NOT NULL,
    sat_at     INTEGER NOT NULL, -- 0 while it sits nowhere
    CHECK (table_id IS NULL OR stake > 0 AND invited_id IS NULL)
) WITHOUT ROWID;

CREATE INDEX tickets_waiting ON tickets (rules, stake, since, id) WHERE table_id IS NULL;
CREATE INDEX tickets_by_table ON tickets (table_id) WHERE table_id IS NOT NULL;
CREATE INDEX tickets_by_invited ON tickets (invited_id) WHERE invited_id IS NOT NULL;

-- The key keeps a player from having two tickets.
CREATE TABLE ticket_players (
    player_id TEXT    NOT NULL PRIMARY KEY REFERENCES players (id),
    ticket_id TEXT    NOT NULL REFERENCES tickets (id),
    place     INTEGER NOT NULL CHECK (place BETWEEN 0 AND 1), -- 0 took it, 1 came along
    points    INTEGER NOT NULL, -- the rating then
    UNIQUE (ticket_id, place)
) WITHOUT ROWID;

-- A staked match's entry and table.
ALTER TABLE matches ADD COLUMN stake INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN table_id TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE matches DROP COLUMN table_id;
ALTER TABLE matches DROP COLUMN stake;
DROP TABLE ticket_players;
DROP TABLE tickets;
DROP TABLE stake_tables;
