package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/config"
	"github.com/cuatrola/cuatrola/server/internal/panel"
	"github.com/cuatrola/cuatrola/server/internal/store"
	"github.com/cuatrola/cuatrola/server/staff"
)

type adminCommand struct {
	Create adminCreateCommand `cmd:"" help:"Make a link by which somebody becomes one of the staff."`
	Reset  adminResetCommand  `cmd:"" help:"Make a link by which one of the staff gets another password and second factor."`
	List   adminListCommand   `cmd:"" help:"List the staff."`
}

// panelSettings are those of commands that make links to the panel.
type panelSettings struct {
	config.Database `embed:""`
	PublicURL       string `name:"public-url" env:"CUATROLA_PUBLIC_URL" default:"http://localhost:8080" placeholder:"URL" help:"Where people reach the panel, for the link."`
}

type adminCreateCommand struct {
	panelSettings `embed:""`
	signed        `embed:""`

	Email string `arg:"" help:"Whom the link is for."`
	Role  string `default:"owner" enum:"owner,economist,support,viewer" help:"${enum}."`
}

// Run prints a link by which somebody becomes one of the staff.
func (c *adminCreateCommand) Run() error {
	return withBooks(c.Database, func(ctx context.Context, b books) error {
		ctx = audit.As(ctx, audit.CommandLine(c.Author))
		l, token, err := b.staff().Invite(ctx, c.Email, staff.Role(c.Role), c.Reason)
		if err != nil {
			return err
		}
		return printLink(c.PublicURL, l, token)
	})
}

type adminResetCommand struct {
	panelSettings `embed:""`
	signed        `embed:""`

	Email string `arg:"" help:"Whom the link is for."`
}

// Run prints a link by which one of the staff gets in again.
func (c *adminResetCommand) Run() error {
	return withBooks(c.Database, func(ctx context.Context, b books) error {
		members := b.staff()
		all, err := members.Members(ctx)
		if err != nil {
			return err
		}
		for _, m := range all {
			if strings.EqualFold(m.Email, c.Email) {
				l, token, err := members.Reset(audit.As(ctx, audit.CommandLine(c.Author)), m.ID, c.Reason)
				if err != nil {
					return err
				}
				return printLink(c.PublicURL, l, token)
			}
		}
		return fault.New(fault.NotFound, "Nobody of the staff has this address.")
	})
}

func printLink(publicURL string, l staff.Link, token string) error {
	_, err := fmt.Printf("%s\ngood once, until %s\n", panel.InvitationURL(strings.TrimSuffix(publicURL, "/"), token), l.ExpiresAt.Format(time.RFC3339))
	return err
}

type adminListCommand struct {
	config.Database `embed:""`
}

// Run lists the staff.
func (c *adminListCommand) Run() error {
	return withStore(c.Database, func(ctx context.Context, s *store.Store) error {
		all, err := s.Members(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, m := range all {
			state := "in"
			if m.Disabled {
				state = "out"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.ID, m.Role, state, m.Email, m.Name)
		}
		return w.Flush()
	})
}

// staff is the staff as commands know it, who open no sessions.
func (b books) staff() *staff.Service {
	return staff.New(staff.Options{Store: b.Store, Trail: b.trail(), Now: b.Now})
}

// firstOwner prints the link by which the first owner comes in, until there is one. It
// goes to the terminal and not into the log.
func firstOwner(ctx context.Context, members *staff.Service, publicURL string) error {
	token, err := members.FirstOwner(ctx)
	if err != nil || token == "" {
		return err
	}
	_, err = fmt.Printf("\nNobody may use the operator's panel yet. Its first owner comes in here, once, within %.0f hours:\n\n  %s\n\n",
		staff.InvitationTTL.Hours(), panel.InvitationURL(strings.TrimSuffix(publicURL, "/"), token))
	return err
}
