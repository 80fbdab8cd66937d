package campaign

import (
	"fmt"
	"testing"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestAnnotatedByAnotherTool has a tool change an annotation of its own twenty times a second, on a resource that
// exists and on one that is to be created. Each call to AWS takes longer than the tool needs for several changes, so
// that the resource has always changed before a write. It checks that the provider reconciles it once a second.
func TestAnnotatedByAnotherTool(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.Name(), func(t *testing.T) {
			t.Parallel()
			for _, exists := range []bool{true, false} {
				t.Run(fmt.Sprint("exists=", exists), func(t *testing.T) { k.annotated(t, exists) })
			}
		})
	}
}

// annotated has a tool annotate a resource for ten seconds. No kind needs more than two calls for an observation.
func (k Kind) annotated(t *testing.T, exists bool) {
	t.Helper()
	const lasts, most = 10, 2 * 11
	Run(
		t,
		awsdouble.Options{Latency: 200 * time.Millisecond},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			s.Prepare()
			s.Start(&Network{})
			s.Create(k.New())
			if exists && !s.Until(time.Minute, func() bool { return s.ready(k.New()) }) {
				t.Fatal(s.statuses())
			}
			before := len(s.Double.Calls())
			for began := time.Now(); time.Since(began) < lasts*time.Second; time.Sleep(50 * time.Millisecond) {
				s.Patch(k.New(), map[string]any{"metadata": map[string]any{
					"annotations": map[string]any{"example.org/checked-at": fmt.Sprint(time.Now().UnixNano())},
				}})
			}
			if calls := len(s.Double.Calls()) - before; calls > most {
				t.Errorf("%d calls in %d seconds:\n%s", calls, lasts, s.history())
			}
		},
	)
}
