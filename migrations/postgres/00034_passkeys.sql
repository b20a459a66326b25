-- +goose Up

-- Keys on devices of the staff, by which one comes in.
CREATE TABLE staff_passkeys (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    member_id       TEXT COLLATE "C" NOT NULL REFERENCES staff (id),
    name            TEXT NOT NULL,
    credential      BYTEA NOT NULL UNIQUE, -- what the device calls it
    public_key      BYTEA NOT NULL,        -- COSE
    sign_count      BIGINT NOT NULL,
    backup_eligible BOOLEAN NOT NULL,
    backed_up       BOOLEAN NOT NULL,
    created_at      BIGINT NOT NULL,
    used_at         BIGINT NOT NULL -- 0 if never
);

CREATE INDEX staff_passkeys_by_member ON staff_passkeys (member_id, id);

-- What browsers are asked to sign, until they have answered.
CREATE TABLE staff_challenges (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    member_id  TEXT COLLATE "C" NOT NULL, -- of who makes a passkey; '' for coming in
    secret     BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX staff_challenges_by_end ON staff_challenges (expires_at);

-- +goose Down
DROP TABLE staff_challenges;
DROP TABLE staff_passkeys;
