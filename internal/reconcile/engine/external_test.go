package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

type flowSample = samples.Sample

// settings are what spec asks for.
type settings struct{ Value string }

type found = reconcile.Observation[string, settings]

// fakeExternal is an external resource whose value in AWS is a text.
type fakeExternal struct {
	value string
	there bool
	busy  bool

	// parent is what the external resource belongs to, empty if that is nothing.
	parent string

	// noName says that the answer to a create lacks the name.
	noName bool

	// stubborn says that calls are accepted without an effect.
	stubborn bool

	// does is how an update describes itself.
	does string

	fail  map[string]error
	calls []string
}

func (c *fakeExternal) call(name string) error {
	c.calls = append(c.calls, name)
	return c.fail[name]
}

// resource returns the external resource as a Resource.
func (c *fakeExternal) resource(calls reconcile.Calls) reconcile.Resource[*flowSample, string, settings] {
	return reconcile.Resource[*flowSample, string, settings]{
		Calls: calls, Read: c.read, Owner: c.owner, Status: c.status, Desired: c.desired, Plan: c.plan,
		PrepareCreate: c.prepareCreate, Create: c.create, Update: c.update, Delete: c.delete, Details: c.details,
	}
}

func (c *fakeExternal) read(context.Context, reconcile.Facts, *flowSample) (found, error) {
	return found{
			Resource:    c.value,
			Settings:    settings{c.value},
			Exists:      c.there,
			Name:        "basket",
			Parent:      c.parent,
			Description: "thing basket",
		}, c.call(
			"Read",
		)
}

func (c *fakeExternal) owner(
	_ context.Context,
	_ reconcile.Facts,
	mg *flowSample,
	o found,
) (ownership.Ownership, error) {
	v := ownership.CheckUntaggedOwnership(mg, o.Name, o.Resource == mg.Spec.Value)
	if !v.Manageable() {
		return v, ownership.NewForeignUntaggedError(o.Description, o.Name)
	}
	return v, nil
}

func (c *fakeExternal) status(mg *flowSample, o found) { mg.Status.Value = o.Resource }

func (c *fakeExternal) desired(_ context.Context, mg *flowSample) (forProvider, initProvider settings, err error) {
	return settings{mg.Spec.Value}, settings{}, nil
}

func (c *fakeExternal) plan(
	_ context.Context,
	mg *flowSample,
	_ found,
	k reconcile.Comparison[settings],
) (reconcile.Plan, error) {
	p := reconcile.Plan{Changes: k.Changes}
	switch {
	case c.busy:
		p.Ready, p.Wait = reconcile.Updating(mg.GetGeneration(), "AWS is busy"), 3*time.Second
	case len(p.Changes) > 0:
		p.Call = "UpdateThing"
	}
	return p, c.fail["Plan"]
}

func (c *fakeExternal) prepareCreate(context.Context, *flowSample, settings) (reconcile.Creation, error) {
	return reconcile.Creation{}, c.fail["Prepare"]
}

func (c *fakeExternal) create(_ context.Context, mg *flowSample, _ settings) (reconcile.Result, error) {
	err := c.call("Create")
	if err == nil && !c.stubborn {
		c.value, c.there = mg.Spec.Value, true
	}
	if c.noName {
		return reconcile.Result{}, err
	}
	return reconcile.Result{Name: "basket"}, err
}

func (c *fakeExternal) update(
	_ context.Context,
	mg *flowSample,
	_ found,
	_ reconcile.Update[settings],
) (reconcile.Result, error) {
	err := c.call("Update")
	if err == nil && !c.stubborn {
		c.value = mg.Spec.Value
	}
	return reconcile.Result{Does: c.does}, err
}

func (c *fakeExternal) delete(context.Context, *flowSample, found) (reconcile.Result, error) {
	err := c.call("Delete")
	if err == nil && !c.stubborn {
		c.there = false
	}
	return reconcile.Result{}, err
}

