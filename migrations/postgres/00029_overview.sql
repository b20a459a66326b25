-- +goose Up

-- What each process has counted in a minute that nobody else keeps. Pruned after days.
CREATE TABLE pulses (
    minute  BIGINT NOT NULL,
    process TEXT COLLATE "C" NOT NULL,
    what    TEXT COLLATE "C" NOT NULL,
    label   TEXT COLLATE "C" NOT NULL,
    n       BIGINT NOT NULL,
    PRIMARY KEY (minute, process, what, label)
);

-- What happened in each hour: sums of pulses and of other tables. An hour is summed up
-- some time after its end, and again for a day.
CREATE TABLE hour_counts (
    hour  BIGINT NOT NULL,
    what  TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    n     BIGINT NOT NULL,
    PRIMARY KEY (hour, what, label)
);

-- What transfers of a kind have moved into and out of accounts of a kind.
CREATE TABLE hour_coins (
    hour      BIGINT NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    account   TEXT COLLATE "C" NOT NULL,
    coins_in  BIGINT NOT NULL CHECK (coins_in >= 0),
    coins_out BIGINT NOT NULL CHECK (coins_out >= 0),
    PRIMARY KEY (hour, kind, account)
);

-- Up to when hours are summed up; one row at most.
CREATE TABLE summary_mark (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    up_to   BIGINT NOT NULL
);

-- How the last run of each background job is getting on, on whatever process.
CREATE TABLE job_states (
    job      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    began_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL, -- older than began_at while it runs
    done_at  BIGINT NOT NULL, -- when one last ended well; 0 for never
    failure  TEXT NOT NULL,
    failures INTEGER NOT NULL, -- in a row
    done     INTEGER NOT NULL, -- steps of total
    total    INTEGER NOT NULL,
    report   TEXT -- JSON
);

-- What is summed up is found by its time.
CREATE INDEX transfers_by_time ON transfers (at);
CREATE INDEX matches_by_begin ON matches (created_at);
CREATE INDEX matches_by_mode ON matches (mode, id DESC);
CREATE INDEX players_by_age ON players (created_at);
CREATE INDEX orders_by_payment ON orders (paid_at) WHERE paid_at > 0;
CREATE INDEX orders_reversed ON orders (id) WHERE reversals NOT IN ('{}', 'null');

-- +goose Down
DROP INDEX orders_reversed;
DROP INDEX orders_by_payment;
DROP INDEX players_by_age;
DROP INDEX matches_by_mode;
DROP INDEX matches_by_begin;
DROP INDEX transfers_by_time;
DROP TABLE job_states;
DROP TABLE summary_mark;
DROP TABLE hour_coins;
DROP TABLE hour_counts;
DROP TABLE pulses;
