package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

var inShard = labels.SelectorFromSet(labels.Set{"shard": "a"})

func TestSelected(t *testing.T) {
	cases := map[string]struct {
		reason   string
		selector labels.Selector
		labels   map[string]string
		want     bool
	}{
		"All": {reason: "No selector selects all.", labels: map[string]string{"shard": "b"}, want: true},
		"Selected": {reason: "The object has the label.", selector: inShard, labels: map[string]string{
			"shard": "a",
			"team":  "x",
		}, want: true},
		"Left": {
			reason: "The object has another label, so it does not exist here.", selector: inShard,
			labels: map[string]string{"shard": "b"},
		},
		"None": {reason: "The object has no label.", selector: inShard},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, nil)
			e.change(t, func(th *samples.Sample) { th.Labels = tc.labels })
			s, got, list := Selected{Reader: e.server, selector: tc.selector}, &samples.Sample{}, &samples.SampleList{}
			switch err := s.Get(t.Context(), key, got); {
			case tc.want && (err != nil || got.Spec.Value != "a"):
				t.Errorf("%s\nGet() = %v, %+v", tc.reason, err, got)
			case !tc.want && (!kerrors.IsNotFound(err) || got.Spec.Value != ""):
				t.Errorf("%s\nwant no object and a NotFound, got %v, %+v", tc.reason, err, got)
			}
			if err := s.List(t.Context(), list, client.InNamespace(key.Namespace)); err != nil ||
				len(list.Items) == 1 != tc.want {
				t.Errorf("%s\nList() = %v, %d objects", tc.reason, err, len(list.Items))
			}
		})
	}
}

// TestObjectLeavesSelection checks that a client does not read an object that has left its
// selection from the API server, but still writes the status that was found before.
func TestObjectLeavesSelection(t *testing.T) {
	e := newEnv(t, nil)
	e.Select(inShard)
	e.change(t, func(th *samples.Sample) { th.Labels = map[string]string{"shard": "a"} })
	ctx, th := e.read(t)
	e.cached = e.stored(t)
	e.change(t, func(th *samples.Sample) { th.Labels["shard"] = "b" })
	th.Status.Value = "found"
	if err := e.Status().Update(ctx, th); err != nil {
		t.Fatal(err)
	}
	if got := e.stored(t).Status.Value; got != "found" {
		t.Errorf("the status that was found before the object left is lost: %q", got)
	}
	if err := e.Get(t.Context(), key, &samples.Sample{}); !kerrors.IsNotFound(err) {
		t.Errorf("an outdated cache shows the object after it has left: %v", err)
	}
}

// TestRelabel checks that labels are only changed on the version that was read.
func TestRelabel(t *testing.T) {
	e := newEnv(t, nil)
	e.change(t, func(th *samples.Sample) { th.Labels = map[string]string{"shard": "a", "team": "x"} })
	_, th := e.read(t)
	e.change(t, func(th *samples.Sample) { th.Spec.Value = "b" })
	if err := e.Relabel(t.Context(), th, map[string]any{"shard": nil}); !kerrors.IsConflict(err) || !e.Outdated(key) {
		t.Errorf("want a conflict, and the next read to be live: %v", err)
	}
	_, th = e.read(t)
	if err := e.Relabel(t.Context(), th, map[string]any{"shard": nil}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"team": "x"}, e.stored(t).GetLabels()); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
}

// TestCatchUpOfShard checks that a process that becomes active counts objects that have left its
// selection as deleted, and finds those that have entered it.
func TestCatchUpOfShard(t *testing.T) {
	versions := func(all ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i < len(all); i += 2 {
			out[all[i]] = all[i+1]
		}
		return out
	}
	s := newStandby(t, versions("stays", "1000", "left", "1000"), versions("stays", "1000", "left", "1001", "entered",
		"1001", "other", "1001"))
	s.Select(inShard, samples.GVK)
	for name, shard := range map[string]string{"stays": "a", "left": "b", "entered": "a", "other": "b"} {
		th := &samples.Sample{}
		if err := s.server.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, th); err != nil {
			t.Fatal(err)
		}
		th.Labels = map[string]string{"shard": shard}
		if err := s.server.Update(t.Context(), th); err != nil {
			t.Fatal(err)
		}
	}
	close(s.working)
	for name, there := range map[string]bool{"stays": true, "left": false, "entered": true, "other": false} {
		if got := s.value(t, name) != "none"; got != there {
			t.Errorf("%s: exists: %t, want %t", name, got, there)
		}
	}
}
