package main

import (
	"os"

	"github.com/cuatrola/cuatrola/server/record"
	"github.com/cuatrola/cuatrola/shared/bot/solve"
)

// replayCommand answers each record with what playing it gives.
type replayCommand struct {
	Trace bool   `help:"Also say, before each action, who may do what."`
	File  string `arg:"" default:"-" help:"Records, one a line; - for standard input."`
}

func (c *replayCommand) Run() error {
	return eachLine(c.File, os.Stdout, os.Stderr, func(dst, line []byte) ([]byte, error) {
		r, err := record.Parse(line)
		if err != nil {
			return dst, err
		}
		return r.AppendReplay(dst, c.Trace), nil
	})
}

// legalCommand answers each position with the cards that may be played.
type legalCommand struct {
	File string `arg:"" default:"-" help:"Positions, one a line; - for standard input."`
}

func (c *legalCommand) Run() error {
	return eachLine(c.File, os.Stdout, os.Stderr, func(dst, line []byte) ([]byte, error) {
		p, err := record.ParsePosition(line)
		if err != nil {
			return dst, err
		}
		return p.AppendLegal(dst), nil
	})
}

// solveCommand answers each point of a record with what the actions come to.
type solveCommand struct {
	File string `arg:"" default:"-" help:"Records, one a line, each as {\"record\":…,\"hand\":H,\"action\":I} for what stood before an action; - for standard input."`
}

func (c *solveCommand) Run() error {
	var solver solve.Solver
	return eachLine(c.File, os.Stdout, os.Stderr, func(dst, line []byte) ([]byte, error) {
		p, err := record.ParseMoment(line)
		if err != nil {
			return dst, err
		}
		return p.AppendValues(dst, &solver), nil
	})
}
