// Package manager assembles the provider: one controller-runtime manager with every controller. The binary, the demo
// and the tests run the same manager.
package manager

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/gate"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/providerconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/configusage"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

const (
	// shutdownTimeout is the time in which running reconciles have to end.
	shutdownTimeout = 30 * time.Second
)

// New returns a manager with every controller. The context limits its requests to the API server.
func New(ctx context.Context, cfg *rest.Config, o Options) (ctrl.Manager, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = logging.NewLogrLogger(o.Log)
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	mo := o.manager(scheme)
	o.selectShard(scheme, &mo.Cache)
	cfg = warnedOnce(cfg)
	l, err := o.elect(cfg, &mo)
	if err != nil {
		return nil, err
	}
	mgr, err := o.newManager(cfg, mo)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a manager")
	}
	if l != nil {
		if o.Config.Fence, err = l.guard(mgr); err != nil { //nolint:contextcheck // Calls end with the lease.
			return nil, err
		}
	}
	if err := addChecks(mgr); err != nil {
		return nil, err
	}
	if err := awaitRights(ctx, mgr.GetClient(), o.Namespaces, o.Log); err != nil {
		return nil, err
	}
	id, err := clusterID(ctx, mgr.GetAPIReader(), o.ClusterID)
	if err != nil {
		return nil, err
	}
	if o.SafeStart {
		if o.SafeStart, err = mayWatchDefinitions(ctx, mgr.GetClient()); err != nil {
			return nil, err
		}
	}
	return mgr, o.setup(mgr, id)
}

// warnedOnce returns a configuration that logs each of the API server's warnings once. The server warns about the
// runtime's finalizer whenever that is added, and about nothing that differs from object to object.
func warnedOnce(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.WarningHandlerWithContext = log.NewKubeAPIWarningLogger(log.KubeAPIWarningLoggerOptions{Deduplicate: true})
	return cfg
}

// newScheme returns a scheme with the API groups that the provider uses, and no others.
func newScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		authorizationv1.AddToScheme, coordinationv1.AddToScheme, corev1.AddToScheme, apiextensionsv1.AddToScheme,
		v1beta1.AddToScheme,
	} {
		if err := add(s); err != nil {
			return nil, errors.Wrap(err, "cannot register API types")
		}
	}
	return s, nil
}

func (o *Options) manager(scheme *runtime.Scheme) ctrl.Options {
	return ctrl.Options{
		Scheme: scheme,
		Logger: o.Log,
		Cache:  o.cacheOptions(),
		// Secrets and ConfigMaps are watched by their metadata alone.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: append(uncached(), &coordinationv1.Lease{})}},

		Metrics:                 server.Options{BindAddress: address(o.MetricsAddress)},
		HealthProbeBindAddress:  address(o.HealthAddress),
		PprofBindAddress:        o.PprofAddress,
		GracefulShutdownTimeout: ptr.To(shutdownTimeout),
		// Several managers may run in one process: in tests and the demo.
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)},
	}
}

// addChecks adds the probes: the provider is healthy once it runs, and ready once the caches are filled.
func addChecks(mgr ctrl.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return errors.Wrap(err, "cannot add the liveness probe")
	}
	ready := func(r *http.Request) error {
		if !mgr.GetCache().WaitForCacheSync(r.Context()) {
			return errors.New("the caches are not filled yet")
		}
		return nil
	}
	return errors.Wrap(mgr.AddReadyzCheck("caches", ready), "cannot add the readiness probe")
}

