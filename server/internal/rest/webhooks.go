package rest

import (
	"bytes"
	"context"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/cuatrola/cuatrola/server/fault"
)

const (
	webhookPath = "/v1/webhooks/"
	// maxWebhook is what a webhook's body may have; a long invoice has more than other
	// bodies may.
	maxWebhook = 1 << 20
)

// Webhook takes in what a provider sends of its own accord: the body as it came, byte
// by byte, of which it has to see for itself that it is the provider's. It returns what
// became of it, in one word. After an error the provider sends it again.
type Webhook func(ctx context.Context, body []byte, header func(name string) string) (outcome string, err error)

// extensionRaw marks the operations of the contract whose bodies are not looked at
// before their handlers.
const extensionRaw = "x-raw"

// webhooks serves those that there are; name is the last part of the path.
func (s *Server) webhooks(doc contract, all map[string]Webhook) {
	for path, item := range doc.Paths.Map() {
		name, is := strings.CutPrefix(path, webhookPath)
		if !is || item.Post == nil {
			continue
		}
		s.app.Post(path, s.webhook(name, all[name]))
	}
	// Other bodies are not to be that large.
	s.app.Server().HeaderReceived = func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
		if bytes.HasPrefix(h.RequestURI(), []byte(webhookPath)) {
			return fasthttp.RequestConfig{MaxRequestBodySize: maxWebhook}
		}
		return fasthttp.RequestConfig{}
	}
}

func (s *Server) webhook(name string, take Webhook) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if take == nil {
			return &fault.Error{Code: fault.ProviderDisabled, Message: "This server does not sell through " + name + "."}
		}
		// The signature is for the bytes, and the buffer is the next request's.
		outcome, err := take(c.UserContext(), bytes.Clone(c.BodyRaw()), func(header string) string { return c.Get(header) })
		if err != nil {
			s.log.LogAttrs(c.UserContext(), slog.LevelWarn, "a webhook was not taken",
				slog.String("request", requestID(c)), slog.String("provider", name), slog.String("code", string(fault.CodeOf(err))))
			return err
		}
		return c.JSON(fiber.Map{"outcome": outcome})
	}
}
