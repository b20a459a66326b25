-- +goose Up

-- What an operator tunes. A version never changes once it is here, but for being
-- withdrawn before it goes live.
CREATE TABLE economy_versions (
    number       INTEGER NOT NULL PRIMARY KEY,
    document     TEXT NOT NULL, -- JSON
    live_from    INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    author       TEXT NOT NULL,
    reason       TEXT NOT NULL,
    withdrawn_at INTEGER
);

CREATE INDEX economy_versions_by_time ON economy_versions (live_from DESC, number DESC) WHERE withdrawn_at IS NULL;

CREATE TABLE economy_drafts (
    id         TEXT NOT NULL PRIMARY KEY,
    document   TEXT NOT NULL, -- JSON, usable or not
    base       INTEGER NOT NULL, -- the version that it began from
    author     TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- How a match came about, and the version that was live then: what it pays
-- follows from both.
ALTER TABLE matches ADD COLUMN mode TEXT NOT NULL DEFAULT 'machine';
ALTER TABLE matches ADD COLUMN economy INTEGER NOT NULL DEFAULT 1;

-- +goose Down
ALTER TABLE matches DROP COLUMN economy;
ALTER TABLE matches DROP COLUMN mode;
DROP TABLE economy_drafts;
DROP TABLE economy_versions;
