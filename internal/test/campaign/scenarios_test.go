package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// scenario is an action of a user and its expected result.
type scenario struct {
	name string

	// mg returns the managed resource, if the scenario is about one.
	mg func() *unstructured.Unstructured

	// before creates the initial state while the provider runs.
	before func(s *Simulation)

	// act is the action of the user.
	act func(s *Simulation)

	// done reports whether the provider has completed the action.
	done func(s *Simulation) bool

	// creates as in Kind. The call may be repeated so often, if its response is lost.
	creates string
	repeats int

	// alias with a rollout, and the version that it serves in the end. Empty in a scenario
	// without a rollout.
	alias, serves string

	// amid, if set, returns whether the action is under way: outages begin then.
	amid func(s *Simulation) bool

	// again, if set, waits until the provider has completed the action or has given up, and
	// then asks for it again.
	again func(s *Simulation)
}

// outcome is the result of a scenario.
type outcome struct {
	Resources []string
	Routes    []string
	Created   int
}

// converge waits until a scenario is done, returns its outcome, and checks that no more is
// changed afterwards.
func (s *Simulation) converge(sc scenario, within time.Duration) outcome {
	s.Helper()
	if !s.Until(within, func() bool { return sc.done(s) }) {
		s.Errorf("does not come to its end: %s", s.statuses())
	}
	got := outcome{Resources: s.Resources(), Routes: s.routesOf(sc.alias), Created: s.accepted(sc.creates)}
	s.checkNoWrites(25 * time.Minute)
	sc.routed(s)
	return got
}

// disturb has the action done while something is wrong, from the action on or from when it is under way, and returns
// the outcome. begin and end are called when that begins and ends.
func (s *Simulation) disturb(sc scenario, want outcome, lasts time.Duration, begin, end func()) outcome {
	s.Helper()
	sc.before(s)
	s.Double.ResetCalls()
	if sc.amid != nil {
		sc.act(s)
		if !s.Until(time.Hour, func() bool { return sc.amid(s) }) {
			s.Fatalf("does not begin: %s", s.statuses())
		}
	}
	begin()
	if sc.amid == nil {
		sc.act(s)
	}
	time.Sleep(lasts)
	end()
	if sc.again != nil {
		sc.again(s)
	}
	got := s.converge(sc, 2*time.Hour)
	if sc.again != nil {
		got.Created, got.Routes = 0, want.Routes // The rollout may have begun again.
	}
	return got
}

// check checks that an outcome is the desired one, and that nothing was created twice.
func (o outcome) check(t testing.TB, sc scenario, want outcome) {
	t.Helper()
	if diff := cmp.Diff(want.Resources, o.Resources); diff != "" {
		t.Errorf("what AWS has: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(want.Routes, o.Routes); diff != "" {
		t.Errorf("routes of the alias: -want, +got:\n%s", diff)
	}
	if o.Created > want.Created+sc.repeats {
		t.Errorf("%s was accepted %d times", sc.creates, o.Created)
	}
}

// scenarios returns the scenarios of all kinds.
func scenarios(t *testing.T) []scenario {
	t.Helper()
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	var out []scenario
	for _, k := range kinds {
		created := func(s *Simulation) {
			u := k.New()
			s.Create(u)
			if !s.Until(10*time.Minute, func() bool { return s.ready(k.New()) }) {
				s.Fatalf("%s does not become ready: %v", u.GetName(), s.stored(u).Object["status"])
			}
		}
		out = append(out, scenario{
			name: k.Name() + " create", mg: k.New,
			before: func(*Simulation) {},
			act:    func(s *Simulation) { s.Create(k.New()) },
			done:   func(s *Simulation) bool { return s.ready(k.New()) || s.unknown(k.New()) }, creates: k.Creates,
		}, scenario{
			name: k.Name() + " delete", mg: k.New,
			before: created,
			act:    func(s *Simulation) { s.remove(k.New()) },
			done:   func(s *Simulation) bool { return s.gone(k.New()) },
		})
		out = append(out, imported(k, created))
		for _, name := range k.UpdateNames() {
			out = append(out, scenario{
				name: k.Name() + " update " + name, mg: k.New,
				before: created,
				act: func(s *Simulation) {
					s.Patch(k.New(), map[string]any{"spec": map[string]any{"forProvider": k.Updates[name]}})
				},
				done: func(s *Simulation) bool { return s.ready(k.New()) || s.unknown(k.New()) }, creates: k.Creates,
			})
		}
	}
	out = append(out, everything("namespace.yaml"), rotation())
	return append(out, rolloutScenarios()...)
}

// imported returns the scenario of a resource that adopts what another one has left.
func imported(k Kind, created func(*Simulation)) scenario {
	return scenario{
		name: k.Name() + " import", mg: k.New,
		before: func(s *Simulation) {
			created(s)
			u := s.stored(k.New())
			name := u.GetAnnotations()[meta.AnnotationKeyExternalName]
			s.Patch(u, map[string]any{"spec": map[string]any{"managementPolicies": []any{
				"Observe", "Create", "Update",
				"LateInitialize",
			}}})
			s.remove(u)
			if !s.Until(time.Minute, func() bool { return s.gone(k.New()) }) {
				s.Fatal("the first one does not go")
			}
			s.Create(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "left"},
				Data:       map[string]string{"name": name},
			})
		},
		act: func(s *Simulation) {
			left := &corev1.ConfigMap{}
			if err := s.Kube.Get(s.Context(), client.ObjectKey{Namespace: Namespace, Name: "left"}, left); err != nil {
				s.Fatal(err)
			}
			u := k.New()
			u.SetAnnotations(map[string]string{
				meta.AnnotationKeyExternalName: left.Data["name"],
				v1beta1.AnnotationAdopt:        "true",
			})
			s.Create(u)
		},
		done: func(s *Simulation) bool { return s.ready(k.New()) || s.unknown(k.New()) }, creates: k.Creates,
	}
}