func (c *fakeExternal) details(*flowSample) managed.ConnectionDetails {
	return managed.ConnectionDetails{"value": []byte(c.value)}
}

// newExternalSample wants the value a, and was named by us.
func newExternalSample(edit ...func(*flowSample)) *flowSample {
	mg := &flowSample{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "u1", Generation: 2},
		Spec:       samples.SampleSpec{Value: "a"},
	}
	meta.AddAnnotations(mg, ownership.Name(mg, "basket"))
	for _, f := range edit {
		f(mg)
	}
	return mg
}

func policies(p ...xpv2.ManagementAction) func(*flowSample) {
	return func(mg *flowSample) { mg.Spec.ManagementPolicies = p }
}

func deletedSample(mg *flowSample) { mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func unnamed(mg *flowSample) { mg.Annotations = nil }

func pending(mg *flowSample) {
	mg.Annotations = map[string]string{meta.AnnotationKeyExternalCreatePending: "2026-01-01T00:00:00Z"}
}

func TestObserve(t *testing.T) {
	type want struct {
		o            managed.ExternalObservation
		err          string
		ready        xpv2.ConditionReason
		shown        string
		reserved     []string
		requeueAfter time.Duration
		events       []string
		name         string
	}
	there := managed.ConnectionDetails{"value": []byte("a")}
	other := managed.ConnectionDetails{"value": []byte("b")}
	cases := map[string]struct {
		reason string
		cloud  *fakeExternal
		mg     *flowSample
		want   want
	}{
		"Absent": {
			reason: "An absent resource is to be created, and quota for the create is reserved.",
			cloud:  &fakeExternal{}, mg: newExternalSample(unnamed),
			want: want{ready: xpv2.ReasonCreating, reserved: []string{"CreateThing"}},
		},
		"AbsentNotPrepared": {
			reason: "Invalid input is reported before anything is sent.",
			cloud: &fakeExternal{
				fail: map[string]error{"Prepare": errors.New("spec.forProvider.value is wrong")},
			},
			mg:   newExternalSample(unnamed),
			want: want{err: "spec.forProvider.value is wrong"},
		},
		"AbsentMayNotCreate": {
			reason: "Without leave to create it is just unavailable.",
			cloud:  &fakeExternal{},
			mg:     newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate)),
			want: want{
				o:     managed.ExternalObservation{ResourceUpToDate: true},
				ready: xpv2.ReasonUnavailable,
				name:  "basket",
			},
		},
		"AbsentDeleted": {
			reason: "What is gone needs no deletion.",
			cloud:  &fakeExternal{}, mg: newExternalSample(deletedSample),
			want: want{name: "basket"},
		},
		"InOrder": {
			reason: "Nothing is due.",
			cloud:  &fakeExternal{there: true, value: "a"},
			mg:     newExternalSample(),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					ConnectionDetails: there,
				},
				ready: xpv2.ReasonAvailable,
				shown: "a",
				name:  "basket",
			},
		},
		"Drifted": {
			reason: "An update is due, and quota for it is reserved.",
			cloud:  &fakeExternal{there: true, value: "b"}, mg: newExternalSample(),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					Diff:              `Value: "b" -> "a"`,
					ConnectionDetails: other,
				},
				ready:    v1beta1.ReasonUpdating,
				shown:    "b",
				reserved: []string{"UpdateThing"},
				name:     "basket",
			},
		},
		"DriftedMayNotUpdate": {
			reason: "Without leave to update, what AWS has is shown.",
			cloud: &fakeExternal{
				there: true,
				value: "b",
			},
			mg: newExternalSample(policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					Diff:              `Value: "b" -> "a"`,
					ConnectionDetails: other,
				},
				ready: xpv2.ReasonAvailable,
				shown: "b",
				name:  "basket",
			},
		},
		"Busy": {
			reason: "While AWS is busy nothing is sent, and it is looked at again soon.",
			cloud:  &fakeExternal{there: true, value: "b", busy: true}, mg: newExternalSample(),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					Diff:              `Value: "b" -> "a"`,
					ConnectionDetails: other,
				},
				ready:        v1beta1.ReasonUpdating,
				shown:        "b",
				requeueAfter: 3 * time.Second,
				name:         "basket",
			},
		},
		"ObserveOnly": {
			reason: "Whatever is there is shown, whosever it is.",
			cloud: &fakeExternal{
				there: true,
				value: "b",
			},
			mg: newExternalSample(unnamed, policies(xpv2.ManagementActionObserve)),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					ConnectionDetails: other,
				},
				ready: xpv2.ReasonAvailable,
				shown: "b",
			},
		},
		"ObserveOnlyMissing": {
			reason: "What is missing is named.",
			cloud:  &fakeExternal{},
			mg:     newExternalSample(policies(xpv2.ManagementActionObserve)),
			want:   want{ready: xpv2.ReasonUnavailable, name: "basket"},
		},
		"Foreign": {
			reason: "What someone else made is not touched.",
			cloud:  &fakeExternal{there: true, value: "b"}, mg: newExternalSample(unnamed),
			want: want{err: "thing basket exists and was not created by this resource", ready: xpv2.ReasonUnavailable},
		},
		"ForeignDeleted": {
			reason: "A resource that is being deleted lets go of what is not its own.",
			cloud:  &fakeExternal{there: true, value: "b"}, mg: newExternalSample(unnamed, deletedSample),
			want: want{events: []string{string(v1beta1.EventLeftForeignResource)}},
		},
		"LostAnswer": {
			reason: "The result of an unanswered create is owned, and its name recorded.",
			cloud:  &fakeExternal{there: true, value: "a"},
			mg:     newExternalSample(pending),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					ConnectionDetails: there,
				},
				ready: xpv2.ReasonAvailable,
				shown: "a",
				name:  "basket",
			},
		},
		"Imported": {
			reason: "A resource that the user names is adopted, with an event.",
			cloud: &fakeExternal{
				there: true,
				value: "a",
			},
			mg: newExternalSample(unnamed, func(mg *flowSample) { meta.SetExternalName(mg, "basket") }),
			want: want{
				o: managed.ExternalObservation{
					ResourceExists:    true,
					ResourceUpToDate:  true,
					ConnectionDetails: there,
				},
				ready:  xpv2.ReasonAvailable,
				shown:  "a",
				events: []string{string(v1beta1.EventAdopted)},
				name:   "basket",
			},
		},
		"Renamed": {
			reason: "Another external name would leave the resource behind.",
			cloud: &fakeExternal{
				there: true,
				value: "a",
			},
			mg:   newExternalSample(func(mg *flowSample) { meta.SetExternalName(mg, "other") }),
			want: want{err: `the external name was changed from "basket" to "other"`, name: "basket"},
		},
		"Deleted": {
			reason: "Quota for the deletion is reserved.",
			cloud:  &fakeExternal{there: true, value: "a"},
			mg:     newExternalSample(deletedSample),
			want: want{
				o:        managed.ExternalObservation{ResourceExists: true},
				reserved: []string{"DeleteThing"},
				name:     "basket",
			},
		},
		"Unreadable": {
			reason: "An error of AWS is passed on.",
			cloud: &fakeExternal{
				fail: map[string]error{"Read": errors.New("cannot read thing")},
			},
			mg:   newExternalSample(),
			want: want{err: "cannot read thing", name: "basket"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}
			f := reconcile.Facts{ReserveFn: func(ops ...string) time.Duration {
				got.reserved = append(got.reserved, ops...)
				return 0
			}}
			done := Observe(
				t.Context(),
				tc.cloud.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}),
				f,
				tc.mg,
			)
			if done.Err != nil {
				got.err = done.Err.Error()
			} else {
				got.o = ObservationFor(tc.mg, done.Outcome)
			}
			if tc.want.err == "" && done.Err != nil || !strings.Contains(got.err, tc.want.err) || done.Later != nil {
				t.Errorf("%s\nerror %v, later %v, want %q", tc.reason, done.Err, done.Later, tc.want.err)
			}
			got.err = tc.want.err
			got.ready = tc.mg.GetCondition(xpv2.TypeReady).Reason
			got.shown, got.requeueAfter, got.name = tc.mg.Status.Value, done.After, ownership.WrittenName(tc.mg)
			for _, e := range done.Events {
				got.events = append(got.events, string(e.Reason))
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want +got: %s", tc.reason, diff)
			}
			if slices.ContainsFunc(tc.cloud.calls, func(c string) bool { return c != "Read" }) {
				t.Errorf("%s\nObserve called %v", tc.reason, tc.cloud.calls)
			}
		})
	}
}

