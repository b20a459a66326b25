-- +goose Up

-- Whether the account's player owes coins. What comes in pays the debt first; a posting
-- changes this row anyway, and so finds it out for nothing.
ALTER TABLE accounts ADD COLUMN owes BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE accounts SET owes = TRUE
WHERE id LIKE 'player:%' AND EXISTS (SELECT 1 FROM accounts d WHERE d.id = 'debt:' || SUBSTR(accounts.id, 8) AND d.balance > 0);

-- +goose Down
ALTER TABLE accounts DROP COLUMN owes;
