package campaign

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// A writeCounter records the writes of a process to the cluster.
type writeCounter struct {
	Network

	mu     sync.Mutex
	writes []string
}

func newWriteCounter() *writeCounter {
	c := &writeCounter{}
	c.Do = c.record
	return c
}

func (c *writeCounter) record(_ context.Context, call Call, s Side) error {
	if call.API != Kubernetes || s != Before || !call.Writes() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes = append(c.writes, call.Method+" "+call.Path)
	return nil
}

// all returns the number of writes of all objects.
func (c *writeCounter) all() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.writes)
}

// of returns the writes of one object, without its path.
func (c *writeCounter) of(path string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, w := range c.writes {
		method, p, _ := strings.Cut(w, " ")
		if rest, ok := strings.CutPrefix(p, path); ok && (rest == "" || rest == "/status") {
			out = append(out, method+rest)
		}
	}
	return out
}

// mostOfCreation is how often the provider writes an object while it is created: with what must be
// recorded before the call to AWS, with the name that AWS returned, and with the status.
const mostOfCreation = 3

func plural(kind string) string {
	kind = strings.ToLower(kind)
	if stem, ok := strings.CutSuffix(kind, "y"); ok {
		return stem + "ies"
	}
	if strings.HasSuffix(kind, "s") {
		return kind + "es"
	}
	return kind + "s"
}

// TestWritesOfCreation counts how often the provider writes an object from its creation until it
// is Ready and has converged. Each write is sent to everyone who watches the object: Crossplane
// reconciles a composite resource for each write of its composed resources.
func TestWritesOfCreation(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.Name(), func(t *testing.T) { writesOfCreation(t, k, time.Second, mostOfCreation) })
	}
	// The status Creating is written as well if it lasts.
	t.Run("slow", func(t *testing.T) { writesOfCreation(t, kinds[0], 20*time.Second, mostOfCreation+1) })
	// Findings of the advisor are written with the rest.
	t.Run("advised", func(t *testing.T) {
		k := kinds[0]
		k.ForProvider = runtime.DeepCopyJSON(k.ForProvider)
		k.ForProvider["environment"] = map[string]any{"variables": map[string]any{"LARGE": strings.Repeat("x", 3500)}}
		writesOfCreation(t, k, time.Second, mostOfCreation, string(v1beta1.TypeAdvisory))
	})
}

// writesOfCreation creates a resource, whose creation takes AWS some time, and checks that the
// provider writes it no more often than given, and that it has the conditions then.
func writesOfCreation(t *testing.T, k Kind, takes time.Duration, most int, conditions ...string) {
	t.Helper()
	Run(t, awsdouble.Options{CreateDuration: takes, UpdateDuration: time.Second},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			s.Prepare()
			c := newWriteCounter()
			p := s.Start(&c.Network)
			time.Sleep(time.Minute)
			s.Create(k.New())
			if !s.Until(10*time.Minute, func() bool { return s.ready(k.New()) }) {
				t.Fatalf("does not become Ready: %s", s.statuses())
			}
			time.Sleep(14*time.Minute + 333*time.Millisecond)
			u := k.New()
			got := c.of(fmt.Sprintf("/apis/lambda.aws.m.crossplane.io/v1beta1/namespaces/%s/%s/%s", u.GetNamespace(),
				plural(u.GetKind()), u.GetName()))
			t.Logf("%d writes: %s", len(got), strings.Join(got, ", "))
			if len(got) == 0 || len(got) > most {
				t.Errorf("it was written %d times, want 1 to %d", len(got), most)
			}
			for _, c := range conditions {
				if err := s.Kube.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
					t.Fatal(err)
				}
				if conditionOf(u, c)["status"] != "True" {
					t.Errorf("the condition %s is not True: %v", c, u.Object["status"])
				}
			}
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
		})
}
