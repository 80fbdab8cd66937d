package campaign

import (
	"container/list"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestSizes has namespaces come and go, each with a config, an account, a queue of drift events, Secrets and resources
// of all kinds. It checks that a process that runs all the time has as many entries in its maps, metric series and
// goroutines after each of them as after the first.
func TestSizes(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Logs.most, s.Changes.most = 1<<20, 1<<20
		var of *sizes
		s.assembled = func(mgr any) { of = newSizes(mgr) }
		measure := telemetry.New(time.Now)
		s.Start(&Network{}, func(o *manager.Options) { o.Config.Measure, o.Tracer = measure, nil })
		registry := prometheus.NewRegistry()
		registry.MustRegister(
			measure,
			quota.NewCollector(found[*quota.Limiter](t, of)),
			account.NewCollector(found[*account.Limits](t, of)),
			breaker.NewCollector(
				found[*breaker.Breakers](t, of),
			),
			listpoll.NewCollector(found[*listpoll.Poller](t, of)),
		)
		var first map[string]int
		for n := range 4 {
			amid := s.generation(n, of.count)
			time.Sleep(26 * time.Hour) // Sessions are kept unused for a day.
			synctest.Wait()
			now := of.count()
			addSeries(t, now, registry, metrics.Registry)
			now["goroutines"] = runtime.NumGoroutine()
			for _, field := range []string{
				"account.Limits.records", "breaker.Breakers.configs", "driftevents.Hub.receivers", "kube.Client.objects",
				"listpoll.Poller.lists", "memory.Store.states", "readcache.Cache.entries", "refs.FieldReader.watches",
				"refs.ObjectReader.entries", "reporting.recorderState.LastEvents", "session.cache.configs",
				"tenancy.Registry.resources",
			} {
				if amid[field] <= now[field] {
					t.Errorf("namespace %d adds nothing to %s, which has %d entries", n, field, now[field])
				}
			}
			if n == 0 {
				first = now
			} else if diff := cmp.Diff(first, now); diff != "" {
				t.Errorf("sizes after namespace %d: -first, +now:\n%s", n, diff)
			}
		}
	})
}

// addSeries adds the numbers of series of all metrics, apart from those that have a series for each operation and
// result, which come about by chance.
func addSeries(t *testing.T, sizes map[string]int, registries ...prometheus.Gatherer) {
	t.Helper()
	families, err := prometheus.Gatherers(registries).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.Contains(f.GetName(), "request") {
			sizes["series of "+f.GetName()] = len(f.GetMetric())
		}
	}
}

// generation creates a namespace with a config and resources, replaces a resource, and deletes all. It returns what
// there was before.
func (s *Simulation) generation(n int, count func() map[string]int) (amid map[string]int) {
	s.Helper()
	team := &tenant{namespace: fmt.Sprint("team-", n), account: fmt.Sprintf("33333333333%d", n)}
	queue := strings.NewReplacer(awsdouble.DefaultAccount, team.account, ":drift", fmt.Sprint(":drift-", n)).
		Replace(driftQueue)
	s.Double.AddAccessKey(team.key(0), team.account)
	s.Double.AddQueue(queue)
	s.Double.Trail(queue, time.Second)
	config := team.config()
	config.Spec.DriftEvents = &v1beta1.DriftEvents{QueueARN: queue}
	s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: team.namespace}}, team.secret(0), config)
	all := s.manifests("namespace.yaml")
	for i, u := range all {
		all[i] = team.own(u)
	}
	waiting, left := team.own(function("waiting")), team.own(function("left"))
	unstructured.RemoveNestedField(waiting.Object, "spec", "forProvider", "code", "inline")
	for path, value := range map[string]any{
		"kind": "GitRepository", "name": fmt.Sprint("repository-", n),
	} {
		s.set(waiting, value, "spec", "forProvider", "code", "sourceRef", path)
	}
	s.set(left, []any{"Observe", "Create", "Update", "LateInitialize"}, "spec", "managementPolicies")
	s.set(
		left,
		[]any{map[string]any{"secretRef": map[string]any{"name": tenantConfig}}},
		"spec",
		"forProvider",
		"environment",
		"envFrom",
	)
	all = append(all, left)
	for _, u := range append(all, waiting) {
		s.Create(u)
	}
	for _, u := range all {
		if !s.Until(time.Hour, func() bool { return s.ready(u) }) {
			s.Fatalf("%s does not become ready: %v", u.GetName(), u.Object["status"])
		}
	}

	// A resource loses its finalizer, is deleted, and created again before the provider can see it.
	again := left.DeepCopy()
	s.Patch(left, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	s.remove(left)
	again.SetResourceVersion("")
	again.SetUID("")
	again.SetFinalizers(nil)
	again.SetAnnotations(map[string]string{v1beta1.AnnotationAdopt: "true"})
	s.Create(again)
	if !s.Until(time.Hour, func() bool { return s.ready(again) }) {
		s.Fatalf("%s does not become ready again: %v", again.GetName(), again.Object["status"])
	}

	synctest.Wait()
	amid = count()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: team.namespace}}
	if err := s.Kube.Delete(s.Context(), ns); err != nil {
		s.Fatal(err)
	}
	if !s.Until(
		time.Hour,
		func() bool { return kerrors.IsNotFound(s.Kube.Get(s.Context(), client.ObjectKeyFromObject(ns), ns)) },
	) {
		s.Fatalf("the namespace is not deleted: %s", s.statuses())
	}
	return amid
}

