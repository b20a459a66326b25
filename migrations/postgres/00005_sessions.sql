-- +goose Up
-- A session is one sign-in. It lives on by its refresh token, of which only the
-- SHA-256 is here; ended_at is 0 while it lives.
CREATE TABLE sessions (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    via        TEXT NOT NULL,
    device     TEXT NOT NULL DEFAULT '',
    token_hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX sessions_by_player ON sessions (player_id, used_at);
CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at > 0;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Refresh tokens that were exchanged for their successor. The successor follows
-- from the token and the salt, so that neither the table nor an old token alone
-- gives it away.
CREATE TABLE spent_tokens (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    salt       BYTEA NOT NULL,
    next_hash  BYTEA NOT NULL,
    spent_at   BIGINT NOT NULL
);

CREATE INDEX spent_tokens_by_session ON spent_tokens (session_id);
CREATE INDEX spent_tokens_by_age ON spent_tokens (spent_at);

-- +goose Down
DROP TABLE spent_tokens;
DROP TABLE sessions;
