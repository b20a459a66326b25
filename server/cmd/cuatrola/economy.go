package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"github.com/cuatrola/cuatrola/server/audit"
	"github.com/cuatrola/cuatrola/server/economy"
	"github.com/cuatrola/cuatrola/server/fault"
	"github.com/cuatrola/cuatrola/server/internal/config"
)

type economyCommand struct {
	Show     economyShow     `cmd:"" help:"Print a version of the economy, by default the one that is live."`
	Versions economyVersions `cmd:"" help:"List what has been published, newest first."`
	Schema   economySchema   `cmd:"" help:"Print the JSON Schema of the document."`
	Validate economyValidate `cmd:"" help:"Say where a document cannot be used. Fails if it cannot."`
	Draft    economyDraft    `cmd:"" help:"Keep documents that are being worked on."`
	Compare  economyCompare  `cmd:"" help:"List what differs between two documents."`
	Simulate economySimulate `cmd:"" help:"Say what a document would have given and taken in the last days, had everybody done what they did."`
	Publish  economyPublish  `cmd:"" help:"Make a document the live one, now or at a time. Running servers take it up by themselves."`
	Withdraw economyWithdraw `cmd:"" help:"Take back a version that is not live yet."`
	Rollback economyRollback `cmd:"" help:"Publish an older version's document again, now."`
}

// economyFlags are those of all commands that ask the database.
type economyFlags struct {
	config.Database `embed:""`

	JSON bool `name:"json" help:"Print JSON, a value on each line."`
}

func (c *economyFlags) run(f func(context.Context, books) error) error {
	return withBooks(c.Database, f)
}

// desk is where drafts are. Of what a document would issue it knows nothing: a command
// asks nobody else.
func (b books) desk() *economy.Desk { return economy.NewDesk(b.economy(), nil, rand.Reader) }

// signed are the flags of what stays in the books.
type signed struct {
	Reason string `required:"" help:"Why, for whoever reads it later."`
	Author string `required:"" help:"Who does it."`
}

// Validate is called by kong.
func (c *signed) Validate() error {
	if strings.TrimSpace(c.Reason) == "" || strings.TrimSpace(c.Author) == "" {
		return errors.New("--reason and --author have to say something")
	}
	return nil
}

// change carries out what stays in the books, and in the trail.
func (c *signed) change(ctx context.Context, b books, action, subject string, f func(context.Context) (before, after any, err error)) error {
	ctx = audit.As(ctx, audit.CommandLine(c.Author))
	what := audit.Change{Action: action, Subject: audit.Subject{Kind: "economy", ID: subject}, Reason: c.Reason}
	return b.trail().Do(ctx, what, f)
}

// errProblems ends a command that has said what is wrong with a document.
var errProblems = errors.New("the document cannot be used")

// versionLine is a version without its document.
type versionLine struct {
	Number   int       `json:"number"`
	State    string    `json:"state"` // live, coming, past, withdrawn
	LiveFrom time.Time `json:"liveFrom"`
	Author   string    `json:"author"`
	Reason   string    `json:"reason"`
	// Document is left out of lists.
	Document json.RawMessage `json:"document,omitempty"`
}

func newVersionLine(v *economy.Version, live int, now time.Time) versionLine {
	return versionLine{Number: v.Number, State: string(v.State(live, now)), LiveFrom: v.LiveFrom, Author: v.Author, Reason: v.Reason}
}

// liveNumber is that of the version that is live, 0 if none is.
func liveNumber(ctx context.Context, b books) (int, error) {
	v, err := b.LiveVersion(ctx, b.Now())
	if fault.CodeOf(err) == fault.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return v.Number, nil
}

type economyShow struct {
	economyFlags `embed:""`

	Version  int  `arg:"" optional:"" help:"Number of the version; the live one without it."`
	Document bool `help:"Print the document alone, to be changed and published again."`
}