// An unmet condition is reported without a create. Aborting the reconcile would drop the message.
func TestNotReady(t *testing.T) {
	cases := map[string]struct {
		reason string
		after  time.Duration
	}{
		"Soon":  {reason: "The usual pace serves."},
		"Later": {reason: "The interval of the kind is used if it is longer.", after: time.Minute},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{
				fail: map[string]error{
					"Prepare": &reconcile.NotReadyError{Reason: "the basket is being woven", After: tc.after},
				},
			}
			mg := newExternalSample()
			done := Observe(
				t.Context(),
				c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}),
				reconcile.Facts{},
				mg,
			)
			got := ObservationFor(mg, done.Outcome)
			if done.Err != nil || !got.ResourceExists || !got.ResourceUpToDate {
				t.Errorf("%s\nthe runtime must have nothing to do: %+v, %v", tc.reason, got, done.Err)
			}
			if done.Later != nil || done.After != tc.after {
				t.Errorf("%s\nlater %v, comes back after %s", tc.reason, done.Later, done.After)
			}
			if ready := mg.GetCondition(
				xpv2.TypeReady,
			); ready.Reason != xpv2.ReasonCreating ||
				ready.Message != "the basket is being woven" {
				t.Errorf("%s\nReady: %+v", tc.reason, ready)
			}
		})
	}
}

