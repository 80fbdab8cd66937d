package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/campaign/figures"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// point at which a process is killed: before or after its nth call since it was armed.
type point struct {
	n    int
	side Side
}

// killer counts the calls of a process that read from AWS or change anything, and cuts its network at one of them.
type killer struct {
	Network

	mu    sync.Mutex
	armed bool
	at    point
	calls []string
	cut   chan struct{}
}

func newKiller(at point) *killer {
	k := &killer{at: at, cut: make(chan struct{})}
	k.Do = k.do
	return k
}

// arm the killer: it counts from now on.
func (k *killer) arm() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.armed = true
}

func (k *killer) do(_ context.Context, c Call, side Side) error {
	if c.Watch || c.API == Kubernetes && (!c.Writes() || strings.Contains(c.Path, "/events") || strings.Contains(c.Path, "selfsubjectaccessreviews")) {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.armed {
		return nil
	}
	if side == Before {
		k.calls = append(k.calls, c.String())
	}
	if len(k.calls) == k.at.n && side == k.at.side {
		k.armed = false
		k.Cut()
		close(k.cut)
		return errNetwork
	}
	return nil
}

func (k *killer) killed() bool {
	select {
	case <-k.cut:
		return true
	default:
		return false
	}
}

// scenario is something that a user does, and what comes of it.
type scenario struct {
	name string

	// mg is the resource that it is about, if it is about one.
	mg func() *unstructured.Unstructured

	// before brings about what the user begins with. The provider runs.
	before func(s *Simulation)

	// act is what the user does.
	act func(s *Simulation)

	// done tells whether the provider has done its part.
	done func(s *Simulation) bool

	// creates as in Kind.
	creates string
}

// outcome of a scenario.
type outcome struct {
	Things  []string
	Created int
}

// run a scenario whose process is killed at a point, and started again.
func (sc scenario) run(t *testing.T, at point) (calls []string, got outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		k := newKiller(at)
		p := s.Start(&k.Network)
		sc.before(s)
		s.Double.ResetCalls()
		k.arm()
		sc.act(s)
		s.Until(time.Minute, func() bool { return k.killed() || sc.done(s) })
		calls = k.calls
		if k.killed() {
			p.Kill()
			p = s.Start(&Network{})
		}
		if !s.Until(2*time.Hour, func() bool { return sc.done(s) }) {
			t.Errorf("does not come to its end: %s", s.statuses())
		}
		got = outcome{Things: s.Things(), Created: s.accepted(sc.creates)}
		before := len(s.writes())
		time.Sleep(25 * time.Minute)
		if again := s.writes()[before:]; len(again) > 0 {
			t.Errorf("not silent: %v", again)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("calls:\n%s", s.history())
		}
	})
	return calls, got
}

// statuses are the conditions of all resources.
func (s *Simulation) statuses() string {
	s.Helper()
	b := strings.Builder{}
	kinds, err := Kinds()
	if err != nil {
		s.Fatal(err)
	}
	for _, k := range kinds {
		u := k.New()
		if err := s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, c := range conditions {
			m, _ := c.(map[string]any)
			fmt.Fprintf(&b, "\n%s %v=%v %v: %v", u.GetName(), m["type"], m["status"], m["reason"], m["message"])
		}
	}
	return b.String()
}

// history of the calls that AWS has had.
func (s *Simulation) history() string {
	b := strings.Builder{}
	for _, c := range s.Double.Calls() {
		fmt.Fprintf(&b, "%s %s %s %d %s\n", c.Time.Format(time.TimeOnly), c.Operation, c.Resource, c.Status, c.ErrorCode)
	}
	return b.String()
}

// accepted is how many calls of an operation AWS has accepted.
func (s *Simulation) accepted(operation string) int {
	n := 0
	for _, c := range s.Double.Calls() {
		if c.Operation == operation && operation != "" && c.Status < 300 {
			n++
		}
	}
	return n
}

// writes are the operations that change something.
func (s *Simulation) writes() []string {
	var out []string
	for _, c := range s.Double.Calls() {
		if !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "List") && c.Operation != "HeadObject" {
			out = append(out, c.Operation)
		}
	}
	return out
}

