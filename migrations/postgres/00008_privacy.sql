-- +goose Up

-- Who has asked to be forgotten. The row stays when that is done, as the proof of it.
CREATE TABLE deletions (
    player_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES players (id),
    requested_at BIGINT NOT NULL,
    due_at       BIGINT NOT NULL, -- until then the player may change its mind
    done_at      BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX deletions_due ON deletions (due_at) WHERE done_at = 0;

-- The row stays under a pseudonym, for matches and ledger refer to it.
ALTER TABLE players ADD COLUMN deleted_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE players DROP COLUMN deleted_at;
DROP TABLE deletions;