// Run prints a version.
func (c *economyShow) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		live, err := liveNumber(ctx, b)
		if err != nil {
			return err
		}
		number := c.Version
		if number == 0 {
			number = live
		}
		v, err := b.Version(ctx, number)
		if err != nil {
			return err
		}
		line := newVersionLine(v, live, b.Now())
		switch {
		case c.JSON:
			line.Document = v.Document
			return json.NewEncoder(os.Stdout).Encode(line)
		case !c.Document:
			fmt.Printf("version %d, %s, from %s, by %s: %s\n", line.Number, line.State, line.LiveFrom.Format(time.RFC3339), line.Author, line.Reason)
		}
		_, err = fmt.Println(strings.TrimSpace(string(v.Document)))
		return err
	})
}

type economyVersions struct {
	economyFlags `embed:""`

	Limit int `default:"20" help:"How many."`
}

// Run lists versions.
func (c *economyVersions) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		live, err := liveNumber(ctx, b)
		if err != nil {
			return err
		}
		all, err := b.Versions(ctx, 0, c.Limit)
		if err != nil {
			return err
		}
		now := b.Now()
		return list(c.JSON, "NUMBER\tSTATE\tFROM\tAUTHOR\tREASON", all,
			func(v *economy.Version) any { return newVersionLine(v, live, now) },
			func(v *economy.Version) string {
				line := newVersionLine(v, live, now)
				return fmt.Sprintf("%d\t%s\t%s\t%s\t%s", line.Number, line.State, line.LiveFrom.Format(time.RFC3339), line.Author, line.Reason)
			})
	})
}

// list prints a table, or a line of JSON for each row.
func list[T any](asJSON bool, head string, rows []T, value func(T) any, row func(T) string) error {
	if asJSON {
		out := json.NewEncoder(os.Stdout)
		for _, r := range rows {
			if err := out.Encode(value(r)); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, r := range rows {
		fmt.Fprintln(w, row(r))
	}
	return w.Flush()
}

type economySchema struct{}

// Run prints the schema.
func (c *economySchema) Run() error {
	_, err := os.Stdout.Write(economy.Schema)
	return err
}

type economyValidate struct {
	File string `arg:"" help:"File with the document; - for standard input."`
	JSON bool   `name:"json" help:"Print JSON, a problem on each line."`
}

// Run says what is wrong with a document.
func (c *economyValidate) Run() error {
	text, err := readDocument(c.File)
	if err != nil {
		return err
	}
	return usable(text, c.JSON)
}

// usable prints every problem of a document, each with its path.
func usable(text []byte, asJSON bool) error {
	_, problems := economy.Parse(text)
	for _, p := range problems {
		if asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(p); err != nil {
				return err
			}
			continue
		}
		path := p.Path
		if path == "" {
			path = "the whole document"
		}
		fmt.Printf("%s: %s\n", path, p.Message)
	}
	if len(problems) > 0 {
		return errProblems
	}
	return nil
}

func readDocument(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(file)
}

// source is a document that is named on the command line.
type source struct {
	text []byte
	// base is the version that it began from, if that is known; 0 if not.
	base int
}

// find reads what a name stands for: live, a version's number, a draft's id, or a file.
func find(ctx context.Context, b books, name string) (source, error) {
	if name == "live" {
		v, err := b.LiveVersion(ctx, b.Now())
		if err != nil {
			return source{}, err
		}
		return source{text: v.Document}, nil
	}
	if number, err := strconv.Atoi(name); err == nil {
		v, err := b.Version(ctx, number)
		if err != nil {
			return source{}, err
		}
		return source{text: v.Document}, nil
	}
	if id, err := uuid.Parse(name); err == nil {
		d, err := b.Draft(ctx, id.String())
		if err != nil {
			return source{}, err
		}
		return source{text: d.Document, base: d.Base}, nil
	}
	text, err := readDocument(name)
	return source{text: text}, err
}

type economyDraft struct {
	Save   draftSave   `cmd:"" help:"Keep a document as a draft, usable or not, and print its id."`
	List   draftList   `cmd:"" help:"List the drafts, newest first."`
	Show   draftShow   `cmd:"" help:"Print a draft's document."`
	Delete draftDelete `cmd:"" help:"Forget a draft."`
}

type draftSave struct {
	economyFlags `embed:""`

	File   string `arg:"" help:"File with the document; - for standard input."`
	ID     string `name:"id" help:"The draft that this is another state of; a new one without it."`
	Name   string `help:"What the draft is called; the file's name, or what it was called before."`
	Base   int    `help:"The newest version that it takes account of; the newest without it, or the draft's own."`
	Author string `required:"" help:"Who does it."`
}

// Run keeps a draft.
func (c *draftSave) Run() error {
	text, err := readDocument(c.File)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return errors.New("this is not JSON")
	}
	return c.run(func(ctx context.Context, b books) error {
		by := economy.Person{Name: c.Author}
		var d *economy.Draft
		if c.ID == "" {
			name := c.Name
			if name == "" {
				name = filepath.Base(c.File)
			}
			d, err = b.desk().Keep(ctx, by, &economy.Draft{Name: name, Document: text, Base: c.Base, Origin: "command"})
		} else {
			var before *economy.Draft
			if before, err = b.Draft(ctx, c.ID); err != nil {
				return err
			}
			e := economy.Edit{Document: text}
			if c.Name != "" {
				e.Name = &c.Name
			}
			if c.Base != 0 {
				e.Base = &c.Base
			}
			d, err = b.desk().Save(ctx, by, c.ID, before.Revision, e)
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(os.Stdout).Encode(newDraftLine(d))
		}
		_, err := fmt.Println(d.ID)
		return err
	})
}

