package engine

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// neighbours makes the env's kind act on the function checkout, which a Function of another
// namespace owns.
func neighbours(
	t *testing.T,
	change ...func(*v1beta1.Function),
) (client.Client, func(*Options, *reconcile.Kind[*sample])) {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "checkout", UID: "f"}}
	f.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"}
	f.Status.AtProvider.FunctionArn = ptr.To("arn:aws:lambda:eu-west-1:123456789012:function:checkout")
	for _, c := range change {
		c(f)
	}
	c := fake.NewClientBuilder().
		WithScheme(s).
		WithObjects(f).
		WithIndex(&v1beta1.Function{}, tenancy.Index, tenancy.IndexedBy).
		Build()
	return c, func(o *Options, k *reconcile.Kind[*sample]) {
		o.Tenants = tenancy.New(c, c, o.Now)
		k.ActsOn = func(*sample) []tenancy.Target {
			return tenancy.Functions(ptr.To("arn:aws:lambda:eu-west-1:123456789012:function:checkout"))
		}
	}
}

func allowing(f *v1beta1.Function) {
	metav1.SetMetaDataAnnotation(&f.ObjectMeta, v1beta1.AnnotationAllowedNamespaces, "shop")
}

const belongs = "function checkout belongs to Function bank/checkout, which does not allow namespace shop to use it"

func TestRefusedResourceCallsNothing(t *testing.T) {
	_, with := neighbours(t)
	e := newEnv(t, samples.New(), with)
	if wait := e.reconcile(); wait <= 0 || wait > time.Minute {
		t.Errorf("comes back after %v, want soon: its Namespace may allow it", wait)
	}
	for _, kind := range []xpv2.ConditionType{xpv2.TypeSynced, xpv2.TypeReady} {
		if c := e.stored().
			GetCondition(kind); c.Status != corev1.ConditionFalse ||
			!strings.Contains(c.Message, belongs) {
			t.Errorf("%s is %s: %q, want %q", kind, c.Status, c.Message, belongs)
		}
	}
	if len(e.cloud.calls) > 0 {
		t.Errorf("AWS was called: %v", e.cloud.calls)
	}
}

