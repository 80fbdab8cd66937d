// Package platform runs a complete Crossplane installation on this machine, without a container engine: a Kubernetes
// control plane, Crossplane itself with its RBAC manager, a registry, a replacement for the nodes, and a double of
// AWS. The provider and composition functions are installed as packages, as a user does.
package platform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/node"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/packages"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

// adminKubeconfig is the administrator's kubeconfig, for Crossplane's CLI.
const adminKubeconfig = "admin.kubeconfig"

// script builds Crossplane. It is a path from the repository's root.
const script = "cluster/crossplane/ensure.sh"

// Options configure a platform.
type Options struct {
	// Activations are the managed resource definitions that Crossplane activates by default, such as
	// functions.lambda.aws.m.crossplane.io, or patterns. Default: all.
	Activations []string

	// Double configures the double of AWS. It always authenticates callers, as AWS does.
	Double awsdouble.Options

	// ProviderEnv are further environment variables of the provider, as NAME=value.
	ProviderEnv []string

	// WatchRefill is the number of events a second that Crossplane's circuit breaker allows for a composite resource
	// after its burst, which is Crossplane's default: each write of the composite, or of one of its resources, counts
	// as two. The default is Crossplane's, 1.
	WatchRefill int

	// Progress receives messages about the progress. Default: os.Stderr.
	Progress io.Writer

	// Trouble receives messages about packages' processes that end by themselves, and about the node's errors.
	// Default: Progress.
	Trouble io.Writer
}

// A Platform is a running platform.
type Platform struct {
	Cluster  *devcluster.Cluster
	Kube     client.Client
	Registry *registry.Registry
	Node     *node.Node
	Double   *awsdouble.Server

	// Root of the repository, and the folder of Crossplane's programs: crossplane there is its CLI.
	Root     string
	Programs string

	// Metrics is the address of the provider's metrics.
	Metrics string

	// probes is the address of the provider's probes, and function that of the composition function.
	probes, function string

	options   Options
	folder    *process.Folder
	processes []*process.Process
}

// Start starts a platform. Crossplane may still be starting when it returns: installations then wait for it. The
// first start builds Kubernetes's and Crossplane's programs, which takes some 15 minutes; later ones take about 10 s.
func Start(ctx context.Context, o Options) (p *Platform, err error) {
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	if o.Trouble == nil {
		o.Trouble = o.Progress
	}
	if len(o.Activations) == 0 {
		o.Activations = []string{"*"}
	}
	p = &Platform{options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop())
		}
	}()
	for _, start := range []func(context.Context) error{
		p.find, p.startCluster, p.startServers, p.startCrossplane,
		p.configurePackages,
	} {
		if err := start(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// find finds the repository and the programs.
func (p *Platform) find(ctx context.Context) (err error) {
	if p.Root, err = process.Root(script); err != nil {
		return err
	}
	if p.Programs, err = process.Programs(ctx, script, p.options.Progress); err != nil {
		return fmt.Errorf("cannot provide Crossplane: %w", err)
	}
	if p.folder, err = process.NewFolder(); err != nil {
		return fmt.Errorf("cannot make a folder for Crossplane: %w", err)
	}
	for _, address := range []*string{&p.Metrics, &p.probes, &p.function} {
		if *address, err = process.FreeAddress(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Platform) startCluster(ctx context.Context) (err error) {
	// The chart's roles are aggregated from others by a label.
	o := devcluster.Options{
		Controllers: true, ExtraControllers: []string{"clusterrole-aggregation-controller"},
		Progress: p.options.Progress,
	}
	if p.Cluster, err = devcluster.Start(ctx, o); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return err
	}
	if p.Kube, err = client.New(p.Cluster.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	return p.Cluster.WriteKubeconfig(p.folder.File(adminKubeconfig))
}

func (p *Platform) startServers(ctx context.Context) (err error) {
	p.Registry = registry.Start()
	p.options.Double.StrictCredentials = true
	p.Double = awsdouble.New(p.options.Double)
	p.Double.Start()
	if err := p.trustCluster(ctx); err != nil {
		return err
	}
	probes, err := net.ResolveTCPAddr("tcp", p.probes)
	if err != nil {
		return err
	}
	p.Node, err = node.Start(node.Options{
		Config: p.Cluster.Config, Namespace: Namespace, Environment: p.environment, Log: p.options.Progress,
		Trouble: p.options.Trouble, Ports: map[int32]int{probesPort: probes.Port},
		Program: func(ctx context.Context, image string) (string, error) {
			return packages.Program(ctx, image, p.folder.Path)
		},
	})
	return err
}

// Stop ends everything and removes its files.
func (p *Platform) Stop() error {
	var errs []error
	if p.Node != nil {
		errs = append(errs, p.Node.Stop())
	}
	for _, started := range slices.Backward(p.processes) {
		started.Kill()
	}
	if p.Double != nil {
		p.Double.Close()
	}
	if p.Registry != nil {
		p.Registry.Close()
	}
	if p.Cluster != nil {
		errs = append(errs, p.Cluster.Stop())
	}
	if p.folder != nil {
		errs = append(errs, p.folder.Remove())
	}
	return errors.Join(errs...)
}

// Providers returns the provider's processes.
func (p *Platform) Providers() []*process.Process {
	return p.Node.Running(p.Registry.Host + "/" + Provider)
}

// Logs returns the ends of Crossplane's logs, and the logs of the packages' processes, by name.
func (p *Platform) Logs() map[string]string {
	logs := p.Node.Logs()
	for _, started := range p.processes {
		logs[started.Name()] = string(started.Tail())
	}
	return logs
}

// LogFile returns the path of the log of a program of Crossplane: crossplane or rbac-manager.
func (p *Platform) LogFile(program string) string { return p.folder.File(program + ".log") }

// Ended returns an error if a program of Crossplane has ended by itself. It contains the end of its log.
func (p *Platform) Ended() error {
	for _, started := range p.processes {
		select {
		case <-started.Done():
			return fmt.Errorf("%s has ended:\n%s", started.Name(), started.Tail())
		default:
		}
	}
	return nil
}

// Until waits until a condition holds. It fails after the given time, or if Crossplane has ended.
func (p *Platform) Until(
	ctx context.Context, what string, timeout time.Duration, so func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var last error
	for {
		err := so(ctx)
		if err == nil {
			return nil
		}
		if last == nil || ctx.Err() == nil {
			last = err // Report the condition, not the timeout.
		}
		if err := p.Ended(); err != nil {
			return fmt.Errorf("waiting until %s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not so in %s: %s: %w", timeout, what, last)
		case <-tick.C:
		}
	}
}

// pollInterval is the time between two checks of a condition.
const pollInterval = 100 * time.Millisecond

// Apply applies a YAML file as `kubectl apply` does, except for objects of the kinds in without. Objects without a
// namespace are created in the given one.
func Apply(ctx context.Context, kube client.Client, namespace string, text []byte, without ...string) error {
	objects, err := manifests.Parse(text)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if slices.Contains(without, o.GetKind()) {
			continue
		}
		namespaced, err := kube.IsObjectNamespaced(o)
		if err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		if namespaced && o.GetNamespace() == "" {
			o.SetNamespace(namespace)
		}
		if err := kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("kubectl"),
			client.ForceOwnership); err != nil {
			return fmt.Errorf("cannot apply %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// create creates an object unless it exists.
func create(ctx context.Context, kube client.Client, o client.Object) error {
	if err := kube.Create(ctx, o); err != nil && !kerrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot create %s: %w", o.GetName(), err)
	}
	return nil
}
