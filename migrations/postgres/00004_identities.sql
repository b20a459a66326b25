-- +goose Up
-- A way into an account beside its devices: at most one of each provider. The
-- subject is the provider's own, for e-mail the address in its normal form; only
-- e-mail has a secret, the hash of the password.
CREATE TABLE identities (
    provider   TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    secret     TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    PRIMARY KEY (provider, subject),
    UNIQUE (player_id, provider)
);

-- What a link in a mail may still do, by the SHA-256 of the link's token. A link
-- that confirms an address carries the hash of the password that comes with it.
CREATE TABLE email_links (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    kind       TEXT NOT NULL,
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    email      TEXT COLLATE "C" NOT NULL,
    secret     TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX email_links_by_email ON email_links (email, created_at);
CREATE INDEX email_links_by_player ON email_links (player_id);
CREATE INDEX email_links_by_age ON email_links (expires_at);

-- +goose Down
DROP TABLE email_links;
DROP TABLE identities;
