-- +goose Up

-- Who published a version, who agreed, and which one's document it is again.
ALTER TABLE economy_versions ADD COLUMN author_id TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_versions ADD COLUMN approver TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_versions ADD COLUMN approver_id TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_versions ADD COLUMN restores INTEGER NOT NULL DEFAULT 0;

ALTER TABLE economy_drafts ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_drafts ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_drafts ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_drafts ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE economy_drafts ADD COLUMN editor TEXT NOT NULL DEFAULT '';
ALTER TABLE economy_drafts ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
UPDATE economy_drafts SET name = 'Draft of ' || author, editor = author, created_at = updated_at;

-- What somebody wants to publish and another has to agree to. What it proposes never
-- changes; a decision is written once.
CREATE TABLE economy_proposals (
    id             TEXT NOT NULL PRIMARY KEY,
    document       TEXT NOT NULL, -- JSON
    base           INTEGER NOT NULL,
    live_from      INTEGER NOT NULL, -- 0 for as soon as it is approved
    author         TEXT NOT NULL,
    author_id      TEXT NOT NULL,
    reason         TEXT NOT NULL,
    restores       INTEGER NOT NULL DEFAULT 0,
    draft_id       TEXT NOT NULL DEFAULT '',
    draft_revision INTEGER NOT NULL DEFAULT 0,
    need           TEXT NOT NULL,
    forecast       TEXT, -- JSON
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    verdict        TEXT NOT NULL DEFAULT '',
    decided_at     INTEGER,
    decider        TEXT NOT NULL DEFAULT '',
    decider_id     TEXT NOT NULL DEFAULT '',
    why            TEXT NOT NULL DEFAULT '',
    version        INTEGER NOT NULL DEFAULT 0, -- that an approval has published
    CHECK (verdict IN ('', 'approved', 'refused', 'taken_back')),
    CHECK ((verdict = '') = (decided_at IS NULL)),
    CHECK (verdict = '' OR (verdict = 'taken_back') = (decider_id = author_id)),
    CHECK ((verdict = 'approved') = (version > 0))
) WITHOUT ROWID;

-- +goose Down
DROP TABLE economy_proposals;
ALTER TABLE economy_drafts DROP COLUMN created_at;
ALTER TABLE economy_drafts DROP COLUMN editor;
ALTER TABLE economy_drafts DROP COLUMN revision;
ALTER TABLE economy_drafts DROP COLUMN origin;
ALTER TABLE economy_drafts DROP COLUMN description;
ALTER TABLE economy_drafts DROP COLUMN name;
ALTER TABLE economy_versions DROP COLUMN restores;
ALTER TABLE economy_versions DROP COLUMN approver_id;
ALTER TABLE economy_versions DROP COLUMN approver;
ALTER TABLE economy_versions DROP COLUMN author_id;
