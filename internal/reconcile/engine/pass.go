package engine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
)

// A reconciler decides when the managed reconciler of the runtime runs, and when a resource is reconciled next.
type reconciler struct {
	Options

	kind       reconcile.UntypedKind
	manager    ctrl.Manager
	kube       *kube.Client
	recorder   *reporting.Recorder
	changeLog  managed.ChangeLogger
	states     *memory.Store
	inFlight   *InFlight
	references *references
	handover   *watch.Handover
	queue      watch.WorkQueue
	policies   bool
	log        logging.Logger
	runtimeLog logging.Logger
}

func (r *reconciler) managementPolicies(mg reconcile.Managed) managed.ManagementPoliciesChecker {
	return managed.NewManagementPoliciesResolver(r.policies, mg.GetManagementPolicies())
}

// makesNoCall reports whether the runtime will make no AWS call at all.
func (r *reconciler) makesNoCall(mg reconcile.Managed) bool {
	p := r.managementPolicies(mg)
	return meta.IsPaused(mg) || p.IsPaused() || p.Validate() != nil || (meta.WasDeleted(mg) && !p.ShouldDelete())
}

// A pass is one reconcile of one resource: what it knows, what it has found, and what it did. Its steps are those that
// crossplane-runtime calls, see runtime.go.
type pass struct {
	*reconciler

	// read is the resource at the start. It is not changed.
	read  reconcile.Managed
	known memory.Resource
	facts reconcile.Facts

	// resolved is the session of the resource, and session is the same if AWS may be called. Each is nil if there is
	// none, and unusable says why.
	resolved, session *session.Session
	unusable          error

	// circuitWait is the time to wait for a circuit breaker that is not open. leaveCircuit is called when the reconcile
	// has ended, if it is set.
	circuitWait  time.Duration
	leaveCircuit func()

	// removal is not nil if the resource is refused, and what it created before is deleted.
	removal *removal

	// view is the client of the runtime of the pass, and annotations writes annotations by it.
	view        *kube.View
	annotations AnnotationWriter

	observer reconcile.UntypedObserver
	out      reconcile.Outcome
	result   reconcile.Result

	// creates is true if the runtime creates the external resource. changing is true once a call is about to change
	// something in AWS. did is the call that AWS has accepted, and does describes it.
	creates, changing bool
	did               reconcile.Verb
	does              string

	// later is not nil if the reconcile leaves no trace. err is the error that it reports otherwise, returned is the
	// error of an observation or a call, and awaits reports whether the resource waits for a referenced one.
	later         *reconcile.LaterError
	err, returned error
	awaits        bool

	// ready is the Ready condition that was written.
	ready xpv2.Condition

	// listed is the item by which a list shows whether what was observed is unchanged. fingerprint is the fingerprint
	// of what the spec refers to. Both are set only if AWS was found to match.
	listed      *listpoll.Ref
	fingerprint string
}

func (r *reconciler) newPass(mg reconcile.Managed, known memory.Resource) *pass {
	p := &pass{reconciler: r, read: mg, known: known}
	p.facts = reconcile.Facts{
		Repeats: known.Calls, Origin: known.OriginOf(mg), ReadyBefore: mg.GetCondition(xpv2.TypeReady),
		CausesFn: func() (changed, drifted string) { return r.states.Causes(mg) },
	}
	return p
}

func (p *pass) end() {
	p.facts.Others.Leave()
	if p.leaveCircuit != nil {
		p.leaveCircuit()
	}
}

// missing returns the message about what a resource that only observes does not find in AWS, which the runtime's own
// error does not name. It is empty if the resource finds it, or was not compared.
func (p *pass) missing(mg resource.Managed) string {
	if p.err != nil || p.out.Exists || meta.WasDeleted(mg) || !reconcile.ObserveOnly(mg) {
		return ""
	}
	return p.out.Ready.Message
}

// found reports whether this reconcile has compared an external resource with spec.
func (p *pass) found() bool {
	return p.out.State != reconcile.Undecided && p.out.State != reconcile.Missing
}

// leavesNoTrace reports whether whatever the reconcile has found is dropped, except for a status that is kept.
func (p *pass) leavesNoTrace() bool { return p.later != nil }

// dropsStatus reports whether the status is dropped, too. It is kept if AWS has throttled a change, and it has what
// cannot be read again.
func (p *pass) dropsStatus() bool {
	return p.leavesNoTrace() && !(p.changing && p.later.Throttled && p.out.Keep)
}

// concludes reports whether the external resource was created, and nothing remains to be observed.
func (p *pass) concludes() bool {
	return p.did == reconcile.ToCreate && p.result.Ready.Type != "" && p.err == nil
}

// storesNow reports whether the status that this reconcile has found must not be deferred.
func (p *pass) storesNow() bool {
	return p.out.Keep || len(p.out.Stored) > 0 || p.did != "" && p.did != reconcile.ToCreate
}

// upToDate reports whether this reconcile has found AWS up to date. A resource that only observes reports no
// comparison.
func (p *pass) upToDate() bool {
	d := p.out.Differences
	return p.out.State == reconcile.UpToDate || p.out.State == reconcile.Undecided && d != nil && d.Message == "" &&
		len(d.List) == 0 &&
		p.ready.Status == corev1.ConditionTrue
}

// retries reports whether AWS has refused a change that is made again later, and the conditions say so.
func (p *pass) retries() bool {
	c := p.read.GetCondition(xpv2.TypeSynced)
	return p.out.Retries && p.err == nil && !meta.WasDeleted(p.read) && c.Reason == xpv2.ReasonReconcileError &&
		c.ObservedGeneration == p.read.GetGeneration()
}

// A removal is the deletion of what a resource created before it was refused.
type removal struct {
	// why is the error that the resource reports.
	why error

	// done records that nothing is left, and returns the event about that.
	done func() event.Event
}

// An AnnotationWriter writes annotations of a resource, as a kube.Client does.
type AnnotationWriter interface {
	// Annotate sets annotations of an object, and writes them.
	Annotate(ctx context.Context, obj client.Object, annotations map[string]string) error

	// AnnotateIfUnchanged does so on condition that the object has not changed since it was read, and otherwise
	// returns a conflict.
	AnnotateIfUnchanged(ctx context.Context, obj client.Object, annotations map[string]string) error
}
