package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

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

// assumed says that a function, a version or an alias is assumed to exist.
func assumed(name string) string { return name + " is assumed to exist" }
