package permission

import (
	"sync"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// changeWait is the requeue interval while another Permission is changing the policy: about as long as one call takes.
const changeWait = 100 * time.Millisecond

// ongoing is the set of functions with policies that this provider is changing. If several
// statements are added at the same time, AWS may accept all and keep one, so the policies
// of a function are changed one call after the other. It is safe for concurrent use.
type ongoing struct{ functions sync.Map }

// begin begins a change of the policies of a function. It returns false while another
// change is in progress. The caller must end a change that has begun.
func (o *ongoing) begin(function string) bool {
	_, under := o.functions.LoadOrStore(function, struct{}{})
	return !under
}

// end ends a change of the policies of a function.
func (o *ongoing) end(function string) { o.functions.Delete(function) }

// under reports whether a change of the policies of a function is in progress.
func (o *ongoing) under(function string) bool {
	_, under := o.functions.Load(function)
	return under
}

// notSent returns the error of a call that was not sent, because another is in progress.
// It is retried like a call that is deferred by the quota.
func notSent(call string) error { return &quota.DeferredError{Operation: call, After: changeWait} }
