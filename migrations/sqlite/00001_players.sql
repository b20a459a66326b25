-- Times are integer milliseconds since the Unix epoch, UTC, in every table.
-- Identifiers are UUIDs of version 7: their text order is the order of creation.

-- +goose Up
CREATE TABLE players (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    guest      BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- A device is how a guest comes back: the server made a secret, the device
-- keeps it, and only its SHA-256 is here.
CREATE TABLE devices (
    id          TEXT    NOT NULL PRIMARY KEY,
    player_id   TEXT    NOT NULL REFERENCES players (id),
    secret_hash BLOB    NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX devices_by_player ON devices (player_id);

-- The answer to a write that carried an Idempotency-Key, kept so that the
-- same request sent again gets the same answer.
CREATE TABLE idempotency (
    player_id    TEXT    NOT NULL REFERENCES players (id),
    key          TEXT    NOT NULL,
    route        TEXT    NOT NULL,
    request_hash BLOB    NOT NULL,
    status       INTEGER NOT NULL,
    body         BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (player_id, key)
) WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- +goose Down
DROP TABLE idempotency;
DROP TABLE devices;
DROP TABLE players;
