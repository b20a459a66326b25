package main

import (
	"errors"
	"os"

	"github.com/cuatrola/cuatrola/server/record"
)

// fairCommand is what a player can do about the fair deal of docs/fair-deal.md.
type fairCommand struct {
	Verify fairVerifyCommand `cmd:"" help:"Derive every deal of records anew from the seeds they reveal and compare."`
}

// fairVerifyCommand answers each record with whether its deals are the ones that
// follow from its seeds. Whether the play is legal is for replay to say.
type fairVerifyCommand struct {
	File string `arg:"" default:"-" name:"record" help:"Records, one a line; - for standard input."`
}

var errNotHonest = errors.New("not all records are honest")

func (c *fairVerifyCommand) Run() error {
	allHonest := true
	err := eachLine(c.File, os.Stdout, os.Stderr, func(dst, line []byte) ([]byte, error) {
		r, err := record.Parse(line)
		if err != nil {
			return dst, err
		}
		dst, honest, err := r.AppendVerdict(dst)
		if err == nil && !honest {
			allHonest = false
		}
		return dst, err
	})
	if err == nil && !allHonest {
		return errNotHonest
	}
	return err
}
