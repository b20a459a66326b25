-- +goose Up

-- The ledger of coins. transfers and entries only grow: the database itself
-- refuses to change or delete a row.
CREATE TABLE transfers (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    idem_key TEXT COLLATE "C" NOT NULL UNIQUE,
    hash     BYTEA NOT NULL, -- SHA-256 of what a repetition must have in common
    kind     TEXT NOT NULL,
    resolves TEXT COLLATE "C" UNIQUE, -- what it brings to its end, which only one transfer can
    data     TEXT, -- JSON for the receipt
    at       BIGINT NOT NULL
);

CREATE TABLE entries (
    transfer_id TEXT COLLATE "C" NOT NULL REFERENCES transfers (id),
    account_id  TEXT COLLATE "C" NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount <> 0),
    balance     BIGINT NOT NULL, -- of the account behind the transfer; 0 for accounts of the house
    PRIMARY KEY (transfer_id, account_id)
);

CREATE INDEX entries_by_account ON entries (account_id, transfer_id DESC);

-- Balances of all accounts but the house's, so that spending needs no sum. The
-- balance counts in the account's own direction: a debt's is what is owed.
CREATE TABLE accounts (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    balance BIGINT NOT NULL CHECK (balance >= 0)
);

-- +goose StatementBegin
CREATE FUNCTION ledger_only_grows() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'the ledger only grows';
END;
$$ LANGUAGE plpgsql;
-- +goose StatementEnd

CREATE TRIGGER transfers_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON transfers
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows();
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_only_grows();

-- +goose Down
DROP TABLE accounts;
DROP TABLE entries;
DROP TABLE transfers;
DROP FUNCTION ledger_only_grows();
