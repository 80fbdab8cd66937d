package manager

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

// Options are the options of a provider.
type Options struct {
	// Options are the options of crossplane-runtime: logger, poll interval, concurrency, features.
	controller.Options

	// Version of the provider, for the change log.
	Version string

	// Log is the logger for everything.
	Log logr.Logger

	// SyncPeriod is the interval at which all watched objects are reconciled again from the cache.
	SyncPeriod time.Duration

	// MinPollInterval is the lower bound of poll intervals.
	MinPollInterval time.Duration

	// PollWithEvents is the poll interval of resources whose changes drift events report. It has no effect if it is not
	// longer than the poll interval.
	PollWithEvents time.Duration

	// PollJitter is the fraction by which poll intervals vary.
	PollJitter float64

	// ClusterID marks what this cluster owns. Empty means the UID of a ConfigMap that each cluster has.
	ClusterID string

	// LeaderElection lets one of several replicas work at a time.
	LeaderElection bool

	// LeaderElectionNamespace is the namespace of the lease. Empty means the pod's own.
	LeaderElectionNamespace string

	// LeaseDuration is the time for which an unrenewed lease keeps other replicas from working, in whole seconds. Zero
	// means DefaultLeaseDuration.
	LeaseDuration time.Duration

	// RenewDeadline is the time after the last renewal of the lease at which a replica stops working. It must be less
	// than LeaseDuration. Zero means DefaultRenewDeadline.
	RenewDeadline time.Duration

	// Addresses to listen on. "0" or empty disables the server.
	MetricsAddress, HealthAddress, PprofAddress string

	// Namespaces to watch. Empty means all.
	Namespaces []string

	// Shard selects the resources that are reconciled. The zero value selects all.
	Shard sharding.Shard

	// SafeStart waits for each kind's definition before its controller is started.
	SafeStart bool

	// StateMetricInterval is the interval at which resources are counted by their conditions.
	StateMetricInterval time.Duration

	// ChangeLogSocket is the Unix socket of Crossplane's change log sidecar. Empty disables the change log.
	ChangeLogSocket string

	// Config configures how AWS clients are made from configs.
	Config session.Options

	// ListPolls polls synced resources by AWS's lists. Lists configures that; its interval is the poll interval.
	ListPolls bool
	Lists     listpoll.Options

	// AnalysisHosts are the hosts that the analysis of a rollout may call.
	AnalysisHosts []string

	// SourceHosts are the hosts of which the artifacts of Flux sources may be downloaded, and the private hosts of
	// registries.
	SourceHosts []string

	// SourceLoopback allows loopback addresses among them, for tests and the demo.
	SourceLoopback bool

	// DeletionPolicy selects the deletions that wait for a confirmation. The zero value selects none.
	DeletionPolicy protection.Policy

	// QuotaRates are the rates of AWS calls. Buckets that are not listed have those of quota.DefaultRates.
	QuotaRates map[quota.Bucket]quota.Rate

	// Tracer traces reconciles and their calls to AWS. Nil disables traces.
	Tracer trace.Tracer

	// Now is the clock of the controllers. Nil means time.Now.
	Now func() time.Time
}

// SourceHostFlag is the flag of the provider that sets SourceHosts.
const SourceHostFlag = "--source-host"

// sourceHosts returns the hosts that the provider's operator allows for sources of code. Registries may be any public
// ones.
func (o *Options) sourceHosts(public bool) egress.Hosts {
	return egress.Hosts{Flag: SourceHostFlag, Allowed: o.SourceHosts, Public: public, Loopback: o.SourceLoopback}
}

// address returns an address to listen on: controller-runtime disables a server at "0".
func address(a string) string { return cmp.Or(a, "0") }
