-- +goose Up

-- What each player is taken up with. One row each, which stays, so that it is one
-- thing at a time and seq never begins again.
CREATE TABLE engagements (
    player_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES players (id),
    kind      TEXT NOT NULL CHECK (kind IN ('none', 'room', 'ticket', 'table', 'match')),
    place_id  TEXT COLLATE "C" NOT NULL CHECK ((place_id = '') = (kind = 'none')),
    seq       INTEGER NOT NULL, -- counts the changes, also those of the place
    reason    TEXT NOT NULL,
    since     BIGINT NOT NULL
);

CREATE INDEX engagements_by_place ON engagements (place_id) WHERE kind <> 'none';

-- +goose Down
DROP TABLE engagements;
