// Command dev runs Crossplane with the provider of this working tree on this machine, and rebuilds and restarts the
// provider whenever its sources change. `make dev` runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"
)

// flags are the flags of the program.
type flags struct {
	Once   bool   `env:"ONCE" help:"Exit when everything is up. The exit code is 0 only if it came up."`
	Logs   bool   `env:"LOGS" help:"Show the provider's whole log instead of only its errors."`
	Folder string `default:".cache/dev" help:"Folder for the kubeconfig and the logs."`
}

func main() {
	f := flags{}
	kong.Parse(&f, kong.Name("dev"), kong.Description("Runs provider-lambda on Crossplane, a Kubernetes control "+
		"plane and a double of AWS, and builds it anew as its sources change."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // A second Ctrl-C ends the program at once.

	err := run(ctx, f)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "\n%v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called.
	}
}

func run(ctx context.Context, f flags) (err error) {
	if runtime.GOOS != "linux" {
		return errors.New("packages hold programs for Linux, so this runs on Linux only; `make demo` runs elsewhere, " +
			"too")
	}
	e, err := start(ctx, f)
	defer func() { err = errors.Join(err, e.stop()) }()
	if err != nil {
		return err
	}
	if err := e.welcome(ctx); err != nil || f.Once {
		return err
	}
	return e.follow(ctx)
}
