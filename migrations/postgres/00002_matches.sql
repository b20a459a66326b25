-- +goose Up

-- Written when a match is made and once more when it ends. What happens in
-- between is in match_log alone.
CREATE TABLE matches (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    rules        TEXT NOT NULL, -- JSON: a preset's name, or an object of what differs from it
    status       TEXT NOT NULL CHECK (status IN ('open', 'over')),
    server_seed  BYTEA NOT NULL, -- secret until the match is over
    turn_ms      BIGINT NOT NULL, -- a person's time for one action
    bot_pause_ms BIGINT NOT NULL, -- how long a bot waits before it acts
    created_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    result       TEXT -- JSON: score, winner and hands played
);

-- The matches that a starting process has to pick up.
CREATE INDEX matches_unfinished ON matches (id) WHERE status <> 'over';

CREATE TABLE match_seats (
    match_id  TEXT COLLATE "C" NOT NULL REFERENCES matches (id),
    seat      SMALLINT NOT NULL CHECK (seat BETWEEN 0 AND 3),
    player_id TEXT COLLATE "C" REFERENCES players (id), -- NULL for a bot
    bot_level TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (match_id, seat)
);

-- A player's history, newest first: the identifiers of matches grow with time.
CREATE INDEX match_seats_by_player ON match_seats (player_id, match_id DESC) WHERE player_id IS NOT NULL;

-- The log is the match. The primary key is the fence between two writers:
-- the second to append at a sequence number finds it taken.
CREATE TABLE match_log (
    match_id TEXT COLLATE "C" NOT NULL,
    seq      INTEGER NOT NULL,
    at       BIGINT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('seed', 'act')),
    seat     SMALLINT NOT NULL,
    text     TEXT NOT NULL, -- the seed, or the action as records write it
    by       TEXT NOT NULL CHECK (by IN ('player', 'bot', 'clock')),
    deadline BIGINT NOT NULL, -- of the turn that this entry opens; 0 if it opens none
    PRIMARY KEY (match_id, seq)
);

-- +goose Down
DROP TABLE match_log;
DROP TABLE match_seats;
DROP TABLE matches;
