-- +goose Up

-- A name's key is what two names share that a reader may take for one another.
-- Whoever signed up before there were keys has none until the next change.
ALTER TABLE players ADD COLUMN name_key TEXT;
ALTER TABLE players ADD COLUMN renamed_at INTEGER NOT NULL DEFAULT 0; -- 0: the name was made up
ALTER TABLE players ADD COLUMN avatar TEXT NOT NULL DEFAULT 'AO';
ALTER TABLE players ADD COLUMN language TEXT NOT NULL DEFAULT 'es';
CREATE UNIQUE INDEX players_by_name ON players (name_key);

-- What a player has done by each rule set. Written in the transaction that ends a
-- match, so that it counts every match once.
CREATE TABLE player_stats (
    player_id TEXT    NOT NULL REFERENCES players (id),
    rules     TEXT    NOT NULL, -- a preset's name, or house
    played    INTEGER NOT NULL,
    won       INTEGER NOT NULL,
    hands     INTEGER NOT NULL,
    hands_won INTEGER NOT NULL,
    bids_made INTEGER NOT NULL,
    bids_lost INTEGER NOT NULL,
    PRIMARY KEY (player_id, rules)
) WITHOUT ROWID;

-- What is between two players, one row for the pair, which is locked while it
-- changes. A pair without a row has nothing to do with one another. Times; 0 is no.
CREATE TABLE ties (
    low_id          TEXT    NOT NULL REFERENCES players (id),
    high_id         TEXT    NOT NULL REFERENCES players (id),
    friends_since   INTEGER NOT NULL DEFAULT 0,
    low_asked_at    INTEGER NOT NULL DEFAULT 0,
    high_asked_at   INTEGER NOT NULL DEFAULT 0,
    low_blocked_at  INTEGER NOT NULL DEFAULT 0,
    high_blocked_at INTEGER NOT NULL DEFAULT 0,
    -- When each was last told that the other asks, so that asking again and again
    -- is not heard again and again.
    low_told_at     INTEGER NOT NULL DEFAULT 0,
    high_told_at    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (low_id, high_id),
    CHECK (low_id < high_id),
    -- Friends ask no more, and a block ends both.
    CHECK (friends_since = 0 OR low_asked_at + high_asked_at = 0),
    CHECK (low_blocked_at + high_blocked_at = 0 OR friends_since + low_asked_at + high_asked_at = 0)
) WITHOUT ROWID;

CREATE INDEX ties_by_high ON ties (high_id, low_id);

-- For the operator. The same report again, while the first is open, is the first.
CREATE TABLE reports (
    id          TEXT    NOT NULL PRIMARY KEY,
    reporter_id TEXT    NOT NULL REFERENCES players (id),
    reported_id TEXT    NOT NULL REFERENCES players (id),
    match_id    TEXT    NOT NULL, -- empty: of no match
    reason      TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    status      TEXT    NOT NULL CHECK (status IN ('open', 'closed')),
    created_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX reports_open ON reports (reporter_id, reported_id, match_id, reason) WHERE status = 'open';
CREATE INDEX reports_by_reported ON reports (reported_id);

-- +goose Down
DROP TABLE reports;
DROP TABLE ties;
DROP TABLE player_stats;
DROP INDEX players_by_name;
ALTER TABLE players DROP COLUMN language;
ALTER TABLE players DROP COLUMN avatar;
ALTER TABLE players DROP COLUMN renamed_at;
ALTER TABLE players DROP COLUMN name_key;
