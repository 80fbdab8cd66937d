package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// maxInvokedWithin is the largest value of --deletion-protection-invoked-within: 90 days.
const maxInvokedWithin = 90 * 24 * time.Hour

// flags are the flags of the provider. They have the names of provider-kubernetes's flags if it has the same ones.
type flags struct {
	Debug bool `short:"d" help:"Log at debug level: each reconcile and its decision. Secrets are never logged."`

	Sync                 time.Duration `short:"s" default:"1h" help:"How often all watched objects are reconciled again from the cache. This does not poll AWS: see --poll."`
	Poll                 time.Duration `default:"10m" help:"How often each resource is polled in AWS if nothing changes. A resource can set another interval with the annotation crossplane.io/poll-interval."`
	PollWithEvents       time.Duration `default:"1h" help:"How often a resource is polled instead of every --poll while drift events of its provider config are proven to arrive and report its changes. A value that is not longer than --poll has no effect."`
	MinPoll              time.Duration `default:"30s" help:"Shortest poll interval that a resource can set."`
	PollJitterPercentage uint          `default:"10" help:"Random variation of the poll interval in percent: 0 to 99."`
	ListPolls            bool          `default:"true" negatable:"" help:"Poll unchanged resources by AWS's List operations where that takes fewer calls than reading each of them."`
	ListPollMin          int           `default:"50" help:"Smallest number of resources of a config and region that are polled by list. What a list does not show is then read less often: see --full-read-spacing."`
	FullReadSpacing      time.Duration `default:"20s" help:"Average time between two full reads of resources that are polled by list, for each config, region and kind: 1000 resources are each read in full every 20,000 s, rounded up to the poll interval times a power of 2."`
	MaxFullReadInterval  time.Duration `default:"168h" help:"Longest time between two full reads of a resource that is polled by list."`
	PollStateMetric      time.Duration `default:"1m" help:"How often resources are counted by condition for the metrics; at least 30s."`
	MaxReconcileRate     int           `default:"100" help:"Maximum number of resources of one kind that are reconciled at the same time. AWS's request quotas are respected at any value."`

	LeaderElection          bool   `short:"l" default:"true" negatable:"" env:"LEADER_ELECTION" help:"Elect a leader, so that only one of several replicas reconciles at a time."`
	LeaderElectionNamespace string `env:"POD_NAMESPACE" help:"Namespace of the leader election lease. Default: the namespace of the provider's pod."`

	LeaderElectionLeaseDuration time.Duration `default:"60s" help:"How long after the leader's last renewal of the lease another replica takes over, in whole seconds. A leader that shuts down normally hands over at once."`
	LeaderElectionRenewDeadline time.Duration `default:"50s" help:"How long a leader keeps working after its last renewal of the lease: less than the lease duration."`

	MetricsBindAddress     string `default:":8080" env:"METRICS_BIND_ADDRESS" help:"Address of the Prometheus metrics; 0 for none."`
	HealthProbeBindAddress string `default:":8081" help:"Address of the probes /healthz and /readyz; 0 for none."`
	PprofBindAddress       string `default:"" help:"Address of Go's profiler under /debug/pprof, such as 127.0.0.1:6060. Default: none."`

	ClusterID      string   `help:"ID that marks, in tags, the AWS resources that this cluster owns. Default: the UID of the ConfigMap extension-apiserver-authentication in the namespace kube-system, or, if the provider is not allowed to read it, of that namespace. Set it if another cluster is to take over the resources of this one."`
	WatchNamespace []string `help:"Namespaces whose resources are reconciled. Default: all."`

	WatchSelector  string `help:"Label selector of the resources and configs that are reconciled. Several Deployments with different selectors share the work. Each selector has a lease of its own. Default: all."`
	ControllerRing string `help:"Name of the ControllerRing of github.com/timebertt/kubernetes-controller-sharding that this pod belongs to. All pods of the ring work at the same time, each on the resources that the sharder assigns to it."`
	ShardName      string `env:"POD_NAME" help:"Name of this pod's shard in the ring, which must differ from that of all others. Default: the host name, which is the pod's name."`

	EnableManagementPolicies bool   `default:"true" negatable:"" env:"ENABLE_MANAGEMENT_POLICIES" help:"Honour spec.managementPolicies."`
	EnableChangelogs         bool   `default:"false" env:"ENABLE_CHANGE_LOGS" help:"Send each change made in AWS to Crossplane's change log sidecar."`
	ChangelogsSocketPath     string `default:"/var/run/changelogs/changelogs.sock" env:"CHANGELOGS_SOCKET_PATH" help:"Unix socket of the change log sidecar."`
	EnableTracing            bool   `default:"false" env:"ENABLE_TRACING" help:"Send OpenTelemetry traces of reconciles and of their AWS calls by OTLP. The standard environment variables OTEL_* set the destination and the sampling."`
	SafeStart                bool   `default:"true" negatable:"" help:"Start the controller of a kind when its CustomResourceDefinition exists, instead of failing without it."`

	AllowNamespacedPodIdentity bool     `help:"Allow ProviderConfigs of any namespace to use the identity of the provider's own pod (IRSA, PodIdentity, WebIdentity with a token file). Everyone who can create a ProviderConfig can then act as the provider."`
	AllowNamespacedEndpoints   bool     `help:"Allow ProviderConfigs of any namespace to set an endpoint. Everyone who can create one can then make the provider call hosts of their choice: limit these with --namespaced-endpoint-host."`
	NamespacedEndpointHost     []string `help:"Host that the endpoint of a ProviderConfig can name with --allow-namespaced-endpoints: a name, or a pattern such as *.example.org. Default: all hosts with a public address. A host with a private address must be given by its exact name; loopback and link-local addresses are never called."`

	AnalysisHost []string `help:"Host that the analysis of an Alias's rollout can call, for metrics of Prometheus and of JSON over HTTP, and for dependencies: a name such as prometheus.example.org, a name and a port, or a pattern such as *.example.org. Default: none. A host with a private address must be given by its exact name; loopback and link-local addresses are never called."`

	SourceHost []string `default:"source-controller.flux-system.svc.cluster.local,source-controller.flux-system.svc,source-watcher.flux-system.svc.cluster.local,source-watcher.flux-system.svc" help:"Host of which the artifacts of Flux sources are downloaded, or a registry of OCI artifacts with a private address: a name, a name and a port, or a pattern such as *.example.org. The URL of an artifact is in the status of the source, so anyone who may write that can make the provider call these hosts. A host with a private address must be given by its exact name; loopback and link-local addresses are never called."`

	DeletionProtectionInvokedWithin time.Duration `default:"0s" help:"The deletion of a Function that was invoked within this time ago, such as 168h, waits until the annotation lambda.aws.m.crossplane.io/confirm-deletion confirms it. Default: it does not wait."`
	DeletionLimit                   string        `help:"How many resources of a provider config and a namespace are deleted in AWS in a window of time, such as 50/1h. Further deletions wait until the annotation lambda.aws.m.crossplane.io/confirm-deletion confirms them. Default: no limit."`

	QuotaGetFunction  float64 `default:"98" help:"Calls of lambda:GetFunction per second for each AWS account and region. AWS's quota is 100, shared by all callers."`
	QuotaControlPlane float64 `default:"14.7" help:"Calls per second of all other operations of Lambda's control plane together, for each account and region. AWS's quota is 15. As many calls are made of lambda:GetPolicy, whose quota is 15, too."`
}

