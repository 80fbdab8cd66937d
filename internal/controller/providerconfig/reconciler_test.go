package providerconfig

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/configusage"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
)

const ns = "team-a"

// fakeIdentifier is a fake of the resolver.
type fakeIdentifier struct {
	identify func() (session.Identity, error)
	denies   bool
	forgot   []types.UID
}

func (f *fakeIdentifier) Identify(context.Context, client.Object) (session.Identity, error) {
	return f.identify()
}

func (f *fakeIdentifier) Denies(context.Context, resource.ModernManaged, string) bool {
	return f.denies
}

func (f *fakeIdentifier) Forget(uid types.UID) { f.forgot = append(f.forgot, uid) }

// fakeRecorder records events.
type fakeRecorder struct{ events []string }

func (f *fakeRecorder) Event(_ runtime.Object, e event.Event) {
	f.events = append(f.events, string(e.Reason))
}
func (f *fakeRecorder) WithAnnotations(...string) event.Recorder { return f }

// An env has a reconciler of one kind over a client in memory.
type env struct {
	*Reconciler

	t        *testing.T
	resolver *fakeIdentifier
	events   *fakeRecorder
	writes   int
	refusal  error // of writes of status
	time     time.Time
}

func newEnv(t *testing.T, k kind, objs ...client.Object) *env {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, corev1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	e := &env{t: t, events: &fakeRecorder{}, time: time.Now()}
	e.resolver = &fakeIdentifier{identify: func() (session.Identity, error) {
		return session.Identity{Account: "123456789012", ARN: "arn:aws:iam::123456789012:user/ci"}, nil
	}}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objs...).
		WithStatusSubresource(&v1beta1.ProviderConfig{}, &v1beta1.ClusterProviderConfig{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Patch: func(
				ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
			) error {
				e.writes++
				return c.Patch(ctx, o, p, opts...)
			},
			SubResourceUpdate: func(
				ctx context.Context, c client.Client, sub string, o client.Object,
				opts ...client.SubResourceUpdateOption,
			) error {
				e.writes++
				if e.refusal != nil {
					return e.refusal
				}
				return c.SubResource(sub).Update(ctx, o, opts...)
			},
		}).Build()
	now := func() time.Time { return e.time }
	e.Reconciler = &Reconciler{
		kind: k, kube: kube, managed: kube, resolver: e.resolver, accounts: account.New(now), events: &queues{},
		breakers: breaker.New(now, func() float64 { return 0 }),
		inFlight: engine.NewInFlight(4), record: e.events, log: logging.NewNopLogger(), now: now,
	}
	return e
}

func (e *env) reconcile(name types.NamespacedName) ctrl.Result {
	e.t.Helper()
	result, err := e.Reconcile(context.Background(), ctrl.Request{NamespacedName: name})
	if err != nil {
		e.t.Fatalf("Reconcile: %v", err)
	}
	return result
}

// get reads an object, and reports whether it exists.
func (e *env) get(o client.Object) bool {
	e.t.Helper()
	err := e.kube.Get(context.Background(), client.ObjectKeyFromObject(o), o)
	if client.IgnoreNotFound(err) != nil {
		e.t.Fatal(err)
	}
	return !kerrors.IsNotFound(err)
}

func (e *env) delete(o client.Object) {
	e.t.Helper()
	if err := e.kube.Delete(context.Background(), o); err != nil {
		e.t.Fatal(err)
	}
}

func pc() *v1beta1.ProviderConfig {
	c := &v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "default", UID: "pc1", Generation: 3},
	}
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.LocalCredentialsSecretSelector{Name: "aws"}
	return c
}

func cpc() *v1beta1.ClusterProviderConfig {
	c := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: "cpc1", Generation: 3}}
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
		Namespace:                      ns,
		LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"},
	}
	return c
}

func secret(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, UID: types.UID(name)}}
}

func function(name string) *v1beta1.Function {
	return &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  ns,
			Name:       name,
			UID:        types.UID(name),
			Finalizers: []string{managedFinalizer},
		},
	}
}

