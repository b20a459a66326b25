-- +goose Up

-- What a player has beside coins.
CREATE TABLE standings (
    player_id       TEXT NOT NULL PRIMARY KEY REFERENCES players (id),
    welcomed        BOOLEAN NOT NULL, -- whether the welcome grant was given
    experience      INTEGER NOT NULL CHECK (experience >= 0),
    daily_day       TEXT NOT NULL, -- the last daily reward's, as YYYY-MM-DD; '' for none
    daily_streak    INTEGER NOT NULL,
    vip_until       INTEGER NOT NULL, -- 0 for never
    booster_until   INTEGER NOT NULL, -- 0 for never
    booster_matches INTEGER NOT NULL CHECK (booster_matches >= 0),
    boosters_held   INTEGER NOT NULL CHECK (boosters_held >= 0),
    friends_day     TEXT NOT NULL, -- when coins were last given for matches with friends
    friends_coins   INTEGER NOT NULL, -- and how many on that day
    version         INTEGER NOT NULL -- counts the changes: each names the one that it was made on
) WITHOUT ROWID;

-- +goose Down
DROP TABLE standings;