func (f flags) validate() error {
	var errs []error
	if f.PollJitterPercentage >= 100 { //nolint:mnd // Percent.
		errs = append(errs, fmt.Errorf("--poll-jitter-percentage is %d: it must be from 0 to 99",
			f.PollJitterPercentage))
	}
	if f.MaxReconcileRate < 1 {
		errs = append(errs, fmt.Errorf("--max-reconcile-rate is %d: it must be at least 1", f.MaxReconcileRate))
	}
	if f.Poll < f.MinPoll {
		errs = append(errs, fmt.Errorf("--poll is %s, less than --min-poll, which is %s", f.Poll, f.MinPoll))
	}
	if f.ListPollMin < 1 || f.FullReadSpacing <= 0 || f.MaxFullReadInterval < f.Poll {
		errs = append(errs, errors.New("--list-poll-min must be at least 1, --full-read-spacing more than 0, and "+
			"--max-full-read-interval at least --poll"))
	}
	if f.LeaderElectionLeaseDuration%time.Second != 0 {
		errs = append(errs, fmt.Errorf("--leader-election-lease-duration is %s: it must be in whole seconds",
			f.LeaderElectionLeaseDuration))
	}
	if f.LeaderElectionRenewDeadline < time.Second || f.LeaderElectionRenewDeadline >= f.LeaderElectionLeaseDuration {
		errs = append(errs, fmt.Errorf("--leader-election-renew-deadline is %s: it must be at least 1s, and less "+
			"than --leader-election-lease-duration, which is %s",
			f.LeaderElectionRenewDeadline, f.LeaderElectionLeaseDuration))
	}
	if _, err := f.shard(); err != nil {
		errs = append(errs, err)
	}
	if ok := min(f.QuotaGetFunction, f.QuotaControlPlane) > 0; !ok { // It may be NaN.
		errs = append(errs, errors.New("--quota-get-function and --quota-control-plane must be more than 0"))
	}
	return errors.Join(append(errs, f.validateHosts(), f.validateDeletions())...)
}

