package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

var made = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// createdSample was created at made, ten seconds after its resource was.
func createdSample(ready xpv2.Condition, edit ...func(*flowSample)) *flowSample {
	mg := newExternalSample()
	mg.CreationTimestamp = metav1.NewTime(made.Add(-10 * time.Second))
	meta.SetExternalCreatePending(mg, made)
	meta.SetExternalCreateSucceeded(mg, made)
	mg.SetConditions(ready)
	for _, f := range edit {
		f(mg)
	}
	return mg
}

// unansweredSample is one whose create at made was not answered.
func unansweredSample(edit ...func(*flowSample)) *flowSample {
	return createdSample(xpv2.Creating(), append([]func(*flowSample){func(mg *flowSample) {
		unnamed(mg)
		meta.SetExternalCreatePending(mg, made)
		meta.AddAnnotations(mg, ownership.Unanswered(mg))
		meta.SetExternalCreateFailed(mg, made)
	}}, edit...)...)
}

// Only a create that may have had an effect is taken for one.
func TestCreateWithoutAnAnswer(t *testing.T) {
	cases := map[string]struct {
		err  error
		want bool
	}{
		"Lost":    {err: errors.New("connection reset"), want: true},
		"Refused": {err: api("InvalidRuntimeException", "no")},
		"Foreign": {err: ownership.NewForeignUntaggedError("thing", "t")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newExternalSample(unnamed)
			c := &fakeExternal{fail: map[string]error{"Create": tc.err}}
			done := Once(t.Context(), c.resource(reconcile.Calls{NameGiven: true}), factsAt(0), mg, nil)
			if _, got := ownership.UnansweredAt(
				mg,
			); got != tc.want || done.Called != reconcile.ToCreate ||
				done.Err == nil {
				t.Errorf("not answered: %t, want %t; %v", got, tc.want, done.Err)
			}
		})
	}
}

func factsAt(after time.Duration) reconcile.Facts {
	now := made.Add(after)
	return reconcile.Facts{Fresh: readcache.Freshness{Now: now, Since: now}}
}

