-- +goose Up

-- Each running process says now and then that it lives. The gap between the
-- last word and the next start is an outage, and players get that time back.
CREATE TABLE heartbeats (
    process_id TEXT    NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL
) WITHOUT ROWID;

-- Processes that start together after one outage see the same last word, so
-- the primary key makes of their reports one row.
CREATE TABLE outages (
    from_ms INTEGER NOT NULL PRIMARY KEY,
    to_ms   INTEGER NOT NULL CHECK (to_ms > from_ms)
);

-- +goose Down
DROP TABLE outages;
DROP TABLE heartbeats;
