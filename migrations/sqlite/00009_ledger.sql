-- +goose Up

-- The ledger of coins. transfers and entries only grow: the database itself
-- refuses to change or delete a row.
CREATE TABLE transfers (
    id       TEXT    NOT NULL PRIMARY KEY,
    idem_key TEXT    NOT NULL UNIQUE,
    hash     BLOB    NOT NULL, -- SHA-256 of what a repetition must have in common
    kind     TEXT    NOT NULL,
    resolves TEXT    UNIQUE,   -- what it brings to its end, which only one transfer can
    data     TEXT,             -- JSON for the receipt
    at       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE entries (
    transfer_id TEXT    NOT NULL REFERENCES transfers (id),
    account_id  TEXT    NOT NULL,
    amount      INTEGER NOT NULL CHECK (amount <> 0),
    balance     INTEGER NOT NULL, -- of the account behind the transfer; 0 for accounts of the house
    PRIMARY KEY (transfer_id, account_id)
) WITHOUT ROWID;

CREATE INDEX entries_by_account ON entries (account_id, transfer_id DESC);

-- Balances of all accounts but the house's, so that spending needs no sum. The
-- balance counts in the account's own direction: a debt's is what is owed.
CREATE TABLE accounts (
    id      TEXT    NOT NULL PRIMARY KEY,
    balance INTEGER NOT NULL CHECK (balance >= 0)
) WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER transfers_stay BEFORE UPDATE ON transfers BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER transfers_remain BEFORE DELETE ON transfers BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE accounts;
DROP TABLE entries;
DROP TABLE transfers;