// Whatever AWS says right after a create, nothing is created twice.
func TestAbsentAfterACreate(t *testing.T) {
	creating, seen := xpv2.Creating(), reconcile.Available(2)
	type want struct {
		create, aborted bool
		ready           xpv2.ConditionReason
		message         string
		requeueAfter    time.Duration
		event           string
	}
	cases := map[string]struct {
		reason  string
		mg      *flowSample
		given   bool
		shown   bool // Status has what the resource names.
		deletes bool // This process has sent a deletion that AWS has accepted.
		removes bool // An update removes the external resource.
		after   time.Duration
		want    want
	}{
		"Unseen": {
			reason: "An external resource that AWS does not show yet is awaited.",
			mg:     createdSample(creating),
			after:  time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: time.Second},
		},
		"UnseenGrowing": {
			reason: "AWS is read at growing intervals.",
			mg:     createdSample(creating),
			after:  40 * time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: 8 * time.Second},
		},
		"UnseenLong": {
			reason: "Another create of a known name is harmless, and has an event.",
			mg:     createdSample(reconcile.Creating(2, reconcile.NotShown)),
			after:  time.Minute,
			want: want{
				create: true,
				ready:  xpv2.ReasonCreating,
				event:  "has not appeared since: it is created again",
			},
		},
		"UnseenAgain": {
			reason: "What was to no avail is tried again later each time.",
			mg: createdSample(
				creating,
				func(mg *flowSample) { mg.CreationTimestamp = metav1.NewTime(made.Add(-4 * time.Minute)) },
			),
			after: 3 * time.Minute,
			want:  want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: 10 * time.Second},
		},
		"UnseenMost": {
			reason: "The wait before another create has an upper limit.",
			mg: createdSample(
				creating,
				func(mg *flowSample) { mg.CreationTimestamp = metav1.NewTime(made.Add(-24 * time.Hour)) },
			),
			after: reconcile.GraceMost,
			want:  want{create: true, ready: xpv2.ReasonCreating},
		},
		"NoStatus": {
			reason: "Where status was not written, nothing was seen.",
			mg:     createdSample(xpv2.Condition{}),
			after:  time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: time.Second},
		},
		"SkewBack": {
			reason: "The clock that stamped the create may be ahead.",
			mg:     createdSample(creating),
			after:  -time.Hour,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: time.Second},
		},
		"SeenJustNow": {
			reason: "Replicas of AWS may disagree for a while.",
			mg:     createdSample(seen),
			after:  5 * time.Second,
			want:   want{ready: xpv2.ReasonAvailable, requeueAfter: time.Second},
		},
		"Seen": {
			reason: "What was there was deleted.",
			mg:     createdSample(seen),
			after:  reconcile.GraceSeen,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"Replaced": {
			reason:  "What this resource itself took away is no news.",
			mg:      createdSample(reconcile.Updating(2, "")),
			deletes: true,
			after:   time.Second,
			want:    want{create: true, ready: xpv2.ReasonCreating},
		},
		"SeenUpdating": {
			reason: "It was deleted while a change was under way.",
			mg:     createdSample(reconcile.Updating(2, "changing value")),
			after:  time.Hour,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"SeenDiffering": {
			reason: "It was seen with other values.",
			mg:     createdSample(reconcile.Differing(2, "no")),
			after:  time.Hour,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"SeenFailed": {
			reason: "AWS has shown it as failed.",
			mg:     createdSample(reconcile.Unavailable(2, "State Failed")),
			after:  time.Hour,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"RecreationFailed": {
			reason: "That it was deleted was reported before the creation that has failed.",
			after:  time.Hour,
			mg: createdSample(
				reconcile.Unavailable(2, "no"),
				func(mg *flowSample) { meta.SetExternalCreateFailed(mg, made.Add(time.Minute)) },
			),
			want: want{create: true, ready: xpv2.ReasonCreating},
		},
		"ReplacedBefore": {
			reason:  "An earlier process may have removed it for the change.",
			mg:      createdSample(reconcile.Updating(2, "changing value")),
			removes: true,
			after:   time.Hour,
			want:    want{create: true, ready: xpv2.ReasonCreating},
		},
		"Updated": {
			reason: "What AWS gave a new name was not seen yet.",
			mg:     createdSample(reconcile.Updating(2, "")),
			after:  time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: time.Second},
		},
		"Given": {
			reason: "Another create would make a second one.",
			mg:     createdSample(creating),
			given:  true,
			after:  4 * time.Minute,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: 10 * time.Second},
		},
		"GivenLong": {
			reason: "With a name that AWS gives, another create could make a duplicate, so the user has to decide.",
			mg:     createdSample(creating),
			given:  true,
			after:  5 * time.Minute,
			want:   want{ready: xpv2.ReasonUnavailable, message: reconcile.NeverShown, requeueAfter: 150 * time.Second},
		},
		"GivenEver": {
			reason: "AWS is still read, at the longest interval.",
			mg:     createdSample(reconcile.Unavailable(2, reconcile.NeverShown)),
			given:  true,
			after:  24 * time.Hour,
			want: want{
				ready:        xpv2.ReasonUnavailable,
				message:      reconcile.NeverShown,
				requeueAfter: reconcile.GraceMost,
			},
		},
		"GivenSeen": {
			reason: "Replicas of AWS may disagree for a while.",
			mg:     createdSample(seen),
			given:  true,
			after:  10 * time.Second,
			want:   want{ready: xpv2.ReasonAvailable, requeueAfter: 2 * time.Second},
		},
		"GivenEdited": {
			reason: "It was seen, with an earlier spec.",
			mg:     createdSample(reconcile.Updating(2, reconcile.NotShown)),
			given:  true,
			after:  10 * time.Second,
			want:   want{ready: v1beta1.ReasonUpdating, message: reconcile.NotShown, requeueAfter: 2 * time.Second},
		},
		"GivenReplaced": {
			reason: "What took its place was not seen yet.",
			mg:     createdSample(reconcile.Updating(2, "")),
			given:  true,
			after:  10 * time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: 2 * time.Second},
		},
		"GivenSeenLong": {
			reason: "After that, someone has deleted it.",
			mg:     createdSample(seen),
			given:  true,
			after:  time.Minute,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"GivenShown": {
			reason: "AWS has shown it while it was being created.",
			mg:     createdSample(creating),
			given:  true,
			shown:  true,
			after:  time.Hour,
			want:   want{create: true, ready: xpv2.ReasonCreating, event: "was deleted in AWS"},
		},
		"GivenAgreed": {
			reason: "The user has removed the annotation, which allows another create.",
			mg: createdSample(
				creating,
				func(mg *flowSample) { delete(mg.Annotations, meta.AnnotationKeyExternalCreateSucceeded) },
			),
			given: true,
			after: time.Minute,
			want:  want{create: true, ready: xpv2.ReasonCreating},
		},
		"Nameless": {
			reason: "AWS's answer to the create lacked the name.", given: true, after: time.Second,
			mg: createdSample(creating, func(mg *flowSample) {
				mg.Annotations[v1beta1.AnnotationNamedBy] = "u1/"
				meta.SetExternalName(mg, "")
			}),
			want: want{ready: xpv2.ReasonCreating, message: reconcile.NotShown, requeueAfter: time.Second},
		},
		"Restored": {
			reason: "The create annotations are those of another object.",
			mg:     createdSample(creating, func(mg *flowSample) { mg.UID = "u2" }),
			given:  true,
			after:  time.Second,
			want:   want{create: true, ready: xpv2.ReasonCreating},
		},
		"Refused": {
			reason: "The last create failed.",
			mg: createdSample(
				creating,
				func(mg *flowSample) { meta.SetExternalCreateFailed(mg, made.Add(time.Second)) },
			),
			given: true,
			after: 2 * time.Second,
			want:  want{create: true, ready: xpv2.ReasonCreating},
		},
		"Unanswered": {
			reason: "What may have been created may show late.",
			mg:     unansweredSample(),
			given:  true,
			after:  40 * time.Second,
			want:   want{ready: xpv2.ReasonCreating, message: reconcile.NotAnswered, requeueAfter: 8 * time.Second},
		},
		"UnansweredFound": {
			reason: "Replicas of AWS may disagree for a while.",
			given:  true,
			after:  2 * time.Second,
			want:   want{ready: xpv2.ReasonAvailable, requeueAfter: time.Second},
			mg: unansweredSample(
				func(mg *flowSample) { meta.AddAnnotations(mg, ownership.Name(mg, "basket")); mg.SetConditions(seen) },
			),
		},
		"UnansweredLong": {
			reason: "The unanswered create had no effect.",
			mg:     unansweredSample(),
			given:  true,
			after:  time.Minute,
			want:   want{create: true, ready: xpv2.ReasonCreating},
		},
		"UnansweredKnown": {
			reason: "Another create of a known name does no harm.",
			mg:     unansweredSample(),
			after:  time.Second,
			want:   want{create: true, ready: xpv2.ReasonCreating},
		},
		"UnansweredStopped": {
			reason: "The process ended before it had kept the answer.",
			mg: unansweredSample(func(mg *flowSample) {
				meta.RemoveAnnotations(mg, meta.AnnotationKeyExternalCreateFailed, v1beta1.AnnotationUnanswered)
			}),
			given: true,
			after: time.Second,
			want:  want{ready: xpv2.ReasonCreating, message: reconcile.NotAnswered, requeueAfter: time.Second},
		},
		"UnansweredOther": {
			reason: "The unanswered create was an earlier one.",
			mg: unansweredSample(func(mg *flowSample) {
				meta.SetExternalCreatePending(mg, made.Add(time.Second))
				meta.SetExternalCreateFailed(mg, made.Add(2*time.Second))
			}),
			given: true,
			after: 3 * time.Second,
			want:  want{create: true, ready: xpv2.ReasonCreating},
		},
		"UnansweredDeleted": {
			reason: "The resource that the unanswered create may have made would be left behind.",
			mg:     unansweredSample(deletedSample),
			given:  true,
			after:  time.Second,
			want:   want{aborted: true, ready: xpv2.ReasonCreating},
		},
		"Deleted": {
			reason: "What AWS does not show yet would be left behind.",
			mg:     createdSample(creating, deletedSample),
			after:  time.Second,
			want:   want{aborted: true, ready: xpv2.ReasonCreating},
		},
		"DeletedLong": {
			reason: "After the grace period, AWS is taken to have created nothing.",
			mg:     createdSample(creating, deletedSample),
			after:  reconcile.GraceDeletion,
			want:   want{create: true, ready: xpv2.ReasonCreating},
		},
		"DeletedSeen": {
			reason: "A replica of AWS may be behind the one that has shown it.",
			mg:     createdSample(seen, deletedSample),
			after:  time.Second,
			want:   want{aborted: true, ready: xpv2.ReasonAvailable},
		},
		"DeletedSeenLong": {
			reason: "Replicas of AWS agree by then.",
			mg:     createdSample(seen, deletedSample),
			after:  reconcile.GraceSeen,
			want:   want{create: true, ready: xpv2.ReasonAvailable},
		},
		"DeletedRefused": {
			reason: "AWS has shown it, and not deleted it.",
			mg: createdSample(
				xpv2.Deleting(),
				deletedSample,
				func(mg *flowSample) { mg.SetConditions(xpv2.ReconcileError(errors.New("no"))) },
			),
			after: time.Second,
			want:  want{aborted: true, ready: xpv2.ReasonDeleting},
		},
		"UnansweredDeletedKnown": {
			reason: "The resource must not be deleted while the create may still take effect.",
			mg:     unansweredSample(deletedSample),
			after:  time.Second,
			want:   want{aborted: true, ready: xpv2.ReasonCreating},
		},
		"UnansweredDeletedLong": {
			reason: "The unanswered create had no effect.",
			mg:     unansweredSample(deletedSample),
			after:  time.Minute,
			want:   want{create: true, ready: xpv2.ReasonCreating},
		},
		"UnansweredDeletedGone": {
			reason: "The result of the unanswered create was found and deleted.",
			mg: unansweredSample(
				deletedSample,
				func(mg *flowSample) { mg.SetConditions(xpv2.Deleting(), xpv2.ReconcileSuccess()) },
			),
			given:   true,
			deletes: true,
			after:   time.Second,
			want:    want{create: true, ready: xpv2.ReasonDeleting},
		},
		"DeletedGone": {
			reason: "The deletion succeeded, so the external resource is gone.",
			mg: createdSample(
				xpv2.Deleting(),
				deletedSample,
				func(mg *flowSample) { mg.SetConditions(xpv2.ReconcileSuccess()) },
			),
			given:   true,
			deletes: true,
			after:   time.Second,
			want:    want{create: true, ready: xpv2.ReasonDeleting},
		},
		"DeletedInPart": {
			reason: "Only another part of it was deleted, or another process has deleted it: AWS has to say it again.",
			mg: createdSample(
				xpv2.Deleting(),
				deletedSample,
				func(mg *flowSample) { mg.SetConditions(xpv2.ReconcileSuccess()) },
			),
			given: true,
			after: time.Second,
			want:  want{aborted: true, ready: xpv2.ReasonDeleting},
		},
		"MayNotCreate": {
			reason: "Without the policy Create, the absence is only reported.",
			mg:     createdSample(seen, policies(xpv2.ManagementActionObserve)),
			given:  true,
			after:  time.Second,
			want: want{
				create:  true,
				ready:   xpv2.ReasonUnavailable,
				message: "thing basket does not exist in AWS, and managementPolicies do not allow creating it",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := reconcile.Calls{Create: "CreateThing", NameGiven: tc.given, Replaces: tc.removes}
			facts := factsAt(tc.after)
			if tc.deletes {
				facts.Repeats = &reconcile.Repeats{}
				facts.Repeats.Record("delete", "", facts.Now())
			}
			r := (&fakeExternal{}).resource(calls)
			r.Shown = func(*flowSample) bool { return tc.shown }
			done := Observe(t.Context(), r, facts, tc.mg)
			if done.Err != nil {
				t.Fatal(done.Err)
			}
			o, aborted := ObservationFor(tc.mg, done.Outcome), done.Later != nil
			ready := tc.mg.GetCondition(xpv2.TypeReady)
			if create := !o.ResourceExists; create != tc.want.create || aborted != tc.want.aborted ||
				!create && !o.ResourceUpToDate {
				t.Errorf("%s\ngot %+v, aborted %t", tc.reason, o, aborted)
			}
			if ready.Reason != tc.want.ready || tc.want.message != "" && ready.Message != tc.want.message ||
				done.After != tc.want.requeueAfter {
				t.Errorf(
					"%s\ncomes back after %v, and Ready is %s: %s",
					tc.reason,
					done.After,
					ready.Reason,
					ready.Message,
				)
			}
			reported := slices.ContainsFunc(
				done.Events,
				func(e event.Event) bool { return strings.Contains(e.Message, tc.want.event) },
			)
			if len(done.Events) > 0 != (tc.want.event != "") || tc.want.event != "" && !reported {
				t.Errorf("%s\nevents %v, want %q", tc.reason, done.Events, tc.want.event)
			}
		})
	}
}

