// Package migrations embeds the SQL that builds the database, one folder for
// each database the server runs on. Both folders hold the same files by name;
// only types and storage options differ.
package migrations

import "embed"

// Files holds the folders sqlite and postgres.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS
