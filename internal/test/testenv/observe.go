package testenv

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// An Observation is the result of one Observe of a resource.
type Observation struct {
	Exists, UpToDate bool

	// Ready is the reason of the Ready condition.
	Ready xpv2.ConditionReason

	// Message of the Ready condition. It is not compared if the expected one is empty, unless the reason has no
	// message: Available or Creating.
	Message string

	// Diff is the difference that the runtime receives. It is not compared if the expected one is empty.
	Diff string

	// Err is part of the error. Stalls expects one that makes the resource Stalled, now or after a grace period.
	Err    string
	Stalls bool

	// Aborted says that the reconcile is aborted and repeated.
	Aborted bool

	// Reserved are the calls that were reserved. They are not compared if the expected ones are nil; None expects none.
	Reserved []string

	// Calls are the calls to AWS, compared as Reserved is.
	Calls []string
}

// None is the value of Reserved and Calls if nothing may be reserved or called.
var None = []string{}

// Observe observes a resource once, with the facts of the next reconcile.
func (r *Env[T]) Observe(mg T) Observation {
	r.Helper()
	got := Observation{Reserved: []string{}}
	f := r.facts(mg)
	f.ReserveFn = func(ops ...string) time.Duration {
		got.Reserved = append(got.Reserved, ops...)
		return 0
	}
	before := len(r.Operations())
	d := engine.Observe(r.Context(), r.Observer(), f, mg)
	ready := mg.GetCondition(xpv2.TypeReady)
	got.Ready, got.Message, got.Aborted = ready.Reason, ready.Message, d.Later != nil
	got.Calls = append([]string{}, r.Operations()[before:]...)
	class := backoff.Classify(d.Err)
	got.Err, got.Stalls = message(d.Err), class == backoff.Terminal || class == backoff.Ambiguous
	if d.Err != nil && d.Later == nil && !d.Awaits && len(got.Calls) == 0 && class == backoff.Unclassified {
		r.Errorf("an error without a call of AWS must be of a class, so that it can become Stalled: %v", d.Err)
	}
	if d.Err != nil || d.Later != nil {
		return got
	}
	o := engine.ObservationFor(mg, d.Outcome)
	got.Exists, got.UpToDate, got.Diff = o.ResourceExists, o.ResourceUpToDate, o.Diff
	return got
}

// message returns the message of an error as the user sees it.
func message(err error) string {
	if err == nil {
		return ""
	}
	if op := (*smithy.OperationError)(nil); errors.As(err, &op) {
		err = awserr.Sanitize(err)
	}
	return err.Error()
}

// compare returns how an observation differs from an expected one.
func (want Observation) compare(got Observation) string {
	if want.Message == "" && (want.Err != "" || want.Ready != xpv2.ReasonAvailable &&
		want.Ready != xpv2.ReasonCreating) {
		got.Message = ""
	}
	if want.Err != "" && strings.Contains(got.Err, want.Err) {
		got.Err = want.Err
	}
	if !want.Stalls {
		got.Stalls = false
	}
	if want.Diff == "" {
		got.Diff = ""
	}
	if want.Reserved == nil {
		got.Reserved = nil
	}
	if want.Calls == nil {
		got.Calls = nil
	}
	return cmp.Diff(want, got)
}

// An Observer observes resources in an env: an Env, or a kind's own type that embeds one.
type Observer[T reconcile.Managed] interface {
	testing.TB
	Observe(mg T) Observation
}

// An ObserveCase is a resource, the state of AWS when it is observed, and the expected observation.
type ObserveCase[E Observer[T], T reconcile.Managed] struct {
	Reason   string
	Resource T

	// AWS prepares the env. Nil leaves it in its initial state.
	AWS func(E)

	Want Observation
}

