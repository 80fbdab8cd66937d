// Command crossplane-core is Crossplane's own program, built from its packages, for a cluster without nodes. It
// differs from the one that Crossplane ships in two ways only: it listens on loopback, and it resolves the addresses
// of functions differently.
//
// Crossplane asks the cluster's DNS for the address of a composition function's Service. That name is not served
// here, since functions are processes on this machine. The names in FUNCTION_ADDRESSES are therefore resolved to the
// addresses in it:
//
//	FUNCTION_ADDRESSES=function-patch-and-transform.crossplane-system=127.0.0.1:9444
//
// Several are separated by commas. All other names are resolved by DNS.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane/crossplane/apis/v2"
	"github.com/crossplane/crossplane/v2/cmd/crossplane/core"
	"github.com/crossplane/crossplane/v2/cmd/crossplane/rbac"
	"github.com/crossplane/crossplane/v2/cmd/crossplane/render"
)

// commands are the subcommands of Crossplane's program. `crossplane composition render` runs `internal render`.
type commands struct {
	Debug bool `help:"Log at debug level." short:"d"`

	Core     core.Command     `cmd:"" help:"Crossplane's controllers."`
	Rbac     rbac.Command     `cmd:"" help:"Crossplane's RBAC manager."`
	Internal internalCommands `cmd:"" help:"Commands that Crossplane's CLI runs."`
	Chart    chartCommand     `cmd:"" help:"Print what Crossplane's Helm chart installs, as YAML."`
}

type internalCommands struct {
	Render render.Command `cmd:"" help:"Render resources."`
}

func main() {
	if err := resolveFunctions(os.Getenv("FUNCTION_ADDRESSES")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	ctrl.NewManager = newLoopbackManager

	c := &commands{}
	ctx := kong.Parse(c, kong.Name("crossplane-core"), kong.UsageOnError(), core.KongVars)

	zl := zap.New(zap.UseDevMode(c.Debug)).WithName("crossplane")
	logging.SetFilteredKlogLogger(zl)
	ctrl.SetLogger(zl)
	if !c.Debug {
		ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard)))
	}
	ctx.BindTo(os.Stdout, (*io.Writer)(nil))
	ctx.BindTo(logging.NewLogrLogger(zl), (*logging.Logger)(nil))

	s, err := scheme()
	ctx.FatalIfErrorf(err)
	ctx.FatalIfErrorf(ctx.Run(s))
}

// newLoopbackManager returns a manager that serves metrics and probes on loopback alone: Crossplane's flags accept
// only ports. A manager without a metrics port, such as the RBAC manager's, serves none.
func newLoopbackManager(c *rest.Config, o manager.Options) (manager.Manager, error) {
	o.Metrics.BindAddress = loopback(o.Metrics.BindAddress)
	o.HealthProbeBindAddress = loopback(o.HealthProbeBindAddress)
	return manager.New(c, o)
}

func loopback(address string) string {
	if address == "" {
		return "0"
	}
	return "127.0.0.1" + address
}

// scheme returns a scheme with everything that a Crossplane package can contain, and what Crossplane creates from it.
func scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme, apis.AddToScheme,
	} {
		if err := add(s); err != nil {
			return nil, fmt.Errorf("cannot register API types: %w", err)
		}
	}
	return s, nil
}
