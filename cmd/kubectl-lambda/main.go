// Command kubectl-lambda is a plugin of kubectl, "kubectl lambda". It contains no logic: each group of subcommands is a
// package below internal/kubectl.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // The ways to log in that kubectl has.
	"k8s.io/klog/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/doctor"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/iam"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/importer"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/operate"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/status"
)

// version is the plugin's version. The build sets it by -ldflags "-X main.version=v1.2.3".
var version = ""

func main() {
	klog.SetLogger(logr.Discard()) // It would write over the live view: errors are returned.
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	f := kubectl.NewFactory(genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}, time.Now,
		versionOf())
	return kubectl.Run(ctx, f, newRoot(f))
}

func newRoot(f *kubectl.Factory) *cobra.Command {
	return kubectl.NewCommand(f,
		diff.NewCommand(f),
		doctor.NewCommand(f),
		iam.NewCommand(f),
		importer.NewCommand(f),
		operate.NewExecutions(f),
		operate.NewInvoke(f),
		operate.NewLogs(f),
		operate.NewTail(f),
		rollout.NewCommand(f),
		status.NewCommand(f),
	)
}

// versionOf returns the version that was set by the build, or that go install knows.
func versionOf() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