func (o *Options) setup(mgr ctrl.Manager, clusterID string) error {
	limiter := quota.New(o.Now, o.QuotaRates)
	accounts := account.New(o.Now)
	o.Config.Breakers = breaker.New(o.Now, rand.Float64)
	lists, err := o.addLists(mgr)
	if err != nil {
		return err
	}
	m, err := o.addMetrics(limiter, accounts, lists)
	if err != nil {
		return err
	}
	if err := o.addChangeLog(mgr); err != nil {
		return err
	}
	objs := refs.NewObjectReader(mgr.GetCache(), mgr.GetAPIReader(), o.Now)
	reader, err := o.addFields(mgr, objs)
	if err != nil {
		return err
	}
	o.Config.Namespaces, o.Config.Tracer = mgr.GetAPIReader(), o.Tracer
	resolver := session.New(mgr.GetClient(), o.secretsOf(objs, mgr.GetAPIReader()), limiter, o.Now, o.Config)
	hub, err := o.addDriftEvents(mgr, resolver)
	if err != nil {
		return err
	}
	mo := engine.Options{
		Options:  o.Options,
		Resolver: resolver,
		Tracker:  configusage.NewTracker(mgr.GetClient()),
		Limiter:  limiter,
		Lists:    lists,
		Objects:  objs,
		Fields:   reader,
		Accounts: accounts,
		Shard:    o.Shard,
		Breakers: o.Config.Breakers,
		Analyzer: analysis.New(analysis.Options{
			Hosts: o.AnalysisHosts, Reader: mgr.GetAPIReader(), Mapper: mgr.GetRESTMapper(), Secrets: objs,
		}),
		Artifacts:       store.New(store.Options{Hosts: o.sourceHosts(false)}),
		Registries:      oci.New(oci.Options{Hosts: o.sourceHosts(true), PlainLoopback: o.SourceLoopback}),
		Events:          hub,
		PollWithEvents:  o.PollWithEvents,
		Metrics:         m,
		ClusterID:       clusterID,
		Namespaces:      o.Namespaces,
		MinPollInterval: o.MinPollInterval,
		PollJitter:      o.PollJitter,
		StatusDelay:     engine.StatusDelay,
		DeletionPolicy:  o.DeletionPolicy,
		DeletionLimiter: engine.NewDeletionLimiter(mgr.GetClient(), mgr.GetAPIReader(), o.DeletionPolicy.Limit),
		Tracer:          o.Tracer,
		Now:             o.Now,
		Random:          rand.Float64,
	}
	if mo.AllShards, err = o.addAllShards(mgr); err != nil {
		return err
	}
	all := mo.All(mgr).GetClient()
	mo.Tenants = tenancy.New(all, mgr.GetAPIReader(), o.Now)
	mo.Tenants.Partial, mo.Tenants.Denies = mo.AllShards != nil, resolver.Denies
	mo.Planner = plan.Live{Options: plan.Options{
		Scheme: mgr.GetScheme(), Cluster: all, Mapper: mgr.GetRESTMapper(), Objects: objs, Fields: reader,
		Tenants: mo.Tenants.ForPlans(), ClusterID: clusterID, Now: o.Now,
	}}
	po := providerconfig.Options{
		Options: o.Options, Shard: o.Shard, Resources: all, Resolver: resolver,
		Accounts: accounts, Breakers: o.Config.Breakers, Events: hub, Now: o.Now,
	}
	if o.SafeStart {
		return setupGated(mgr, mo, po)
	}
	if err := providerconfig.Setup(mgr, po); err != nil {
		return errors.Wrap(err, "cannot set up the controllers of provider configs")
	}
	return setupKinds(mgr, mo)
}

// addLists adds what polls resources by AWS's lists. It returns nil if that is disabled.
func (o *Options) addLists(mgr ctrl.Manager) (*listpoll.Poller, error) {
	if !o.ListPolls {
		return nil, nil
	}
	o.Lists.Interval, o.Lists.Breakers, o.Lists.Now, o.Lists.Log = o.PollInterval, o.Config.Breakers, o.Now, o.Logger
	p := listpoll.New(o.Lists)
	return p, errors.Wrap(mgr.Add(p), "cannot add the polls by list")
}

// setupGated sets up each controller once its kind is served.
func setupGated(mgr ctrl.Manager, mo engine.Options, po providerconfig.Options) error {
	g := &servedGate{Gate: new(gate.Gate[schema.GroupVersionKind]), mapper: mgr.GetRESTMapper(), log: mgr.GetLogger()}
	mo.Gate, po.Gate = g, g
	if err := customresourcesgate.Setup(mgr, mo.Options); err != nil {
		return errors.Wrap(err, "cannot watch custom resource definitions")
	}
	if err := providerconfig.SetupGated(mgr, po); err != nil {
		return errors.Wrap(err, "cannot set up the controllers of provider configs")
	}
	return setupKinds(mgr, mo)
}
