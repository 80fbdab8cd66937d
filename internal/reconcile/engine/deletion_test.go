package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// measured is what CloudWatch says of a function.
type measured struct {
	count float64
	wait  time.Duration
	err   error
	calls int
}

func (m *measured) invocations(
	context.Context,
	*sample,
	*session.Session,
	time.Duration,
) (float64, time.Duration, error) {
	m.calls++
	return m.count, m.wait, m.err
}

// configs returns an API server with the config of the env's resolver.
func configs(t *testing.T) client.WithWatch {
	t.Helper()
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(s).WithObjects(
		&v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", UID: "c1"}},
		&v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "c2"}},
	).Build()
}

// newBraked returns an env of which the resource exists in AWS and is being deleted, with a policy.
func newBraked(t *testing.T, p protection.Policy, m *measured) *env {
	t.Helper()
	server := configs(t)
	e := newEnv(t, samples.New(), func(o *Options, k *reconcile.Kind[*sample]) {
		o.DeletionPolicy, o.DeletionLimiter, o.Planner = p, NewDeletionLimiter(
			server,
			server,
			p.Limit,
		), deletionPlanner{}
		if m != nil {
			k.Invocations = m.invocations
		}
	})
	e.converge()
	e.delete()
	e.cloud.calls = nil
	e.clock = e.stored().GetDeletionTimestamp().Add(time.Second)
	return e
}

// full fills the record of the env's config.
func (e *env) full() {
	e.t.Helper()
	for n := range e.options.DeletionPolicy.Limit.Max {
		ok, err := e.options.DeletionLimiter.Admit(
			e.t.Context(),
			session.Ref{Kind: "ProviderConfig", Namespace: "shop", Name: "default", UID: "c1"},
			"shop",
			types.UID(string(rune('a'+n))),
			e.clock,
		)
		if !ok || err != nil {
			e.t.Fatal(ok, err)
		}
	}
}

func (e *env) confirm() {
	e.t.Helper()
	e.change(func(mg *sample) {
		metav1.SetMetaDataAnnotation(
			&mg.ObjectMeta,
			v1beta1.AnnotationConfirmDeletion,
			mg.GetDeletionTimestamp().UTC().Format(time.RFC3339),
		)
	})
}

func (e *env) gone() bool {
	return kerrors.IsNotFound(e.server.Get(e.t.Context(), cart, &sample{}))
}

var (
	fewDeletions = protection.Policy{Limit: protection.Limit{Max: 2, Window: time.Hour}}
	notInvoked   = protection.Policy{InvokedWithin: 24 * time.Hour}
)

// heldDeletions are deletions that wait.
func heldDeletions() map[string]heldDeletion {
	return map[string]heldDeletion{
		"TooMany": {
			reason: "The limit is reached.",
			policy: fewDeletions,
			before: (*env).full,
			want:   v1beta1.ReasonTooManyDeletions,
			says:   "the limit of 2 deletions within 1h for resources of ProviderConfig \"default\" of namespace \"shop\" is reached",
		},
		"Invoked": {
			reason: "The function is in use.",
			policy: notInvoked,
			is:     measured{count: 3},
			want:   v1beta1.ReasonRecentlyInvoked,
			says:   "the function was invoked in the last 24h",
		},
		"Unavailable": {
			reason: "CloudWatch does not answer.",
			policy: notInvoked,
			is:     measured{err: errors.New("access denied")},
			want:   v1beta1.ReasonInvocationsUnknown,
			says:   "access denied",
		},
	}
}

// A heldDeletion is a deletion that waits under a policy.
type heldDeletion struct {
	reason string
	policy protection.Policy
	before func(e *env)
	is     measured
	want   xpv2.ConditionReason
	says   string
}