// TestCreatedByAClockAhead checks that a create that another process has recorded by a clock that is hours ahead is
// waited for as one that has just been recorded: AWS is read less and less often, and what it does not have is created
// again.
func TestCreatedByAClockAhead(t *testing.T) {
	mg, repeats := createdSample(xpv2.Creating()), &reconcile.Repeats{}
	const ahead = 5 * time.Hour
	for after := time.Duration(0); after < time.Hour; {
		facts := factsAt(after - ahead)
		facts.Repeats = repeats
		done := Observe(t.Context(), (&fakeExternal{}).resource(reconcile.Calls{Create: "CreateThing"}), facts, mg)
		if !ObservationFor(mg, done.Outcome).ResourceExists {
			if after < reconcile.PendingDelay(0) || after > 2*time.Minute {
				t.Errorf("it is created again after %s", after)
			}
			return
		}
		after += done.After
	}
	t.Error("it is never created again")
}

// intents is an external resource, and the writer of its annotations. Among its calls are conditional writes that
// remove the external name. They fail with err.
type intents struct {
	*fakeExternal
	inMemory

	err error
}

func (i *intents) AnnotateIfUnchanged(ctx context.Context, obj client.Object, a map[string]string) error {
	if name, ok := a[meta.AnnotationKeyExternalName]; ok && name == "" {
		i.calls = append(i.calls, "Intend")
	}
	if i.err != nil {
		return i.err
	}
	return i.Annotate(ctx, obj, a)
}

