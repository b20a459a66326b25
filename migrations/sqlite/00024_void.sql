-- +goose Up

-- A match may be given up: its last entry says so, and its result why. SQLite cannot
-- change a constraint: the table is made anew.
CREATE TABLE match_log_new (
    match_id TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL CHECK (kind IN ('seed', 'act', 'void')),
    seat     INTEGER NOT NULL,
    text     TEXT    NOT NULL, -- the seed, or the action as records write it
    by       TEXT    NOT NULL CHECK (by IN ('player', 'bot', 'clock')),
    deadline INTEGER NOT NULL, -- of the turn that this entry opens; 0 if it opens none
    PRIMARY KEY (match_id, seq)
) WITHOUT ROWID;
INSERT INTO match_log_new SELECT match_id, seq, at, kind, seat, text, by, deadline FROM match_log;
DROP TABLE match_log;
ALTER TABLE match_log_new RENAME TO match_log;

-- +goose Down
CREATE TABLE match_log_new (
    match_id TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT    NOT NULL CHECK (kind IN ('seed', 'act')),
    seat     INTEGER NOT NULL,
    text     TEXT    NOT NULL, -- the seed, or the action as records write it
    by       TEXT    NOT NULL CHECK (by IN ('player', 'bot', 'clock')),
    deadline INTEGER NOT NULL, -- of the turn that this entry opens; 0 if it opens none
    PRIMARY KEY (match_id, seq)
) WITHOUT ROWID;
INSERT INTO match_log_new SELECT match_id, seq, at, kind, seat, text, by, deadline FROM match_log WHERE kind <> 'void';
DROP TABLE match_log;
ALTER TABLE match_log_new RENAME TO match_log;