func (f flags) validateHosts() error {
	var errs []error
	if len(f.NamespacedEndpointHost) > 0 && !f.AllowNamespacedEndpoints {
		errs = append(errs, errors.New("--namespaced-endpoint-host has no effect without --allow-namespaced-endpoints"))
	}
	for _, list := range []struct {
		flag  string
		hosts []string
	}{
		{session.EndpointHostFlag, f.NamespacedEndpointHost},
		{"--analysis-host", f.AnalysisHost},
		{manager.SourceHostFlag, f.SourceHost},
	} {
		for _, h := range list.hosts {
			if err := egress.CheckHost(h); err != nil {
				errs = append(errs, fmt.Errorf("%s is %q: %w", list.flag, h, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (f flags) validateDeletions() error {
	if w := f.DeletionProtectionInvokedWithin; w < 0 || w > maxInvokedWithin {
		return fmt.Errorf("--deletion-protection-invoked-within is %s: it must be from 0s to %s", w,
			protection.Span(maxInvokedWithin))
	}
	if _, err := protection.ParseLimit(f.DeletionLimit); err != nil {
		return fmt.Errorf("--deletion-limit is %q: %w", f.DeletionLimit, err)
	}
	return nil
}

func (f flags) options() manager.Options {
	log := f.logger()
	shard, _ := f.shard() // validate has checked it.
	features := &feature.Flags{}
	if f.EnableManagementPolicies {
		features.Enable(feature.EnableBetaManagementPolicies)
	}
	o := manager.Options{
		Options: controller.Options{
			PollInterval: f.Poll, MaxConcurrentReconciles: f.MaxReconcileRate,
			Features: features,
		},
		Version:                 version,
		Log:                     log,
		SyncPeriod:              f.Sync,
		MinPollInterval:         f.MinPoll,
		PollWithEvents:          f.PollWithEvents,
		PollJitter:              float64(f.PollJitterPercentage) / 100, //nolint:mnd // Percent.
		ClusterID:               f.ClusterID,
		LeaderElection:          f.LeaderElection,
		LeaderElectionNamespace: f.LeaderElectionNamespace,
		LeaseDuration:           f.LeaderElectionLeaseDuration,
		RenewDeadline:           f.LeaderElectionRenewDeadline,
		MetricsAddress:          f.MetricsBindAddress,
		HealthAddress:           f.HealthProbeBindAddress,
		PprofAddress:            f.PprofBindAddress,
		Namespaces:              f.WatchNamespace,
		Shard:                   shard,
		SafeStart:               f.SafeStart,
		StateMetricInterval:     f.PollStateMetric,
		Config: session.Options{
			AllowNamespacedPodIdentity: f.AllowNamespacedPodIdentity,
			AllowNamespacedEndpoints:   f.AllowNamespacedEndpoints,
			NamespacedEndpointHosts:    f.NamespacedEndpointHost,
		},
		ListPolls: f.ListPolls,
		Lists: listpoll.Options{
			MinResources:        f.ListPollMin,
			FullReadSpacing:     f.FullReadSpacing,
			MaxFullReadInterval: f.MaxFullReadInterval,
		},
		AnalysisHosts: f.AnalysisHost,
		SourceHosts:   f.SourceHost,
		QuotaRates:    f.rates(),
	}
	o.DeletionPolicy.InvokedWithin = f.DeletionProtectionInvokedWithin
	o.DeletionPolicy.Limit, _ = protection.ParseLimit(f.DeletionLimit) // validate has checked it.
	if f.EnableChangelogs {
		features.Enable(feature.EnableAlphaChangeLogs)
		o.ChangeLogSocket = f.ChangelogsSocketPath
	}
	return o
}

// shard returns the resources that are reconciled.
func (f flags) shard() (sharding.Shard, error) {
	switch {
	case f.ControllerRing == "":
		s, err := sharding.Parse(f.WatchSelector)
		if err != nil {
			return s, fmt.Errorf("--watch-selector cannot be used: %w", err)
		}
		return s, nil
	case f.WatchSelector != "":
		return sharding.Shard{}, errors.New("--watch-selector and --controller-ring exclude each other: the sharder " +
			"of a ring assigns resources by labels of its own")
	case !f.LeaderElection:
		return sharding.Shard{}, errors.New(
			"--controller-ring needs --leader-election: the sharder recognizes a shard by its lease")
	}
	name := f.ShardName
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return sharding.Shard{}, fmt.Errorf("cannot determine the name of the shard: set --shard-name: %w", err)
		}
		name = host
	}
	s, err := sharding.InRing(f.ControllerRing, name)
	if err != nil {
		return s, fmt.Errorf("--controller-ring or --shard-name cannot be used: %w", err)
	}
	return s, nil
}

func (f flags) rates() map[quota.Bucket]quota.Rate {
	return map[quota.Bucket]quota.Rate{
		quota.ControlPlane: quota.DefaultRates[quota.ControlPlane].At(f.QuotaControlPlane),
		quota.GetPolicy:    quota.DefaultRates[quota.GetPolicy].At(f.QuotaControlPlane),
		quota.GetFunction:  quota.DefaultRates[quota.GetFunction].At(f.QuotaGetFunction),
	}
}

// logger returns a logger of structured lines: JSON, or text for people at debug level.
func (f flags) logger() logr.Logger {
	var h slog.Handler = slog.NewJSONHandler(os.Stderr, nil)
	if f.Debug {
		h = slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: debugLevel})
	}
	l := logr.FromSlogHandler(h)
	ctrl.SetLogger(l)
	logging.SetFilteredKlogLogger(l)
	return l.WithName("provider-lambda")
}

// debugLevel names the level of logr's V(1), which slog has no name for.
func debugLevel(_ []string, a slog.Attr) slog.Attr {
	if level, ok := a.Value.Any().(slog.Level); ok && level < slog.LevelInfo {
		a.Value = slog.StringValue(slog.LevelDebug.String())
	}
	return a
}