// Where AWS gives another name to what is created anew, the old one is taken off first, so
// that a create whose answer is lost is looked for.
func TestCreateAfterDeletionInAWS(t *testing.T) {
	cases := map[string]struct {
		reason string
		mg     *flowSample
		given  bool
		err    error
		want   []string
	}{
		"Gone": {
			reason: "The old name is removed before the create.",
			mg:     createdSample(xpv2.Available()),
			given:  true,
			want:   []string{"Intend", "Create"},
		},
		"Outdated": {
			reason: "A decision that was based on an outdated object creates nothing.",
			mg:     createdSample(xpv2.Available()),
			given:  true,
			err:    kerrors.NewConflict(schema.GroupResource{}, "", nil),
			want:   []string{"Intend"},
		},
		"First": {
			reason: "There is no old name to remove.",
			mg:     createdSample(xpv2.Creating(), unnamed),
			given:  true,
			want:   []string{"Create"},
		},
		"Known": {
			reason: "The new external resource will have the same name, so the name stays.",
			mg:     createdSample(xpv2.Available()),
			want:   []string{"Create"},
		},
		"Noted": {
			reason: "The kind finds it by its own note.", given: true, want: []string{"Create"},
			mg: createdSample(xpv2.Available(), func(mg *flowSample) { mg.Annotations[v1beta1.AnnotationIntent] = "" }),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := &intents{
				fakeExternal: &fakeExternal{fail: map[string]error{"Create": errors.New("connection reset")}},
				err:          tc.err,
			}
			done := Once(t.Context(), w.resource(reconcile.Calls{NameGiven: tc.given}), factsAt(time.Hour), tc.mg, w)
			if done.Err == nil {
				t.Error("want an error")
			}
			if diff := cmp.Diff(
				tc.want,
				slices.DeleteFunc(w.calls, func(c string) bool { return c == "Read" }),
			); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if named := reconcile.ExternalName(tc.mg) != ""; named && slices.Contains(tc.want, "Intend") {
				t.Errorf("it keeps the name %q", reconcile.ExternalName(tc.mg))
			}
		})
	}
}

