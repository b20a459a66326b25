-- +goose Up

-- A name's key is what two names share that a reader may take for one another.
-- Whoever signed up before there were keys has none until the next change.
ALTER TABLE players ADD COLUMN name_key TEXT COLLATE "C";
ALTER TABLE players ADD COLUMN renamed_at BIGINT NOT NULL DEFAULT 0; -- 0: the name was made up
ALTER TABLE players ADD COLUMN avatar TEXT NOT NULL DEFAULT 'AO';
ALTER TABLE players ADD COLUMN language TEXT NOT NULL DEFAULT 'es';
CREATE UNIQUE INDEX players_by_name ON players (name_key);

-- What a player has done by each rule set. Written in the transaction that ends a
-- match, so that it counts every match once.
CREATE TABLE player_stats (
    player_id TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    rules     TEXT COLLATE "C" NOT NULL, -- a preset's name, or house
    played    BIGINT NOT NULL,
    won       BIGINT NOT NULL,
    hands     BIGINT NOT NULL,
    hands_won BIGINT NOT NULL,
    bids_made BIGINT NOT NULL,
    bids_lost BIGINT NOT NULL,
    PRIMARY KEY (player_id, rules)
);

-- What is between two players, one row for the pair, which is locked while it
-- changes. A pair without a row has nothing to do with one another. Times; 0 is no.
CREATE TABLE ties (
    low_id          TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    high_id         TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    friends_since   BIGINT NOT NULL DEFAULT 0,
    low_asked_at    BIGINT NOT NULL DEFAULT 0,
    high_asked_at   BIGINT NOT NULL DEFAULT 0,
    low_blocked_at  BIGINT NOT NULL DEFAULT 0,
    high_blocked_at BIGINT NOT NULL DEFAULT 0,
    -- When each was last told that the other asks, so that asking again and again
    -- is not heard again and again.
    low_told_at     BIGINT NOT NULL DEFAULT 0,
    high_told_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (low_id, high_id),
    CHECK (low_id < high_id),
    -- Friends ask no more, and a block ends both.
    CHECK (friends_since = 0 OR low_asked_at + high_asked_at = 0),
    CHECK (low_blocked_at + high_blocked_at = 0 OR friends_since + low_asked_at + high_asked_at = 0)
);

CREATE INDEX ties_by_high ON ties (high_id, low_id);

-- For the operator. The same report again, while the first is open, is the first.
CREATE TABLE reports (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    reporter_id TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    reported_id TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    match_id    TEXT COLLATE "C" NOT NULL, -- empty: of no match
    reason      TEXT COLLATE "C" NOT NULL,
    text        TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('open', 'closed')),
    created_at  BIGINT NOT NULL
);

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
