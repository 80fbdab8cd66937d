package reconcile

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// absence is the name under which the call history keeps reports of AWS that an external
// resource does not exist.
const absence = "absence"

// Reports that have to follow each other before an external resource that was seen counts as
// gone. A single one may be wrong, and believing it would leave the external resource in AWS:
// one that AWS names is created again under another name, and a managed resource that is being
// deleted loses its finalizer.
const (
	absentReports      = 2
	absentReportsNamed = 3
)

// unconfirmed returns whether AWS has to report again that an external resource does not exist,
// before it is created again or its managed resource is deleted. It requeues the managed
// resource for the next report, two seconds after the first one and ten after the second.
func (e *External[T, O, S]) unconfirmed(ctx context.Context, mg T) bool {
	deleting, named := meta.WasDeleted(mg), e.calls.NameGiven && ExternalName(mg) != ""
	if unseen(mg) || deletionAccepted(mg) || !deleting && !named || attemptFrom(ctx).Calls == nil {
		return false
	}
	needed := absentReports
	if named {
		needed = absentReportsNamed
	}
	wait, count := RepeatDelay(ctx, absence, "")
	if wait <= 0 {
		if count >= needed-1 {
			return false
		}
		RecordCall(ctx, absence, "")
		wait, _ = RepeatDelay(ctx, absence, "")
	}
	if deleting {
		Abort(ctx, wait)
	} else {
		RequeueAfter(ctx, wait)
	}
	return true
}
