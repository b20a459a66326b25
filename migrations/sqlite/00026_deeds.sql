-- +goose Up

-- What worked for the seat's player when the match's end was worked out, and what they
-- had been given for matches with friends: with the match, all that its reward follows
-- from. NULL where nothing is settled, and for matches of before.
ALTER TABLE match_seats ADD COLUMN vip_until INTEGER;
ALTER TABLE match_seats ADD COLUMN booster_until INTEGER;
ALTER TABLE match_seats ADD COLUMN booster_matches INTEGER;
ALTER TABLE match_seats ADD COLUMN friends_day TEXT;
ALTER TABLE match_seats ADD COLUMN friends_coins INTEGER;

-- What players did to their standings beside finishing matches, and the standing that
-- each thing was done to. Rows only come.
CREATE TABLE standing_deeds (
    player_id       TEXT NOT NULL REFERENCES players (id),
    version         INTEGER NOT NULL, -- of the standing behind it
    at              INTEGER NOT NULL,
    kind            TEXT NOT NULL,
    economy         INTEGER NOT NULL, -- the version that it was done under; 0 where none matters
    coins           INTEGER NOT NULL, -- given, or below zero taken
    begun           BOOLEAN NOT NULL, -- whether a booster was to be begun when it was bought
    boosters        INTEGER NOT NULL,
    days            INTEGER NOT NULL,
    vip_until       INTEGER NOT NULL,
    booster_until   INTEGER NOT NULL,
    booster_matches INTEGER NOT NULL,
    boosters_held   INTEGER NOT NULL,
    daily_day       TEXT NOT NULL,
    daily_streak    INTEGER NOT NULL,
    PRIMARY KEY (player_id, version)
) WITHOUT ROWID;

CREATE INDEX standing_deeds_by_time ON standing_deeds (at, player_id, version);

-- What has ended, as it ended.
CREATE INDEX matches_by_end ON matches (ended_at, id) WHERE status = 'over';

-- +goose Down
DROP INDEX matches_by_end;
DROP TABLE standing_deeds;
ALTER TABLE match_seats DROP COLUMN friends_coins;
ALTER TABLE match_seats DROP COLUMN friends_day;
ALTER TABLE match_seats DROP COLUMN booster_matches;
ALTER TABLE match_seats DROP COLUMN booster_until;
ALTER TABLE match_seats DROP COLUMN vip_until;
