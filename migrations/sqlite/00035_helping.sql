-- +goose Up

-- Who is kept out of the game, until when and why, and how it ended. What is over stays.
CREATE TABLE sanctions (
    id          TEXT NOT NULL PRIMARY KEY,
    player_id   TEXT NOT NULL REFERENCES players (id),
    word        TEXT NOT NULL, -- what the player is told, as a code
    text        TEXT NOT NULL, -- and in the operator's words; may be empty
    reason      TEXT NOT NULL, -- for staff only
    author      TEXT NOT NULL, -- who imposed it
    since       INTEGER NOT NULL,
    until       INTEGER NOT NULL CHECK (until = 0 OR until > since), -- 0: without end
    ended_at    INTEGER NOT NULL DEFAULT 0, -- 0 until it was lifted, replaced or found to be past its end
    ended_by    TEXT NOT NULL DEFAULT '', -- empty: it ended by itself
    end_reason  TEXT NOT NULL DEFAULT ''
);

-- One at a time: another one replaces it.
CREATE UNIQUE INDEX sanctions_open ON sanctions (player_id) WHERE ended_at = 0;
CREATE INDEX sanctions_by_player ON sanctions (player_id, id);

-- What staff writes down about a player. Nothing of it is changed; it goes when the
-- player is forgotten.
CREATE TABLE player_notes (
    id        TEXT NOT NULL PRIMARY KEY,
    player_id TEXT NOT NULL REFERENCES players (id),
    author    TEXT NOT NULL,
    text      TEXT NOT NULL,
    at        INTEGER NOT NULL
);

CREATE INDEX player_notes_by_player ON player_notes (player_id, id);

-- How many coins each of the staff has given and taken on a day.
CREATE TABLE staff_grants (
    staff_id TEXT NOT NULL,
    day      TEXT NOT NULL, -- YYYY-MM-DD
    coins    INTEGER NOT NULL,
    PRIMARY KEY (staff_id, day)
);

-- The code with which a player shows that an account is theirs, as SHA-256. One each.
CREATE TABLE support_codes (
    player_id  TEXT NOT NULL PRIMARY KEY REFERENCES players (id),
    code_hash  BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
);

-- The account into which a guest was merged. What still comes to the guest goes there.
ALTER TABLE players ADD COLUMN merged_into TEXT;
CREATE INDEX players_merged ON players (merged_into) WHERE merged_into IS NOT NULL;

-- What staff has made of a report.
ALTER TABLE reports ADD COLUMN claimed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN claimed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reports ADD COLUMN answer TEXT NOT NULL DEFAULT '' CHECK (answer IN ('', 'dismissed', 'warned', 'sanctioned'));
ALTER TABLE reports ADD COLUMN answered_by TEXT NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN answered_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reports ADD COLUMN note TEXT NOT NULL DEFAULT '';
CREATE INDEX reports_waiting ON reports (reported_id, id) WHERE status = 'open';
CREATE INDEX reports_by_reporter ON reports (reporter_id, id);

-- +goose Down
DROP INDEX reports_by_reporter;
DROP INDEX reports_waiting;
ALTER TABLE reports DROP COLUMN note;
ALTER TABLE reports DROP COLUMN answered_at;
ALTER TABLE reports DROP COLUMN answered_by;
ALTER TABLE reports DROP COLUMN answer;
ALTER TABLE reports DROP COLUMN claimed_at;
ALTER TABLE reports DROP COLUMN claimed_by;
DROP INDEX players_merged;
ALTER TABLE players DROP COLUMN merged_into;
DROP TABLE support_codes;
DROP TABLE staff_grants;
DROP TABLE player_notes;
DROP TABLE sanctions;
