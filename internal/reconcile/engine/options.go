package engine

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/store"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

// A Resolver finds the AWS session for the config that a managed resource refers to. It is
// cheap, because sessions are cached.
type Resolver interface {
	Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*session.Session, error)
}

// A Tracker records which resources use which configs, so that no config is deleted while it is in use.
type Tracker interface {
	Track(ctx context.Context, mg resource.ModernManaged) error
	Untrack(ctx context.Context, mg resource.ModernManaged) error

	// Drop removes the record of a resource that its config refuses.
	Drop(ctx context.Context, mg resource.ModernManaged) error
}

// A Limiter grants the AWS calls that quotas allow. It never blocks. *quota.Limiter is one.
type Limiter interface {
	// Reserve reserves a call of each operation. It returns 0 if the requester has them all.
	// Otherwise the requester is queued, and calls Reserve again after the returned time.
	Reserve(s quota.Scope, h quota.Caller, ops ...string) time.Duration

	// Release releases the calls that the requester has reserved and not used.
	Release(s quota.Scope, id string)

	// Forget removes a requester that is gone.
	Forget(s quota.Scope, id string)
}

// DriftEvents are events about calls to Lambda by others. *driftevents.Hub has them.
type DriftEvents interface {
	// Subscribe passes events to the controller of a kind.
	Subscribe(kind string, s driftevents.Subscriber)

	// Proven reports whether events about calls in an account and region arrive from the queue of a config.
	Proven(config types.UID, account, region string) bool

	// Called records a call that changes something in an account and region. Its event is expected from the queue.
	Called(config types.UID, account, region string)
}

// Options are shared by the controllers of all kinds.
type Options struct {
	// Options are crossplane-runtime's options. PollInterval is the time between two reconciles of a stable resource.
	// GlobalRateLimiter is not used: it makes the queue forget how often a resource has failed.
	controller.Options

	// Resolver resolves the AWS session of a resource.
	Resolver Resolver

	// Tracker tracks the use of configs.
	Tracker Tracker

	// Limiter limits AWS calls. The SDK's middleware has the same one.
	Limiter Limiter

	// Objects reads the Secrets and ConfigMaps that specs refer to.
	Objects *refs.ObjectReader

	// Fields reads fields of other providers' objects that specs refer to.
	Fields *refs.FieldReader

	// Namespaces to which this process is limited. Empty means all.
	Namespaces []string

	// Shard selects the resources that this process reconciles.
	Shard sharding.Shard

	// AllShards has the resources of all shards. It is nil if this process reconciles all.
	AllShards cluster.Cluster

	// Tenants decides who owns what, and which resources of other namespaces may use it. Nil allows everything.
	Tenants *tenancy.Registry

	// ClusterID is the value of the tag that identifies the cluster that owns an external resource.
	ClusterID string

	// MinPollInterval is the shortest poll interval that the annotation crossplane.io/poll-interval can ask for.
	MinPollInterval time.Duration

	// PollJitter is the fraction, from 0 to 1, by which a poll interval varies.
	PollJitter float64

	// StatusDelay is the maximum delay of a status that only says that the resource is being created, or what it waits
	// for: the next one mostly follows in a moment. 0 writes each at once.
	StatusDelay time.Duration

	// Artifacts has the artifacts of Flux sources and registries, and Registries reads registries. Nil downloads and
	// reads none, as in a plan.
	Artifacts  *store.Store
	Registries *oci.Client

	// Accounts knows the remaining Lambda limits of accounts. Nil knows none.
	Accounts *account.Limits

	// Breakers keep resources from calling AWS where it does not answer. The SDK's middleware
	// reports calls to the same ones. Nil admits all calls.
	Breakers *breaker.Breakers

	// Events are the events about calls to Lambda by others. Nil means that there are none.
	Events DriftEvents

	// PollWithEvents is the poll interval of resources whose changes events report. It has no effect if it is not
	// longer than PollInterval.
	PollWithEvents time.Duration
	// Lists polls steady resources by AWS's lists. Nil polls each by itself.
	Lists *listpoll.Poller

	// Analyzer measures the health of what is rolled out.
	Analyzer *analysis.Analyzer

	// Metrics are the metrics of reconciles.
	Metrics *reporting.Metrics

	// Tracer traces reconciles. The SDK's middleware has the same one. Nil disables traces.
	Tracer trace.Tracer

	// Now is the clock.
	Now func() time.Time

	// DeletionPolicy selects the deletions that wait for a confirmation. DeletionLimiter counts deletions if it limits
	// them.
	DeletionPolicy  protection.Policy
	DeletionLimiter *DeletionLimiter

	// Planner plans resources that are only planned or only observed. Nil plans none.
	Planner ResourcePlanner

	// Random returns a number in [0, 1).
	Random func() float64
}

// All returns the caches with the resources of all shards. References, and who owns what, depend on
// resources that other processes reconcile.
func (o Options) All(mgr ctrl.Manager) cluster.Cluster {
	if o.AllShards != nil {
		return o.AllShards
	}
	return mgr
}

// poll returns the poll configuration of stable resources.
func (o Options) poll() reconcile.Poll {
	return reconcile.Poll{
		Interval: o.PollInterval, WithEvents: o.PollWithEvents, Min: o.MinPollInterval,
		Jitter: o.PollJitter,
	}
}

// A ResourcePlanner plans what would be done about a resource.
type ResourcePlanner interface {
	// Plan returns what would be done, in one line, and whether anything would be. It reads AWS with the session and
	// changes neither AWS nor the cluster. It returns an error if AWS cannot be read now.
	Plan(ctx context.Context, mg reconcile.Managed, s *session.Session) (summary string, differs bool, err error)
}
