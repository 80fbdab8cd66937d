package invocation

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Outcomes of an invocation.
const (
	// unknown is written before the call, and stays if no answer arrives.
	unknown = "Unknown"

	succeeded     = "Succeeded"
	functionError = "FunctionError"

	// notInvoked is the outcome of a call that AWS rejected, or that was not sent.
	notInvoked = "NotInvoked"
)

// The actions that a function is invoked for.
const (
	actionCreate = "create"
	actionUpdate = "update"
	actionDelete = "delete"
)

// A record describes the last invocation. It is written before each call, because AWS does
// not record whether a call was made. It is kept in an annotation, which backups include,
// and in status, which survives the replacement of a manifest.
type record struct {
	// Of is the resource, as namespace/name: a copy that is made from its manifest has not invoked the function.
	Of string `json:"of"`

	// Input is the fingerprint of what the function was invoked with.
	Input string `json:"input"`

	// UID belongs to the resource that began to record: fingerprints of a Secret's content depend on it, and a restored
	// backup has another UID. It is empty in records of earlier releases, which had the UID of the resource.
	UID string `json:"uid,omitempty"`

	Action  string `json:"action"`
	Outcome string `json:"outcome"`

	// Attempts counts the calls for this input, without those that were rejected.
	Attempts int32 `json:"attempts"`

	// Serial counts all calls, including those that were rejected.
	Serial int64 `json:"serial"`

	// Ran is true if an earlier call was not rejected.
	Ran bool `json:"ran"`

	// At is the time of the invocation.
	At metav1.Time `json:"at"`

	// Before is the record of the last call that was not rejected before this one, if any.
	Before *record `json:"before,omitempty"`
}

func name(i *v1beta1.Invocation) string { return i.GetNamespace() + "/" + i.GetName() }

// recorded returns the last record of a resource, or nil if it never invoked the function.
func recorded(i *v1beta1.Invocation) *record {
	a, s := annotated(i), fromStatus(i)
	switch {
	case a == nil:
		return s
	case s == nil, s.Serial < a.Serial:
		return a
	case a.Serial < s.Serial:
		s.UID = a.UID
		return s
	case a.Outcome == unknown:
		// The outcome did not reach the annotation.
		s.Ran, s.Before, s.UID = a.Ran, a.Before, a.UID
		return s
	}
	return a
}

// annotated returns the record in the annotation, or nil if there is no valid one.
func annotated(i *v1beta1.Invocation) *record {
	r := &record{}
	text, ok := i.GetAnnotations()[v1beta1.AnnotationLastInvocation]
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

func (r *record) annotation() map[string]string {
	b, _ := json.Marshal(r) //nolint:errchkjson // Texts, numbers and a time always become JSON.
	return map[string]string{v1beta1.AnnotationLastInvocation: string(b)}
}

// uid returns the UID for the fingerprints of a resource.
func (r *record) uid(i *v1beta1.Invocation) string {
	if r == nil || r.UID == "" {
		return string(i.GetUID())
	}
	return r.UID
}

// begin returns the record of another call.
func (r *record) begin(i *v1beta1.Invocation, input, action string, now time.Time) record {
	next := record{
		Of: name(i), Input: input, UID: r.uid(i), Action: action, Outcome: unknown, Attempts: 1, Serial: 1,
		At: metav1.NewTime(now).Rfc3339Copy(),
	}
	if r == nil {
		return next
	}
	next.Serial, next.Ran = r.Serial+1, !r.neverInvoked()
	if next.Before = r.Before; r.Outcome != notInvoked {
		before := *r
		before.Before = nil
		next.Before = &before
	}
	if r.Input == input && r.Action == action {
		next.Attempts = r.Attempts + 1
	}
	return next
}

// refused returns the record after a call that was not made.
func (r *record) refused() record {
	back := *r
	back.Outcome = notInvoked
	back.Attempts--
	return back
}

// of returns the record for an input. A call with another input that AWS rejected has changed nothing: if the input is
// again the one before it, the function was invoked with it.
func (r *record) of(input string) *record {
	if r == nil || r.Outcome != notInvoked || r.Input == input || r.Before == nil || r.Before.Input != input {
		return r
	}
	before := *r.Before
	before.Serial, before.Ran = r.Serial, r.Ran
	return &before
}

// neverInvoked reports whether the function was never invoked.
func (r *record) neverInvoked() bool { return r == nil || (r.Outcome == notInvoked && !r.Ran) }

// succeededSince reports whether this call or the one before it has succeeded, and is later than the call of a number.
func (r *record) succeededSince(serial int64) bool {
	return r.Serial > serial && r.Outcome == succeeded || r.Before != nil && r.Before.succeededSince(serial)
}