func TestCompared(t *testing.T) {
	ready, updating := reconcile.Available(1), reconcile.Updating(1, "")
	one, two := diff.Changes{{Path: "code"}}, diff.Changes{{Path: "code"}, {Path: "handler"}}
	cases := map[string]struct {
		reason string
		plan   reconcile.Plan
		want   reconcile.SyncState
	}{
		"Same": {
			reason: "AWS serves what is wanted.",
			plan:   reconcile.Plan{Ready: ready},
			want:   reconcile.UpToDate,
		},
		"AtWork": {
			reason: "AWS applies a change.",
			plan:   reconcile.Plan{Ready: updating},
			want:   reconcile.Undecided,
		},
		"Unserved": {
			reason: "AWS has what is wanted, and something else keeps it from serving.",
			plan:   reconcile.Plan{Ready: reconcile.Unavailable(1, "disabled")},
			want:   reconcile.Unserved,
		},
		"Differs": {
			reason: "A call is due.",
			plan:   reconcile.Plan{Ready: updating, Changes: one, PlannedCall: reconcile.PlannedCall{Call: "Update"}},
			want:   reconcile.Differs,
		},
		"CannotSend": {
			reason: "None can be sent now.",
			plan:   reconcile.Plan{Ready: ready, Changes: one},
			want:   reconcile.Differs,
		},
		"Followed": {
			reason: "What spec points to has changed.",
			plan:   reconcile.Plan{Ready: updating, Changes: one, Followed: one},
			want:   reconcile.SourceChanged,
		},
		"FollowedToo": {
			reason: "Only one of two differences comes from what spec refers to.",
			plan:   reconcile.Plan{Ready: updating, Changes: two, Followed: one},
			want:   reconcile.Differs,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.plan.Comparison(); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestObserveReportsSyncState(t *testing.T) {
	noUpdate := policies(xpv2.ManagementActionObserve, xpv2.ManagementActionCreate)
	noCreate := policies(xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate)
	cases := map[string]struct {
		reason    string
		cloud     *fakeExternal
		mg        *flowSample
		want      reconcile.SyncState
		mayUpdate bool
	}{
		"Same": {
			reason:    "In order.",
			cloud:     &fakeExternal{there: true, value: "a"},
			mg:        newExternalSample(),
			want:      reconcile.UpToDate,
			mayUpdate: true,
		},
		"Differs": {
			reason:    "The external resource was changed manually.",
			cloud:     &fakeExternal{there: true, value: "b"},
			mg:        newExternalSample(),
			want:      reconcile.Differs,
			mayUpdate: true,
		},
		"Shown": {
			reason: "A difference is reported although the policies do not allow an update.",
			cloud:  &fakeExternal{there: true, value: "b"},
			mg:     newExternalSample(noUpdate),
			want:   reconcile.Differs,
		},
		"Missing": {
			reason:    "The external resource was deleted manually.",
			cloud:     &fakeExternal{},
			mg:        newExternalSample(),
			want:      reconcile.Missing,
			mayUpdate: true,
		},
		"Left": {
			reason: "A missing resource is reported although the policies do not allow a create.",
			cloud:  &fakeExternal{},
			mg:     newExternalSample(noCreate),
			want:   reconcile.Missing,
		},
		"Observed": {
			reason: "An observe-only resource has no desired state to compare with.",
			cloud:  &fakeExternal{there: true, value: "b"},
			mg:     newExternalSample(policies(xpv2.ManagementActionObserve)),
		},
		"Deleted": {
			reason: "Nothing is wanted any more.",
			cloud:  &fakeExternal{there: true, value: "b"},
			mg:     newExternalSample(deletedSample),
		},
		"Unread": {
			reason: "AWS did not say.",
			cloud:  &fakeExternal{fail: map[string]error{"Read": errors.New("boom")}},
			mg:     newExternalSample(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			done := Observe(t.Context(), tc.cloud.resource(reconcile.Calls{}), reconcile.Facts{}, tc.mg)
			if (done.Err != nil) != (tc.cloud.fail != nil) || done.Later != nil {
				t.Fatal(done.Err, done.Later)
			}
			if done.State != tc.want || done.MayUpdate != tc.mayUpdate {
				t.Errorf("%s: want %d, %t; got %d, %t", tc.reason, tc.want, tc.mayUpdate, done.State, done.MayUpdate)
			}
		})
	}
}

// api is an error as AWS answers it.
func api(code, message string) error { return &smithy.GenericAPIError{Code: code, Message: message} }

func TestCalls(t *testing.T) {
	named := "basket"
	cases := map[string]struct {
		reason  string
		do      reconcile.Verb
		mg      *flowSample
		fail    error
		does    string
		later   bool
		after   bool
		err     bool
		summary string
		name    string
	}{
		"Create": {
			reason: "A create that succeeds.",
			do:     reconcile.ToCreate,
			mg:     newExternalSample(unnamed),
			name:   named,
		},
		"CreateExists": {
			reason: "The next observation checks the ownership.",
			do:     reconcile.ToCreate,
			mg:     newExternalSample(unnamed),
			fail:   api("ResourceConflictException", "Thing already exists: basket"),
			later:  true,
		},
		"CreateRefused": {
			reason: "The error is returned to the user.",
			do:     reconcile.ToCreate,
			mg:     newExternalSample(unnamed),
			fail:   api("InvalidParameterValueException", "no"),
			err:    true,
		},
		"Update": {
			reason:  "An update is observed again at once, and the event says what was changed.",
			do:      reconcile.ToUpdate,
			mg:      newExternalSample(),
			after:   true,
			summary: `spec changed: Value: "b" -> "a"`,
			name:    named,
		},
		"UpdateOfDrift": {
			reason: "The event distinguishes drift from a change of the spec.",
			do:     reconcile.ToUpdate,
			mg: newExternalSample(
				func(mg *flowSample) { mg.SetSummary(v1beta1.Summary{ReconciledGeneration: 2}) },
			),
			after:   true,
			summary: `differed from spec: Value: "b" -> "a"`,
			name:    named,
		},
		"UpdateOfAdopted": {
			reason:  "The first spec of a resource is no change of it.",
			do:      reconcile.ToUpdate,
			mg:      newExternalSample(func(mg *flowSample) { mg.Generation = 1 }),
			after:   true,
			summary: `differed from spec: Value: "b" -> "a"`,
			name:    named,
		},
		"UpdateDescribed": {
			reason:  "What an update says of itself takes precedence.",
			do:      reconcile.ToUpdate,
			mg:      newExternalSample(),
			does:    "swapped it",
			after:   true,
			summary: "swapped it",
			name:    named,
		},
		"UpdateOvertaken": {
			reason: "Another client has changed the resource, which is observed again.",
			do:     reconcile.ToUpdate,
			mg:     newExternalSample(),
			fail:   api("PreconditionFailedException", "The Revision Id provided does not match"),
			later:  true,
			name:   named,
		},
		"UpdateWhileBusy": {
			reason: "AWS takes it later.",
			do:     reconcile.ToUpdate,
			mg:     newExternalSample(),
			fail:   api("ResourceConflictException", "The operation cannot be performed at this time."),
			later:  true,
			name:   named,
		},
		"UpdateRefused": {
			reason: "The error is returned to the user.",
			do:     reconcile.ToUpdate,
			mg:     newExternalSample(),
			fail:   api("InvalidParameterValueException", "no"),
			err:    true,
			name:   named,
		},
		"Delete": {
			reason: "A deletion is observed again at once.",
			do:     reconcile.ToDelete,
			mg:     newExternalSample(deletedSample),
			after:  true,
			name:   named,
		},
		"DeleteGone": {
			reason: "What is gone needs no deletion.",
			do:     reconcile.ToDelete,
			mg:     newExternalSample(deletedSample),
			fail:   api("ResourceNotFoundException", "gone"),
			after:  true,
			name:   named,
		},
		"DeleteWhileBusy": {
			reason: "AWS takes it later.",
			do:     reconcile.ToDelete,
			mg:     newExternalSample(deletedSample),
			fail:   api("ResourceInUseException", "The thing is in use"),
			later:  true,
			name:   named,
		},
		"DeleteNotAuthorized": {
			reason: "The error is returned to the user.",
			do:     reconcile.ToDelete,
			mg:     newExternalSample(deletedSample),
			fail:   api("AccessDeniedException", "no"),
			err:    true,
			name:   named,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{
				there: tc.do != reconcile.ToCreate, value: "b", does: tc.does,
				fail: map[string]error{"Create": tc.fail, "Update": tc.fail, "Delete": tc.fail},
			}
			done := Once(
				t.Context(),
				c.resource(reconcile.Calls{Create: "CreateThing", Delete: "DeleteThing"}),
				reconcile.Facts{},
				tc.mg,
				nil,
			)
			if done.Called != tc.do || (done.Later != nil) != tc.later || (done.Err != nil) != tc.err {
				t.Errorf("%s\ncalled %q, later %v, error %v", tc.reason, done.Called, done.Later, done.Err)
			}
			if (done.After > 0) != tc.after || done.Does != tc.summary {
				t.Errorf("%s\ncomes back after %v, says %q", tc.reason, done.After, done.Does)
			}
			if got := ownership.WrittenName(tc.mg); got != tc.name {
				t.Errorf("%s\nthe name that is written is %q, want %q", tc.reason, got, tc.name)
			}
		})
	}
}