// Observe observes the resource of each case in an env of its own.
func Observe[E Observer[T], T reconcile.Managed](
	t *testing.T, newEnv func(testing.TB) E, cases map[string]ObserveCase[E, T],
) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := newEnv(t)
			if tc.AWS != nil {
				tc.AWS(r)
			}
			if diff := tc.Want.compare(r.Observe(tc.Resource)); diff != "" {
				t.Errorf("%s\nObserve(): -want, +got:\n%s", tc.Reason, diff)
			}
		})
	}
}

// Refuse makes AWS reject an operation from now on.
func (w *AWS) Refuse(operation string, status int, code, message string) {
	w.Double.Fail(awsdouble.Fault{
		Operation: operation, Times: -1,
		Error: awsdouble.Error{Status: status, Code: code, Message: message},
	})
}

// Boom is the error of operations that Break makes AWS reject, as the user sees it.
const Boom = "InvalidParameterValueException: boom"

// Break makes AWS reject operations from now on, with the error Boom.
func (w *AWS) Break(operations ...string) {
	for _, op := range operations {
		w.Refuse(op, 400, "InvalidParameterValueException", "boom")
	}
}

// CallsFail observes a resource, and checks that the errors of its creation, update and deletion contain the failed
// action and its cause if AWS rejects the operations.
func CallsFail[T reconcile.Managed, O, S any](
	e *Env[T], c reconcile.Resource[T, O, S], mg T, create, update, remove string, operations ...string,
) {
	e.Helper()
	e.Break(operations...)
	o, err := c.Read(e.Context(), e.facts(mg), mg)
	e.Must(err)
	forProvider, initProvider, err := c.Desired(e.Context(), mg)
	e.Must(err)
	d := reconcile.Merge(forProvider, initProvider)
	_, created := c.Create(e.Context(), mg, d.Settings)
	updated := created
	if c.Update != nil {
		_, updated = c.Update(e.Context(), mg, o, reconcile.Update[S]{
			Comparison: d.Compare(o.Settings),
			Call:       c.Calls.Update,
		})
	}
	_, removed := c.Delete(e.Context(), mg, o)
	for want, err := range map[string]error{create: created, update: updated, remove: removed} {
		if awserr.Message(err) != "boom" || !strings.Contains(err.Error(), want) {
			e.Errorf("got %v, want %q and why", err, want)
		}
	}
}

// Outpaced edits what a resource manages out of band, after the resource has observed it and before it makes the
// resulting call. AWS must reject that call, since it contains the observed revision, and the resource is reconciled
// again.
func (r *Env[T]) Outpaced(mg T, edit func()) {
	r.Helper()
	r.between = edit
	defer func() { r.between = nil }()
	o, t, err := r.reconcile(mg)
	if err != nil || !t.aborted || o == Aborted {
		r.Errorf("%s, aborted %t, %v: a change by someone else must be no error, and be looked at again", o, t.aborted,
			err)
	}
}

// Attempt does one reconcile, and returns its outcome, whether it is repeated without any effect, and the error as
// the user sees it.
func (r *Env[T]) Attempt(mg T) (o Outcome, aborted bool, err error) {
	o, t, err := r.reconcile(mg)
	if err != nil {
		err = awserr.Sanitize(err)
	}
	return o, t.aborted, err
}

// ErrorMatches reports whether an error contains a text. If the text is empty, the error must be nil.
func ErrorMatches(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	return strings.Contains(err.Error(), text)
}

// Differs observes a resource, and checks that each of the fields is reported as different.
func (r *Env[T]) Differs(mg T, fields ...string) {
	r.Helper()
	differences := r.differences(mg)
	for _, field := range fields {
		if !strings.Contains(differences, field) {
			r.Errorf("%s is missing: %q", field, differences)
		}
	}
}

// differences observes a resource, and returns the message about how AWS differs from it.
func (r *Env[T]) differences(mg T) string {
	r.Helper()
	d := engine.Observe(r.Context(), r.Observer(), reconcile.Facts{}, mg)
	r.Must(d.Err)
	if d.Differences == nil {
		return ""
	}
	return d.Differences.Message
}
