package kube

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// standby has a cache that lags behind an API server.
type standby struct {
	*CatchUp

	cache, server client.WithWatch
	working       chan struct{}
	gets, lists   int
	fail          error
}

func allSamples(versions map[string]string) []client.Object {
	var all []client.Object
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		th := sample()
		th.Name, th.ResourceVersion, th.Spec.Value = name, versions[name], versions[name]
		all = append(all, th)
	}
	return all
}

func newStandby(t *testing.T, cached, live map[string]string) *standby {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := samples.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	s := &standby{working: make(chan struct{})}
	s.cache = fake.NewClientBuilder().WithScheme(scheme).WithObjects(allSamples(cached)...).Build()
	s.server = fake.NewClientBuilder().WithScheme(scheme).WithObjects(allSamples(live)...).Build()
	counted := interceptor.NewClient(s.server, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object,
			opts ...client.GetOption,
		) error {
			s.gets++
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			s.lists++
			if s.fail != nil {
				return s.fail
			}
			err := c.List(ctx, list, opts...)
			list.SetResourceVersion("2000")
			return err
		},
	})
	s.CatchUp = NewCatchUp(s.cache, counted, scheme, nil, samples.GVK)
	s.From(s.working)
	return s
}

// value returns the value of an object that is read, or that it does not exist.
func (s *standby) value(t *testing.T, name string) string {
	t.Helper()
	th := &samples.Sample{}
	err := s.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: name}, th)
	if kerrors.IsNotFound(err) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	return th.Spec.Value
}

// values returns the values of all objects in a list.
func (s *standby) values(t *testing.T) map[string]string {
	t.Helper()
	list := &samples.SampleList{}
	if err := s.List(t.Context(), list, client.InNamespace("shop")); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, th := range list.Items {
		all[th.Name] = th.Spec.Value
	}
	return all
}

var (
	cached = map[string]string{"same": "1000", "older": "1000", "gone": "1000", "newer": "2001", "newest": "2002"}
	live   = map[string]string{"same": "1000", "older": "1001", "newer": "1001", "new": "1001"}
)

func TestCatchUp(t *testing.T) {
	s := newStandby(t, cached, live)
	if got := s.value(t, "older"); got != "1000" || s.lists+s.gets > 0 {
		t.Errorf("who stands by costs no request: got %s by %d lists and %d gets", got, s.lists, s.gets)
	}
	close(s.working)
	cases := map[string]struct {
		reason string
		want   string
		gets   int
	}{
		"same":   {reason: "What is up to date is read from the cache.", want: "1000"},
		"older":  {reason: "What is outdated is read live.", want: "1001", gets: 1},
		"gone":   {reason: "What is gone is not there.", want: "none", gets: 1},
		"newer":  {reason: "What the watch shows after the list is newer.", want: "2001"},
		"newest": {reason: "As is what was created after it.", want: "2002"},
		"new":    {reason: "What the watch does not show yet is there.", want: "1001", gets: 1},
		"absent": {reason: "An object that does not exist anywhere is not read.", want: "none"},
	}
	for name, tc := range cases {
		s.gets = 0
		if got := s.value(t, name); got != tc.want || s.gets != tc.gets {
			t.Errorf("%s: want %s by %d live reads, got %s by %d", tc.reason, tc.want, tc.gets, got, s.gets)
		}
	}
	if s.lists != 1 {
		t.Errorf("want one list, got %d", s.lists)
	}
	want := map[string]string{"same": "1000", "older": "1001", "newer": "2001", "newest": "2002"}
	if diff := cmp.Diff(want, s.values(t)); diff != "" {
		t.Errorf("listed: -want, +got:\n%s", diff)
	}
}

// TestCatchUpByLabels lists objects by labels that they had, or have, according to an outdated cache.
func TestCatchUpByLabels(t *testing.T) {
	s := newStandby(t, map[string]string{"left": "1000", "stays": "1000"},
		map[string]string{"left": "1100", "stays": "1100"})
	for _, o := range []struct {
		in   client.Client
		name string
	}{{s.cache, "left"}, {s.cache, "stays"}, {s.server, "stays"}} {
		th := &samples.Sample{}
		if err := o.in.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: o.name}, th); err != nil {
			t.Fatal(err)
		}
		th.Labels = map[string]string{"app": "orders"}
		if err := o.in.Update(t.Context(), th); err != nil {
			t.Fatal(err)
		}
	}
	close(s.working)
	list := &samples.SampleList{}
	if err := s.List(
		t.Context(),
		list,
		client.InNamespace("shop"),
		client.MatchingLabels{"app": "orders"},
	); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != "stays" {
		t.Errorf("want the object that still has the label, got %d: %v", len(list.Items), list.Items)
	}
}

// TestCaughtUp checks that the cache is used again once it has caught up.
func TestCaughtUp(t *testing.T) {
	s := newStandby(t, map[string]string{"older": "1000", "gone": "1000"},
		map[string]string{"older": "1001", "new": "1001"})
	close(s.working)
	s.values(t)
	s.cache = fake.NewClientBuilder().WithScheme(s.scheme).WithObjects(allSamples(map[string]string{
		"older": "1001",
		"new":   "1001",
	})...).Build()
	s.CatchUp.cache = s.cache
	for _, name := range []string{"older", "new", "gone"} {
		s.value(t, name)
	}
	s.gets = 0
	for _, name := range []string{"older", "new", "gone"} {
		s.value(t, name)
	}
	s.values(t)
	if s.gets != 0 || s.lists != 1 {
		t.Errorf("a cache that has caught up costs %d gets and %d lists", s.gets, s.lists-1)
	}
}

// TestCatchUpFails checks that reads fail while it is unknown which objects are outdated.
func TestCatchUpFails(t *testing.T) {
	s := newStandby(t, cached, live)
	close(s.working)
	s.fail = errors.New("no API server")
	th := &samples.Sample{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "same"}}
	for range 2 {
		if err := s.Get(t.Context(), client.ObjectKeyFromObject(th), th); !errors.Is(err, s.fail) {
			t.Errorf("want %v, got %v", s.fail, err)
		}
	}
	if err := s.List(t.Context(), &samples.SampleList{}); !errors.Is(err, s.fail) {
		t.Errorf("want %v, got %v", s.fail, err)
	}
	s.fail = nil
	if got := s.value(t, "older"); got != "1001" || s.lists != 4 {
		t.Errorf("it is asked again, got %s after %d lists", got, s.lists)
	}
}