func TestDeletionOfAForeignResource(t *testing.T) {
	cases := map[string]struct {
		reason string

		// made is whether it was there while it was allowed, tried whether the resource was allowed to look for it, and
		// named is the external name that annotations have then.
		made, tried bool
		named       string
		want        []string
	}{
		"Forged": {reason: "Annotations that say that it was made are no proof, for anybody can write them."},
		"Prepared": {
			reason: "Nor are they if the resource waited for somebody to make it.",
			tried:  true,
			named:  "cart",
		},
		"Renamed": {reason: "What was made is no proof of anything else.", made: true, named: "other"},
		"Made": {
			reason: "What was made with permission is deleted without.",
			made:   true,
			want:   []string{"Get", "Delete"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Finalizers = []string{managed.FinalizerName}
			mg.Annotations = ownership.Name(mg, cmp.Or(tc.named, "cart"))
			meta.SetExternalCreateSucceeded(mg, time.Unix(0, 0))
			change := []func(*v1beta1.Function){}
			if tc.made || tc.tried {
				change = append(change, allowing)
			}
			c, with := neighbours(t, change...)
			e := newEnv(t, mg, with)
			e.cloud.there, e.cloud.value = !tc.tried, "a"
			e.cloud.fail["Create"] = &smithy.GenericAPIError{Code: "ResourceNotFoundException"}
			e.reconcile()
			e.cloud.there = true
			e.change(func(mg *sample) { meta.AddAnnotations(mg, ownership.Name(mg, "cart")) })
			f := &v1beta1.Function{}
			if err := c.Get(t.Context(), client.ObjectKey{Namespace: "bank", Name: "checkout"}, f); err != nil {
				t.Fatal(err)
			}
			delete(f.Annotations, v1beta1.AnnotationAllowedNamespaces)
			if err := c.Update(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			e.cloud.calls = nil
			e.delete()
			e.reconcile()
			if !slices.Equal(e.cloud.calls, tc.want) {
				t.Errorf("%s\ncalls %v, want %v", tc.reason, e.cloud.calls, tc.want)
			}
			e.reconcile()
			if err := e.server.Get(t.Context(), cart, &sample{}); !kerrors.IsNotFound(err) {
				t.Errorf("%s\nit must not stay: %v", tc.reason, err)
			}
			if got := e.events.count(v1beta1.EventLeftForeignResource); (got == 1) == (len(tc.want) > 0) {
				t.Errorf("%s\nevents %v", tc.reason, e.events.all)
			}
		})
	}
}

func TestReferenceToAnotherNamespace(t *testing.T) {
	const refused = "namespace shop may not refer to "
	other := func(allowed string) *sample {
		b := basket("basket", "one")
		b.Annotations = map[string]string{"crossplane.io/external-name": "one"}
		b.Namespace, b.Annotations[v1beta1.AnnotationAllowedNamespaces] = "bank", allowed
		return b
	}
	ref := func(mg *sample) { mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket", Namespace: "bank"} }
	selector := func(mg *sample) {
		mg.Spec.OtherSelector = &xpv2.NamespacedSelector{
			Namespace:   "bank",
			MatchLabels: map[string]string{"app": "shop"},
		}
	}
	cases := map[string]struct {
		reason  string
		edit    func(*sample)
		allowed string
		want    string
	}{
		"Ref": {
			reason: "Off by default.",
			edit:   ref,
			want:   refused + "Sample bank/basket: set the annotation",
		},
		"RefBesideValue": {
			reason: "Even where the value wins: kinds read more of what is referred to.",
			edit:   func(mg *sample) { ref(mg); mg.Spec.Other = ptr.To("x") },
			want:   refused + "Sample bank/basket",
		},
		"Allowed": {reason: "Allowed by what is referred to.", edit: ref, allowed: "shop"},
		"Selector": {
			reason: "Off by default.",
			edit:   selector,
			want:   refused + "any Sample in namespace bank that the selector matches",
		},
		"SelectorAllowed": {reason: "What allows it can be selected.", edit: selector, allowed: "*"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			tc.edit(mg)
			_, with := neighbours(t)
			e := newEnv(t, mg, refer, with, func(_ *Options, k *reconcile.Kind[*sample]) { k.ActsOn = nil })
			if err := e.server.Create(t.Context(), other(tc.allowed)); err != nil {
				t.Fatal(err)
			}
			e.reconcile()
			c := e.stored().GetCondition(xpv2.TypeSynced)
			if tc.want == "" && c.Status != corev1.ConditionTrue || !strings.Contains(c.Message, tc.want) {
				t.Errorf("%s\nSynced is %s: %q, want %q", tc.reason, c.Status, c.Message, tc.want)
			}
			if tc.want != "" && len(e.cloud.calls) > 0 {
				t.Errorf("%s\nAWS was called: %v", tc.reason, e.cloud.calls)
			}
		})
	}
}

// TestPermissionWakes checks that resources are enqueued when they may act on something now,
// or not any more.
func TestPermissionWakes(t *testing.T) {
	k := reconcile.Kind[*sample]{
		GVK:    samples.GVK,
		Region: func(*sample) string { return "eu-west-1" },
		ActsOn: func(*sample) []tenancy.Target {
			return tenancy.Functions(ptr.To("checkout"))
		},
	}
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "bank", Name: "checkout"}}
	f.Status.AtProvider.FunctionArn = ptr.To("arn:aws:lambda:eu-west-1:123456789012:function:checkout")
	if mine, its := watch.ActingKeys(k.Untyped(), samples.New()), tenancy.IndexedBy(f); !slices.Equal(mine, its) {
		t.Errorf("a resource that acts on a function is found by %v, and looked for by %v", mine, its)
	}
	before := f.DeepCopy()
	allowing(f)
	if watch.Allowed(before) == watch.Allowed(f) || watch.ReferenceState(before) == watch.ReferenceState(f) {
		t.Error("another annotation must wake those who act on the function and those who refer to it")
	}
}

