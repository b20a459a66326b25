-- +goose Up

-- Each running process says now and then that it lives. The gap between the
-- last word and the next start is an outage, and players get that time back.
CREATE TABLE heartbeats (
    process_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL
);

-- Processes that start together after one outage see the same last word, so
-- the primary key makes of their reports one row.
CREATE TABLE outages (
    from_ms BIGINT NOT NULL PRIMARY KEY,
    to_ms   BIGINT NOT NULL CHECK (to_ms > from_ms)
);

-- +goose Down
DROP TABLE outages;
DROP TABLE heartbeats;
