package reconcile

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

// Managed is a managed resource of this provider. The methods beyond the runtime's forward to
// xpv2.ManagedResourceStatus and v1beta1.Summary, which its status embeds.
type Managed interface {
	resource.ModernManaged

	GetObservedGeneration() int64
	SetObservedGeneration(generation int64)
	GetLastHandledReconcileAt() string
	SetLastHandledReconcileAt(token string)

	SetSummary(s v1beta1.Summary)
	GetSummary() v1beta1.Summary
}

// A Kind is what Setup needs to know of a kind of managed resource.
type Kind[T Managed] struct {
	// GVK is the kind, which is registered in the manager's scheme.
	GVK schema.GroupVersionKind

	// New returns an empty resource.
	New func() T

	// NewList returns an empty list of resources.
	NewList func() resource.ManagedList

	// Region returns the AWS region of the resource.
	Region func(T) string

	// Reads returns the AWS operations, such as GetFunction, that one Observe calls, as far as spec and status
	// determine them. An operation may occur more than once. If a resource is yet to be created, including the
	// operation that creates it saves a reconcile: unused reservations are released.
	Reads func(T) []string

	// Observer returns the observer of a resource in one reconcile, which uses the session. It makes no call.
	Observer func(mg T, s *session.Session) Observer[T]

	// Refs returns the Secrets and ConfigMaps that spec refers to. When one of them changes,
	// the resource is reconciled. Nil if the kind has no such fields.
	Refs func(T) []refs.ObjectRef

	// Fields returns the selectors by which spec refers to fields of other providers' objects. When one of them
	// changes, the resource is reconciled, if the provider may watch the object. Nil if the kind has no such fields.
	Fields func(T) []v1beta1.FieldSelector

	// References returns the references of spec to other resources of this provider. They are
	// resolved in each reconcile, in memory. Nil if the kind has no such fields.
	References func(T) []Reference

	// RefersTo are the kinds that References may refer to. When a resource that spec refers to
	// changes in a way that affects references, this one is reconciled.
	RefersTo []schema.GroupVersionKind

	// FunctionName returns the field of spec that holds the plain name of a function of the
	// same account and region. If a reference is resolved to an ARN, it is replaced by the
	// plain name, in memory. Nil if the kind has no such field, or accepts ARNs.
	FunctionName func(T) **string

	// Listed returns the items of AWS's lists that show whether a resource is still what its status says, with the
	// revisions in status. Nil if the kind has no such lists, or no items if they do not show all that spec depends on.
	Listed func(T) []listpoll.Ref

	// Owns returns what a resource owns in AWS, or only observes, and others may act on or use:
	// a function, for example. Nil if the kind owns nothing that other kinds name.
	Owns func(T) []tenancy.Target

	// Claims returns what a resource claims before it creates something in AWS. Nil means what Owns returns.
	Claims func(T) []tenancy.Target

	// ActsOn returns what a resource acts on and others may own: all functions and versions of layers that spec with
	// resolved references, status and annotations name. Nil if it acts on none.
	ActsOn func(T) []tenancy.Target

	// Uses returns what else of others spec names with resolved references, such as the layers of
	// a function: what resources refer to, by ARN as well as by reference. Nil if there is nothing.
	Uses func(T) []tenancy.Target

	// Tagged is true if tags in AWS show who owns external resources of this kind.
	Tagged bool

	// Redact removes from a copy of a resource what a change log must not contain, such as the
	// values of environment variables. Nil if there is nothing to remove.
	Redact func(T)

	// Reported returns whether CloudTrail records the calls by which AWS comes to differ from spec, so that drift
	// events make polls rare. It records no new object in S3, for example. Nil means no.
	Reported func(T) bool

	// Invocations returns how often AWS has invoked a function within a time ago, or how long to wait for that. Nil if
	// the kind is not about functions themselves.
	Invocations func(ctx context.Context, mg T, s *session.Session, within time.Duration) (count float64, wait time.Duration, err error)

	// Forget removes what the kind keeps in memory of a resource that is gone. Nil if there is nothing.
	Forget func(uid types.UID)
}

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

	// Proven returns whether events about calls in an account and region arrive from the queue of a config.
	Proven(config types.UID, account, region string) bool

	// Called records a call that changes something in an account and region. Its event is expected from the queue.
	Called(config types.UID, account, region string)
}

// Options are shared by the controllers of all kinds.
type Options struct {
	// Options are those of crossplane-runtime. PollInterval is the time between two reconciles of a stable resource.
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

	// StatusDelay is how long a status may be held back that only says that the resource is being created, or what it
	// waits for: the next one mostly follows in a moment. 0 writes each at once.
	StatusDelay time.Duration

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
	// Lists polls settled resources by AWS's lists. Nil polls each by itself.
	Lists *listpoll.Poller

	// Analyzer measures the health of what is rolled out.
	Analyzer *analysis.Analyzer

	// Metrics are the metrics of reconciles. Nil measures nothing.
	Metrics *Metrics

	// Timeout is the time limit of the AWS calls of one reconcile. 0 means one minute.
	Timeout time.Duration

	// Tracer traces reconciles. The SDK's middleware has the same one. Nil disables traces, at no cost.
	Tracer trace.Tracer

	// Now is the clock.
	Now func() time.Time

	// DeletionPolicy says which deletions wait for a confirmation. DeletionLedger counts deletions if it limits them.
	DeletionPolicy protection.Policy
	DeletionLedger *DeletionLedger

	// Planner plans resources that are only planned or only observed. Nil plans none.
	Planner ResourcePlanner

	// Define receives each kind that is set up, such as AddController, which adds its controller.
	Define func(mgr ctrl.Manager, o Options, d Definition) error

	// Random returns a number in [0, 1).
	Random func() float64
}

// timeout returns the time limit of the AWS calls of one reconcile.
func (o Options) timeout() time.Duration {
	if o.Timeout <= 0 {
		return defaultTimeout
	}
	return o.Timeout
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
func (o Options) poll() Poll {
	return Poll{Interval: o.PollInterval, WithEvents: o.PollWithEvents, Min: o.MinPollInterval, Jitter: o.PollJitter}
}