// newest is the number of the newest version, live or not; 0 without any.
func newest(ctx context.Context, b books) (int, error) {
	all, err := b.Versions(ctx, 0, 1)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0].Number, nil
}

type draftLine struct {
	ID        string    `json:"id"`
	Base      int       `json:"base"`
	Author    string    `json:"author"`
	UpdatedAt time.Time `json:"updatedAt"`
	// Problems that it has.
	Problems int    `json:"problems"`
	Name     string `json:"name"`
	Revision int    `json:"revision"`
}

func newDraftLine(d *economy.Draft) draftLine {
	_, problems := economy.Parse(d.Document)
	return draftLine{d.ID, d.Base, d.Author, d.UpdatedAt, len(problems), d.Name, d.Revision}
}

type draftList struct {
	economyFlags `embed:""`
}

// Run lists the drafts.
func (c *draftList) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		all, err := b.Drafts(ctx)
		if err != nil {
			return err
		}
		return list(c.JSON, "DRAFT\tBASE\tAUTHOR\tUPDATED\tPROBLEMS\tNAME", all,
			func(d *economy.Draft) any { return newDraftLine(d) },
			func(d *economy.Draft) string {
				line := newDraftLine(d)
				return fmt.Sprintf("%s\t%d\t%s\t%s\t%d\t%s", line.ID, line.Base, line.Author, line.UpdatedAt.Format(time.RFC3339), line.Problems, line.Name)
			})
	})
}

type draftShow struct {
	economyFlags `embed:""`

	ID string `arg:"" help:"The draft."`
}

// Run prints a draft.
func (c *draftShow) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		d, err := b.Draft(ctx, c.ID)
		if err != nil {
			return err
		}
		_, err = fmt.Println(strings.TrimSpace(string(d.Document)))
		return err
	})
}

type draftDelete struct {
	economyFlags `embed:""`

	ID string `arg:"" help:"The draft."`
}

// Run forgets a draft.
func (c *draftDelete) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		d, err := b.Draft(ctx, c.ID)
		if err != nil {
			return err
		}
		return b.desk().Discard(ctx, c.ID, d.Revision)
	})
}

type economyCompare struct {
	economyFlags `embed:""`

	Before string `arg:"" help:"A version's number, a draft's id, a file, or live."`
	After  string `arg:"" help:"The same."`
}

