-- +goose Up

-- Keys on devices of the staff, by which one comes in.
CREATE TABLE staff_passkeys (
    id              TEXT NOT NULL PRIMARY KEY,
    member_id       TEXT NOT NULL REFERENCES staff (id),
    name            TEXT NOT NULL,
    credential      BLOB NOT NULL UNIQUE, -- what the device calls it
    public_key      BLOB NOT NULL,        -- COSE
    sign_count      INTEGER NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    created_at      INTEGER NOT NULL,
    used_at         INTEGER NOT NULL -- 0 if never
);

CREATE INDEX staff_passkeys_by_member ON staff_passkeys (member_id, id);

-- What browsers are asked to sign, until they have answered.
CREATE TABLE staff_challenges (
    id         TEXT NOT NULL PRIMARY KEY,
    member_id  TEXT NOT NULL, -- of who makes a passkey; '' for coming in
    secret     BLOB NOT NULL,
    expires_at INTEGER NOT NULL
);

CREATE INDEX staff_challenges_by_end ON staff_challenges (expires_at);

-- +goose Down
DROP TABLE staff_challenges;
DROP TABLE staff_passkeys;