// usage returns a usage of a config of a kind by a function.
func usage(namespace, kind, by string) *v1beta1.ProviderConfigUsage {
	u := &v1beta1.ProviderConfigUsage{ObjectMeta: metav1.ObjectMeta{
		Namespace:  namespace,
		Name:       by,
		Finalizers: []string{v1beta1.UsageFinalizer},
		Labels:     map[string]string{xpv2.LabelKeyProviderName: "default", xpv2.LabelKeyProviderKind: kind},
		OwnerReferences: []metav1.OwnerReference{
			{
				APIVersion: "lambda.aws.m.crossplane.io/v1beta1",
				Kind:       "Function",
				Name:       by,
				UID:        types.UID(by),
				Controller: new(true),
			},
		},
	}}
	u.SetProviderConfigReference(xpv2.ProviderConfigReference{Kind: kind, Name: "default"})
	u.SetResourceReference(xpv2.TypedReference{Kind: "Function", Name: by})
	return u
}

func name(o client.Object) types.NamespacedName { return client.ObjectKeyFromObject(o) }

func TestIdentity(t *testing.T) {
	e := newEnv(
		t,
		namespacedKind,
		pc(),
		secret("aws"),
		usage(
			ns,
			"ProviderConfig",
			"orders",
		),
		usage(ns, "ClusterProviderConfig", "billing"),
		usage("team-b", "ProviderConfig", "other"),
	)
	c := pc()
	if got := e.reconcile(name(c)); got.RequeueAfter != checkEvery {
		t.Errorf("looks again after %v", got.RequeueAfter)
	}
	e.get(c)
	want := v1beta1.ProviderConfigStatus{
		ObservedGeneration: 3,
		AccountID:          "123456789012",
		IdentityARN:        "arn:aws:iam::123456789012:user/ci",
	}
	want.Users = 1
	want.SetConditions(
		xpv2.Available().
			WithMessage("Account 123456789012, as arn:aws:iam::123456789012:user/ci").
			WithObservedGeneration(3),
	)
	if diff := cmp.Diff(want, c.Status, cmp.Comparer(func(a, b xpv2.Condition) bool {
		return a.Equal(b) && a.ObservedGeneration == b.ObservedGeneration
	})); diff != "" {
		t.Errorf("status: -want, +got:\n%s", diff)
	}
	if !controllerutil.ContainsFinalizer(c, Finalizer) {
		t.Error("want a finalizer")
	}

	before := e.writes
	e.reconcile(name(c))
	if e.writes != before {
		t.Errorf("%d writes though nothing has changed", e.writes-before)
	}

	e.resolver.identify = func() (session.Identity, error) {
		return session.Identity{}, errors.New("Secret team-a/aws does not exist")
	}
	for range 2 {
		if got := e.reconcile(name(c)); got.RequeueAfter != retryEvery {
			t.Errorf("tries again after %v", got.RequeueAfter)
		}
	}
	e.get(c)
	if ready := c.GetCondition(
		xpv2.TypeReady,
	); ready.Status != corev1.ConditionFalse ||
		ready.Message != "Secret team-a/aws does not exist" {
		t.Errorf("Ready: %+v", ready)
	}
	if c.Status.AccountID != "123456789012" {
		t.Errorf("the account is known still: %q", c.Status.AccountID)
	}
	if diff := cmp.Diff([]string{"Identified", "CannotAuthenticate"}, e.events.events); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
}

// hangingSTS is a resolver of configs whose STS does not answer, except those of one namespace.
type hangingSTS struct{ Identifier }

func (h hangingSTS) Identify(ctx context.Context, c client.Object) (session.Identity, error) {
	if c.GetNamespace() != ns {
		<-ctx.Done()
		return session.Identity{}, ctx.Err()
	}
	return h.Identifier.Identify(ctx, c)
}

// TestHangingConfigs has configs whose STS does not answer: more of one namespace than there are workers, or ones of
// the same name in as many namespaces as leave one worker. Those of other namespaces are reconciled at once.
func TestConflict(t *testing.T) {
	e := newEnv(t, namespacedKind, pc())
	e.refusal = kerrors.NewConflict(schema.GroupResource{Resource: "providerconfigs"}, "default", errors.New("changed"))
	for range 2 {
		// With a delay of its own, the queue would not back off.
		if got, want := e.reconcile(name(pc())), (ctrl.Result{Requeue: true}); got != want { //nolint:staticcheck // As Reconcile.
			t.Errorf("after a conflict that goes on: got %+v, want %+v", got, want)
		}
	}
}

