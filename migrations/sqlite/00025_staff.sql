-- +goose Up

-- Who may use the operator's panel.
CREATE TABLE staff (
    id            TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT NOT NULL UNIQUE,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'economist', 'support', 'viewer')),
    disabled      BOOLEAN NOT NULL,
    created_at    INTEGER NOT NULL,
    signed_in_at  INTEGER NOT NULL, -- 0 if never
    password_hash TEXT NOT NULL,
    sealed_totp   BLOB NOT NULL,  -- the second factor's secret, under a key that the password gives
    last_step     INTEGER NOT NULL  -- of the last code that was taken
);

-- Links by which one comes in, or in again. Their tokens are kept nowhere.
CREATE TABLE staff_links (
    id         TEXT NOT NULL PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('invite', 'reset')),
    member_id  TEXT REFERENCES staff (id),
    email      TEXT NOT NULL,
    role       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL -- 0 while it is good
);

CREATE TABLE staff_recovery (
    member_id TEXT NOT NULL REFERENCES staff (id),
    hash      BLOB NOT NULL,
    used_at   INTEGER NOT NULL, -- 0 while it is good
    PRIMARY KEY (member_id, hash)
);

CREATE TABLE staff_sessions (
    id         TEXT NOT NULL PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,
    member_id  TEXT NOT NULL REFERENCES staff (id),
    address    TEXT NOT NULL,
    agent      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL -- 0 while it lives
);

CREATE INDEX staff_sessions_by_member ON staff_sessions (member_id, seen_at);

-- What staff have done. It only grows.
CREATE TABLE audit_log (
    id           TEXT NOT NULL PRIMARY KEY,
    at           INTEGER NOT NULL,
    actor_id     TEXT NOT NULL, -- of a member of staff; '' for a command
    actor_name   TEXT NOT NULL,
    actor_role   TEXT NOT NULL,
    address      TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    action       TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id   TEXT NOT NULL,
    reason       TEXT NOT NULL,
    outcome      TEXT NOT NULL CHECK (outcome IN ('done', 'asked', 'failed')),
    of_id        TEXT NOT NULL, -- the entry that asked
    code         TEXT NOT NULL,
    before       TEXT, -- JSON
    after        TEXT  -- JSON
);

CREATE INDEX audit_log_by_subject ON audit_log (subject_kind, subject_id, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);

-- +goose StatementBegin
CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_log_remains BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_log;
DROP TABLE staff_sessions;
DROP TABLE staff_recovery;
DROP TABLE staff_links;
DROP TABLE staff;
