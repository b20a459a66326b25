-- +goose Up

-- Who has asked to be forgotten. The row stays when that is done, as the proof of it.
CREATE TABLE deletions (
    player_id    TEXT    NOT NULL PRIMARY KEY REFERENCES players (id),
    requested_at INTEGER NOT NULL,
    due_at       INTEGER NOT NULL, -- until then the player may change its mind
    done_at      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX deletions_due ON deletions (due_at) WHERE done_at = 0;

-- The row stays under a pseudonym, for matches and ledger refer to it.
ALTER TABLE players ADD COLUMN deleted_at INTEGER NOT NULL DEFAULT 0;

-- How often somebody has tried to sign in with a password: for an identity, from an
-- address, and both. Identities and addresses are there as SHA-256 only; empty is all
-- of them.
CREATE TABLE sign_in_tries (
    identity TEXT    NOT NULL,
    address  TEXT    NOT NULL,
    count    INTEGER NOT NULL, -- of late, without those that were right
    last_at  INTEGER NOT NULL,
    known    BOOLEAN NOT NULL, -- the identity's owner has signed in from this address
    PRIMARY KEY (identity, address)
) WITHOUT ROWID;

CREATE INDEX sign_in_tries_by_age ON sign_in_tries (last_at);

-- +goose Down
DROP TABLE sign_in_tries;
ALTER TABLE players DROP COLUMN deleted_at;
DROP TABLE deletions;
