// Command demo shows what the provider does, on this machine alone: a real Kubernetes API server, a double of AWS,
// and the provider between them. `make demo` runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// flags are the flags of the demo.
type flags struct {
	Once       bool   `env:"ONCE" help:"Run each step once, check its result, clean up and exit. The exit code is 0 only if all steps succeeded."`
	Kubeconfig string `default:".cache/demo/kubeconfig" help:"Where to write the kubeconfig for kubectl."`
	CRDs       string `default:"package/crds" help:"Folder of the provider's CRDs."`
	Examples   string `default:"examples" help:"Folder of the examples to apply."`
	Debug      bool   `help:"Show the provider's log."`

	DeletionLimit                   string        `env:"DELETION_LIMIT" help:"The provider's flag of that name, such as 2/1h."`
	DeletionProtectionInvokedWithin time.Duration `env:"DELETION_PROTECTION_INVOKED_WITHIN" help:"The provider's flag of that name, such as 168h."`
}

func main() {
	f := flags{}
	kong.Parse(&f, kong.Name("demo"),
		kong.Description("Shows provider-lambda on an embedded Kubernetes control plane and a double of AWS."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	err := run(ctx, f)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(os.Stderr, "\nThe demo did not come to its end: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called.
	}
}