// TestClaimEnds checks that a resource that has claimed something, and creates nothing, does not keep others from it.
func TestClaimEnds(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(mg *sample)
		called bool
		want   bool
	}{
		"Paused": {reason: "It creates nothing before it is resumed.", change: func(mg *sample) {
			meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
		}},
		"Planned": {reason: "It creates nothing before the annotation is removed.", change: func(mg *sample) {
			meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationPlan: "true"})
		}},
		"Refused": {reason: "It may not act on what spec names now.", change: func(*sample) {}},
		"Called":  {reason: "AWS may have created it.", change: func(*sample) {}, called: true, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, with := neighbours(t)
			mg := samples.New()
			tc.change(mg)
			var tenants *tenancy.Registry
			e := newEnv(t, mg, with, func(o *Options, _ *reconcile.Kind[*sample]) { tenants = o.Tenants })
			s, target := &session.Session{
				AWS: aws.Config{Region: "eu-west-1"},
			}, tenancy.Target{
				Kind: samples.GVK.Kind,
				Name: "checkout",
			}
			if err := tenants.Claim(tenancy.User{Resource: e.stored(), Session: s}, target); err != nil {
				t.Fatal(err)
			}
			if tc.called {
				tenants.Called(samples.GVK.Kind, client.ObjectKeyFromObject(mg))
			}
			other := samples.New()
			other.Namespace, other.UID = "bank", "other"
			if err := tenants.Claim(tenancy.User{Resource: other, Session: s}, target); !tenancy.IsRefused(err) {
				t.Fatalf("want the first claim to win, got %v", err)
			}
			e.reconcile()
			if err := tenants.Claim(
				tenancy.User{Resource: other, Session: s},
				target,
			); tenancy.IsRefused(
				err,
			) != tc.want {
				t.Errorf("%s\nwant it to be claimed: %t, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestDeletionOfWhatWasRefused checks that a resource that was refused from the start is gone at once when it is
// deleted: it has no finalizer, so that there is no event, and nothing to leave in AWS.
func TestDeletionOfWhatWasRefused(t *testing.T) {
	_, with := neighbours(t)
	e := newEnv(t, samples.New(), with)
	e.cloud.there, e.cloud.value = true, "a"
	e.reconcile()
	if got := e.stored().GetFinalizers(); len(got) > 0 {
		t.Errorf("it has created nothing, and has the finalizers %v", got)
	}
	e.delete()
	e.reconcile()
	if !e.gone() || e.events.count(v1beta1.EventLeftForeignResource) > 0 || len(e.cloud.calls) > 0 {
		t.Errorf("gone: %t, events %v, calls %v", e.gone(), e.events.all, e.cloud.calls)
	}
}

// TestPlannedResourceRemovesNothing checks that a resource whose reference is refused deletes what it has created, but
// not while it is only planned.
func TestPlannedResourceRemovesNothing(t *testing.T) {
	mg := samples.New()
	mg.Annotations = ownership.Name(mg, "cart")
	c, with := neighbours(t, allowing)
	e := newEnv(t, mg, with)
	e.reconcile()
	f := &v1beta1.Function{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "bank", Name: "checkout"}, f); err != nil {
		t.Fatal(err)
	}
	delete(f.Annotations, v1beta1.AnnotationAllowedNamespaces)
	if err := c.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	for _, planned := range []bool{false, true} {
		mg := e.stored()
		if planned {
			meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationPlan: "true"})
		}
		p := e.reconciler.newPass(mg, memory.Resource{})
		defer p.end()
		ctx := p.resolve(t.Context())
		e.options.Tenants.Confirm(tenancy.User{Resource: f, Session: p.session}, []tenancy.Target{{
			Kind: v1beta1.FunctionKind, Account: "123456789012", Region: "eu-west-1", Name: "checkout",
		}})
		denied := p.permit(ctx, mg, p.others(mg, p.session))
		if got := p.refusedReference(ctx, mg, denied); (got == nil) != planned {
			t.Errorf("planned: %t, removes what it has created: %t; %v", planned, got != nil, denied)
		}
	}
}