// TestKilledAtEveryCall ends the process before and after each of its calls, and starts
// another one: what a user has asked for is done all the same, once, and nothing is left.
func TestKilledAtEveryCall(t *testing.T) {
	var mu sync.Mutex
	total, taken, failed := 0, 0, 0
	t.Run("scenarios", func(t *testing.T) {
		for _, sc := range scenarios(t) {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				calls, want := sc.run(t, point{})
				if t.Failed() {
					t.Fatal("it fails though nothing is killed")
				}
				for i := range 2 * len(calls) {
					at := point{n: i/2 + 1, side: Side(i % 2)}
					mu.Lock()
					total++
					take := chosen(fmt.Sprint(sc.name, i), *figures.Sample)
					if take {
						taken++
					}
					mu.Unlock()
					if !take {
						continue
					}
					ok := t.Run(fmt.Sprintf("%d of %d, side %d, %s", at.n, len(calls), at.side, strings.ReplaceAll(calls[at.n-1], "/", "|")), func(t *testing.T) {
						_, got := sc.run(t, at)
						if diff := cmp.Diff(want.Things, got.Things); diff != "" {
							t.Errorf("what AWS has: -want, +got:\n%s", diff)
						}
						if got.Created > want.Created {
							t.Errorf("%s was accepted %d times", sc.creates, got.Created)
						}
					})
					if !ok {
						mu.Lock()
						failed++
						mu.Unlock()
					}
				}
			})
		}
	})
	figures.Record(t, figures.Figures{Campaign: "A kill at every call", Figures: map[string]int{"points": total, "points tried": taken}, Findings: failed})
}

// scenarios of all kinds.
func scenarios(t *testing.T) []scenario {
	t.Helper()
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	var out []scenario
	for _, k := range kinds {
		mg := k.New()
		at := k.New
		created := func(s *Simulation) {
			u := at()
			s.Create(u)
			if !s.Until(10*time.Minute, func() bool { return s.ready(at()) }) {
				s.Fatalf("%s does not become ready: %v", u.GetName(), s.stored(at()).Object["status"])
			}
		}
		out = append(out, scenario{
			name: k.Name() + " create", mg: at,
			before: func(*Simulation) {},
			act:    func(s *Simulation) { s.Create(mg.DeepCopy()) },
			done:   func(s *Simulation) bool { return s.ready(at()) || s.unknown(at()) }, creates: k.Creates,
		}, scenario{
			name: k.Name() + " delete", mg: at,
			before: created,
			act:    func(s *Simulation) { s.remove(at()) },
			done:   func(s *Simulation) bool { return s.gone(at()) },
		})
		out = append(out, imported(k, created))
		for _, name := range k.UpdateNames() {
			out = append(out, scenario{
				name: k.Name() + " update " + name, mg: at,
				before: created,
				act: func(s *Simulation) {
					s.Patch(at(), map[string]any{"spec": map[string]any{"forProvider": deepCopy(k.Updates[name])}})
				},
				done: func(s *Simulation) bool { return s.ready(at()) || s.unknown(at()) }, creates: k.Creates,
			})
		}
	}
	return append(out, everything("namespace.yaml"), rotation())
}

// imported is what becomes of a resource that takes over what another one left.
func imported(k Kind, created func(*Simulation)) scenario {
	return scenario{
		name: k.Name() + " import", mg: k.New,
		before: func(s *Simulation) {
			created(s)
			u := s.stored(k.New())
			name := u.GetAnnotations()[meta.AnnotationKeyExternalName]
			s.Patch(u, map[string]any{"spec": map[string]any{"managementPolicies": []any{"Observe", "Create", "Update", "LateInitialize"}}})
			s.remove(u)
			if !s.Until(time.Minute, func() bool { return s.gone(k.New()) }) {
				s.Fatal("the first one does not go")
			}
			s.Create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "left"}, Data: map[string]string{"name": name}})
		},
		act: func(s *Simulation) {
			left := &corev1.ConfigMap{}
			if err := s.Kube.Get(s.Context(), client.ObjectKey{Namespace: Namespace, Name: "left"}, left); err != nil {
				s.Fatal(err)
			}
			u := k.New()
			u.SetAnnotations(map[string]string{meta.AnnotationKeyExternalName: left.Data["name"], ownership.AnnotationAdopt: "true"})
			s.Create(u)
		},
		done: func(s *Simulation) bool { return s.ready(k.New()) || s.unknown(k.New()) }, creates: k.Creates,
	}
}

