package engine

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// churn is the number of resources that TestChurn creates and deletes. A million take some
// minutes:
//
//	go test ./internal/reconcile -run '^TestChurn$' -churn 1000000 -timeout 30m
var churn = flag.Int("churn", 5000, "how many resources TestChurn creates and deletes")

// TestChurn creates and deletes resources of many namespaces, configs and regions, with
// changes and errors in between, and checks that memory and metric series do not grow.
func TestChurn(t *testing.T) {
	c := newChurn(t)
	const warm = 1000
	c.run(0, warm)
	before, series := c.converge(), c.series()
	c.run(warm, warm+*churn)
	after, now := c.converge(), c.series()

	t.Logf("%d resources: %d bytes more, from %d to %d; %d series", *churn, after-before, before, after, now)
	defer func() {
		findings := 0
		if t.Failed() {
			findings = 1
		}
		figures.Record(t, figures.Figures{Campaign: "Churn", Findings: findings, Figures: map[string]int{
			"resources":                   *churn,
			"KB of heap at the beginning": before >> 10,
			"KB of heap at the end":       after >> 10,
			"series":                      now, //nolint:mnd // In KB.
		}})
	}()
	if grown := after - before; grown > 1<<19 {
		t.Errorf("%d bytes more after %d resources have come and gone: %d each", grown, *churn, grown / *churn)
	}
	if now != series {
		t.Errorf("%d series, before %d", now, series)
	}
	r := c.reconciler
	for what, n := range map[string]int{
		"records": r.states.Len(), "events": len(r.recorder.State.LastEvents),
		"in flight": len(r.inFlight.counts),
		"objects":   len(c.store), "open breakers": len(c.breakers.Open("")),
	} {
		if n != 0 {
			t.Errorf("%d %s are left", n, what)
		}
	}
}

// churning is a kind's controller with a map as API server.
type churning struct {
	client.Client

	t          *testing.T
	clock      time.Time
	scheme     *kruntime.Scheme
	store      map[types.NamespacedName]*sample
	version    int
	aws        map[types.UID]bool
	reconciler *reconciler
	breakers   *breaker.Breakers
	registry   *prometheus.Registry
}

func newChurn(t *testing.T) *churning {
	t.Helper()
	c := &churning{
		t: t, clock: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), scheme: kruntime.NewScheme(),
		store: map[types.NamespacedName]*sample{}, aws: map[types.UID]bool{}, registry: prometheus.NewRegistry(),
	}
	if err := samples.AddToScheme(c.scheme); err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return c.clock }
	random := func() float64 { return 0.5 }
	limiter, metrics := quota.New(now, nil), reporting.NewMetrics()
	c.breakers = breaker.New(now, random)
	c.registry.MustRegister(metrics, breaker.NewCollector(c.breakers))
	o := Options{
		Options: controller.Options{
			Logger:                  logging.NewNopLogger(),
			PollInterval:            10 * time.Minute,
			MaxConcurrentReconciles: 10,
			Features:                &feature.Flags{},
			MetricOptions:           &controller.MetricOptions{MRMetrics: managed.NewMRMetricRecorder()},
		},
		Resolver: c, Tracker: c, Limiter: limiter, Breakers: c.breakers, Metrics: metrics,
		MinPollInterval: 30 * time.Second, Now: now, Random: random,
	}
	c.reconciler = newReconciler(&manager{c: c}, o, reconcile.Kind[*sample]{
		GVK:      samples.GVK,
		New:      func() *sample { return &sample{} },
		NewList:  func() resource.ManagedList { return &samples.SampleList{} },
		Region:   func(mg *sample) string { return mg.Spec.SecretName },
		Reads:    func(*sample) []string { return []string{"GetFunction"} },
		Observer: func(*sample, *session.Session) reconcile.Observer[*sample] { return &churned{aws: c.aws} },
	}.Untyped(), noEvents{})
	return c
}

// run creates, changes and deletes resources, a few at a time.
func (c *churning) run(from, to int) {
	const alive = 50
	for i := from; i < to; i += alive {
		var keys []types.NamespacedName
		for n := i; n < min(i+alive, to); n++ {
			keys = append(keys, c.create(n))
		}
		c.reconcile(keys)
		for _, key := range keys {
			// Some are corrected, all are reconciled again.
			if mg := c.store[key]; mg.Spec.Value == "bad" {
				mg.Spec.Value, mg.Generation = "b", mg.Generation+1
			}
			c.reconciler.states.MarkChanged(key, "Secret db")
		}
		c.reconcile(keys)
		for _, key := range keys {
			c.remove(key)
		}
		c.reconcile(keys)
		// The event of their deletion.
		c.reconcile(keys)
	}
}

// create creates the nth resource. Every hundred are in a new namespace with its own config.
func (c *churning) create(n int) types.NamespacedName {
	mg := samples.New()
	region := []string{"eu-west-1", "us-east-1", "ap-south-1"}[n%3]
	mg.ObjectMeta = metav1.ObjectMeta{
		Namespace: fmt.Sprint(
			"ns-",
			n/100,
		),
		Name:              fmt.Sprint("function-", n),
		UID:               types.UID(fmt.Sprint("uid-", n)),
		Generation:        1,
		CreationTimestamp: metav1.Time{Time: c.clock},
		ResourceVersion:   c.next(),
	}
	mg.Spec.SecretName = region
	if n%7 == 0 {
		mg.Spec.Value = "bad"
	}
	mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"})
	key := client.ObjectKeyFromObject(mg)
	c.store[key] = mg
	return key
}

