package stripetest

import (
	"context"
	"slices"
	"sync"
)

// Customers remembers in memory what Stripe calls the players. Its zero value knows
// none.
type Customers struct {
	mu        sync.Mutex
	kept      map[string]string
	ownerless []string
}

// Of is a player's customer.
func (c *Customers) Of(playerID string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[playerID]
}

// Set makes a customer a player's; an empty one is none.
func (c *Customers) Set(playerID, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[string]string)
	}
	c.kept[playerID] = id
}

// Customer implements stripe.Customers.
func (c *Customers) Customer(_ context.Context, playerID string, _ bool) (string, error) {
	return c.Of(playerID), nil
}

// KeepCustomer implements stripe.Customers.
func (c *Customers) KeepCustomer(_ context.Context, playerID string, _ bool, before, id string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[string]string)
	}
	if c.kept[playerID] == before {
		c.kept[playerID] = id
	}
	return c.kept[playerID], nil
}

// CustomerOwner implements stripe.Customers.
func (c *Customers) CustomerOwner(_ context.Context, id string, _ bool) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for player, kept := range c.kept {
		if kept == id {
			return player, nil
		}
	}
	return "", nil
}

// Erase deletes a player.
func (c *Customers) Erase(playerID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ownerless = append(c.ownerless, c.kept[playerID])
	delete(c.kept, playerID)
}

// Ownerless implements stripe.Customers.
func (c *Customers) Ownerless(context.Context, bool, int) ([]string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ownerless), nil
}

// DropCustomer implements stripe.Customers.
func (c *Customers) DropCustomer(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ownerless = slices.DeleteFunc(c.ownerless, func(known string) bool { return known == id })
	return nil
}