// function returns a Function with code in its spec.
func function(name string) *unstructured.Unstructured {
	u := Kind{Kind: "Function", ForProvider: map[string]any{
		"region": Region, "role": "arn:aws:iam::" + awsdouble.DefaultAccount + ":role/r", "runtime": "python3.13",
		"handler": "index.handler", "code": map[string]any{"inline": map[string]any{"index.py": "x"}},
	}}.New()
	u.SetName(name)
	return u
}

// own returns a resource as a tenant has it.
func (t *tenant) own(u *unstructured.Unstructured) *unstructured.Unstructured {
	k := Kind{Kind: u.GetKind()}
	k.ForProvider, _, _ = unstructured.NestedMap(u.Object, "spec", "forProvider")
	own := k.of(t).New()
	own.SetName(u.GetName())
	return own
}

func (s *Simulation) set(u *unstructured.Unstructured, value any, path ...string) {
	s.Helper()
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		s.Fatal(err)
	}
}

// sizes finds what a process keeps: the entries of all maps, slices and channels in the fields of the provider's types
// that can be reached from its controllers. What only functions refer to is not found.
type sizes struct {
	// roots are pointers to the objects that existed when the process was assembled: later, its manager does not refer
	// to its controllers any more.
	roots []reflect.Value
}

// newSizes returns the sizes of a manager that was not started.
func newSizes(mgr any) *sizes {
	return &sizes{roots: slices.Collect(maps.Values(visited(reflect.ValueOf(mgr)).seen))}
}

// count returns the sizes by the fields that have them.
func (s *sizes) count() map[string]int { return visited(s.roots...).counts }

// found returns the object of a type.
func found[T any](t *testing.T, s *sizes) (p T) {
	t.Helper()
	i := slices.IndexFunc(s.roots, func(r reflect.Value) (ok bool) {
		p, ok = r.Interface().(T)
		return ok
	})
	if i < 0 {
		t.Fatalf("the provider has no %T", p)
	}
	return p
}

// A visit counts what can be reached from some values.
type visit struct {
	seen   map[reference]reflect.Value
	counts map[string]int
}

// A reference identifies an object, whose first field has the same address.
type reference struct {
	reflect.Type

	at unsafe.Pointer
}

func visited(roots ...reflect.Value) visit {
	v := visit{seen: map[reference]reflect.Value{}, counts: map[string]int{}}
	for _, r := range roots {
		v.value(r)
	}
	return v
}

func (c *visit) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		c.value(v.Elem())
	case reflect.Pointer:
		r := reference{Type: v.Type(), at: v.UnsafePointer()}
		if _, seen := c.seen[r]; !seen && !v.IsNil() {
			c.seen[r] = v
			c.value(v.Elem())
		}
	case reflect.Map:
		for _, e := range v.Seq2() {
			c.value(e)
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Array, reflect.Struct:
			for _, e := range v.Seq2() {
				c.value(e)
			}
		default:
		}
	case reflect.Struct:
		c.fields(v)
	default:
	}
}

// fields counts the fields of a struct.
func (c *visit) fields(v reflect.Value) {
	t := v.Type()
	const module = "github.com/crossplane-contrib/provider-lambda/internal/"
	own := strings.HasPrefix(t.PkgPath(), module) && !strings.HasPrefix(t.PkgPath(), module+"test/")
	if !own && !strings.HasPrefix(t.PkgPath(), "sigs.k8s.io/controller-runtime/pkg/manager") &&
		!strings.HasPrefix(t.PkgPath(), "sigs.k8s.io/controller-runtime/pkg/internal/controller") {
		return
	}
	if !v.CanAddr() {
		addressable := reflect.New(t).Elem()
		addressable.Set(v)
		v = addressable
	}
	for i := range t.NumField() {
		f := reflect.NewAt(t.Field(i).Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).
			Elem()
			//nolint:gosec // It is only read.
		if own {
			c.counts[t.String()+"."+t.Field(i).Name] += size(f)
		}
		c.value(f)
	}
}

// size returns the number of entries of a field.
func size(f reflect.Value) (n int) {
	switch f.Kind() {
	case reflect.Map, reflect.Slice, reflect.Chan:
		return f.Len()
	default:
	}
	switch l := f.Addr().Interface().(type) {
	case *list.List:
		return l.Len()
	case *sync.Map:
		l.Range(func(any, any) bool { n++; return true })
	}
	return n
}
