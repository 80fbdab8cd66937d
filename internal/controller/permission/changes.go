package permission

import (
	"sync"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// changeWait is when to look again at a function whose policy another Permission is
// changing: about as long as one call takes.
const changeWait = 100 * time.Millisecond

// ongoing are the functions whose policies this provider is changing. Of statements that
// are added at the same time, AWS may accept all and keep one, so that the policies of a
// function are changed one call after the other. It is safe for concurrent use.
type ongoing struct {
	mu        sync.Mutex
	functions map[string]bool
}

// begin a change of the policies of a function. It returns false while another change is
// under way. A change that was begun is to be ended.
func (o *ongoing) begin(function string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.functions[function] {
		return false
	}
	if o.functions == nil {
		o.functions = map[string]bool{}
	}
	o.functions[function] = true
	return true
}

// end a change of the policies of a function.
func (o *ongoing) end(function string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.functions, function)
}

// under tells whether a change of the policies of a function is under way.
func (o *ongoing) under(function string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.functions[function]
}

// notSent is the error of a call that was not sent, since another is under way. It is
// sent later, as one that the quota holds up.
func notSent(call string) error { return &quota.DeferredError{Operation: call, After: changeWait} }
