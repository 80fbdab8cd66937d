package reconciler

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// A Plan is what a comparison of spec with what was found comes to.
type Plan struct {
	// Ready condition to show. Where changes are due, it says that they are on their
	// way.
	Ready xpv2.Condition

	// Changes that AWS has yet to see.
	Changes diff.Changes

	// Followed are those of the Changes that come of what spec points to, such as a new
	// object in S3, rather than of someone who changed the external resource in AWS.
	Followed diff.Changes

	// Call is the AWS operation that brings them about, or the first of those that do.
	// Empty where nothing is due, or nothing can be sent yet.
	Call string

	// Carried are those of the Changes that the Call brings about. Nil means all.
	Carried diff.Changes

	// Does is what the call does, for the event that tells of it. Empty means that it
	// brings about what it carries.
	Does string

	// Slow says that AWS takes a while over the call, so that a look at once would find
	// nothing new.
	Slow bool

	// Otherwise are the calls that go ahead, the first one first, while AWS accepts the
	// Call without showing its effect: what AWS does not take must not hold up what it
	// does.
	Otherwise []Step

	// Recreate says that what was found is no more than a creation that failed, so that
	// Create is to delete it and to create it anew. It is done only where the management
	// policies allow both, whether or not they allow updates.
	Recreate bool

	// Wait is when to look again, where waiting for that is of use. 0 leaves it to the
	// pace at which external resources in motion, or stable ones, are looked at.
	Wait time.Duration
}

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

// UpdatingFields returns the Ready condition while changes are being made. It names the fields: the
// values are in status.differences and in events.
func UpdatingFields(generation int64, changes diff.Changes) xpv2.Condition {
	return Updating(generation, "changing "+changes.Names())
}

// describe the call for the event that tells users of it.
func (p Plan) describe(ctx context.Context, mg Managed) string {
	if p.Does != "" {
		return p.Does
	}
	return Cause(ctx, mg) + ": " + p.Carried.String()
}

// comparison is what the plan says of the external resource.
func (p Plan) comparison() SyncState {
	switch {
	case len(p.Changes) > len(p.Followed):
		return Differs
	case len(p.Changes) > 0:
		return SourceChanged
	case p.Ready.Status == corev1.ConditionTrue:
		return UpToDate
	}
	return Undecided
}
