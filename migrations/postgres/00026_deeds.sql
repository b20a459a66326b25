-- +goose Up

-- What worked for the seat's player when the match's end was worked out, and what they
-- had been given for matches with friends: with the match, all that its reward follows
-- from. NULL where nothing is settled, and for matches of before.
ALTER TABLE match_seats
    ADD COLUMN vip_until BIGINT,
    ADD COLUMN booster_until BIGINT,
    ADD COLUMN booster_matches INTEGER,
    ADD COLUMN friends_day TEXT,
    ADD COLUMN friends_coins BIGINT;

-- What players did to their standings beside finishing matches, and the standing that
-- each thing was done to. Rows only come.
CREATE TABLE standing_deeds (
    player_id       TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    version         INTEGER NOT NULL, -- of the standing behind it
    at              BIGINT NOT NULL,
    kind            TEXT NOT NULL,
    economy         INTEGER NOT NULL, -- the version that it was done under; 0 where none matters
    coins           BIGINT NOT NULL, -- given, or below zero taken
    begun           BOOLEAN NOT NULL, -- whether a booster was to be begun when it was bought
    boosters        INTEGER NOT NULL,
    days            INTEGER NOT NULL,
    vip_until       BIGINT NOT NULL,
    booster_until   BIGINT NOT NULL,
    booster_matches INTEGER NOT NULL,
    boosters_held   INTEGER NOT NULL,
    daily_day       TEXT NOT NULL,
    daily_streak    INTEGER NOT NULL,
    PRIMARY KEY (player_id, version)
);

CREATE INDEX standing_deeds_by_time ON standing_deeds (at, player_id, version);

-- What has ended, as it ended.
CREATE INDEX matches_by_end ON matches (ended_at, id) WHERE status = 'over';

-- +goose Down
DROP INDEX matches_by_end;
DROP TABLE standing_deeds;
ALTER TABLE match_seats
    DROP COLUMN friends_coins,
    DROP COLUMN friends_day,
    DROP COLUMN booster_matches,
    DROP COLUMN booster_until,
    DROP COLUMN vip_until;
