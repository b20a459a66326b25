-- +goose Up

-- What the house says to many players.
CREATE TABLE broadcasts (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    idem_key   TEXT COLLATE "C" NOT NULL UNIQUE, -- the same request is one broadcast
    title      TEXT NOT NULL, -- JSON: the words by language
    text       TEXT NOT NULL, -- likewise
    link       TEXT NOT NULL, -- where in the app it leads; '' for nowhere
    audience   TEXT NOT NULL, -- JSON: whom it is for
    state      TEXT NOT NULL CHECK (state IN ('sending', 'done', 'cancelled')),
    author     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    planned    INTEGER NOT NULL, -- how many it was for when it was sent
    sent       INTEGER NOT NULL, -- how many have it
    reached    TEXT COLLATE "C" NOT NULL, -- the last player who has it, in the order of identifiers
    created_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL -- 0 while it is being sent
);

CREATE INDEX broadcasts_sending ON broadcasts (id) WHERE state = 'sending';

-- Whose words are a notice's. Each player has one notice of a broadcast at most.
ALTER TABLE notices ADD COLUMN broadcast_id TEXT COLLATE "C" REFERENCES broadcasts (id);
CREATE UNIQUE INDEX notices_of_broadcast ON notices (broadcast_id, player_id) WHERE broadcast_id IS NOT NULL;

-- +goose Down
DROP INDEX notices_of_broadcast;
DELETE FROM notices WHERE kind = 'broadcast';
ALTER TABLE notices DROP COLUMN broadcast_id;
DROP TABLE broadcasts;