// reconcile reconciles resources until none of them has anything to do, or they are gone.
func (c *churning) reconcile(keys []types.NamespacedName) {
	for range 12 {
		var busy []types.NamespacedName
		for _, key := range keys {
			res, err := c.reconciler.Reconcile(c.t.Context(), ctrl.Request{NamespacedName: key})
			if err != nil {
				c.t.Fatal(err)
			}
			if res.RequeueAfter > 0 && res.RequeueAfter < time.Minute {
				busy = append(busy, key)
			}
		}
		c.clock = c.clock.Add(5 * time.Second)
		if keys = busy; len(keys) == 0 {
			return
		}
	}
}

// remove deletes a resource. A resource without finalizers is gone at once.
func (c *churning) remove(key types.NamespacedName) {
	mg := c.store[key]
	mg.DeletionTimestamp = &metav1.Time{Time: c.clock}
	if len(mg.Finalizers) == 0 {
		delete(c.store, key)
	}
}

// converge advances the clock until all temporary state has expired, and returns the size of the
// heap.
func (c *churning) converge() int {
	c.clock = c.clock.Add(24 * time.Hour)
	key := c.create(0)
	c.reconcile([]types.NamespacedName{key})
	c.remove(key)
	c.reconcile([]types.NamespacedName{key})
	c.reconcile([]types.NamespacedName{key})
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc) //nolint:gosec // It does not overflow.
}

func (c *churning) series() int {
	families, err := c.registry.Gather()
	if err != nil {
		c.t.Fatal(err)
	}
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// Resolve returns a session of the namespace's config.
func (c *churning) Resolve(_ context.Context, mg resource.ModernManaged, region string) (*session.Session, error) {
	s := &session.Session{
		Ref:   session.Ref{UID: types.UID(mg.GetNamespace())},
		Scope: quota.Scope{Account: "123456789012", Region: region},
	}
	s.AWS.Region = region
	return s, nil
}

func (c *churning) Track(context.Context, resource.ModernManaged) error   { return nil }
func (c *churning) Untrack(context.Context, resource.ModernManaged) error { return nil }

func (c *churning) Drop(context.Context, resource.ModernManaged) error { return nil }

func (c *churning) Scheme() *kruntime.Scheme { return c.scheme }

func (c *churning) GroupVersionKindFor(kruntime.Object) (schema.GroupVersionKind, error) {
	return samples.GVK, nil
}

func (c *churning) next() string {
	c.version++
	return strconv.Itoa(c.version)
}

// Get returns a copy of the stored object.
func (c *churning) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	mg, ok := c.store[key]
	if !ok {
		return kerrors.NewNotFound(schema.GroupResource{Resource: "samples"}, key.Name)
	}
	reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(mg.DeepCopyObject()).Elem())
	return nil
}

// Patch patches the metadata.
func (c *churning) Patch(_ context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	key := client.ObjectKeyFromObject(obj)
	mg, ok := c.store[key]
	if !ok {
		return kerrors.NewNotFound(schema.GroupResource{Resource: "samples"}, key.Name)
	}
	body, err := patch.Data(obj)
	if err != nil {
		return err
	}
	var p struct{ Metadata metav1.ObjectMeta }
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	for k, v := range p.Metadata.Annotations {
		metav1.SetMetaDataAnnotation(&mg.ObjectMeta, k, v)
	}
	if p.Metadata.Finalizers != nil {
		mg.Finalizers = p.Metadata.Finalizers
	}
	mg.ResourceVersion = c.next()
	if mg.DeletionTimestamp != nil && len(mg.Finalizers) == 0 {
		delete(c.store, key)
	}
	if part, ok := obj.(*metav1.PartialObjectMetadata); ok {
		mg.ObjectMeta.DeepCopyInto(&part.ObjectMeta)
	}
	return nil
}

// Status returns a writer of the status.
func (c *churning) Status() client.SubResourceWriter { return &churnStatus{c: c} }

type churnStatus struct {
	client.SubResourceWriter

	c *churning
}

// Update updates the status.
func (s *churnStatus) Update(_ context.Context, obj client.Object, _ ...client.SubResourceUpdateOption) error {
	mg, ok := s.c.store[client.ObjectKeyFromObject(obj)]
	if !ok {
		return kerrors.NewNotFound(schema.GroupResource{Resource: "samples"}, obj.GetName())
	}
	mg.Status = obj.DeepCopyObject().(*sample).Status
	mg.ResourceVersion = s.c.next()
	obj.SetResourceVersion(mg.ResourceVersion)
	return nil
}

// churned is the observer. One in seven resources fails at first.
type churned struct{ aws map[types.UID]bool }

func (e *churned) Observe(_ context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	exists, deleted := e.aws[mg.UID], meta.WasDeleted(mg)
	switch {
	case !deleted && mg.Spec.Value == "bad":
		return reconcile.Outcome{}, fmt.Errorf("cannot read %s", mg.Name)
	case exists && deleted:
		return reconcile.Outcome{Exists: true, Call: e.call(reconcile.ToDelete, func() { delete(e.aws, mg.UID) })}, nil
	case exists:
		return reconcile.Outcome{Exists: true, Ready: reconcile.Available(mg.Generation)}, nil
	case deleted:
		return reconcile.Outcome{}, nil
	}
	return reconcile.Outcome{Call: e.call(reconcile.ToCreate, func() { e.aws[mg.UID] = true })}, nil
}

func (e *churned) call(verb reconcile.Verb, do func()) *reconcile.Call {
	return &reconcile.Call{Verb: verb, Do: func(context.Context) (reconcile.Result, error) {
		do()
		return reconcile.Result{}, nil
	}}
}
