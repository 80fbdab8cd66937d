// Package manager puts the provider together: one controller-runtime manager with
// every controller, as the binary runs it. The demo and the tests run the same.
package manager

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/gate"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/customresourcesgate"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	controllers "github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/providerconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
)

const (
	// shutdownTimeout is how long reconciles that run may take to end.
	shutdownTimeout = 30 * time.Second
)

// Options of a provider.
type Options struct {
	// Options of crossplane-runtime: logger, poll interval, concurrency, features.
	controller.Options

	// Log is where everything is logged to.
	Log logr.Logger

	// SyncPeriod is how often every watched object is listed anew.
	SyncPeriod time.Duration

	// MinPollInterval is the floor under poll intervals.
	MinPollInterval time.Duration

	// PollJitter is the fraction by which poll intervals vary.
	PollJitter float64

	// ClusterID marks what this cluster owns. Empty means the UID of a ConfigMap
	// that each cluster has.
	ClusterID string

	// LeaderElection runs one of several replicas at a time.
	LeaderElection bool

	// LeaderElectionNamespace holds the lease. Empty means the pod's own.
	LeaderElectionNamespace string

	// LeaseDuration is how long a lease that is not renewed keeps other replicas from
	// working: whole seconds. Zero means DefaultLeaseDuration.
	LeaseDuration time.Duration

	// RenewDeadline is how long after its last renewal of the lease a replica stops
	// working: less than LeaseDuration. Zero means DefaultRenewDeadline.
	RenewDeadline time.Duration

	// Addresses to listen on. "0" or empty listens on none.
	MetricsAddress, HealthAddress, PprofAddress string

	// Namespaces to watch. None means all.
	Namespaces []string

	// SafeStart waits for each kind's definition before its controller is started.
	SafeStart bool

	// StateMetricInterval is how often resources are counted by their conditions.
	StateMetricInterval time.Duration

	// ChangeLogSocket is the Unix socket of Crossplane's change log sidecar. Empty
	// means no change log.
	ChangeLogSocket string

	// Config of AWS configurations.
	Config config.Options

	// Quota of AWS calls.
	Quota quota.Options

	// Tracer of reconciles and of their calls to AWS. Nil makes no traces.
	Tracer trace.Tracer

	// Now is the clock of the controllers. Nil means time.Now.
	Now func() time.Time
}

// New returns a manager with every controller. ctx is for what it has to look up.
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
	cfg = warnedOnce(cfg)
	l, err := o.elect(cfg, &mo)
	if err != nil {
		return nil, err
	}
	mgr, err := newManager(cfg, mo, o.Namespaces)
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a manager")
	}
	if l != nil {
		if o.Config.Fence, err = l.guard(mgr); err != nil {
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

// warnedOnce has the API server's warnings logged once each. It warns of the runtime's
// finalizer whenever that is added, and of nothing that differs from object to object.
func warnedOnce(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.WarningHandlerWithContext = log.NewKubeAPIWarningLogger(log.KubeAPIWarningLoggerOptions{Deduplicate: true})
	return cfg
}

func newScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			return nil, errors.Wrap(err, "cannot register API types")
		}
	}
	return s, nil
}

// manager are the options of controller-runtime's manager.
func (o *Options) manager(scheme *runtime.Scheme) ctrl.Options {
	return ctrl.Options{
		Scheme: scheme,
		Logger: o.Log,
		Cache:  o.cacheOptions(),
		// Secrets and ConfigMaps are watched by their metadata alone.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Namespace{}, &coordinationv1.Lease{}}}},

		Metrics:                 server.Options{BindAddress: address(o.MetricsAddress)},
		HealthProbeBindAddress:  address(o.HealthAddress),
		PprofBindAddress:        o.PprofAddress,
		GracefulShutdownTimeout: ptr.To(shutdownTimeout),
		// Several managers may run in one process: in tests and the demo.
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)},
	}
}

// address to listen on, where controller-runtime takes "0" for none.
func address(a string) string {
	if a == "" {
		return "0"
	}
	return a
}

// addChecks are the probes: alive, and ready once the caches are filled.
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

// setup adds the controllers, and what they share.
func (o *Options) setup(mgr ctrl.Manager, clusterID string) error {
	limiter := quota.New(o.Now, o.Quota)
	accounts := account.New(limiter, o.Now)
	m, err := o.addMetrics(limiter, accounts)
	if err != nil {
		return err
	}
	if err := o.addChangeLog(mgr); err != nil {
		return err
	}
	objs := objects.NewReader(mgr.GetCache(), mgr.GetAPIReader(), o.Now)
	reader, err := o.addFields(mgr, objs)
	if err != nil {
		return err
	}
	o.Config.Namespaces, o.Config.Tracer = mgr.GetAPIReader(), o.Tracer
	resolver := config.New(mgr.GetClient(), o.secretsOf(objs, mgr.GetAPIReader()), limiter, o.Now, o.Config)
	mo := managed.Options{
		Options:         o.Options,
		Resolver:        account.Noting{Resolver: resolver, Book: accounts},
		Tracker:         config.NewTracker(mgr.GetClient()),
		Limiter:         limiter,
		Objects:         objs,
		Fields:          reader,
		Accounts:        accounts,
		Metrics:         m,
		ClusterID:       clusterID,
		MinPollInterval: o.MinPollInterval,
		PollJitter:      o.PollJitter,
		Tracer:          o.Tracer,
		Now:             o.Now,
		Random:          rand.Float64,
	}
	po := providerconfig.Options{Options: o.Options, Resolver: resolver, Accounts: accounts, Now: o.Now}
	if o.SafeStart {
		return setupGated(mgr, mo, po)
	}
	if err := providerconfig.Setup(mgr, po); err != nil {
		return errors.Wrap(err, "cannot set up the controllers of provider configs")
	}
	return controllers.Setup(mgr, mo)
}

// setupGated has each controller wait for its kind.
func setupGated(mgr ctrl.Manager, mo managed.Options, po providerconfig.Options) error {
	g := &servedGate{Gate: new(gate.Gate[schema.GroupVersionKind]), mapper: mgr.GetRESTMapper(), log: mgr.GetLogger()}
	mo.Gate, po.Gate = g, g
	if err := customresourcesgate.Setup(mgr, mo.Options); err != nil {
		return errors.Wrap(err, "cannot watch custom resource definitions")
	}
	if err := providerconfig.SetupGated(mgr, po); err != nil {
		return errors.Wrap(err, "cannot set up the controllers of provider configs")
	}
	return controllers.SetupGated(mgr, mo)
}
