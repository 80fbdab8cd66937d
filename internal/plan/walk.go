package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

type session = *awssession.Session

// sessions returns a session for each reconcile, so that none uses what an earlier one has cached.
type sessions func() session

const (
	// maxSteps is the maximum number of reconciles that are planned for one resource.
	maxSteps = 60

	// maxIdle is the number of consecutive reconciles without a call after which the plan ends, and maxWait the maximum
	// wait for the next one.
	maxIdle = 6
	maxWait = time.Minute

	// tick is the time between two reconciles.
	tick = time.Millisecond
)

// A walk is the result of reconciling a resource until nothing is left to do.
type walk struct {
	calls   []dryrun.Call
	changes diff.Changes
	existed bool
	adopted bool
	gone    bool
	err     error
	awaits  bool
	synced  bool
	ready   string

	// unknowns are the facts that only AWS could tell.
	unknowns []string

	// rollout describes the rollout whose check the walk has ended at, if it has.
	rollout string

	// deferred is the time for which AWS may not be called, if the walk has ended because of that.
	deferred time.Duration
}

// walk reconciles a resource until nothing is left to do.
func (p *Planner) walk(ctx context.Context, s *engine.Stepper, mg reconcile.Managed, a *dryrun.Account,
	sess sessions,
) walk {
	w, idle := walk{}, 0
	if p.resolver == nil {
		w.unknowns = withoutChecks(mg)
	}
	p.artifacts = nil
	begin := len(a.Calls())
	for range maxSteps {
		p.now = p.now.Add(tick)
		before := len(a.Calls())
		r := s.Step(ctx, mg, sess(), p.clock())
		made := a.Calls()[before:]
		if before == begin { // A resource that is gone counts as existing until AWS has confirmed that.
			w.existed = r.Exists
		}
		w.changes = merge(w.changes, r.Changes)
		w.adopted, w.gone, w.synced, w.err, w.awaits = w.adopted || r.Adopted(), r.Gone, r.Converged, r.Err, r.Awaits
		if r.Converged && r.Wait() == 0 || r.Err != nil || repeated(a.Calls()[begin:before], made) {
			break
		}
		if r.Deferred() {
			w.deferred = r.Wait()
			break
		}
		if w.rollout = checkedRollout(mg, made); w.rollout != "" {
			break
		}
		if idle++; len(made) > 0 {
			idle = 0
		}
		if idle >= maxIdle {
			break
		}
		if idle > 0 {
			p.now = p.now.Add(min(r.Wait(), maxWait))
		}
	}
	w.calls, w.ready = a.Calls()[begin:], mg.GetCondition(xpv2.TypeReady).Message
	return w
}

// checkedRollout describes the rollout of an Alias if calls have invoked the function to check the new version. It
// returns an empty text otherwise.
func checkedRollout(mg reconcile.Managed, made []dryrun.Call) string {
	a, ok := mg.(*v1beta1.Alias)
	if !ok || !slices.ContainsFunc(made, func(c dryrun.Call) bool { return c.Operation == "Invoke" }) {
		return ""
	}
	r := ptr.Deref(a.Status.Rollout, v1beta1.AliasRolloutStatus{})
	return fmt.Sprintf("rollout from version %s to version %s: what follows depends on the results of its checks",
		r.Stable.FunctionVersion, r.Target.FunctionVersion)
}

// repeated reports whether a call was made before, with as many others since as make a cycle: its effect is not
// modeled.
func repeated(before, made []dryrun.Call) bool {
	const most = 3
	for _, c := range made {
		n := 0
		for _, b := range before {
			if b == c {
				n++
			}
		}
		if n >= most {
			return true
		}
	}
	return false
}

// merge adds the changes that a later reconcile has found.
func merge(all, more diff.Changes) diff.Changes {
	for _, c := range more {
		if !slices.ContainsFunc(all, func(known diff.Change) bool { return known.Path == c.Path }) {
			all = append(all, c)
		}
	}
	return all
}

// Plan plans a resource as it would be applied. prior is the object in the cluster, nil if there is none. Without a
// connection to AWS, the plan assumes that AWS has what prior asks for.
func (p *Planner) Plan(ctx context.Context, desired, prior reconcile.Managed) (out Plan) {
	nameErr := p.setName(desired)
	out = Plan{Namespace: desired.GetNamespace(), Name: mask(desired.GetName(), Unknown)}
	defer func() {
		if recover() != nil { // Without a cluster, nothing has validated the manifest.
			out = rejected(out, panics.New())
		}
	}()
	gvk, err := p.kindOf(desired)
	out.Kind = gvk.Kind
	if err = cmp.Or(err, nameErr); err != nil {
		return rejected(out, err)
	}
	s, err := p.stepper(desired, p.objects)
	if err != nil {
		return rejected(out, err)
	}
	if prior != nil {
		p.identifyAccount(prior)
	}
	a, sess, err := p.account(ctx, desired, s.Region(desired))
	if err != nil {
		return rejected(out, err)
	}
	mg := copyOf(desired)
	a.Assume(gvk.Kind != v1beta1.FunctionKind)
	if region := s.Region(desired); p.resolver == nil && !regions.Known(region) {
		out.Unknowns = append(out.Unknowns,
			fmt.Sprintf("whether the provider accepts %q: it is not a region of AWS that "+
				"this version knows, so spec.regions of the provider config must list it", region))
	}
	if xpmeta.IsPaused(mg) {
		out.Action, out.Message = Wait, "reconciliation is paused"
		return out
	}
	if prior != nil {
		p.inherit(mg, prior)
		if p.deletionWaits(mg) {
			out.Action, out.Message = Wait, "held: "+mg.GetCondition(v1beta1.TypeDeletionHeld).Message
			return out
		}
		if p.resolver == nil {
			from := p.seed(ctx, prior, a, sess)
			if from.action != "" {
				out.Action, out.Message = from.action, from.message
				return out
			}
			out.Unknowns = append(out.Unknowns, p.begin(mg, prior, from)...)
		} else {
			name, last := numbers(prior)
			a.Number(name, last+1)
		}
	}
	p.identify(mg)
	w := p.walk(ctx, s, mg, a, sess)
	p.objects.put(mg)
	out.deferred = w.deferred
	p.describe(&out, mg, w, a)
	return out
}