// everything is deleted with its namespace: one resource of each kind, which refer to each other.
func everything(file string) scenario {
	return scenario{
		name: "namespace delete",
		before: func(s *Simulation) {
			all := s.manifests(file)
			for _, u := range all {
				s.Create(u)
			}
			for _, u := range all {
				if !s.Until(time.Hour, func() bool { return s.ready(u) }) {
					s.Fatalf("%s does not become ready: %v", u.GetName(), u.Object["status"])
				}
			}
		},
		act: func(s *Simulation) {
			if err := s.Kube.Delete(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
				s.Fatal(err)
			}
		},
		done: func(s *Simulation) bool {
			return kerrors.IsNotFound(s.Kube.Get(s.Context(), client.ObjectKey{Name: Namespace}, &corev1.Namespace{}))
		},
	}
}

// rotation of a Secret that variables come from.
func rotation() scenario {
	mg := func() *unstructured.Unstructured {
		u := Kind{Kind: "Function", ForProvider: map[string]any{
			"region": Region, "role": "arn:aws:iam::123456789012:role/r", "runtime": "python3.13", "handler": "index.handler",
			"code":        map[string]any{"inline": map[string]any{"index.py": "x"}},
			"environment": map[string]any{"envFrom": []any{map[string]any{"secretRef": map[string]any{"name": "db"}}}},
		}}.New()
		return u
	}
	secret := func(password string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "db"}, Data: map[string][]byte{"PASSWORD": []byte(password)}}
	}
	return scenario{
		name: "secret rotation", mg: mg,
		before: func(s *Simulation) {
			s.Create(secret("first"+Canary), mg())
			if !s.Until(time.Hour, func() bool { return s.ready(mg()) }) {
				s.Fatalf("does not become ready: %s", s.statuses())
			}
		},
		act: func(s *Simulation) {
			if err := s.Kube.Update(s.Context(), secret("second"+Canary)); err != nil {
				s.Fatal(err)
			}
		},
		done: func(s *Simulation) bool {
			f, _ := s.Double.Function("function")
			return f.Environment != nil && f.Environment.Variables["PASSWORD"] == "second"+Canary && s.ready(mg())
		},
	}
}

// manifests of a file in testdata, in the simulation's namespace.
func (s *Simulation) manifests(file string) []*unstructured.Unstructured {
	s.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		s.Fatal(err)
	}
	var out []*unstructured.Unstructured
	for doc := range strings.SplitSeq(string(b), "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(doc), &u.Object); err != nil {
			s.Fatal(err)
		}
		u.SetNamespace(Namespace)
		out = append(out, u)
	}
	return out
}

func (s *Simulation) stored(u *unstructured.Unstructured) *unstructured.Unstructured {
	s.Helper()
	if err := s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		s.Fatal(err)
	}
	return u
}

// ready tells whether a resource is Ready and Synced in its present generation.
func (s *Simulation) ready(u *unstructured.Unstructured) bool {
	s.Helper()
	s.stored(u)
	seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return seen == u.GetGeneration() && is(u, "Ready", "True") && is(u, "Synced", "True")
}

// unknown tells whether an Invocation says that a call was not answered, which it does not
// repeat of its own.
func (s *Simulation) unknown(u *unstructured.Unstructured) bool {
	s.Helper()
	if u.GetKind() != "Invocation" {
		return false
	}
	s.stored(u)
	return is(u, "Ready", "False") && is(u, "Synced", "True") && strings.Contains(fmt.Sprint(u.Object["status"]), "it is not known whether the function ran")
}

// is tells whether a condition of a resource's present generation has a status.
func is(u *unstructured.Unstructured, condition, status string) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == condition && m["status"] == status && m["observedGeneration"] == u.GetGeneration()
	})
}

func (s *Simulation) gone(u *unstructured.Unstructured) bool {
	s.Helper()
	return kerrors.IsNotFound(s.Kube.Get(s.Context(), client.ObjectKeyFromObject(u), u))
}

func (s *Simulation) remove(u *unstructured.Unstructured) {
	s.Helper()
	if err := s.Kube.Delete(s.Context(), u); err != nil {
		s.Fatal(err)
	}
}
