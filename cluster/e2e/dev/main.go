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

// region of the examples.
const region = "eu-central-1"

// welcome prints commands for a user to copy.
func (e *env) welcome(ctx context.Context) error {
	keys, err := e.platform.Double.Config(region).Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("cannot find credentials for the double of AWS: %w", err)
	}
	e.sectionf("Next steps, in another terminal")
	e.printf(`    export KUBECONFIG=%s
    export PATH=%s:$PATH   # Crossplane's CLI
    kubectl get provider.pkg,function.pkg,mrd

    kubectl apply -f examples/app/shop.yaml
    kubectl get managed
    kubectl describe lambdafn shop

    kubectl apply -f examples/composition/web-endpoint/definition.yaml \
        -f examples/composition/web-endpoint/composition.yaml
    kubectl wait --for=condition=Established xrd/webendpoints.serverless.example.com
    kubectl apply -f examples/composition/web-endpoint/xr.yaml
    crossplane resource trace webendpoint storefront

    export AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
    export AWS_ENDPOINT_URL=%s
    aws --region %s lambda list-functions

    curl http://%s/metrics   # of the provider`,
		e.file("kubeconfig"), e.platform.Programs, keys.AccessKeyID, keys.SecretAccessKey, e.platform.Double.URL(),
		region, e.platform.Metrics)
	e.printf("\nLogs: %s and %s", e.file(providerLog), e.file(crossplaneLog))
	return nil
}
