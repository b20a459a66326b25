-- +goose Up

-- Simulations of drafts of the economy. A run's process says again and again that it
-- goes on; one that has fallen silent is lost.
CREATE TABLE simulations (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    document     TEXT NOT NULL, -- JSON
    fingerprint  TEXT COLLATE "C" NOT NULL, -- of the document, however it is written
    source       TEXT NOT NULL, -- where it came from; '' for nowhere
    live         INTEGER NOT NULL, -- the version that was live
    from_at      BIGINT NOT NULL,
    to_at        BIGINT NOT NULL,
    author       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled', 'lost')),
    done         BIGINT NOT NULL, -- matches gone through
    total        BIGINT NOT NULL, -- of so many; -1 until they are counted
    cancel_asked BOOLEAN NOT NULL,
    started_at   BIGINT NOT NULL,
    beat_at      BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- 0 until it is over
    result       TEXT, -- JSON, of one that is done
    CHECK ((state = 'done') = (result IS NOT NULL))
);

-- One at a time.
CREATE UNIQUE INDEX simulations_running ON simulations (state) WHERE state = 'running';

CREATE INDEX simulations_by_document ON simulations (fingerprint, live, id DESC) WHERE state = 'done';

-- +goose Down
DROP TABLE simulations;
