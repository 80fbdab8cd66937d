package manager

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/sharding"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

// A shard is a provider that works on the resources that a selector selects.
type shard struct {
	traces *tracingtest.Recorder
	clock  atomic.Int64 // By how much its clock is ahead.
	stop   func()

	mu         sync.Mutex
	operations []string
}

// attempt records an attempt of a call to Lambda.
func (s *shard) attempt(ctx context.Context, attempt func(context.Context) error) error {
	if awsmiddleware.GetServiceID(ctx) == "Lambda" && awsmiddleware.GetOperationName(ctx) != "GetAccountSettings" {
		s.mu.Lock()
		s.operations = append(s.operations, awsmiddleware.GetOperationName(ctx))
		s.mu.Unlock()
	}
	return attempt(ctx)
}

// called reports whether the shard has called an operation of Lambda.
func (s *shard) called(operation string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.operations, operation)
}

// startShard starts a provider that works on the resources that a selector selects.
func (e *env) startShard(selector string, change ...func(*Options)) *shard {
	e.Helper()
	s := &shard{traces: tracingtest.New(e.TB.(*testing.T))}
	which, err := sharding.Parse(selector)
	if err != nil {
		e.Fatal(err)
	}
	e.start(append([]func(*Options){func(o *Options) {
		o.Shard, o.Config.Fence, o.Tracer = which, s.attempt, s.traces.Tracer
		o.Now = func() time.Time { return time.Now().Add(time.Duration(s.clock.Load())) }
	}}, change...)...)
	s.stop = e.stop
	e.Cleanup(s.stop)
	return s
}

// label sets and removes labels of an object.
func (e *env) label(o client.Object, patch string) {
	e.Helper()
	if err := e.kube.Patch(e.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		e.Fatal(err)
	}
}

// TestShards has two providers of one cluster: each works on its own resources, knows who owns those of the other, and
// takes over a resource that is labelled for it.
func TestShards(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	r.stop()
	both := func(o *Options) { o.Namespaces = append(o.Namespaces, r.attacker) }
	rest, a := r.startShard("shard!=a", both), r.startShard("shard=a", both)

	// The owner is in another shard, and another namespace.
	inA := func(f *v1beta1.Function) { f.Labels = map[string]string{"shard": "a"} }
	thief, evil := r.other("thief", inA), r.attempts()["Permission"]
	evil.SetLabels(map[string]string{"shard": "a"})
	r.create(thief, evil)
	r.refused(thief, "belongs to Function "+r.shop+"/checkout")
	r.refused(evil, "belongs to Function "+r.shop+"/checkout")

	cart := r.function("cart", inA, func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	r.create(cart)
	r.ready(cart)
	if !a.called("CreateFunction") || rest.called("CreateFunction") {
		t.Errorf("the shard of the label creates it: %v, %v", a.operations, rest.operations)
	}

	// What a plan follows is in another shard, too.
	planned := r.alias("planned", func(a *v1beta1.Alias) {
		a.Annotations = map[string]string{v1beta1.AnnotationPlan: "true"}
		a.Spec.ForProvider.FunctionNameRef, a.Spec.ForProvider.FunctionVersion = &xpv2.NamespacedReference{
			Name: "cart",
		}, nil
		a.Spec.ForProvider.FunctionVersionRef = nil
	})
	r.create(planned)
	r.until("the plan of an Alias that follows a Function of another shard", func() bool {
		r.get(planned)
		return planned.GetCondition(v1beta1.TypePlanned).Status == corev1.ConditionTrue
	})
	if c := planned.GetCondition(
		v1beta1.TypePlanned,
	); c.Reason != v1beta1.ReasonChangesPlanned ||
		!strings.Contains(c.Message, "CreateAlias") {
		t.Errorf("the condition Planned is %s: %s", c.Reason, c.Message)
	}

	r.edit(cart, func(f *v1beta1.Function) {
		f.Labels = nil
		f.Spec.ForProvider.MemorySize = ptr.To[int32](256)
	})
	r.until("the new shard waits for the old one", func() bool {
		return strings.Contains(traced(rest.traces, "waiting"), "crossplane.name=cart ")
	})
	rest.clock.Store(int64(2 * time.Minute))
	r.reconcile(cart)
	r.ready(cart)
	if a.called("UpdateFunctionConfiguration") || !rest.called("UpdateFunctionConfiguration") {
		t.Errorf("the new shard updates it: %v, %v", rest.operations, a.operations)
	}
	if n := r.double.Count("CreateFunction"); n != 2 {
		t.Errorf("two functions are created, got %d creations", n)
	}
}

// TestRing checks that a shard of a ring has the lease that a sharder looks for, and does what the sharder asks for by
// labels.
func TestRing(t *testing.T) {
	t.Parallel()
	const ring, assigned, drain = "alpha.sharding.timebertt.dev/controllerring", "shard.alpha.sharding.timebertt.dev/lambda", "drain.alpha.sharding.timebertt.dev/lambda"
	member, err := sharding.InRing("lambda", "pod-0")
	if err != nil {
		t.Fatal(err)
	}
	e := newEnv(t, awsdouble.Options{}, func(o *Options) {
		o.Shard, o.LeaderElection, o.LeaderElectionNamespace = member, true, ""
	}, func(o *Options) { o.LeaderElectionNamespace = o.Namespaces[0] })

	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.ns, Name: "pod-0"}}
	read := func() *coordinationv1.Lease {
		if err := client.IgnoreNotFound(e.kube.Get(t.Context(), client.ObjectKeyFromObject(lease), lease)); err != nil {
			t.Fatal(err)
		}
		return lease
	}
	e.until("the lease is held", func() bool { return ptr.Deref(read().Spec.HolderIdentity, "") == "pod-0" })
	e.label(lease, `{"metadata":{"labels":{"alpha.sharding.timebertt.dev/state":"ready"}}}`)
	renewed := lease.Spec.RenewTime.Time
	e.until("the lease is renewed", func() bool { return read().Spec.RenewTime.After(renewed) })
	if diff := cmp.Diff(map[string]string{ring: "lambda", "alpha.sharding.timebertt.dev/state": "ready"},
		lease.Labels); diff != "" {
		t.Errorf("the sharder's labels are kept: -want, +got:\n%s", diff)
	}

	f := e.function("f", func(f *v1beta1.Function) { f.Labels = map[string]string{assigned: "pod-0", "team": "x"} })
	config := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: e.ns, Name: "default"}}
	e.create(f)
	e.label(config, `{"metadata":{"labels":{"`+assigned+`":"pod-0"}}}`)
	e.ready(f)
	for o, want := range map[client.Object]map[string]string{f: {"team": "x"}, config: nil} {
		e.label(o, `{"metadata":{"labels":{"`+drain+`":"true"}}}`)
		e.until("it is handed over", func() bool {
			if err := e.kube.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
				t.Fatal(err)
			}
			return o.GetLabels()[assigned] == ""
		})
		if diff := cmp.Diff(want, o.GetLabels()); diff != "" {
			t.Errorf("labels of %s: -want, +got:\n%s", o.GetName(), diff)
		}
	}
	e.stop()
	if holder := ptr.Deref(read().Spec.HolderIdentity, ""); holder != "" {
		t.Errorf("a shard that stops releases its lease, so that its resources move at once: it is held by %q", holder)
	}
}