// TestCountHeld checks that deletions that wait are counted by reason, and those that are sent are not.
func TestCountHeld(t *testing.T) {
	held := func(status corev1.ConditionStatus, reason xpv2.ConditionReason) resource.Managed {
		mg := samples.New()
		mg.SetConditions(xpv2.Condition{Type: v1beta1.TypeDeletionHeld, Status: status, Reason: reason})
		return mg
	}
	got := reporting.CountHeld([]resource.Managed{
		samples.New(),
		held(corev1.ConditionTrue, v1beta1.ReasonTooManyDeletions),
		held(corev1.ConditionTrue, v1beta1.ReasonTooManyDeletions),
		held(
			corev1.ConditionTrue,
			v1beta1.ReasonRecentlyInvoked,
		),
		held(corev1.ConditionFalse, v1beta1.ReasonDeletionProceeds),
	})
	want := map[xpv2.ConditionReason]int{v1beta1.ReasonTooManyDeletions: 2, v1beta1.ReasonRecentlyInvoked: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestHeldDeletion checks what is shown of a deletion that waits, how long it waits, and that it is sent when it is
// confirmed.
func TestHeldDeletion(t *testing.T) {
	for name, tc := range heldDeletions() {
		t.Run(name, func(t *testing.T) {
			e := newBraked(t, tc.policy, &tc.is)
			if tc.before != nil {
				tc.before(e)
			}
			for range 5 {
				after := e.reconcile()
				if after < time.Minute || after > time.Hour {
					t.Errorf("%s: it is reconciled again after %s", tc.reason, after)
				}
				e.clock = e.clock.Add(after)
			}
			if slices.Contains(e.cloud.calls, "Delete") {
				t.Fatalf("%s: it was deleted", tc.reason)
			}
			mg := e.stored()
			held, readyNow := mg.GetCondition(v1beta1.TypeDeletionHeld), mg.GetCondition(xpv2.TypeReady)
			if held.Status != corev1.ConditionTrue || held.Reason != tc.want ||
				!strings.Contains(held.Message, tc.says) {
				t.Errorf("%s: %+v", tc.reason, held)
			}
			if readyNow.Reason != xpv2.ReasonDeleting || readyNow.Message != held.Message ||
				mg.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionTrue {
				t.Errorf("Ready says why the deletion waits, and Synced is True: %+v", mg.Status.Conditions)
			}
			if n := e.events.count(
				v1beta1.EventDeletionHeld,
			); n != 1 || e.events.count(v1beta1.EventDeleted) != 0 ||
				len(e.changes.ops) != 0 {
				t.Errorf("want one event, and no entry of the change log: %v, %v", e.events.all, e.changes.ops)
			}

			e.confirm()
			e.reconcile()
			c := e.stored().GetCondition(v1beta1.TypeDeletionHeld)
			if c.Status != corev1.ConditionFalse || c.Reason != v1beta1.ReasonDeletionProceeds ||
				e.events.count(v1beta1.EventDeletionConfirmed) != 1 {
				t.Errorf("%s: confirmed: %+v, %v", tc.reason, c, e.events.all)
			}
			e.reconcile()
			if !e.gone() {
				t.Errorf("%s: it is still there after the confirmation: %v", tc.reason, e.cloud.calls)
			}
		})
	}
}

// deletionPlanner plans a deletion.
type deletionPlanner struct{}

// Plan returns a deletion.
func (deletionPlanner) Plan(
	context.Context,
	reconcile.Managed,
	*session.Session,
) (summary string, differs bool, err error) {
	return "delete: Delete cart", true, nil
}

// TestPlannedDeletion checks that the plan of a deletion says whether it would wait, and that planning it records
// nothing.
func TestPlannedDeletion(t *testing.T) {
	cases := heldDeletions()
	cases["Proceeds"] = heldDeletion{
		reason: "The limit is not reached.",
		policy: fewDeletions,
		says:   "delete: Delete cart",
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newBraked(t, tc.policy, &tc.is)
			if tc.before != nil {
				tc.before(e)
			}
			e.change(func(mg *sample) { metav1.SetMetaDataAnnotation(&mg.ObjectMeta, v1beta1.AnnotationPlan, "true") })
			for range 5 {
				e.reconcile()
				e.clock = e.clock.Add(time.Minute)
			}
			c := e.stored().GetCondition(v1beta1.TypePlanned)
			if c.Reason != v1beta1.ReasonChangesPlanned || !strings.HasPrefix(c.Message, "delete: Delete cart") ||
				!strings.Contains(c.Message, tc.says) {
				t.Errorf("%s: %+v", tc.reason, c)
			}
			if strings.Contains(c.Message, "waits") != (tc.want != "") || slices.Contains(e.cloud.calls, "Delete") {
				t.Errorf("%s: %q, calls %v", tc.reason, c.Message, e.cloud.calls)
			}
			if tc.before == nil && e.options.DeletionPolicy.Limit.Max > 0 {
				e.full() // Nothing is recorded, so all of the limit is left.
			}
			e.change(func(mg *sample) { delete(mg.Annotations, v1beta1.AnnotationPlan) })
			e.confirm()
			for range 3 {
				if !e.gone() {
					e.reconcile()
				}
			}
			if !e.gone() {
				t.Errorf("%s: it is not deleted without the annotation", tc.reason)
			}
		})
	}
}

