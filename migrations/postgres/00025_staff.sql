-- +goose Up

-- Who may use the operator's panel.
CREATE TABLE staff (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT COLLATE "C" NOT NULL UNIQUE,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'economist', 'support', 'viewer')),
    disabled      BOOLEAN NOT NULL,
    created_at    BIGINT NOT NULL,
    signed_in_at  BIGINT NOT NULL, -- 0 if never
    password_hash TEXT NOT NULL,
    sealed_totp   BYTEA NOT NULL,  -- the second factor's secret, under a key that the password gives
    last_step     BIGINT NOT NULL  -- of the last code that was taken
);

-- Links by which one comes in, or in again. Their tokens are kept nowhere.
CREATE TABLE staff_links (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash       BYTEA NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('invite', 'reset')),
    member_id  TEXT COLLATE "C" REFERENCES staff (id),
    email      TEXT NOT NULL,
    role       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL -- 0 while it is good
);

CREATE TABLE staff_recovery (
    member_id TEXT COLLATE "C" NOT NULL REFERENCES staff (id),
    hash      BYTEA NOT NULL,
    used_at   BIGINT NOT NULL, -- 0 while it is good
    PRIMARY KEY (member_id, hash)
);

CREATE TABLE staff_sessions (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash       BYTEA NOT NULL UNIQUE,
    member_id  TEXT COLLATE "C" NOT NULL REFERENCES staff (id),
    address    TEXT NOT NULL,
    agent      TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL -- 0 while it lives
);

CREATE INDEX staff_sessions_by_member ON staff_sessions (member_id, seen_at);

-- What staff have done. It only grows.
CREATE TABLE audit_log (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at           BIGINT NOT NULL,
    actor_id     TEXT COLLATE "C" NOT NULL, -- of a member of staff; '' for a command
    actor_name   TEXT NOT NULL,
    actor_role   TEXT NOT NULL,
    address      TEXT NOT NULL,
    request_id   TEXT NOT NULL,
    action       TEXT COLLATE "C" NOT NULL,
    subject_kind TEXT COLLATE "C" NOT NULL,
    subject_id   TEXT COLLATE "C" NOT NULL,
    reason       TEXT NOT NULL,
    outcome      TEXT NOT NULL CHECK (outcome IN ('done', 'asked', 'failed')),
    of_id        TEXT COLLATE "C" NOT NULL, -- the entry that asked
    code         TEXT NOT NULL,
    before       TEXT, -- JSON
    after        TEXT  -- JSON
);

CREATE INDEX audit_log_by_subject ON audit_log (subject_kind, subject_id, id);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_by_action ON audit_log (action, id);

-- +goose StatementBegin
CREATE FUNCTION audit_only_grows() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'the audit only grows';
END;
$$ LANGUAGE plpgsql;
-- +goose StatementEnd

CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows();

-- +goose Down
DROP TABLE audit_log;
DROP FUNCTION audit_only_grows();
DROP TABLE staff_sessions;
DROP TABLE staff_recovery;
DROP TABLE staff_links;
DROP TABLE staff;
