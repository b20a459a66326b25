package shop

import "github.com/cuatrola/cuatrola/server/fault"

// Codes of what a provider sends of its own accord, and is not taken.
const (
	// CodeWebhookSignature: it was not signed by the provider for us, or is not what was
	// signed.
	CodeWebhookSignature fault.Code = "webhook_signature"
	// CodeWebhookStale: it was signed, but not now; so it is an old one again, or a clock
	// is wrong.
	CodeWebhookStale fault.Code = "webhook_stale"
	// CodeWebhookVersion: it is in another version of the provider's interface.
	CodeWebhookVersion fault.Code = "webhook_version"
	// CodeWebhookMode: a test event where it is about money, or the other way round, or
	// one of another account or app.
	CodeWebhookMode fault.Code = "webhook_mode"
)
