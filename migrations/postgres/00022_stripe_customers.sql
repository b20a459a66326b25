-- +goose Up

-- What Stripe calls the players, for money and in its test mode.
CREATE TABLE stripe_customers (
    id        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    player_id TEXT COLLATE "C" REFERENCES players (id), -- NULL: the player was deleted, and Stripe is to forget the customer
    live      BOOLEAN NOT NULL,
    UNIQUE (player_id, live)
);

CREATE INDEX stripe_customers_ownerless ON stripe_customers (id) WHERE player_id IS NULL;

-- +goose Down
DROP TABLE stripe_customers;
