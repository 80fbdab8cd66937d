package manager

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// eventsOf is a sink that keeps events. It ends when it gets one of the reason End.
type eventsOf struct {
	messages map[string]string // By the event's name.
	end      chan struct{}
}

func (s *eventsOf) keep(e *corev1.Event) (*corev1.Event, error) {
	if e.Reason == "End" {
		close(s.end)
		return e, nil
	}
	s.messages[e.Name] = e.Reason + ": " + e.Message
	return e, nil
}

func (s *eventsOf) Create(e *corev1.Event) (*corev1.Event, error)          { return s.keep(e) }
func (s *eventsOf) Update(e *corev1.Event) (*corev1.Event, error)          { return s.keep(e) }
func (s *eventsOf) Patch(e *corev1.Event, _ []byte) (*corev1.Event, error) { return s.keep(e) }

// stored returns which of the events about an alias a sink keeps, by reason.
func stored(
	t *testing.T,
	b record.EventBroadcaster,
	emit func(r record.EventRecorder, of *v1beta1.Alias),
) map[string]int {
	t.Helper()
	sink := &eventsOf{messages: map[string]string{}, end: make(chan struct{})}
	b.StartRecordingToSink(sink)
	defer b.Shutdown()
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	r := b.NewRecorder(scheme, corev1.EventSource{Component: "alias"})
	emit(r, &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Name: "live", Namespace: "shop", UID: "1"}})
	r.Event(
		&v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "shop", UID: "2"}},
		"Normal",
		"End",
		"x",
	)
	select {
	case <-sink.end:
	case <-time.After(time.Minute):
		t.Fatal("the last event does not arrive")
	}
	counts := map[string]int{}
	for _, m := range sink.messages {
		reason, _, _ := strings.Cut(m, ":")
		counts[reason]++
	}
	return counts
}

func TestEventsThatUsersMustNotMiss(t *testing.T) {
	t.Parallel()
	rollouts := func(r record.EventRecorder, of *v1beta1.Alias) {
		for i := range 3 {
			for step := range 12 {
				r.Eventf(of, "Normal", v1beta1.EventRolloutShifted, "rollout %d: %d", i, step)
			}
			r.Eventf(of, "Normal", v1beta1.EventRolloutCommand, "promote-full (%d)", i)
			r.Eventf(of, "Normal", v1beta1.EventRolloutCompleted, "rollout %d", i)
		}
	}
	commands := func(r record.EventRecorder, of *v1beta1.Alias) {
		for i := range 40 {
			r.Eventf(of, "Warning", v1beta1.EventRolloutCommand, "rollback-to (%d) does not apply", i)
		}
	}
	noise := func(r record.EventRecorder, of *v1beta1.Alias) {
		for i := range 100 {
			r.Event(of, "Warning", "CannotObserveExternalResource", fmt.Sprint("error ", i))
		}
	}
	cases := map[string]struct {
		reason      string
		broadcaster record.EventBroadcaster
		emit        func(record.EventRecorder, *v1beta1.Alias)
		want        map[string]int
	}{
		"ClientGo": {
			reason:      "client-go stores 25 events of a type about an object, and drops the others, whatever they say.",
			broadcaster: record.NewBroadcaster(),
			emit:        rollouts,
			want: map[string]int{
				v1beta1.EventRolloutShifted:   10,
				v1beta1.EventRolloutCommand:   1,
				v1beta1.EventRolloutCompleted: 1,
			},
		},
		"Rollouts": {
			reason:      "Events about shifts take nothing away from those about ends and commands.",
			broadcaster: newBroadcaster(),
			emit:        rollouts,
			want: map[string]int{
				v1beta1.EventRolloutShifted:   10,
				v1beta1.EventRolloutCommand:   3,
				v1beta1.EventRolloutCompleted: 3,
			},
		},
		"Commands": {
			reason:      "Each command has its answer, even if there are many: none is combined with others.",
			broadcaster: newBroadcaster(), emit: commands,
			want: map[string]int{v1beta1.EventRolloutCommand: 40},
		},
		"Noise": {
			reason:      "Other events that are alike are combined, as those of any controller are.",
			broadcaster: newBroadcaster(), emit: noise,
			want: map[string]int{"CannotObserveExternalResource": 10},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, stored(t, tc.broadcaster, tc.emit)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