// An answer without the name that AWS gave is kept as what it is: something was created.
func TestCreateWithoutAName(t *testing.T) {
	mg := newExternalSample(unnamed)
	done := Once(
		t.Context(),
		(&fakeExternal{noName: true}).resource(reconcile.Calls{NameGiven: true}),
		factsAt(0),
		mg,
		nil,
	)
	if done.Called != reconcile.ToCreate || done.Err != nil || done.Later != nil {
		t.Fatal(done.Called, done.Err, done.Later)
	}
	if _, ok := ownership.CreatedAt(mg); !ok || meta.GetExternalName(mg) != "" {
		t.Errorf("want a note that it was created, got %v", mg.Annotations)
	}
}

// An external resource that AWS reports as existing, and that no observation finds, is reported.
func TestCreateOfAnExistingResource(t *testing.T) {
	exists := map[string]error{"Create": api("ResourceConflictException", "Thing already exists: basket")}
	cases := map[string]struct {
		reason   string
		failed   time.Duration
		reported bool
	}{
		"First": {reason: "The next observation checks the ownership.", failed: -time.Hour},
		"Second": {
			reason:   "The observation after the first conflict has not found the resource.",
			failed:   -time.Second,
			reported: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := newExternalSample(unnamed)
			meta.SetExternalCreateFailed(mg, made.Add(tc.failed))
			done := Once(t.Context(), (&fakeExternal{fail: exists}).resource(reconcile.Calls{}), factsAt(0), mg, nil)
			if done.Called != reconcile.ToCreate || (done.Later != nil) == tc.reported ||
				(done.Err != nil) != tc.reported {
				t.Errorf("%s\nlater %v, error %v", tc.reason, done.Later, done.Err)
			}
		})
	}
}

