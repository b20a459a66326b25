-- +goose Up

-- The weeks of the league. One is kept when somebody first scores in it.
CREATE TABLE league_seasons (
    id        TEXT    NOT NULL PRIMARY KEY, -- its Monday, as YYYY-MM-DD
    starts_at INTEGER NOT NULL,
    ends_at   INTEGER NOT NULL CHECK (ends_at > starts_at),
    economy   INTEGER NOT NULL, -- the version that it is settled under
    state     TEXT    NOT NULL CHECK (state IN ('open', 'closing', 'closed')),
    closed_at INTEGER NOT NULL -- 0 until it is
) WITHOUT ROWID;

CREATE INDEX league_seasons_open ON league_seasons (id) WHERE state <> 'closed';

-- The groups of a division, filled one after the other.
CREATE TABLE league_groups (
    season    TEXT    NOT NULL REFERENCES league_seasons (id),
    division  TEXT    NOT NULL,
    number    INTEGER NOT NULL, -- from 1
    members   INTEGER NOT NULL,
    frozen_at INTEGER NOT NULL, -- 0 until its ranks are
    PRIMARY KEY (season, division, number)
) WITHOUT ROWID;

-- What a player has in a season. The newest one with a rank says where the player
-- plays next.
CREATE TABLE league_scores (
    player_id     TEXT    NOT NULL REFERENCES players (id),
    season        TEXT    NOT NULL REFERENCES league_seasons (id),
    division      TEXT    NOT NULL, -- '' while it waits for the close of the week before
    group_no      INTEGER NOT NULL, -- 0 while it waits
    points        INTEGER NOT NULL CHECK (points > 0),
    matches       INTEGER NOT NULL,
    first_at      INTEGER NOT NULL,
    reached_at    INTEGER NOT NULL, -- when it came to these points
    rank          INTEGER NOT NULL, -- in the group; 0 until it is frozen, and all that follows with it
    prize         INTEGER NOT NULL CHECK (prize >= 0), -- in coins
    moved         INTEGER NOT NULL CHECK (moved BETWEEN -1 AND 1),
    next_division TEXT    NOT NULL,
    next_level    INTEGER NOT NULL, -- of the division, from 0 for the lowest
    PRIMARY KEY (player_id, season)
) WITHOUT ROWID;

-- Who is in a group, or waits for one, as they came.
CREATE INDEX league_scores_group ON league_scores (season, division, group_no, first_at, player_id);

-- The best of a division. The order is league.Compare's.
CREATE INDEX league_scores_best ON league_scores (season, division, points DESC, reached_at, player_id);

-- +goose Down
DROP TABLE league_scores;
DROP TABLE league_groups;
DROP TABLE league_seasons;
