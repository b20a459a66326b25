package rest

import (
	"context"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"

	"github.com/cuatrola/cuatrola/server/halt"
	"github.com/cuatrola/cuatrola/server/words"
)

// GetStatus implements StrictServerInterface.
func (s *Server) GetStatus(context.Context, GetStatusRequestObject) (GetStatusResponseObject, error) {
	out := Status{Stopped: []StoppedPart{}}
	for _, one := range s.halts.State().Stopped() {
		out.Stopped = append(out.Stopped, stoppedJSON(one))
	}
	return GetStatus200JSONResponse(out), nil
}

func stoppedJSON(one halt.Switch) StoppedPart {
	return StoppedPart{Part: StoppedPartPart(one.Part), Text: wordsJSON(one.Text), Until: timeOrNull(one.Until)}
}

func wordsJSON(w words.Words) Words { return Words{Es: w.ES, Ca: w.CA, En: w.EN} }

var (
	spoken   = []string{"es", "ca", "en"}
	speakers = language.NewMatcher([]language.Tag{language.Spanish, language.Catalan, language.English})
)

// languageOf is the language of whoever sent the request: the player's own, or what the
// client would like. It may ask the database, so it is for those who are refused.
func (s *Server) languageOf(c *fiber.Ctx) string {
	if id, ok := c.Locals(playerKey).(string); ok {
		if p, err := s.accounts.Player(c.UserContext(), id); err == nil {
			return p.Language
		}
	}
	_, i := language.MatchStrings(speakers, c.Get(fiber.HeaderAcceptLanguage))
	return spoken[i]
}
