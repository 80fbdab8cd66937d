package kube

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestIntend(t *testing.T) {
	timeout := errors.New("timeout")
	intent := map[string]string{record: "1"}
	cases := map[string]struct {
		reason string
		// before changes the object before the write, as others do.
		before func(*samples.Sample)
		// lost is the number of lost answers to the write. The write succeeds if arrives is true.
		lost    int
		arrives bool
		// between runs between the first lost answer and the next attempt.
		between  func(*samples.Sample)
		conflict bool
		fails    bool
		patches  int
	}{
		"Unchanged": {reason: "An intent is written with one patch.", patches: 1},
		"Changed": {reason: "Another may have acted.", before: func(th *samples.Sample) {
			meta.AddAnnotations(th,
				map[string]string{record: "0"})
		}, conflict: true, patches: 1},
		"ChangedByAnotherTool": {
			reason: "Annotations of other tools decide nothing.", patches: 2,
			before: func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{"example.org/checked-at": "1"}) },
		},
		"RenamedByAnotherTool": {
			reason: "A label may select another process.", conflict: true, patches: 1,
			before: func(th *samples.Sample) { th.SetLabels(map[string]string{"shard": "2"}) },
		},
		"StatusWritten": {
			reason: "A changed status may record an action, too.",
			before: func(th *samples.Sample) { th.Status.Value = "done" }, conflict: true, patches: 1,
		},
		"NotArrived": {reason: "What did not arrive is sent again.", lost: 1, patches: 2},
		"AnswerLost": {reason: "A write that has arrived is recognized.", lost: 1, arrives: true, patches: 2},
		"AnswerLostAndChanged": {
			reason: "Unless another has acted since.", lost: 1, arrives: true, conflict: true, patches: 2,
			between: func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{record: "2"}) },
		},
		"AnswerLostAndChangedByAnotherTool": {
			reason: "The write is recognized.", lost: 1, arrives: true, patches: 2,
			between: func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{"example.org/checked-at": "1"}) },
		},
		"NotArrivedAndTaken": {
			reason:   "Another client has changed the object before the write arrived.",
			lost:     1,
			conflict: true,
			patches:  2,
			between:  func(th *samples.Sample) { meta.AddAnnotations(th, map[string]string{record: "2"}) },
		},
		"Gone": {reason: "The number of attempts is limited.", lost: attempts, fails: true, patches: attempts},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			_, th := e.read(t)
			e.cached = e.stored(t)
			if tc.before != nil {
				e.change(t, tc.before)
			}
			lost := tc.lost
			e.answer = func(err error) error {
				if lost == 0 || err != nil {
					return err
				}
				lost--
				if tc.between != nil {
					e.change(t, tc.between)
				}
				return timeout
			}
			e.dropped = func() bool { return lost > 0 && !tc.arrives }
			err := e.view.AnnotateIfUnchanged(t.Context(), th, intent)
			if kerrors.IsConflict(err) != tc.conflict || errors.Is(err, timeout) != tc.fails ||
				(err == nil) == (tc.conflict || tc.fails) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if e.calls.patches != tc.patches {
				t.Errorf("%s: want %d patches, got %d", tc.reason, tc.patches, e.calls.patches)
			}
			if err == nil && (e.stored(t).GetAnnotations()[record] != "1" || th.GetAnnotations()[record] != "1" ||
				th.GetResourceVersion() != e.stored(t).GetResourceVersion()) {
				t.Errorf("%s: it is not written, or not taken over: %+v", tc.reason, th.ObjectMeta)
			}
			if err != nil && th.GetAnnotations()[record] != "" {
				t.Errorf("%s: what was not written is taken for written", tc.reason)
			}
			if tc.conflict {
				if _, th = e.read(t); th.GetResourceVersion() != e.stored(t).GetResourceVersion() {
					t.Errorf("%s: then it is read live", tc.reason)
				}
			}
		})
	}
}

// TestReadsNothingOlder checks that a lagging cache is not used after the object was read live.
func TestReadsNothingOlder(t *testing.T) {
	e := newEnv(t, nil)
	_, th := e.read(t)
	e.cached = e.stored(t)
	e.change(t, func(th *samples.Sample) { th.Spec.Value = "b" })
	if err := e.view.AnnotateIfUnchanged(t.Context(), th, map[string]string{"a": "b"}); !kerrors.IsConflict(err) {
		t.Fatalf("want a conflict, got %v", err)
	}
	for range 3 {
		if _, th = e.read(t); th.Spec.Value != "b" {
			t.Fatalf("the cached object is back: %+v", th.Spec)
		}
	}
	e.cached = nil
	e.change(t, func(th *samples.Sample) { th.Spec.Value = "c" })
	gets := e.calls.gets
	if _, th = e.read(t); th.Spec.Value != "c" || e.calls.gets != gets {
		t.Errorf("a cache that has caught up is read, got %q by %d live reads", th.Spec.Value, e.calls.gets-gets)
	}
	e.cached = sample()
	e.cached.ResourceVersion = "1"
	if _, th = e.read(t); th.Spec.Value != "c" {
		t.Error("a cache that goes back is believed")
	}
}

// TestIntendStripped loses the answer to a write of an object of which the cache holds no last-applied configuration.
func TestIntendStripped(t *testing.T) {
	e := newEnv(t, nil)
	e.change(t, func(th *samples.Sample) {
		meta.AddAnnotations(th, map[string]string{corev1.LastAppliedConfigAnnotation: "{}"})
	})
	e.cached = e.stored(t)
	meta.RemoveAnnotations(e.cached, corev1.LastAppliedConfigAnnotation)
	_, th := e.read(t)
	lost := true
	e.answer = func(err error) error {
		if lost {
			lost = false
			return errors.New("timeout")
		}
		return err
	}
	e.dropped = func() bool { return false }
	if err := e.view.AnnotateIfUnchanged(t.Context(), th, map[string]string{record: "1"}); err != nil {
		t.Errorf("a write that has arrived is recognized, got %v", err)
	}
	if e.stored(t).GetAnnotations()[corev1.LastAppliedConfigAnnotation] == "" {
		t.Error("the last-applied configuration must stay in the API server")
	}
}
