-- +goose Up
-- A way into an account beside its devices: at most one of each provider. The
-- subject is the provider's own, for e-mail the address in its normal form; only
-- e-mail has a secret, the hash of the password.
CREATE TABLE identities (
    provider   TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    player_id  TEXT    NOT NULL REFERENCES players (id),
    secret     TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (provider, subject),
    UNIQUE (player_id, provider)
) WITHOUT ROWID;

-- What a link in a mail may still do, by the SHA-256 of the link's token. A link
-- that confirms an address carries the hash of the password that comes with it.
CREATE TABLE email_links (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL,
    player_id  TEXT    NOT NULL REFERENCES players (id),
    email      TEXT    NOT NULL,
    secret     TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX email_links_by_email ON email_links (email, created_at);
CREATE INDEX email_links_by_player ON email_links (player_id);
CREATE INDEX email_links_by_age ON email_links (expires_at);

-- +goose Down
DROP TABLE email_links;
DROP TABLE identities;