func TestHangingConfigs(t *testing.T) {
	t.Run("OfANamespace", func(t *testing.T) {
		testHanging(t, 20, func(i int) (namespace, name string) { return "hostile", fmt.Sprint(i) })
	})
	t.Run("OfAName", func(t *testing.T) {
		testHanging(t, 3, func(i int) (namespace, name string) { return fmt.Sprint("hostile-", i), pc().GetName() })
	})
}

func testHanging(t *testing.T, n int, of func(i int) (namespace, name string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		good, queue := pc(), make(chan types.NamespacedName, 100)
		objs := []client.Object{good}
		for i := range n {
			c := pc()
			c.Namespace, c.Name = of(i)
			objs = append(objs, c)
			queue <- name(c)
		}
		queue <- name(good)
		close(queue)
		e := newEnv(t, namespacedKind, objs...)
		e.Reconciler.resolver = hangingSTS{e.resolver}
		began := time.Now()
		var ready time.Time
		var mu sync.Mutex
		for range 4 {
			go func() {
				for n := range queue {
					result, err := e.Reconcile(t.Context(), ctrl.Request{NamespacedName: n})
					if err != nil || result.RequeueAfter == 0 {
						t.Errorf("%s: %+v, %v", n, result, err)
					}
					mu.Lock()
					if n == name(good) {
						ready = time.Now()
					}
					mu.Unlock()
				}
			}()
		}
		time.Sleep(time.Hour)
		if took := ready.Sub(
			began,
		); !e.get(good) || good.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue ||
			took > time.Second {
			t.Errorf("the config of another namespace is %+v after %s", good.Status.Conditions, took)
		}
	})
}

// TestOneUsageKind counts the use of a ClusterProviderConfig in all namespaces.
func TestOneUsageKind(t *testing.T) {
	e := newEnv(
		t,
		clusterKind,
		cpc(),
		usage(
			ns,
			"ClusterProviderConfig",
			"orders",
		),
		usage("team-b", "ClusterProviderConfig", "billing"),
		usage(ns, "ProviderConfig", "other"),
	)
	c := cpc()
	e.reconcile(name(c))
	e.get(c)
	if c.Status.Users != 2 {
		t.Errorf("%d users, want 2", c.Status.Users)
	}
}

func TestDeletionWaitsForUsages(t *testing.T) {
	users := []client.Object{cpc()}
	for i := range 5 {
		users = append(users, usage(ns, "ClusterProviderConfig", fmt.Sprint("f", i)), function(fmt.Sprint("f", i)))
	}
	e := newEnv(t, clusterKind, users...)
	c := cpc()
	e.reconcile(name(c))
	e.get(c)
	e.delete(c)
	for range 3 {
		e.reconcile(name(c))
	}
	if !e.get(c) {
		t.Fatal("a config in use is gone")
	}
	cond := c.GetCondition(xpproviderconfig.TypeTerminating)
	want := "Function team-a/f0, Function team-a/f1, Function team-a/f2 and 2 more still use this config: delete them, or have them use another one"
	if cond.Message != want || cond.Status != corev1.ConditionTrue || c.Status.Users != 5 {
		t.Errorf("Terminating: %+v, users %d", cond, c.Status.Users)
	}
	if diff := cmp.Diff([]string{"Identified", "DeletionBlocked"}, e.events.events); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}
	for i := range 5 {
		u := usage(ns, "ClusterProviderConfig", fmt.Sprint("f", i))
		e.get(u)
		if err := configusage.Release(t.Context(), e.kube, u); err != nil {
			t.Fatal(err)
		}
		e.delete(u)
	}
	e.reconcile(name(c))
	if e.get(c) {
		t.Error("a config that nothing uses is there still")
	}
	if diff := cmp.Diff([]types.UID{"cpc1"}, e.resolver.forgot); diff != "" {
		t.Errorf("Forget: -want, +got:\n%s", diff)
	}
	e.reconcile(name(c))
}

