-- +goose Up

-- How well players play, as far as their online matches tell; whoever has no row has
-- not played one. Written in the transaction that ends a match.
CREATE TABLE ratings (
    player_id  TEXT    NOT NULL PRIMARY KEY REFERENCES players (id),
    mu         REAL    NOT NULL,
    sigma      REAL    NOT NULL CHECK (sigma > 0),
    matches    INTEGER NOT NULL, -- that it comes from
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- +goose Down
DROP TABLE ratings;
