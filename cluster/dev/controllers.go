package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

const (
	// workers is the number of objects that a controller works on at a time.
	workers = 10

	// discovery is the interval at which new kinds are looked for.
	discovery = 30 * time.Second

	// resync is the interval at which namespaces are looked at again.
	resync = 5 * time.Minute
)

// controllerManager runs controllers of kube-controller-manager until it receives a signal. It knows the controllers
// and the flags that the tests use; the whole program takes 490 packages more.
func controllerManager(args []string) error {
	flags := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	names := flags.StringSlice("controllers", nil, "the controllers to run")
	kubeconfig := flags.String("kubeconfig", "", "the file that names the API server")
	qps := flags.Float32("kube-api-qps", 20, "requests a second to the API server")
	burst := flags.Int("kube-api-burst", 30, "requests to the API server at once")
	for _, ignored := range []string{"secure-port", "leader-elect", "profiling"} {
		flags.String(ignored, "", "ignored: it serves nothing, and is alone")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = *qps, *burst

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, err := newManager(ctx, config)
	if err != nil {
		return err
	}
	known := map[string]func() (controller, error){
		"namespace-controller":               m.namespaces,
		"garbage-collector-controller":       m.garbage,
		"serviceaccount-controller":          m.serviceAccounts,
		"clusterrole-aggregation-controller": m.clusterRoles,
	}
	var all []controller
	for _, name := range *names {
		start, ok := known[name]
		if !ok {
			return fmt.Errorf("there is no %s in this program: add it to cluster/dev", name)
		}
		run, err := start()
		if err != nil {
			return fmt.Errorf("cannot start the %s: %w", name, err)
		}
		all = append(all, run)
	}
	m.run(ctx, all)
	return nil
}

// A controller runs until its context ends.
type controller func(context.Context)

// A manager runs controllers, with clients and informers that they share.
type manager struct {
	client   kubernetes.Interface
	metadata metadata.Interface
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	typed    informers.SharedInformerFactory
	partial  metadatainformer.SharedInformerFactory
	started  chan struct{}
	ctx      context.Context //nolint:containedctx // The constructors of controllers take one.
}

func newManager(ctx context.Context, config *rest.Config) (*manager, error) {
	typed := rest.CopyConfig(config)
	typed.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(typed)
	partial, metadataErr := metadata.NewForConfig(config)
	if err := errors.Join(err, metadataErr); err != nil {
		return nil, fmt.Errorf("cannot make clients for the API server: %w", err)
	}
	return &manager{
		client: client, metadata: partial,
		mapper:  restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		typed:   informers.NewSharedInformerFactory(client, 0),
		partial: metadatainformer.NewSharedInformerFactory(partial, 0),
		started: make(chan struct{}), ctx: ctx,
	}, nil
}

// run runs controllers until the context ends.
func (m *manager) run(ctx context.Context, controllers []controller) {
	go wait.UntilWithContext(ctx, func(context.Context) { m.mapper.Reset() }, discovery)
	m.typed.Start(ctx.Done())
	m.partial.Start(ctx.Done())
	close(m.started)
	var all sync.WaitGroup
	for _, c := range controllers {
		all.Go(func() { c(ctx) })
	}
	all.Wait()
}

func (m *manager) namespaces() (controller, error) {
	c := namespace.NewNamespaceController(
		m.ctx, m.client, m.metadata, m.client.Discovery().ServerPreferredNamespacedResources,
		m.typed.Core().V1().Namespaces(), resync, corev1.FinalizerKubernetes,
	)
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func (m *manager) garbage() (controller, error) {
	c, err := garbagecollector.NewGarbageCollector(m.ctx, m.client, m.metadata, m.mapper,
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(m.typed, m.partial), m.started)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		go c.Sync(ctx, m.client.Discovery(), discovery)
		c.Run(ctx, workers, discovery)
	}, nil
}

func (m *manager) serviceAccounts() (controller, error) {
	core := m.typed.Core().V1()
	c, err := serviceaccount.NewServiceAccountsController(
		klog.FromContext(m.ctx), core.ServiceAccounts(), core.Namespaces(), m.client,
		serviceaccount.DefaultServiceAccountsControllerOptions(),
	)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}

func (m *manager) clusterRoles() (controller, error) {
	c := clusterroleaggregation.NewClusterRoleAggregation(m.typed.Rbac().V1().ClusterRoles(), m.client.RbacV1())
	return func(ctx context.Context) { c.Run(ctx, workers) }, nil
}
