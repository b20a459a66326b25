-- +goose Up

-- Which parts of the game an operator has stopped.
CREATE TABLE halts (
    part       TEXT NOT NULL PRIMARY KEY,
    stopped    BOOLEAN NOT NULL,
    text       TEXT NOT NULL, -- JSON: what players are told, by language
    until      INTEGER NOT NULL, -- when it is expected to go on; 0 if nobody knows
    changed_at INTEGER NOT NULL, -- 0 for never
    changed_by TEXT NOT NULL,
    version    INTEGER NOT NULL -- counts the changes
) WITHOUT ROWID;

INSERT INTO halts (part, stopped, text, until, changed_at, changed_by, version) VALUES
    ('shop', FALSE, '{}', 0, 0, '', 0),
    ('stakes', FALSE, '{}', 0, 0, '', 0),
    ('queue', FALSE, '{}', 0, 0, '', 0),
    ('rooms', FALSE, '{}', 0, 0, '', 0),
    ('sign_ups', FALSE, '{}', 0, 0, '', 0);

-- +goose Down
DROP TABLE halts;
