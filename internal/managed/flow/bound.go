package flow

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

// creation is what creating is called among the calls that AWS has accepted, since
// some operations both create and update.
const creation = "create"

// A Step is one of the calls of a Plan. Its fields are those of a Plan.
type Step struct {
	Call    string
	Carried diff.Changes
	Does    string
	Slow    bool
}

// With is the plan whose call is the first of the steps, and the others those that go
// ahead of it while AWS does not show its effect.
func (p Plan) With(steps ...Step) Plan {
	if len(steps) > 0 {
		p.Call, p.Carried, p.Does, p.Slow = steps[0].Call, steps[0].Carried, steps[0].Does, steps[0].Slow
		p.Otherwise = steps[1:]
	}
	return p
}

// bounded is the plan with the first of its calls that may be made now. One that AWS has
// accepted without showing its effect waits, longer each time, while others go ahead;
// Ready says so once nothing but such calls is left.
func bounded(ctx context.Context, mg managed.Managed, p Plan) Plan {
	switch {
	case len(p.Changes) == 0 && p.Ready.Status == corev1.ConditionTrue:
		managed.Shown(ctx)
		return p
	case len(p.Changes) == 0, p.Call == "":
		return p
	case p.Carried == nil:
		p.Carried = p.Changes
	}
	shortest, most := time.Duration(0), 0
	steps := append([]Step{{Call: p.Call, Carried: p.Carried, Does: p.Does, Slow: p.Slow}}, p.Otherwise...)
	for i, s := range steps {
		wait, count := managed.Attempted(ctx, s.Call, s.Carried.String())
		if wait == 0 {
			return p.With(steps[i:]...)
		}
		if most = max(most, count); shortest == 0 || wait < shortest {
			shortest = wait
		}
	}
	p.Call, p.Wait = "", shortest
	p.Ready = notShown(mg.GetGeneration(), "a change of "+p.Changes.Names(), most)
	return p
}

// unshown is the observation of a resource that AWS has accepted to create and does not
// show. It is not created again yet.
func unshown(ctx context.Context, mg managed.Managed, call string, wait time.Duration, count int) xpmanaged.ExternalObservation {
	ready := condition.Creating(mg.GetGeneration(), "AWS has accepted "+call+" and does not show the result yet")
	if count >= managed.ManyAttempts {
		ready = notShown(mg.GetGeneration(), call, count)
	}
	mg.SetConditions(ready)
	managed.ComeBack(ctx, wait)
	return xpmanaged.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}
}

// notShown is the Ready condition of a resource whose change AWS has accepted and does
// not show. It holds no count, which would make each try another condition.
func notShown(generation int64, what string, count int) xpv2.Condition {
	if count < managed.ManyAttempts {
		return condition.Updating(generation, "AWS has accepted "+what+" and does not show it yet")
	}
	return condition.Unavailable(generation, fmt.Sprintf("AWS has accepted %s %d times or more and does not show it: it is sent again from time to time; AWS may not support it here, or something else may undo it", what, managed.ManyAttempts))
}