// TestDeletionWithoutReasonToWait checks that a deletion takes no further reconcile if it need not wait.
func TestDeletionWithoutReasonToWait(t *testing.T) {
	policies := map[string]struct {
		reason   string
		policy   protection.Policy
		measures int
		is       *measured
	}{
		"Disabled":    {reason: "Nothing is measured by default.", is: &measured{count: 1}},
		"WithinLimit": {reason: "The limit is not reached.", policy: fewDeletions},
		"NotInvoked":  {reason: "Nobody uses the function.", policy: notInvoked, is: &measured{}, measures: 1},
		"NoFunction":  {reason: "Only functions are invoked.", policy: notInvoked},
	}
	for name, tc := range policies {
		t.Run(name, func(t *testing.T) {
			e := newBraked(t, tc.policy, tc.is)
			e.reconcile()
			e.reconcile()
			if diff := cmp.Diff([]string{"Get", "Delete", "Get"}, e.cloud.calls); diff != "" || !e.gone() {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if tc.is != nil && tc.is.calls != tc.measures {
				t.Errorf("%s: measured %d times", tc.reason, tc.is.calls)
			}
		})
	}
}

func TestDeletionWaitsForCloudWatch(t *testing.T) {
	m := &measured{wait: 1500 * time.Millisecond}
	e := newBraked(t, notInvoked, m)
	if after := e.reconcile(); after != m.wait || slices.Contains(e.cloud.calls, "Delete") {
		t.Errorf("want the deletion to wait for the answer, got %s, %v", after, e.cloud.calls)
	}
	m.wait = 0
	e.reconcile()
	if !slices.Contains(e.cloud.calls, "Delete") {
		t.Errorf("the function is not invoked, and not deleted: %v", e.cloud.calls)
	}
}

// TestInvocationsEnd checks that a deletion is sent without a confirmation when the function was not invoked for long
// enough.
func TestInvocationsEnd(t *testing.T) {
	m := &measured{count: 1}
	e := newBraked(t, notInvoked, m)
	e.reconcile()
	m.count = 0
	e.reconcile()
	e.reconcile()
	if !e.gone() || e.events.count(v1beta1.EventDeletionConfirmed) != 0 {
		t.Errorf("%v, %v", e.cloud.calls, e.events.all)
	}
}

// TestHeldDeletionIsOrphaned checks that who wants to keep what is in AWS can say so while the deletion waits.
func TestHeldDeletionIsOrphaned(t *testing.T) {
	e := newBraked(t, notInvoked, &measured{count: 1})
	e.reconcile()
	e.change(func(mg *sample) {
		mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve,
			xpv2.ManagementActionCreate,
			xpv2.ManagementActionUpdate,
			xpv2.ManagementActionLateInitialize,
		}
	})
	e.reconcile()
	if !e.gone() || slices.Contains(e.cloud.calls, "Delete") {
		t.Errorf("want it to stay in AWS only: %v", e.cloud.calls)
	}
}

// TestHeldSinceBefore checks that neither a restart nor the end of the window lets a deletion go.
func TestHeldSinceBefore(t *testing.T) {
	e := newBraked(t, fewDeletions, nil)
	e.full()
	e.reconcile()
	server := configs(t) // Its record is lost, too.
	e.options.DeletionLimiter = NewDeletionLimiter(server, server, fewDeletions.Limit)
	e.reconciler = newReconciler(&manager{c: e.server}, e.options, e.kind.Untyped(), e.events)
	e.clock = e.clock.Add(48 * time.Hour)
	e.reconcile()
	if slices.Contains(e.cloud.calls, "Delete") {
		t.Error("it was deleted after a restart")
	}
	e.confirm()
	e.reconcile()
	e.reconcile()
	if !e.gone() {
		t.Errorf("it is still there after the confirmation: %v", e.cloud.calls)
	}
}

// TestDeletionIsRecordedFirst checks that nothing is deleted if the deletion cannot be recorded.
func TestDeletionIsRecordedFirst(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		after  time.Duration
		failed bool
	}{
		"Conflict": {
			reason: "Another shard has written the config: the next reconcile reads it again.",
			err:    kerrors.NewConflict(schema.GroupResource{}, "default", nil),
			after:  reconcile.BusyDelay,
		},
		"Denied": {
			reason: "The provider may not write the config.",
			err:    kerrors.NewForbidden(schema.GroupResource{}, "default", errors.New("no")),
			failed: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newBraked(t, fewDeletions, nil)
			e.options.DeletionLimiter = NewDeletionLimiter(
				interceptor.NewClient(
					configs(t),
					interceptor.Funcs{
						Patch: func(
							context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption,
						) error {
							return tc.err
						},
					},
				),
				configs(t),
				fewDeletions.Limit,
			)
			e.reconciler = newReconciler(&manager{c: e.server}, e.options, e.kind.Untyped(), e.events)
			after := e.reconcile()
			if slices.Contains(e.cloud.calls, "Delete") || tc.after != 0 && after != tc.after {
				t.Errorf("%s: %v, reconciled again after %s", tc.reason, e.cloud.calls, after)
			}
			if synced := e.stored().
				GetCondition(xpv2.TypeSynced); (synced.Status == corev1.ConditionFalse) != tc.failed {
				t.Errorf("%s: %+v", tc.reason, synced)
			}
		})
	}
}
