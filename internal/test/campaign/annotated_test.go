package campaign

import (
	"fmt"
	"testing"
	"time"

	ktypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestAnnotatedByAnotherTool has a tool change an annotation of its own twenty times a second, while a resource is
// created, exists and is deleted. Each call to AWS takes longer than the tool needs for several changes. It checks that
// the provider makes the calls that it makes without the tool.
func TestAnnotatedByAnotherTool(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.Name(), func(t *testing.T) {
			t.Parallel()
			var calls [2]string
			for i, name := range []string{"alone", "annotated"} {
				t.Run(name, func(t *testing.T) { calls[i] = k.annotated(t, i > 0) })
			}
			if calls[0] != calls[1] {
				t.Errorf("calls without the tool:\n%s\ncalls with the tool:\n%s", calls[0], calls[1])
			}
		})
	}
}

// annotated creates and deletes a resource, and returns the operations that were called. If by is true, a tool annotates
// the resource all the time.
func (k Kind) annotated(t *testing.T, by bool) (calls string) {
	t.Helper()
	Run(t, awsdouble.Options{Latency: 200 * time.Millisecond}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		s.Start(&Network{})
		s.Create(k.New())
		during := func(most time.Duration, done func() bool) {
			for began := time.Now(); !done(); time.Sleep(50 * time.Millisecond) {
				if time.Since(began) > most {
					t.Fatalf("it takes longer than %s: %s\n%s", most, s.statuses(), s.history())
				}
				if by {
					patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"example.org/checked-at":"%d"}}}`,
						time.Now().UnixNano())
					err := s.Kube.Patch(s.Context(), k.New(), client.RawPatch(ktypes.MergePatchType, patch))
					if client.IgnoreNotFound(err) != nil { // Its deletion may end at the same moment.
						t.Fatal(err)
					}
				}
			}
		}
		during(time.Minute, func() bool { return s.ready(k.New()) })
		exists := time.Now().Add(10 * time.Second)
		during(time.Minute, func() bool { return time.Now().After(exists) })
		s.remove(k.New())
		during(time.Minute, func() bool { return s.gone(k.New()) })
		for _, c := range s.Double.Calls() {
			calls += c.Operation + "\n"
		}
	})
	return calls
}
