package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestEventsAreNotRepeated(t *testing.T) {
	warning := func(s string) event.Event { return event.Warning("Broken", errors.New(s)) }
	available := event.Normal(v1beta1.EventAvailable, "x")
	updated := event.Normal(v1beta1.EventUpdated, "x")
	cases := map[string]struct {
		reason string
		emit   []event.Event
		after  time.Duration
		want   int
	}{
		"Same": {
			reason: "The same again is nothing new.",
			emit:   []event.Event{warning("a"), warning("a"), warning("a")},
			want:   1,
		},
		"Other": {reason: "Another message is.", emit: []event.Event{warning("a"), warning("b")}, want: 2},
		"Alternating": {
			reason: "A message that comes back is emitted again.",
			emit:   []event.Event{warning("a"), warning("b"), warning("a")},
			want:   3,
		},
		"Interleaved": {
			reason: "Another reason in between changes nothing.",
			emit:   []event.Event{warning("a"), event.Normal("Z", "z"), warning("a")},
			want:   2,
		},
		"Much later": {
			reason: "The API server forgets events.",
			emit:   []event.Event{warning("a"), warning("a")},
			after:  reporting.RepeatAfter,
			want:   2,
		},
		"Recovered": {
			reason: "After a recovery it is news.",
			emit:   []event.Event{warning("a"), available, warning("a")},
			want:   3,
		},
		"Calls": {
			reason: "The event of a call is emitted each time.",
			emit:   []event.Event{updated, updated},
			want:   2,
		},
		"OtherArgument": {
			reason: "Two requests are two.",
			emit:   []event.Event{event.Normal("R", "r", "token", "1"), event.Normal("R", "r", "token", "2")},
			want:   2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			e := &events{}
			r := reporting.NewRecorder(e, logging.NewNopLogger(), func() time.Time { return now })
			for _, s := range tc.emit {
				r.WithAnnotations("external-name", "x").Event(samples.New(), s)
				now = now.Add(tc.after)
			}
			if len(e.all) != tc.want {
				t.Errorf("%s: want %d events, got %v", tc.reason, tc.want, e.all)
			}
		})
	}
}

func TestEventsOfOtherResources(t *testing.T) {
	e := &events{}
	r := reporting.NewRecorder(e, logging.NewNopLogger(), time.Now)
	a, b := samples.New(), samples.New()
	b.Name = "pay"
	r.Event(a, event.Normal("X", "x"))
	r.Event(b, event.Normal("X", "x"))
	r.Forget(cart)
	r.Event(a, event.Normal("X", "x"))
	if len(e.all) != 3 {
		t.Errorf("one resource's events are not another's, nor a former one's: %v", e.all)
	}
}

