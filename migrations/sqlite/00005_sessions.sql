-- +goose Up
-- A session is one sign-in. It lives on by its refresh token, of which only the
-- SHA-256 is here; ended_at is 0 while it lives.
CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    player_id  TEXT    NOT NULL REFERENCES players (id),
    via        TEXT    NOT NULL,
    device     TEXT    NOT NULL DEFAULT '',
    token_hash BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX sessions_by_player ON sessions (player_id, used_at);
CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at > 0;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Refresh tokens that were exchanged for their successor. The successor follows
-- from the token and the salt, so that neither the table nor an old token alone
-- gives it away.
CREATE TABLE spent_tokens (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    session_id TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    salt       BLOB    NOT NULL,
    next_hash  BLOB    NOT NULL,
    spent_at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX spent_tokens_by_session ON spent_tokens (session_id);
CREATE INDEX spent_tokens_by_age ON spent_tokens (spent_at);

-- +goose Down
DROP TABLE spent_tokens;
DROP TABLE sessions;
