package rest

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"github.com/cuatrola/cuatrola/server/review"
	"github.com/cuatrola/cuatrola/shared/bot/coach"
)

// ReviewHand implements StrictServerInterface.
func (s *Server) ReviewHand(ctx context.Context, r ReviewHandRequestObject) (ReviewHandResponseObject, error) {
	me, err := player(ctx)
	if err != nil {
		return nil, err
	}
	out := handReview{language: "es"}
	if r.Params.Hand != nil {
		out.index = *r.Params.Hand
	}
	if r.Params.Language != nil {
		out.language = string(*r.Params.Language)
	}
	out.review, out.hands, err = s.reviews.Review(ctx, r.MatchID, me, out.index)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// handReview is written as the command and the npm package write it.
type handReview struct {
	review       *coach.Hand
	index, hands int
	language     string
}

func (r handReview) VisitReviewHandResponse(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	body := append([]byte(`{"hands":`), strconv.Itoa(r.hands)...)
	body = append(body, `,"review":`...)
	body = review.Append(body, r.index, r.review, r.language)
	return c.Send(append(body, '}'))
}
