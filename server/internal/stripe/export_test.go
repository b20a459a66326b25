package stripe

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/stripe/stripe-go/v76"

	"github.com/cuatrola/cuatrola/server/shop"
)

// Hide is what becomes of a text on its way into an error.
func (t *Till) Hide(text string) string { return t.hide(text) }

// Look looks for what an order may have made.
func (t *Till) Look(ctx context.Context, o *shop.Order, customerID string) error {
	_, errIntent := t.findIntent(ctx, o, customerID)
	_, errSession := t.findSession(ctx, o, customerID)
	return errors.Join(errIntent, errSession)
}

// Anew reads an object in our version.
func (t *Till) Anew(ctx context.Context, kind, id string) error {
	raw, err := json.Marshal(map[string]string{"id": id, "object": kind})
	if err != nil {
		return err
	}
	_, err = t.anew(ctx, &sdk.Event{Data: &sdk.EventData{Raw: raw}})
	return err
}