func TestUsagesOfMissingResources(t *testing.T) {
	gone := func(u *v1beta1.ProviderConfigUsage) *v1beta1.ProviderConfigUsage {
		u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
		return u
	}
	waiting := function("waiting")
	waiting.SetFinalizers([]string{"foregroundDeletion"})
	waiting.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	stripped := usage(ns, "ProviderConfig", "stripped")
	stripped.SetOwnerReferences(nil)
	e := newEnv(t, namespacedKind, pc(), function("busy"), waiting, stripped,
		gone(usage(ns, "ProviderConfig", "busy")),
		gone(usage(ns, "ProviderConfig", "gone")),
		gone(usage(ns, "ProviderConfig", "waiting")))
	c := pc()
	if got := e.reconcile(name(c)); got.RequeueAfter != recheckUsages {
		t.Errorf("looks again after %v, while a usage is going", got.RequeueAfter)
	}
	for _, tc := range []struct {
		reason, name string
		want         bool
	}{
		{"Its resource needs the config to be deleted from AWS.", "busy", true},
		{"Its resource is gone.", "gone", false},
		{"Its resource waits for it.", "waiting", false},
		{"Nobody owns it.", "stripped", false},
	} {
		if got := e.get(usage(ns, "ProviderConfig", tc.name)); got != tc.want {
			t.Errorf("usage by %q is there: %v. %s", tc.name, got, tc.reason)
		}
	}
	e.get(c)
	if c.Status.Users != 1 {
		t.Errorf("%d users, want 1", c.Status.Users)
	}
}

func TestSecretsAreProtected(t *testing.T) {
	other := pc()
	other.SetName("other")
	other.SetUID("pc2")
	e := newEnv(
		t,
		namespacedKind,
		pc(),
		other,
		secret("aws"),
		secret("plain"),
		usage(ns, "ProviderConfig", "orders"),
		function("orders"),
	)
	c, aws := pc(), secret("aws")
	kept := func() bool {
		t.Helper()
		return e.get(aws) && controllerutil.ContainsFinalizer(aws, SecretFinalizer)
	}
	e.reconcile(name(c))
	if plain := secret("plain"); !e.get(plain) || len(plain.GetFinalizers()) != 0 || !kept() {
		t.Fatal("want the Secret that is needed to be kept, and only that")
	}

	// Only the Secret is deleted. It stays while resources can use it, with one event.
	e.delete(aws)
	e.get(aws)
	e.time = aws.GetDeletionTimestamp().Add(time.Hour)
	for range 3 {
		e.reconcile(name(c))
	}
	if !kept() {
		t.Fatal("a Secret is gone that a resource uses")
	}
	if diff := cmp.Diff([]string{"Identified", "DeletionBlocked"}, e.events.events); diff != "" {
		t.Errorf("events: -want, +got:\n%s", diff)
	}

	// A Secret that does not work is to be created anew: it is released after a short while.
	works := e.resolver.identify
	e.resolver.identify = func() (session.Identity, error) { return session.Identity{}, errors.New("AWS does not know the key") }
	e.reconcile(name(c))
	e.time = aws.GetDeletionTimestamp().Time
	if got := e.reconcile(name(c)); !kept() || got.RequeueAfter != secretGrace {
		t.Errorf("the config may be about to go as well: looks again after %v", got.RequeueAfter)
	}
	e.time = e.time.Add(secretGrace)
	e.reconcile(name(c))
	if e.get(aws) {
		t.Error("a Secret that is of no use is held up")
	}
	aws = secret("aws")
	if err := e.kube.Create(t.Context(), aws); err != nil {
		t.Fatal(err)
	}
	e.resolver.identify = works
	e.reconcile(name(c))

	// All are deleted at once: the Secret is released with the last config.
	for _, o := range []client.Object{aws, c, other} {
		e.get(o)
	}
	e.delete(aws)
	e.delete(c)
	e.delete(other)
	e.get(aws)
	e.time = aws.GetDeletionTimestamp().Add(time.Hour)
	e.reconcile(name(c))
	if !kept() || !e.get(c) {
		t.Fatal("a Secret is gone before the config that needs it")
	}
	u := usage(ns, "ProviderConfig", "orders")
	e.get(u)
	if err := configusage.Release(t.Context(), e.kube, u); err != nil {
		t.Fatal(err)
	}
	e.delete(u)
	e.reconcile(name(c))
	if e.get(c) || e.get(aws) {
		t.Error("config and Secret are there still, though nothing uses them")
	}
	e.notifiedSecrets.Range(func(uid, _ any) bool {
		t.Errorf("Secret %q is remembered after its deletion", uid)
		return true
	})
}

