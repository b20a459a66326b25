-- +goose Up

-- A match may be given up: its last entry says so, and its result why.
ALTER TABLE match_log DROP CONSTRAINT match_log_kind_check,
    ADD CONSTRAINT match_log_kind_check CHECK (kind IN ('seed', 'act', 'void'));

-- +goose Down
DELETE FROM match_log WHERE kind = 'void';
ALTER TABLE match_log DROP CONSTRAINT match_log_kind_check,
    ADD CONSTRAINT match_log_kind_check CHECK (kind IN ('seed', 'act'));
