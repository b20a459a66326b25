-- +goose Up

-- Rooms with friends. A row goes when the room does, and its code with it.
CREATE TABLE rooms (
    id           TEXT NOT NULL PRIMARY KEY,
    code         TEXT NOT NULL UNIQUE,
    owner_id     TEXT NOT NULL REFERENCES players (id),
    rules        TEXT NOT NULL, -- JSON: a preset's name, or an object of what differs from it
    turn_ms      INTEGER NOT NULL,
    bot_pause_ms INTEGER NOT NULL,
    kicked       TEXT NOT NULL, -- JSON: the identifiers of those whom the code does not bring back
    match_id     TEXT UNIQUE REFERENCES matches (id), -- the match that is being played
    created_at   INTEGER NOT NULL,
    touched_at   INTEGER NOT NULL, -- when last somebody did something
    version      INTEGER NOT NULL
) WITHOUT ROWID;

-- The rooms in which nothing happens.
CREATE INDEX rooms_idle ON rooms (touched_at) WHERE match_id IS NULL;

-- Seats that are somebody's; the others are open. Nobody sits twice, in whatever
-- room.
CREATE TABLE room_seats (
    room_id   TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    seat      INTEGER NOT NULL CHECK (seat BETWEEN 0 AND 3),
    player_id TEXT UNIQUE REFERENCES players (id), -- NULL for a bot
    bot_level TEXT NOT NULL,
    since     INTEGER NOT NULL, -- when the player came into the room; 0 for a bot
    ready     BOOLEAN NOT NULL,
    PRIMARY KEY (room_id, seat)
) WITHOUT ROWID;

-- Where a notice asks one to come; the room may be gone.
ALTER TABLE notices ADD COLUMN room_id TEXT;
ALTER TABLE notices ADD COLUMN room_code TEXT;

-- +goose Down
DELETE FROM notices WHERE kind = 'room_invite';
ALTER TABLE notices DROP COLUMN room_code;
ALTER TABLE notices DROP COLUMN room_id;
DROP TABLE room_seats;
DROP TABLE rooms;
