-- +goose Up

-- What deserves an operator's look. A case stays, with what was decided about it; each
-- search that finds it again renews its evidence.
CREATE TABLE fairness_cases (
    id              TEXT NOT NULL PRIMARY KEY,
    kind            TEXT NOT NULL CHECK (kind IN ('pair', 'flow', 'relay', 'company', 'speed')),
    subject         TEXT NOT NULL, -- who it is about, as the kind tells cases apart
    score           REAL NOT NULL,
    evidence        TEXT NOT NULL, -- JSON
    state           TEXT NOT NULL CHECK (state IN ('open', 'watching', 'dismissed')),
    first_seen      INTEGER NOT NULL,
    last_seen       INTEGER NOT NULL,
    decided_at      INTEGER NOT NULL, -- 0 until somebody decides
    decided_by      TEXT NOT NULL,
    reason          TEXT NOT NULL,
    dismissed_score REAL NOT NULL,
    came_back       INTEGER NOT NULL,
    UNIQUE (kind, subject)
);

CREATE INDEX fairness_cases_ranked ON fairness_cases (state, score DESC, id);

CREATE TABLE fairness_players (
    case_id   TEXT NOT NULL REFERENCES fairness_cases (id) ON DELETE CASCADE,
    place     INTEGER NOT NULL,
    player_id TEXT NOT NULL REFERENCES players (id),
    PRIMARY KEY (case_id, place)
);

CREATE INDEX fairness_players_by_player ON fairness_players (player_id);

-- Searches. At most one has not ended.
CREATE TABLE fairness_runs (
    id       TEXT NOT NULL PRIMARY KEY,
    asked_by TEXT NOT NULL, -- empty for the daily one
    asked_at INTEGER NOT NULL,
    beat_at  INTEGER NOT NULL, -- 0 until it begins
    step     INTEGER NOT NULL,
    steps    INTEGER NOT NULL,
    ended_at INTEGER NOT NULL, -- 0 until it has
    failed   BOOLEAN NOT NULL,
    matches  INTEGER NOT NULL,
    found    INTEGER NOT NULL,
    fresh    INTEGER NOT NULL
);

CREATE UNIQUE INDEX fairness_runs_open ON fairness_runs (ended_at) WHERE ended_at = 0;

-- +goose Down
DROP TABLE fairness_runs;
DROP TABLE fairness_players;
DROP TABLE fairness_cases;
