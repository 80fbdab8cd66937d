// Command conformance proves the provider on a real account of AWS, or on an emulator. `make conformance` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands are the commands of the program.
type commands struct {
	Run     runCommand     `cmd:"" help:"Run the scenarios, and remove what they have made."`
	Clean   cleanCommand   `cmd:"" help:"Remove what runs have left that were stopped."`
	Compare compareCommand `cmd:"" help:"Compare recordings of AWS with the double of AWS."`
	Table   tableCommand   `cmd:"" help:"Print a table of what works where, given files of results."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // A second signal ends the program at once.
	k := kong.Parse(&commands{}, kong.Name("conformance"), kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Description("Proves provider-lambda on a real account of AWS, or on an emulator."))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called.
	}
}
