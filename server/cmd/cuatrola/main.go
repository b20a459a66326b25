// Command cuatrola is the whole back end in one binary: the server, the
// operator's tools and the rules on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/cuatrola/cuatrola/server/internal/config"
)

// commands is the command line. Each command is a struct of its flags with a
// Run method.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Run the server: API, socket and web page."`
	Ready   readyCommand   `cmd:"" help:"Ask a running server on this machine whether it can answer requests. Fails if not."`
	Migrate migrateCommand `cmd:"" help:"Bring the database's tables up to date, or back."`
	Backup  backupCommand  `cmd:"" help:"Copy SQLite's database while the server runs."`
	Keys    keysCommand    `cmd:"" help:"Make keys, and put new ones in their place."`
	Config  configCommand  `cmd:"" help:"Print the table of settings."`
	Admin   adminCommand   `cmd:"" help:"Let somebody use the operator's panel."`
	Ledger  ledgerCommand  `cmd:"" help:"Check the ledger of coins."`
	League  leagueCommand  `cmd:"" help:"Look at the weekly league, and close its weeks."`
	Economy economyCommand `cmd:"" help:"Publish what the game gives and takes, and look at what was published."`
	Match   matchCommand   `cmd:"" help:"Give up a match that cannot be played to its end."`
	Grant   grantCommand   `cmd:"" help:"Give a player coins, or take them."`
	Shop    shopCommand    `cmd:"" help:"Look at what was bought for money, and give money back."`

	Replay replayCommand `cmd:"" help:"Replay records and print what they give, a line each."`
	Legal  legalCommand  `cmd:"" help:"Print the cards that may be played in positions, a line each."`
	Solve  solveCommand  `cmd:"" help:"Print what each action comes to at points of records if all cards are seen, a line each."`
	Review reviewCommand `cmd:"" help:"Say of each decision of records' hands what it was worth, and what was better."`
	Bots   botsCommand   `cmd:"" help:"Let bots play each other: for records of matches, or to see who is better."`
	Fit    fitCommand    `cmd:"" help:"Work out anew what bots know from playing each other, and print it as Go source."`
	Fair   fairCommand   `cmd:"" help:"Check that deals were fair."`

	Load loadCommand `cmd:"" help:"See how the server bears many people."`
}

func main() {
	var c commands
	ctx := kong.Parse(&c, kong.Name("cuatrola"), kong.UsageOnError(), kong.Resolvers(config.Files()),
		kong.Description("The back end of Cuatrola: server, operator's tools and rules."))
	if err := ctx.Run(); err != nil {
		if !errors.Is(err, errBadLines) {
			fmt.Fprintln(os.Stderr, "cuatrola:", said(err))
		}
		os.Exit(1)
	}
}

// said is an error in words for whoever typed the command. Nothing but a signal cancels
// what a command does as a whole.
func said(err error) string {
	if errors.Is(err, context.Canceled) {
		return "stopped before it was done"
	}
	return err.Error()
}
