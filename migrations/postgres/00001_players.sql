-- Times are integer milliseconds since the Unix epoch, UTC, in every table.
-- Identifiers are UUIDs of version 7: their text order is the order of creation.

-- +goose Up
CREATE TABLE players (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    guest      BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

-- A device is how a guest comes back: the server made a secret, the device
-- keeps it, and only its SHA-256 is here.
CREATE TABLE devices (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    player_id   TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    secret_hash BYTEA NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL
);

CREATE INDEX devices_by_player ON devices (player_id);

-- The answer to a write that carried an Idempotency-Key, kept so that the
-- same request sent again gets the same answer.
CREATE TABLE idempotency (
    player_id    TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    key          TEXT COLLATE "C" NOT NULL,
    route        TEXT NOT NULL,
    request_hash BYTEA NOT NULL,
    status       INTEGER NOT NULL,
    body         BYTEA NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (player_id, key)
);

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- +goose Down
DROP TABLE idempotency;
DROP TABLE devices;
DROP TABLE players;
