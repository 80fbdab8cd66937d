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

// do makes a change of the policies of a function. While another change is in progress, it returns the error of a call
// that is deferred by the quota.
func (o *ongoing) do(function, call string, change func() error) error {
	if _, under := o.functions.LoadOrStore(function, struct{}{}); under {
		return &quota.DeferredError{Operation: call, After: changeWait}
	}
	defer o.functions.Delete(function)
	return change()
}

// under reports whether a change of the policies of a function is in progress.
func (o *ongoing) under(function string) bool {
	_, under := o.functions.Load(function)
	return under
}