// TestUnansweredByAnotherClock checks that a process waits for a create that another one made, whose clock was minutes
// behind, before it creates again.
func TestUnansweredByAnotherClock(t *testing.T) {
	mg, repeats := unansweredSample(), &reconcile.Repeats{}
	c := &fakeExternal{}
	at := func(after time.Duration) reconcile.Verb {
		f := factsAt(after)
		f.Repeats = repeats
		return Once(t.Context(), c.resource(reconcile.Calls{NameGiven: true}), f, mg, nil).Called
	}
	for _, after := range []time.Duration{9 * time.Minute, 9*time.Minute + 59*time.Second} {
		if got := at(after); got != "" {
			t.Errorf("after %s: call %v, want none", after, got)
		}
	}
	if got := at(10 * time.Minute); got != reconcile.ToCreate {
		t.Errorf("a minute after it was first known: call %v, want a create", got)
	}
}

// TestAbsenceOfAnEarlierGeneration checks that Ready does not stay as it was for an earlier spec while AWS has to
// confirm that a resource does not exist.
func TestAbsenceOfAnEarlierGeneration(t *testing.T) {
	mg := createdSample(reconcile.Available(1))
	f := factsAt(time.Hour)
	f.Repeats = &reconcile.Repeats{}
	for range 2 { // The second time, the report does not count yet.
		done := Once(t.Context(), (&fakeExternal{}).resource(reconcile.Calls{NameGiven: true}), f, mg, nil)
		ready := mg.GetCondition(xpv2.TypeReady)
		if done.Called != "" || ready.Reason != v1beta1.ReasonUpdating ||
			ready.ObservedGeneration != mg.GetGeneration() {
			t.Errorf(
				"call %v, Ready is %s for generation %d: %s",
				done.Called,
				ready.Reason,
				ready.ObservedGeneration,
				ready.Message,
			)
		}
	}
}

// TestForeignWhenDeleted checks that a resource that is being deleted does not leave its external resource in AWS
// because of a single answer that says that someone else owns it.
func TestForeignWhenDeleted(t *testing.T) {
	repeats := &reconcile.Repeats{}
	at := func(after time.Duration, mg *flowSample) Done {
		f := factsAt(after)
		f.Repeats = repeats
		return Once(
			t.Context(),
			(&fakeExternal{there: true}).resource(reconcile.Calls{Delete: "DeleteThing"}),
			f,
			mg,
			nil,
		)
	}
	foreign, ours := newExternalSample(unnamed, deletedSample), newExternalSample(deletedSample)
	for _, after := range []time.Duration{time.Hour, time.Hour + time.Second} {
		if d := at(after, foreign); d.Later == nil || d.Called != "" || len(d.Events) > 0 {
			t.Errorf("after %s: %+v, want another look", after, d)
		}
	}
	if d := at(time.Hour+time.Minute, ours); d.Called != reconcile.ToDelete {
		t.Errorf("it is its own again: call %v, want a deletion", d.Called)
	}
	if d := at(time.Hour+2*time.Minute, foreign); d.Later == nil {
		t.Errorf("the first such report since: %+v, want another look", d)
	}
	if d := at(time.Hour+3*time.Minute, foreign); d.Later != nil || d.Exists || len(d.Events) != 1 {
		t.Errorf("the second such report: %+v, want that it is left in AWS", d)
	}
}
