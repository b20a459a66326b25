-- +goose Up

-- What players are told. Numbered by player from 1, without gaps.
CREATE TABLE notices (
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    seq        INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    from_id    TEXT COLLATE "C" REFERENCES players (id), -- whom it is about; what that is called, players says
    text       TEXT, -- JSON: the words by language
    created_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, seq)
);

CREATE INDEX notices_by_from ON notices (from_id) WHERE from_id IS NOT NULL;

-- How many notices a player has had, and how far they are read. Whoever adds one
-- holds this row, so that numbers become visible in their order.
CREATE TABLE inboxes (
    player_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES players (id),
    last_seq  INTEGER NOT NULL,
    read_seq  INTEGER NOT NULL CHECK (read_seq <= last_seq)
);

-- Devices that want to be pushed to. A token is one device's app; whoever signed
-- in there last has it, until that session ends.
CREATE TABLE push_tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id),
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    token      TEXT COLLATE "C" NOT NULL UNIQUE,
    platform   TEXT NOT NULL CHECK (platform IN ('android', 'ios', 'web')),
    created_at BIGINT NOT NULL
);

CREATE INDEX push_tokens_by_player ON push_tokens (player_id, created_at);
CREATE INDEX push_tokens_by_session ON push_tokens (session_id);

-- +goose Down
DROP TABLE push_tokens;
DROP TABLE inboxes;
DROP TABLE notices;
