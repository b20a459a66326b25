-- +goose Up

-- What players buy for money.
CREATE TABLE orders (
    id             TEXT NOT NULL PRIMARY KEY,
    player_id      TEXT NOT NULL REFERENCES players (id),
    idem_key       TEXT, -- the request's that made it; NULL for one that was made of a payment
    sku            TEXT NOT NULL,
    economy        INTEGER NOT NULL, -- the version whose catalogue had it
    goods          TEXT NOT NULL, -- JSON: what it gives
    amount         INTEGER NOT NULL CHECK (amount >= 0), -- in the currency's smallest unit
    currency       TEXT NOT NULL,
    provider       TEXT NOT NULL,
    sheet          BOOLEAN NOT NULL,
    renews         TEXT NOT NULL,
    live           BOOLEAN NOT NULL, -- false for a provider's test mode
    status         TEXT NOT NULL,
    -- What the provider calls what it was asked for, the payment, and the series that
    -- the payment belongs to; NULL while unknown.
    reference      TEXT,
    transaction_id TEXT,
    subscription   TEXT,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    paid_at        INTEGER NOT NULL, -- 0 until then
    reversals      TEXT NOT NULL, -- JSON: what was taken back, by what the provider calls it
    -- What the player has been given of it, less what was taken back.
    given_coins    INTEGER NOT NULL,
    given_boosters INTEGER NOT NULL,
    given_days     INTEGER NOT NULL,
    delivered_at   INTEGER NOT NULL, -- when the provider was told; 0 until then
    version        INTEGER NOT NULL, -- counts the changes
    UNIQUE (player_id, idem_key),
    UNIQUE (provider, reference),
    UNIQUE (provider, transaction_id) -- a payment is one order's, whoever presents it
);

CREATE INDEX orders_by_player ON orders (player_id, id DESC);
CREATE INDEX orders_by_subscription ON orders (provider, subscription, id) WHERE subscription IS NOT NULL;
CREATE INDEX orders_open ON orders (expires_at) WHERE status IN ('created', 'pending');
CREATE INDEX orders_undelivered ON orders (provider, id) WHERE delivered_at = 0 AND status IN ('granted', 'partly_reversed');

-- What has happened to each, and who did it.
CREATE TABLE order_history (
    order_id TEXT NOT NULL REFERENCES orders (id),
    seq      INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    what     TEXT NOT NULL,
    status   TEXT NOT NULL, -- behind it
    actor    TEXT NOT NULL,
    detail   TEXT NOT NULL, -- JSON
    PRIMARY KEY (order_id, seq)
) WITHOUT ROWID;

-- What providers have told, each event once.
CREATE TABLE provider_events (
    provider       TEXT NOT NULL,
    id             TEXT NOT NULL,
    kind           TEXT NOT NULL,
    order_id       TEXT NOT NULL, -- what the event is about, as told or as found
    reference      TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    at             INTEGER NOT NULL,
    received_at    INTEGER NOT NULL,
    outcome        TEXT NOT NULL CHECK (outcome IN ('applied', 'ignored', 'refused')),
    code           TEXT NOT NULL, -- why it was refused, or waits
    data           TEXT NOT NULL, -- JSON: the event as it was understood
    PRIMARY KEY (provider, id)
);

CREATE INDEX provider_events_by_outcome ON provider_events (outcome, received_at DESC);
CREATE INDEX provider_events_waiting ON provider_events (provider, received_at, id) WHERE outcome = 'ignored' AND code = 'unknown_order';

-- How far each provider's events have been read.
CREATE TABLE provider_marks (
    provider   TEXT NOT NULL PRIMARY KEY,
    read_until INTEGER NOT NULL
);

-- +goose Down
DROP TABLE provider_marks;
DROP TABLE provider_events;
DROP TABLE order_history;
DROP TABLE orders;
