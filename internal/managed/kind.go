package managed

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/cadence"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/fields"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/objects"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tenancy"
)

// A Managed resource as this provider has them. The methods beyond the
// runtime's forward to xpv2.ManagedResourceStatus and v1beta1.Summary, which its status
// embeds.
type Managed interface {
	resource.ModernManaged

	GetObservedGeneration() int64
	SetObservedGeneration(generation int64)
	GetLastHandledReconcileAt() string
	SetLastHandledReconcileAt(token string)

	SetSummary(s v1beta1.Summary)
	GetSummary() v1beta1.Summary
}

// A Kind is all that Setup has to know of a kind of managed resource.
type Kind[T Managed] struct {
	// GVK of the kind, which the manager's scheme knows.
	GVK schema.GroupVersionKind

	// New returns an empty resource.
	New func() T

	// NewList returns an empty list of resources.
	NewList func() resource.ManagedList

	// Region that the resource lies in.
	Region func(T) string

	// Reads are the AWS operations, such as GetFunction, that one Observe calls, as
	// far as spec and status tell. An operation may be named more than once. Where a
	// resource is yet to be created, naming the operation that creates it as well
	// spares a look: reservations that are not used are given back.
	Reads func(T) []string

	// Connect returns an external client that uses the session. It makes no call.
	//
	// Observe asks Reserve for each call that is due before it reports that it is.
	Connect func(ctx context.Context, mg T, s *config.Session) (xpmanaged.TypedExternalClient[T], error)

	// Refs are the Secrets and ConfigMaps that spec refers to. When one of them
	// changes, the resource is reconciled. Nil if the kind has no such fields.
	Refs func(T) []objects.Ref

	// Fields are the selectors by which spec refers to fields of other providers'
	// objects. When one of them changes, the resource is reconciled, if the provider
	// may watch it. Nil if the kind has no such fields.
	Fields func(T) []v1beta1.FieldSelector

	// References are those by which spec names other resources of this provider. They
	// are resolved at each reconcile, in memory. Nil if the kind has no such fields.
	References func(T) []Reference

	// RefersTo are the kinds that References may name. When one of the resources that
	// spec refers to changes in what can be referred to, this one is reconciled.
	RefersTo []schema.GroupVersionKind

	// FunctionName is the field of spec that holds the plain name of a function of the
	// same account and region. A reference may resolve it to an ARN, which is replaced by
	// the plain name, in memory. Nil if the kind has no such field, or takes ARNs.
	FunctionName func(T) **string

	// Owns is what a resource is to own in AWS, or only looks at, where others may act on
	// it: a function or a version of a layer. Nil if the kind has no such things.
	Owns func(T) []tenancy.Target

	// ActsOn is what a resource acts on that others may own: all functions or versions of
	// layers that spec, its references resolved, status and annotations name. Nil if it
	// acts on none.
	ActsOn func(T) []tenancy.Target

	// Tagged says that tags in AWS tell whose things of this kind are.
	Tagged bool

	// Redact removes from a copy of a resource what a change log must not show,
	// such as the values of environment variables. Nil if there is nothing.
	Redact func(T)

	// Forget what the kind keeps in memory of a resource that is gone. Nil if there is
	// nothing.
	Forget func(uid types.UID)
}

// A Resolver finds the AWS configuration that a managed resource refers to. It is
// cheap: what it returns is cached.
type Resolver interface {
	Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*config.Session, error)
}

// A Tracker records which resources use which configurations, so that none is
// deleted while it is needed.
type Tracker interface {
	Track(ctx context.Context, mg resource.ModernManaged) error
	Untrack(ctx context.Context, mg resource.ModernManaged) error

	// Drop the record of a resource that its configuration refuses.
	Drop(ctx context.Context, mg resource.ModernManaged) error
}

// A Limiter hands out the AWS calls that quotas allow. It never blocks.
// *quota.Limiter is one.
type Limiter interface {
	// Reserve a call of each operation. 0 means that the holder has them all;
	// otherwise it is in the queue and may come back in the time returned.
	Reserve(s quota.Scope, h quota.Requester, ops ...string) time.Duration

	// Release what the holder has reserved and not used.
	Release(s quota.Scope, id string)

	// Forget a holder that is gone.
	Forget(s quota.Scope, id string)
}

// Options are shared by the controllers of all kinds.
type Options struct {
	// Options of crossplane-runtime. PollInterval is the time between two looks at a
	// stable resource. GlobalRateLimiter is not used: it makes the queue forget how
	// often a resource has failed.
	controller.Options

	// Resolver of AWS configurations.
	Resolver Resolver

	// Tracker of the use of AWS configurations.
	Tracker Tracker

	// Limiter of AWS calls, the one that the SDK's middleware asks too.
	Limiter Limiter

	// Objects reads the Secrets and ConfigMaps that specs refer to.
	Objects *objects.Reader

	// Fields reads fields of other providers' objects that specs refer to.
	Fields *fields.Reader

	// Tenants tells who owns what, and who of another namespace may use it. Nil allows all.
	Tenants *tenancy.Book

	// ClusterID is the value of the tag that says which cluster owns a thing.
	ClusterID string

	// MinPollInterval is the shortest poll interval that the annotation
	// crossplane.io/poll-interval can ask for.
	MinPollInterval time.Duration

	// PollJitter is the fraction, from 0 to 1, by which a poll interval varies.
	PollJitter float64

	// Accounts tells what accounts have left of Lambda. Nil knows of none.
	Accounts *account.Limits

	// Breakers keep resources from calling AWS where it does not answer, the ones that the
	// SDK's middleware tells of calls. Nil lets all pass.
	Breakers *breaker.Breakers

	// Metrics of what becomes of resources. Nil measures nothing.
	Metrics *Metrics

	// Timeout of the AWS calls of one reconcile. 0 means one minute.
	Timeout time.Duration

	// Tracer of reconciles, the one that the SDK's middleware has too. Nil makes no
	// traces, which costs nothing.
	Tracer trace.Tracer

	// Now is the clock.
	Now func() time.Time

	// Random returns a number in [0, 1).
	Random func() float64
}

// poll is the cadence of stable resources.
func (o Options) poll() cadence.Poll {
	return cadence.Poll{Interval: o.PollInterval, Min: o.MinPollInterval, Jitter: o.PollJitter}
}
