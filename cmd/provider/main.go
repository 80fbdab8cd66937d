// Command provider runs the controllers of provider-lambda. It contains no logic: flags become options of package
// manager.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // The image has no certificates: see docs/design/package.md.
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/ratelimiter"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

const description = "Manages AWS Lambda from Kubernetes, as a Crossplane provider. Each flag can also be set by the " +
	"environment variable shown."

// version is the provider's version. The build sets it by -ldflags "-X main.version=v1.2.3".
var version = "dev"

func main() {
	f := flags{}
	k := kong.Parse(&f, kongOptions()...)
	k.FatalIfErrorf(f.validate())
	if f.PprofBindAddress == "" {
		runtime.MemProfileRate = 0 // Nobody reads the profile, which takes a megabyte.
	}
	manager.LimitMemory()
	if err := run(ctrl.SetupSignalHandler(), f); err != nil {
		fmt.Fprintln(os.Stderr, "provider-lambda ended:", err)
		os.Exit(1)
	}
}

func kongOptions() []kong.Option {
	return []kong.Option{
		kong.Name("provider"), kong.Description(description), kong.UsageOnError(),
		kong.DefaultEnvars("PROVIDER_LAMBDA"),
	}
}

// run runs the provider until ctx is done.
func run(ctx context.Context, f flags) error {
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("cannot find a Kubernetes cluster: run in a pod, or set KUBECONFIG: %w", err)
	}
	o := f.options()
	if f.EnableTracing {
		t, err := telemetry.Start(ctx, version, o.Log, time.Now)
		if err != nil {
			return err
		}
		defer t.Stop(ctx)
		o.Tracer = t.Tracer()
	}
	mgr, err := manager.New(ctx, ratelimiter.LimitRESTConfig(cfg, f.MaxReconcileRate), o)
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}