// Run lists differences.
func (c *economyCompare) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		var texts [2][]byte
		for i, name := range []string{c.Before, c.After} {
			found, err := find(ctx, b, name)
			if err != nil {
				return err
			}
			if !json.Valid(found.text) {
				return fmt.Errorf("%s is not JSON", name)
			}
			texts[i] = found.text
		}
		out := json.NewEncoder(os.Stdout)
		for _, change := range economy.Compare(texts[0], texts[1]) {
			if c.JSON {
				if err := out.Encode(change); err != nil {
					return err
				}
				continue
			}
			fmt.Printf("%s: %s -> %s\n", change.Path, orNothing(change.Before), orNothing(change.After))
		}
		return nil
	})
}

func orNothing(value json.RawMessage) string {
	if value == nil {
		return "nothing"
	}
	return string(value)
}

type economyPublish struct {
	economyFlags `embed:""`
	signed       `embed:""`

	Document string    `arg:"" help:"A file, a draft's id, or - for standard input."`
	At       time.Time `help:"When it takes over, as 2026-12-24T06:00:00Z; at once without it."`
	Base     int       `help:"The newest version that its author knew; if there is a newer one by now, nothing is published. By default the draft's own, or the newest."`
}

// Run publishes.
func (c *economyPublish) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		found, err := find(ctx, b, c.Document)
		if err != nil {
			return err
		}
		if err := usable(found.text, c.JSON); err != nil {
			return err
		}
		base := c.Base
		if base == 0 {
			base = found.base
		}
		if base == 0 {
			if base, err = newest(ctx, b); err != nil {
				return err
			}
		}
		return c.publish(ctx, b, "economy.publish", c.JSON, func(ctx context.Context) (*economy.Version, error) {
			return b.economy().Publish(ctx, found.text, base, c.At, c.Author, c.Reason)
		})
	})
}

// publish has f publish a version, and the trail say so.
func (c *signed) publish(ctx context.Context, b books, action string, asJSON bool, f func(context.Context) (*economy.Version, error)) error {
	var v *economy.Version
	err := c.change(ctx, b, action, "", func(ctx context.Context) (before, after any, err error) {
		live, err := liveNumber(ctx, b)
		if err != nil {
			return nil, nil, err
		}
		if v, err = f(ctx); err != nil {
			return nil, nil, err
		}
		return map[string]any{"live": live}, map[string]any{"version": v.Number, "liveFrom": v.LiveFrom}, nil
	})
	if err != nil {
		return err
	}
	return published(v, asJSON)
}

// published says what has become of a version.
func published(v *economy.Version, asJSON bool) error {
	live := 0
	if !v.LiveFrom.After(v.CreatedAt) {
		live = v.Number
	}
	line := newVersionLine(v, live, v.CreatedAt)
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(line)
	}
	_, err := fmt.Printf("version %d is %s, from %s\n", line.Number, line.State, line.LiveFrom.Format(time.RFC3339))
	return err
}

type economyWithdraw struct {
	economyFlags `embed:""`
	signed       `embed:""`

	Version int `arg:"" help:"Number of the version."`
}

// Run takes a version back.
func (c *economyWithdraw) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		return c.change(ctx, b, "economy.withdraw", strconv.Itoa(c.Version), func(ctx context.Context) (before, after any, err error) {
			return nil, map[string]any{"withdrawn": c.Version}, b.economy().Withdraw(ctx, c.Version)
		})
	})
}

type economyRollback struct {
	economyFlags `embed:""`
	signed       `embed:""`

	Version int `arg:"" help:"Number of the version whose document is published again."`
	Base    int `help:"The newest version that one knows; by default the newest."`
}

// Run publishes an older version again.
func (c *economyRollback) Run() error {
	return c.run(func(ctx context.Context, b books) error {
		base := c.Base
		if base == 0 {
			var err error
			if base, err = newest(ctx, b); err != nil {
				return err
			}
		}
		return c.publish(ctx, b, "economy.restore", c.JSON, func(ctx context.Context) (*economy.Version, error) {
			return b.economy().RollBack(ctx, c.Version, base, c.Author, c.Reason)
		})
	})
}