// deletionWaits reports whether the deletion of a resource waits for a confirmation.
func (p *Planner) deletionWaits(mg reconcile.Managed) bool {
	return reconcile.PendingReason(mg) != "" && xpmeta.WasDeleted(mg) &&
		reconcile.Allows(mg, xpv2.ManagementActionDelete) &&
		!protection.Confirmed(mg.GetAnnotations()[v1beta1.AnnotationConfirmDeletion],
			mg.GetDeletionTimestamp().Time, p.clock())
}

// inherit gives a resource what the object in the cluster has and a manifest does not: its identity and its status. An
// apply has kept the annotations that the provider has written, and removed those that the manifest no longer has.
func (p *Planner) inherit(mg, prior reconcile.Managed) {
	mg.SetUID(prior.GetUID())
	mg.SetCreationTimestamp(prior.GetCreationTimestamp())
	if mg.GetDeletionTimestamp() == nil {
		mg.SetDeletionTimestamp(prior.GetDeletionTimestamp())
	}
	mg.SetFinalizers(prior.GetFinalizers())
	mg.SetGeneration(prior.GetGeneration())
	if !equalSpec(mg, prior) {
		mg.SetGeneration(prior.GetGeneration() + 1)
	}
	copyField(mg, prior, "Status")
}

// identify gives a new resource an identity, which the API server would give it.
func (p *Planner) identify(mg reconcile.Managed) {
	if mg.GetUID() == "" {
		mg.SetUID(uuid.NewUUID())
	}
	if mg.GetGeneration() == 0 {
		mg.SetGeneration(1)
	}
	if created := mg.GetCreationTimestamp(); created.IsZero() {
		mg.SetCreationTimestamp(metav1.NewTime(p.clock()))
	}
}

// describe completes a plan by what was found.
func (p *Planner) describe(out *Plan, mg reconcile.Managed, w walk, a *dryrun.Account) {
	show := func(text string) string {
		for made, name := range p.names {
			text = strings.ReplaceAll(text, made, name)
		}
		return mask(text, Unknown)
	}
	deleted := xpmeta.WasDeleted(mg)
	out.Action = action(w.calls, w.existed, w.adopted, deleted)
	// Otherwise each plan of such code would have them, even if nothing has changed.
	if out.Action != None && !deleted {
		out.Unknowns = append(out.Unknowns, w.unknowns...)
	}
	for _, c := range w.calls {
		out.Calls = append(out.Calls, dryrun.Call{Operation: c.Operation, On: show(c.On)})
	}
	for _, c := range w.changes {
		if deleted || slices.ContainsFunc(ownership.Keys(),
			func(key string) bool { return c.Path == "tags["+key+"]" }) {
			continue
		}
		out.Changes = append(out.Changes, diff.Change{Path: c.Path, Old: show(c.Old), New: show(c.New)})
	}
	for _, s := range p.artifacts {
		u := "which artifact " + s + " has: its revision is known once Flux has fetched it"
		if !slices.Contains(out.Unknowns, u) {
			out.Unknowns = append(out.Unknowns, u)
		}
	}
	for _, f := range a.Assumed() {
		if u := assumed(f); !slices.Contains(out.Unknowns, u) {
			out.Unknowns = append(out.Unknowns, u)
		}
	}
	switch {
	case w.err != nil && w.awaits:
		out.Action, out.Message = Wait, show(w.err.Error())
	case w.err != nil:
		out.Action, out.Message = Reject, show(w.err.Error())
	case w.rollout != "":
		out.Message = show(w.rollout)
	case !w.synced && !w.gone && len(w.calls) == 0:
		// AWS gives no reason for the state Creating of a mapping.
		out.Action, out.Message = Wait, show(cmp.Or(w.ready, "AWS has not completed an earlier change of it"))
	case !w.synced && !w.gone:
		out.Message = show(w.ready)
	}
}

// assumed says that a function, a version or an alias is assumed to exist.
func assumed(name string) string { return name + " is assumed to exist" }

// rejected returns a plan with an error.
func rejected(p Plan, err error) Plan {
	p.Action, p.Message = Reject, err.Error()
	return p
}