// everything returns the scenario of a deleted namespace with one resource of each kind,
// which refer to each other.
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
			if err := s.Kube.Delete(s.Context(),
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
				s.Fatal(err)
			}
		},
		done: func(s *Simulation) bool {
			return kerrors.IsNotFound(s.Kube.Get(s.Context(), client.ObjectKey{Name: Namespace}, &corev1.Namespace{}))
		},
	}
}

// rotation returns the scenario of a rotated Secret that variables come from.
func rotation() scenario {
	mg := func() *unstructured.Unstructured {
		u := Kind{Kind: "Function", ForProvider: map[string]any{
			"region": Region, "role": "arn:aws:iam::123456789012:role/r", "runtime": "python3.13",
			"handler":     "index.handler",
			"code":        map[string]any{"inline": map[string]any{"index.py": "x"}},
			"environment": map[string]any{"envFrom": []any{map[string]any{"secretRef": map[string]any{"name": "db"}}}},
		}}.New()
		return u
	}
	secret := func(password string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "db"},
			Data:       map[string][]byte{"PASSWORD": []byte(password)},
		}
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

// manifests returns the manifests of a file in testdata, in the simulation's namespace.
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

// stored reads a resource from the cluster, and returns it.
func (s *Simulation) stored(u *unstructured.Unstructured) *unstructured.Unstructured {
	s.Helper()
	if s.gone(u) {
		s.Fatalf("%s %s does not exist", u.GetKind(), u.GetName())
	}
	return u
}

// ready reports whether a resource is Ready and Synced in its current generation.
func (s *Simulation) ready(u *unstructured.Unstructured) bool {
	s.Helper()
	s.stored(u)
	seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return seen == u.GetGeneration() && is(u, "Ready", "True") && is(u, "Synced", "True")
}

// unknown reports whether an Invocation reports a call that was not answered, which it
// does not repeat by itself.
func (s *Simulation) unknown(u *unstructured.Unstructured) bool {
	s.Helper()
	return s.waitsForUser(u, "Invocation", "it is not known whether the function ran")
}

// waitsForUser reports whether a resource of a kind waits for its user, with a given text in its
// condition.
func (s *Simulation) waitsForUser(u *unstructured.Unstructured, kind, text string) bool {
	s.Helper()
	if u.GetKind() != kind {
		return false
	}
	s.stored(u)
	return is(u, "Ready", "False") && is(u, "Synced", "True") && strings.Contains(fmt.Sprint(u.Object["status"]), text)
}

// is reports whether a condition of a resource's current generation has a status.
func is(u *unstructured.Unstructured, condition, status string) bool {
	c := conditionOf(u, condition)
	return c["status"] == status && c["observedGeneration"] == u.GetGeneration()
}

// conditionOf returns a condition of a resource by its type.
func conditionOf(u *unstructured.Unstructured, of string) map[string]any {
	cs, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range cs {
		if m, ok := c.(map[string]any); ok && m["type"] == of {
			return m
		}
	}
	return nil
}

// gone reads a resource from the cluster. It returns whether there is none.
func (s *Simulation) gone(u *unstructured.Unstructured) bool {
	s.Helper()
	now := s.Cluster.Object(u.GroupVersionKind(), client.ObjectKeyFromObject(u))
	if now != nil {
		u.Object = now.Object
	}
	return now == nil
}

func (s *Simulation) remove(u *unstructured.Unstructured) {
	s.Helper()
	if err := s.Kube.Delete(s.Context(), u); err != nil {
		s.Fatal(err)
	}
}