// TestReducedLayerVersion checks that the copy of a LayerVersion of another shard has what it owns and may be creating.
func TestReducedLayerVersion(t *testing.T) {
	full := func() *v1beta1.LayerVersion {
		l := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "my-lib", UID: "u1"}}
		l.Spec.ForProvider = v1beta1.LayerVersionParameters{
			Regional: v1beta1.Regional{Region: region}, LayerName: ptr.To("lib"),
			Content: &v1beta1.LayerContent{Inline: map[string]string{"lib.py": "large"}},
		}
		const arn = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:7"
		l.Annotations, l.Status.AtProvider.LayerVersionArn = ownership.Name(l, arn), ptr.To(arn)
		return l
	}
	got := full()
	if _, err := reduced(got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tenancy.IndexedBy(full()), tenancy.IndexedBy(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got.Spec.ForProvider.Content != nil {
		t.Errorf("content is kept: %+v", got.Spec.ForProvider)
	}
}

// TestReduced checks that the copy of a resource of another shard has what references to it and decisions about owners
// depend on, and not what takes most of the memory.
func TestReduced(t *testing.T) {
	full := func() *v1beta1.Function {
		f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "cart", UID: "u1", Generation: 2, Labels: map[string]string{
				"team": "x",
			}, Finalizers: []string{"f"},
			Annotations: map[string]string{
				meta.AnnotationKeyExternalName:      "cart",
				v1beta1.AnnotationAllowedNamespaces: "*", v1beta1.AnnotationNamedBy: "u1",
				corev1.LastAppliedConfigAnnotation: "{}",
			},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		}}
		f.Spec.ForProvider.Region, f.Spec.ForProvider.Publish = region, ptr.To(true)
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "large"}}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"TOKEN": "secret"}}
		f.Status.AtProvider.FunctionArn = ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:cart")
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Publish: ptr.To(true), MemorySize: ptr.To[int32](512)}
		f.Status.AtProvider.LatestPublishedVersion, f.Status.AtProvider.Initialized = ptr.To("7"), true
		return f
	}
	want, got := full(), full()
	if _, err := reduced(got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tenancy.IndexedBy(want), tenancy.IndexedBy(got)); diff != "" ||
		len(tenancy.IndexedBy(got)) == 0 {
		t.Errorf("what it owns: -want, +got:\n%s", diff)
	}
	delete(want.Annotations, corev1.LastAppliedConfigAnnotation)
	want.ManagedFields = nil
	if diff := cmp.Diff(want.ObjectMeta, got.ObjectMeta); diff != "" {
		t.Errorf("metadata: -want, +got:\n%s", diff)
	}
	if got.Spec.ForProvider.Code != nil || got.Spec.ForProvider.Environment != nil {
		t.Errorf("code and variables are kept: %+v", got.Spec.ForProvider)
	}
	if !ptr.Deref(got.Spec.ForProvider.Publish, false) || ptr.Deref(got.Status.AtProvider.LatestPublishedVersion,
		"") != "7" || got.Spec.ForProvider.Region != region {
		t.Errorf("what Aliases follow is lost: %+v", got)
	}
	if diff := cmp.Diff(&v1beta1.FunctionSettings{Publish: ptr.To(true)}, got.Spec.InitProvider); diff != "" ||
		!got.Status.AtProvider.Initialized {
		t.Errorf("whether a new Function publishes a version is lost: -want, +got:\n%s", diff)
	}
	tombstone := struct{ Key string }{"shop/cart"}
	if out, err := reduced(tombstone); err != nil || out != tombstone {
		t.Errorf("reduced() = %v, %v", out, err)
	}
}