// TestSecretOfConfigsDeletedAtOnce deletes a Secret and two configs that share it. Each config is released while the
// cache still shows the other one, so neither releases the Secret.
func TestSecretOfConfigsDeletedAtOnce(t *testing.T) {
	c, other, aws := pc(), pc(), secret("aws")
	other.SetName("other")
	other.SetUID("pc2")
	e := newEnv(t, namespacedKind, c, other, aws)
	for _, o := range []client.Object{c, other} {
		e.reconcile(name(o))
	}
	for _, o := range []client.Object{c, other, aws} {
		e.get(o)
		e.delete(o)
	}
	e.get(aws)
	e.time = aws.GetDeletionTimestamp().Add(time.Hour)
	present, outdated := e.kube, &v1beta1.ProviderConfigList{}
	if err := e.kube.List(t.Context(), outdated); err != nil {
		t.Fatal(err)
	}
	e.kube = interceptor.NewClient(e.kube.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			if configs, ok := l.(*v1beta1.ProviderConfigList); ok {
				outdated.DeepCopyInto(configs)
				return nil
			}
			return c.List(ctx, l, opts...)
		},
	})
	for _, o := range []client.Object{c, other} {
		e.reconcile(name(o))
	}
	if e.get(c) || e.get(other) || !e.get(aws) {
		t.Fatal("want the Secret to be left")
	}
	e.kube = present
	e.reconcile(name(c))
	if e.get(aws) {
		t.Error("a Secret is kept for configs that are gone")
	}
}

// TestSecretOfAnotherTime releases a Secret that the config named before.
func TestSecretOfAnotherTime(t *testing.T) {
	old := secret("old")
	old.SetFinalizers([]string{SecretFinalizer})
	e := newEnv(t, namespacedKind, pc(), secret("aws"), old)
	e.reconcile(name(pc()))
	if e.get(old); len(old.GetFinalizers()) != 0 {
		t.Errorf("finalizers of a Secret that is not needed: %v", old.GetFinalizers())
	}
}

func TestUsersOfSecret(t *testing.T) {
	e := newEnv(t, clusterKind, cpc())
	if got := e.usersOfSecret(t.Context(), secret("aws")); len(got) != 1 {
		t.Errorf("got %v, want the cluster's config", got)
	}
	if got := e.usersOfSecret(t.Context(), secret("plain")); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
	e = newEnv(t, namespacedKind, pc())
	if got := e.usersOfSecret(t.Context(), secret("aws")); len(got) != 1 || got[0].NamespacedName != name(pc()) {
		t.Errorf("got %v, want the namespace's config", got)
	}
}

func TestUsageThatNobodyOwns(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer error
		err    bool
	}{
		"Deleted": {reason: "A usage without an owner is deleted."},
		"Forbidden": {
			reason: "Crossplane grants providers no deletion of usages, so the usage stays and does not count.",
			answer: kerrors.NewForbidden(
				v1beta1.SchemeGroupVersion.WithResource("providerconfigusages").GroupResource(),
				"u",
				nil,
			),
		},
		"Fails": {reason: "Any other error is returned.", answer: errors.New("boom"), err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := &v1beta1.ProviderConfigUsage{ObjectMeta: metav1.ObjectMeta{Name: "u", Namespace: ns}}
			e := newEnv(t, namespacedKind, u)
			e.kube = interceptor.NewClient(e.kube.(client.WithWatch), interceptor.Funcs{
				Delete: func(
					ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption,
				) error {
					if tc.answer != nil {
						return tc.answer
					}
					return c.Delete(ctx, o, opts...)
				},
			})
			kept, err := e.counts(t.Context(), pc(), u)
			if kept || (err != nil) != tc.err {
				t.Errorf("%s\nkept %t, error %v", tc.reason, kept, err)
			}
		})
	}
}
