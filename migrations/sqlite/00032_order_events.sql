-- +goose Up

-- What a provider has told of an order.
CREATE INDEX provider_events_of_order ON provider_events (order_id, received_at) WHERE order_id <> '';

-- +goose Down
DROP INDEX provider_events_of_order;