// TestEventFilters checks that event filters apply to annotated events. The runtime's recorder
// drops its filters when an annotation is added, which the runtime's reconciler always does.
func TestEventFilters(t *testing.T) {
	e := &events{}
	r := reporting.NewRecorder(
		e,
		logging.NewNopLogger(),
		time.Now,
		func(_ runtime.Object, e event.Event) bool { return e.Reason == "Dull" },
	)
	r.WithAnnotations("a", "b").Event(samples.New(), event.Normal("Dull", "x"))
	r.WithAnnotations("a", "b").Event(samples.New(), event.Normal("Fine", "x"))
	if diff := cmp.Diff([]string{"Fine: x"}, e.all); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestOwnershipConflicts(t *testing.T) {
	foreign := ownership.NewForeignUntaggedError("alias live of function pay", "live")
	moved := ownership.NewMovedError("live", "test")
	cases := map[string]struct {
		reason   string
		emit     event.Event
		returned error
		want     string
	}{
		"Connect": {
			"A resource of another namespace owns it, as is known before any call.",
			event.Warning("CannotConnectToProvider", foreign),
			reconcile.Ambiguous(foreign),
			"AlreadyOwned: " + foreign.Error(),
		},
		"Observe": {
			"AWS shows that somebody else owns it.",
			event.Warning("CannotObserveExternalResource", foreign),
			foreign,
			"AlreadyOwned: " + foreign.Error(),
		},
		"Renamed": {
			"Nobody else owns what is named now.",
			event.Warning("CannotObserveExternalResource", moved),
			moved,
			"CannotObserveExternalResource: " + moved.Error(),
		},
		"Other": {
			"Any other error keeps the reason.",
			event.Warning("CannotConnectToProvider", errors.New("no config")),
			errors.New("no config"),
			"CannotConnectToProvider: no config",
		},
		"NotAnError": {
			"An event that is no warning is about something else.",
			event.Normal("Fine", "x"),
			foreign,
			"Fine: x",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			r := &passRecorder{
				Recorder: reporting.NewRecorder(e, logging.NewNopLogger(), time.Now),
				pass:     &pass{returned: tc.returned},
			}
			r.Event(samples.New(), tc.emit)
			if diff := cmp.Diff([]string{tc.want}, e.all); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestQuietUpdates(t *testing.T) {
	cases := map[string]struct {
		reason string
		result reconcile.Result
		want   []string
	}{
		"Update": {"An update is reported.", reconcile.Result{}, []string{"UpdatedExternalResource: x", "Fine: x"}},
		"Quiet": {
			"An update that the kind reports itself is not.",
			reconcile.Result{Quiet: true},
			[]string{"Fine: x"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			r := &passRecorder{
				Recorder: reporting.NewRecorder(e, logging.NewNopLogger(), time.Now),
				pass:     &pass{result: tc.result},
			}
			r.Event(samples.New(), event.Normal(v1beta1.EventUpdated, "x"))
			r.Event(samples.New(), event.Normal("Fine", "x"))
			if diff := cmp.Diff(tc.want, e.all); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadinessIsAnEvent(t *testing.T) {
	cases := map[string]struct {
		reason  string
		was, is xpv2.Condition
		want    []string
	}{
		"BecomesAvailable": {
			reason: "The user waits for this.",
			was:    reconcile.Creating(1, ""), is: reconcile.Available(1),
			want: []string{"Available: AWS serves what the spec asks for"},
		},
		"StaysAvailable": {reason: "Nothing happened.", was: reconcile.Available(1), is: reconcile.Available(2)},
		"Fails": {
			reason: "With AWS's own reason.",
			was:    reconcile.Updating(1, ""), is: reconcile.Unavailable(1, "InvalidSubnet: gone"),
			want: []string{"Unavailable: InvalidSubnet: gone"},
		},
		"FailsOtherwise": {
			reason: "Another reason is news.",
			was:    reconcile.Unavailable(1, "a"), is: reconcile.Unavailable(1, "b"),
			want: []string{"Unavailable: b"},
		},
		"StaysFailed": {
			reason: "Nothing happened.",
			was:    reconcile.Unavailable(1, "a"),
			is:     reconcile.Unavailable(1, "a"),
		},
		"BeginsToUpdate": {
			reason: "The call that began the update has emitted an event already.",
			was:    reconcile.Available(1), is: reconcile.Updating(2, ""),
		},
		"Unknown": {reason: "No status was written.", was: reconcile.Available(1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			mg := samples.New()
			mg.SetConditions(tc.was)
			reporting.NewRecorder(e, logging.NewNopLogger(), time.Now).Finish(mg, nil, tc.is, false)
			if diff := cmp.Diff(tc.want, e.all); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWaitingIsNoWarning checks that a resource that waits for what was applied together with
// it does not emit a warning.
func TestWaitingIsNoWarning(t *testing.T) {
	err := errors.New("cannot resolve spec.forProvider.functionNameRef: Function shop/pay does not exist")
	cases := map[string]struct {
		reason string
		ready  xpv2.Condition
		awaits bool
		want   []string
	}{
		"New": {
			reason: "A new resource waits for its reference.",
			awaits: true,
			want:   []string{"WaitingForReference: " + err.Error()},
		},
		"Creating": {
			reason: "A resource that is not created yet still waits.",
			ready:  reconcile.Creating(1, err.Error()),
			awaits: true,
			want:   []string{"WaitingForReference: " + err.Error()},
		},
		"There": {
			reason: "What exists has lost what it refers to.",
			ready:  reconcile.Available(1),
			awaits: true,
			want:   []string{"CannotResolveResourceReferences: " + err.Error()},
		},
		"Otherwise": {
			reason: "An error that is not about waiting is a warning, also before the creation.",
			ready:  reconcile.Creating(1, ""),
			want:   []string{"CannotResolveResourceReferences: " + err.Error()},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, mg := &events{}, samples.New()
			if tc.ready.Type != "" {
				mg.SetConditions(tc.ready)
			}
			r := &passRecorder{
				Recorder: reporting.NewRecorder(e, logging.NewNopLogger(), time.Now),
				pass:     &pass{awaits: tc.awaits},
			}
			r.Event(mg, event.Warning("CannotResolveResourceReferences", err))
			if diff := cmp.Diff(tc.want, e.all); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
