package invocation

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
)

// Outcomes of an invocation.
const (
	// unknown is written before the call, and stays where its end is not seen.
	unknown = "Unknown"

	succeeded     = "Succeeded"
	functionError = "FunctionError"

	// notInvoked is the outcome of a call that AWS has refused, or that was not sent.
	notInvoked = "NotInvoked"
)

// Actions that a function is told of.
const (
	actionCreate = "create"
	actionUpdate = "update"
	actionDelete = "delete"
)

// A record of what a function was last invoked for. It is written before each call, for
// nothing in AWS tells whether a call was made. It is kept in an annotation, which
// backups have, and in status, which is not lost when a manifest is replaced.
type record struct {
	// Of is the resource, as namespace/name: another one that is made from its manifest
	// has not been invoked.
	Of string `json:"of"`

	// Input is the fingerprint of what the function was invoked with.
	Input string `json:"input"`

	Action  string `json:"action"`
	Outcome string `json:"outcome"`

	// Attempts of this input, but for those that were refused.
	Attempts int32 `json:"attempts"`

	// Serial counts all calls, those that were refused too.
	Serial int64 `json:"serial"`

	// Ran is true where an earlier call was not refused.
	Ran bool `json:"ran"`

	// At is when it was invoked.
	At metav1.Time `json:"at"`
}

func name(i *v1beta1.Invocation) string { return i.GetNamespace() + "/" + i.GetName() }

// recorded is the last record of a resource, nil if it was never invoked.
func recorded(i *v1beta1.Invocation) *record {
	a, s := annotated(i), fromStatus(i)
	switch {
	case a == nil:
		return s
	case s == nil, s.Serial < a.Serial:
		return a
	case a.Serial < s.Serial, a.Outcome == unknown:
		// The outcome did not reach the annotation.
		return s
	}
	return a
}

// annotated is the record in the annotation. What is not one counts as none.
func annotated(i *v1beta1.Invocation) *record {
	r := &record{}
	text, ok := i.GetAnnotations()[ownership.AnnotationRecord]
	if !ok || json.Unmarshal([]byte(text), r) != nil || r.Of != name(i) {
		return nil
	}
	return r
}

func fromStatus(i *v1beta1.Invocation) *record {
	o := i.Status.AtProvider
	if o.InputHash == nil || o.LastInvokedTime == nil {
		return nil
	}
	r := &record{
		Of: name(i), Input: *o.InputHash, At: *o.LastInvokedTime,
		Action: ptr.Deref(o.Action, actionCreate), Outcome: ptr.Deref(o.Outcome, unknown),
		Attempts: ptr.Deref(o.Attempts, 0), Serial: ptr.Deref(o.Calls, 0),
	}
	r.Ran = r.Serial > 1
	return r
}

// annotation that holds the record.
func (r *record) annotation() (map[string]string, error) {
	b, err := json.Marshal(r)
	return map[string]string{ownership.AnnotationRecord: string(b)}, err
}

// begin the record of another call.
func (r *record) begin(i *v1beta1.Invocation, input, action string, now time.Time) record {
	next := record{Of: name(i), Input: input, Action: action, Outcome: unknown, Attempts: 1, Serial: 1, At: metav1.NewTime(now).Rfc3339Copy()}
	if r == nil {
		return next
	}
	next.Serial, next.Ran = r.Serial+1, !r.never()
	if r.Input == input && r.Action == action {
		next.Attempts = r.Attempts + 1
	}
	return next
}

// refused takes a call back that was not made.
func (r *record) refused() record {
	back := *r
	back.Outcome = notInvoked
	back.Attempts--
	return back
}

// never tells whether the function was never invoked.
func (r *record) never() bool { return r == nil || (r.Outcome == notInvoked && !r.Ran) }
