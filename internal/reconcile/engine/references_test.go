package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// refer makes the env's kind refer to other resources.
func refer(_ *Options, k *reconcile.Kind[*sample]) {
	k.References = func(mg *sample) []reconcile.Reference {
		return []reconcile.Reference{
			{Field: "other", To: samples.GVK, Ref: mg.Spec.OtherRef, Selector: mg.Spec.OtherSelector},
		}
	}
	k.RefersTo = []schema.GroupVersionKind{samples.GVK}
}

// basket returns a resource that others refer to.
func basket(name, externalName string) *sample {
	b := &sample{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop",
			Name:      name,
			UID:       types.UID(name),
			Labels:    map[string]string{"app": "shop"},
		},
	}
	if externalName != "" {
		meta.SetExternalName(b, externalName)
	}
	return b
}

// sees records the resources that a connected client receives.
func sees(e *env, seen *[]string) func(*Options, *reconcile.Kind[*sample]) {
	return func(_ *Options, k *reconcile.Kind[*sample]) {
		k.Observer = func(mg *sample, _ *session.Session) reconcile.Observer[*sample] {
			*seen = append(*seen, ptr.Deref(mg.Spec.Other, ""))
			return e.cloud
		}
	}
}

func TestReferenceIsFollowedInMemory(t *testing.T) {
	mg := samples.New()
	mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"}
	var seen []string
	e := newEnv(t, mg, refer)
	e = newEnv(t, mg, refer, sees(e, &seen))
	if err := e.server.Create(t.Context(), basket("basket", "one")); err != nil {
		t.Fatal(err)
	}
	e.reconcile()
	b := &sample{}
	if err := e.server.Get(t.Context(), types.NamespacedName{Namespace: "shop", Name: "basket"}, b); err != nil {
		t.Fatal(err)
	}
	meta.SetExternalName(b, "two")
	if err := e.server.Update(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	e.reconcile()
	if diff := cmp.Diff([]string{"one", "two"}, seen); diff != "" {
		t.Errorf("a reference is to be followed at each reconcile: %s", diff)
	}
	if got := e.stored().Spec.Other; got != nil {
		t.Errorf("the resolved value %q was written to the user's spec", *got)
	}
}

func TestReferenceOfADeletedResource(t *testing.T) {
	cases := map[string]struct {
		reason  string
		present bool
		want    string
	}{
		"Present": {reason: "What can be resolved is.", present: true, want: "one"},
		"Gone":    {reason: "What is gone does not keep the resource from being deleted.", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Spec.OtherRef = &xpv2.NamespacedReference{Name: "basket"}
			mg.Finalizers = []string{managed.FinalizerName}
			var seen []string
			e := newEnv(t, mg, refer)
			e = newEnv(t, mg, refer, sees(e, &seen))
			if tc.present {
				if err := e.server.Create(t.Context(), basket("basket", "one")); err != nil {
					t.Fatal(err)
				}
			}
			e.delete()
			e.reconcile()
			if diff := cmp.Diff([]string{tc.want}, seen); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUnresolvedReferenceIsExplained(t *testing.T) {
	ref, sel := &xpv2.NamespacedReference{
		Name: "basket",
	}, &xpv2.NamespacedSelector{
		MatchLabels: map[string]string{"app": "shop"},
	}
	cases := map[string]struct {
		reason string
		edit   func(*sample)
		others []client.Object
		want   string
	}{
		"Absent": {
			reason: "The message names the missing object.",
			edit:   func(mg *sample) { mg.Spec.OtherRef = ref },
			want:   "Sample shop/basket does not exist (cannot resolve spec.forProvider.otherRef)",
		},
		"NotYetInAWS": {
			reason: "The message names what is awaited.",
			edit:   func(mg *sample) { mg.Spec.OtherRef = ref },
			others: []client.Object{basket("basket", "")},
			want:   "Sample shop/basket does not exist in AWS yet (cannot resolve spec.forProvider.otherRef)",
		},
		"NothingSelected": {
			reason: "The message says that the selector matches nothing.",
			edit: func(mg *sample) {
				mg.Spec.OtherSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"app": "x"}}
			},
			others: []client.Object{basket("basket", "one")},
			want:   "no Sample in namespace shop matches the selector (cannot resolve spec.forProvider.otherSelector)",
		},
		"OtherController": {
			reason: "A selector that asks for the same controller finds no other's.",
			edit: func(mg *sample) {
				mg.Spec.OtherSelector = &xpv2.NamespacedSelector{
					MatchLabels:        sel.MatchLabels,
					MatchControllerRef: ptr.To(true),
				}
			},
			others: []client.Object{basket("basket", "one")},
			want:   "no Sample in namespace shop matches the selector",
		},
		"AlwaysSelected": {
			reason: "A selector that is always resolved takes precedence over the name.",
			edit: func(mg *sample) {
				mg.Spec.OtherRef, mg.Spec.OtherSelector = ref, &xpv2.NamespacedSelector{
					MatchLabels: map[string]string{
						"app": "x",
					},
					Policy: &xpv2.Policy{Resolve: ptr.To(xpv2.ResolvePolicyAlways)},
				}
			},
			others: []client.Object{basket("basket", "one")},
			want:   "no Sample in namespace shop matches the selector (cannot resolve spec.forProvider.otherSelector)",
		},
		"SelectedNotYetInAWS": {
			reason: "The message names the selected object that is awaited.",
			edit:   func(mg *sample) { mg.Spec.OtherSelector = sel },
			others: []client.Object{basket("basket", "")},
			want:   "Sample shop/basket does not exist in AWS yet",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			tc.edit(mg)
			e := newEnv(t, mg, refer)
			for _, o := range tc.others {
				if err := e.server.Create(t.Context(), o); err != nil {
					t.Fatal(err)
				}
			}
			if wait := e.reconcile(); wait <= 0 || wait > time.Minute {
				t.Errorf("%s\ncomes back after %v, want soon and not at once", tc.reason, wait)
			}
			c := e.stored().GetCondition(xpv2.TypeSynced)
			if c.Status != corev1.ConditionFalse || !strings.Contains(c.Message, tc.want) {
				t.Errorf("%s\nSynced is %s: %q, want %q", tc.reason, c.Status, c.Message, tc.want)
			}
			if ready := e.stored().
				GetCondition(xpv2.TypeReady); ready.Reason != xpv2.ReasonCreating ||
				!strings.Contains(ready.Message, tc.want) {
				t.Errorf("%s\nReady is %s: %q, want that it is waited for", tc.reason, ready.Reason, ready.Message)
			}
			if len(e.cloud.calls) > 0 {
				t.Errorf("%s\nAWS was called: %v", tc.reason, e.cloud.calls)
			}
		})
	}
}

func TestSelectorKeepsToTheOldest(t *testing.T) {
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	old, young := basket("z-old", "old"), basket("a-young", "young")
	old.CreationTimestamp = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	young.CreationTimestamp = metav1.NewTime(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(old, young).Build()
	mg := samples.New()
	mg.Spec.OtherSelector = &xpv2.NamespacedSelector{MatchLabels: map[string]string{"app": "shop"}}
	r := &references{reader: c}
	if err := r.resolve(t.Context(), mg, nil); err != nil {
		t.Fatal(err)
	}
	if got := ptr.Deref(mg.Spec.Other, ""); got != "old" {
		t.Errorf("resolved to %q, want the oldest, so that a new one takes nothing over", got)
	}
}

// TestOptionalLayers checks that a layer that may be missing takes no other one with it, neither one that exists nor
// one that is required and does not exist.
func TestOptionalLayers(t *testing.T) {
	layer := func(name, externalName string) *v1beta1.LayerVersion {
		l := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
		meta.SetExternalName(l, externalName)
		return l
	}
	optional := func(name string) xpv2.NamespacedReference {
		return xpv2.NamespacedReference{
			Name:   name,
			Policy: &xpv2.Policy{Resolution: ptr.To(xpv2.ResolutionPolicyOptional)},
		}
	}
	required := func(name string) xpv2.NamespacedReference { return xpv2.NamespacedReference{Name: name} }
	cases := map[string]struct {
		reason string
		refs   []xpv2.NamespacedReference
		want   []string
		err    string
	}{
		"Last": {
			"One that exists stays.",
			[]xpv2.NamespacedReference{required("base"), optional("x")},
			[]string{"arn:base", ""},
			"",
		},
		"First": {
			"So does one after it.",
			[]xpv2.NamespacedReference{optional("x"), required("base")},
			[]string{"", "arn:base"},
			"",
		},
		"NotYetInAWS": {
			"One that does not exist in AWS yet is missing, too.",
			[]xpv2.NamespacedReference{optional("new"), required("base")},
			[]string{"", "arn:base"},
			"",
		},
		"Required": {
			"A required one is named, rather than the optional one.",
			[]xpv2.NamespacedReference{optional("x"), required("y")},
			nil, "cannot resolve spec.forProvider.layerRefs: LayerVersion shop/y does not exist",
		},
		"RequiredNotYetInAWS": {
			"So is one that does not exist in AWS yet.",
			[]xpv2.NamespacedReference{optional("x"), required("new")},
			nil, "LayerVersion shop/new does not exist in AWS yet",
		},
	}
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(layer("base", "arn:base"), layer("new", "")).Build()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart"}}
			f.Spec.ForProvider.LayerRefs = tc.refs
			r := &references{reader: c, kind: reconcile.Kind[*v1beta1.Function]{
				References: func(f *v1beta1.Function) (all []reconcile.Reference) {
					for i := range f.Spec.ForProvider.LayerRefs {
						all = append(all, reconcile.Reference{
							Field: "layers",
							To:    v1beta1.LayerVersionGroupVersionKind,
							Ref:   &f.Spec.ForProvider.LayerRefs[i],
						})
					}
					return all
				},
			}.Untyped()}
			err := r.resolve(t.Context(), f, nil)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s\nerror: want %q, got %v", tc.reason, tc.err, err)
			}
			if diff := cmp.Diff(tc.want, f.Spec.ForProvider.ResolvedLayers); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReferenceToAValue checks that a message names the resource whose value is awaited, though it exists in AWS, and a
// younger one that the selector matches does not.
func TestReferenceToAValue(t *testing.T) {
	labels := map[string]string{"app": "shop"}
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "greet"}}
	meta.SetExternalName(f, "greet")
	f.Status.AtProvider.FunctionArn = ptr.To("arn:greet")
	v := &v1beta1.Version{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "release", Labels: labels}}
	meta.SetExternalName(v, "3")
	younger := &v1beta1.Version{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "later", Labels: labels}}
	younger.SetCreationTimestamp(metav1.NewTime(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)))
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(f, v, younger).Build()
	r := &references{reader: c, kind: reconcile.Kind[*v1beta1.Alias]{
		References: func(a *v1beta1.Alias) []reconcile.Reference {
			p := a.Spec.ForProvider
			return []reconcile.Reference{
				{Field: "functionName", To: v1beta1.FunctionGroupVersionKind, Ref: p.FunctionNameRef},
				{
					Field: "functionVersion", To: v1beta1.VersionGroupVersionKind,
					Ref: p.FunctionVersionRef, Selector: p.FunctionVersionSelector,
				},
			}
		},
	}.Untyped()}
	for set, edit := range map[string]func(*v1beta1.AliasSettings){
		"functionVersionRef": func(s *v1beta1.AliasSettings) { s.FunctionVersionRef = &xpv2.NamespacedReference{Name: "release"} },
		"functionVersionSelector": func(s *v1beta1.AliasSettings) {
			s.FunctionVersionSelector = &xpv2.NamespacedSelector{MatchLabels: labels}
		},
	} {
		t.Run(set, func(t *testing.T) {
			a := &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live"}}
			a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "greet"}
			edit(&a.Spec.ForProvider.AliasSettings)
			want := "cannot resolve spec.forProvider." + set + ": Version shop/release is not ready yet"
			if err := r.resolve(t.Context(), a, nil); err == nil || err.Error() != want {
				t.Errorf("error: want %q, got %v", want, err)
			}
		})
	}
}

// TestReferenceToAPartOfAnotherFunction checks that an alias or a version can only be referred to for its own function:
// a version's number says nothing about the version that another function has with that number.
func TestReferenceToAPartOfAnotherFunction(t *testing.T) {
	at := metav1.ObjectMeta{Namespace: "shop", Labels: map[string]string{"app": "shop"}}
	function := func(name string) client.Object {
		f := &v1beta1.Function{ObjectMeta: *at.DeepCopy()}
		f.SetName(name)
		meta.SetExternalName(f, name)
		return f
	}
	alias := func(name, of string) client.Object {
		a := &v1beta1.Alias{ObjectMeta: *at.DeepCopy()}
		a.SetName(name)
		meta.SetExternalName(a, "live")
		a.Status.AtProvider.FunctionName = &of
		return a
	}
	version := func(name, of string) client.Object {
		v := &v1beta1.Version{ObjectMeta: *at.DeepCopy()}
		v.SetName(name)
		meta.AddAnnotations(v, map[string]string{meta.AnnotationKeyExternalName: "3", v1beta1.AnnotationParent: of})
		v.Status.AtProvider.PreparedVersion = ptr.To("3")
		return v
	}
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(function("greet"),
		alias(
			"a-cart",
			"cart",
		), alias("b-greet", "greet"), version("a-cart", "cart"), version("b-greet", "greet")).
		Build()
	kinds := map[string]struct {
		new   func() reconcile.Managed
		field string
	}{
		"Alias": {func() reconcile.Managed { return &v1beta1.Alias{} }, "functionVersion"},
		"EventSourceMapping": {
			func() reconcile.Managed { return &v1beta1.EventSourceMapping{} },
			"qualifier",
		},
		"FunctionEventInvokeConfig": {
			func() reconcile.Managed { return &v1beta1.FunctionEventInvokeConfig{} },
			"qualifier",
		},
		"FunctionURL": {func() reconcile.Managed { return &v1beta1.FunctionURL{} }, "qualifier"},
		"Invocation":  {func() reconcile.Managed { return &v1beta1.Invocation{} }, "qualifier"},
		"Permission":  {func() reconcile.Managed { return &v1beta1.Permission{} }, "qualifier"},
		"ProvisionedConcurrencyConfig": {
			func() reconcile.Managed { return &v1beta1.ProvisionedConcurrencyConfig{} },
			"qualifier",
		},
		"RuntimeManagementConfig": {
			func() reconcile.Managed { return &v1beta1.RuntimeManagementConfig{} },
			"qualifier",
		},
	}
	cases := map[string]struct {
		reason, spec, err string
	}{
		"Own": {"A part of the function itself is resolved.", `"%sRef":{"name":"b-greet"}`, ""},
		"Other": {
			"One of another function is an error.",
			`"%sRef":{"name":"a-cart"}`,
			"shop/a-cart belongs to function cart, not to greet",
		},
		"Selector": {
			"A selector passes over it, though it is older.",
			`"%sSelector":{"matchLabels":{"app":"shop"}}`,
			"",
		},
	}
	for kind, k := range kinds {
		for name, tc := range cases {
			t.Run(kind+name, func(t *testing.T) {
				mg := k.new()
				spec := fmt.Sprintf(tc.spec, k.field)
				text := `{"spec":{"forProvider":{"functionNameRef":{"name":"greet"},` + spec + `}}}`
				if err := json.Unmarshal([]byte(text), mg); err != nil {
					t.Fatal(err)
				}
				mg.SetNamespace("shop")
				err := (&references{reader: c}).resolve(t.Context(), mg, nil)
				if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s\nerror: want %q, got %v", tc.reason, tc.err, err)
				}
				if got, _ := json.Marshal(mg); err == nil && !strings.Contains(string(got), `"b-greet"`) {
					t.Errorf("%s\nresolved: %s", tc.reason, got)
				}
			})
		}
	}
}

// TestOptionalTarget checks that an optional reference does not lead to calls without the name that they are about.
func TestOptionalTarget(t *testing.T) {
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	r := &references{
		reader: fake.NewClientBuilder().WithScheme(s).Build(),
		kind: reconcile.Kind[reconcile.Managed]{
			References: reconcile.References,
			ActsOn:     func(reconcile.Managed) []tenancy.Target { return nil },
		},
	}
	for mg, field := range map[reconcile.Managed]string{
		&v1beta1.Alias{}: "functionName", &v1beta1.EventSourceMapping{}: "functionName", &v1beta1.Version{}: "functionName",
		&v1beta1.Invocation{}: "functionName", &v1beta1.LayerVersionPermission{}: "layerVersionArn",
	} {
		for set, value := range map[string]string{
			field + "Ref":      `{"name":"greet","policy":{"resolution":"Optional"}}`,
			field + "Selector": `{"matchLabels":{"app":"shop"},"policy":{"resolution":"Optional"}}`,
		} {
			t.Run(fmt.Sprintf("%T/%s", mg, set), func(t *testing.T) {
				mg := reconcile.CopyOf(mg)
				if err := json.Unmarshal([]byte(`{"spec":{"forProvider":{"`+set+`":`+value+`}}}`), mg); err != nil {
					t.Fatal(err)
				}
				mg.SetNamespace("shop")
				want := "cannot resolve spec.forProvider." + set + ": it refers to no "
				if err := r.resolve(t.Context(), mg, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("error: want %q, got %v", want, err)
				}
				meta.SetExternalName(mg, "greet")
				if err := r.resolve(t.Context(), mg, nil); err != nil {
					t.Errorf("the external name may say what it is about: %v", err)
				}
			})
		}
	}
}

func TestReferrerRequests(t *testing.T) {
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	byName, bySelector, byBoth, apart := samples.New(), samples.New(), samples.New(), samples.New()
	byName.Name, byName.Spec.OtherRef = "by-name", &xpv2.NamespacedReference{Name: "basket"}
	bySelector.Name, bySelector.Spec.OtherSelector = "by-selector", &xpv2.NamespacedSelector{}
	always := &xpv2.Policy{Resolve: ptr.To(xpv2.ResolvePolicyAlways)}
	byBoth.Name, byBoth.Spec.OtherRef = "by-both", &xpv2.NamespacedReference{Name: "bag"}
	byBoth.Spec.OtherSelector = &xpv2.NamespacedSelector{Policy: always}
	apart.Name, apart.Spec.OtherRef = "apart", &xpv2.NamespacedReference{Name: "basket", Namespace: "bank"}
	waiting := samples.New()
	waiting.Name, waiting.Spec.OtherRef = "waiting", byName.Spec.OtherRef
	byLabel, byOtherLabel, byController := samples.New(), samples.New(), samples.New()
	byLabel.Name, byLabel.Spec.OtherSelector = "by-label", &xpv2.NamespacedSelector{
		MatchLabels: map[string]string{"app": "shop"},
	}
	byOtherLabel.Name, byOtherLabel.Spec.OtherSelector = "by-other-label", &xpv2.NamespacedSelector{
		MatchLabels: map[string]string{"app": "bank"},
	}
	byController.Name, byController.Spec.OtherSelector = "by-controller", &xpv2.NamespacedSelector{
		MatchLabels:        byLabel.Spec.OtherSelector.MatchLabels,
		MatchControllerRef: ptr.To(true),
	}
	owned := func(b *sample) { b.OwnerReferences = []metav1.OwnerReference{{UID: "xr", Controller: ptr.To(true)}} }
	owned(byController)
	for _, mg := range []*sample{byName, bySelector, byBoth, apart, byLabel, byOtherLabel, byController} {
		mg.Generation = 1
		mg.SetObservedGeneration(1)
		mg.SetConditions(reconcile.Available(1), xpv2.ReconcileSuccess())
	}
	k := reconcile.Kind[*sample]{}
	refer(nil, &k)
	c := fake.NewClientBuilder().
		WithScheme(s).
		WithObjects(byName, bySelector, byBoth, apart, waiting, byLabel, byOtherLabel, byController).
		WithIndex(&sample{}, watch.ReferenceIndex, func(o client.Object) []string {
			return watch.ReferenceKeys(k.References(o.(*sample)), o) //nolint:forcetypeassert // It is one.
		}).
		Build()

	before := basket("basket", "one")
	changed := func(fs ...func(*sample)) event.UpdateEvent {
		before, after := basket("basket", "one"), basket("basket", "one")
		for i, f := range fs {
			f(after)
			if i < len(fs)-1 {
				f(before)
			}
		}
		return event.UpdateEvent{ObjectOld: before, ObjectNew: after}
	}
	conditions := func(c xpv2.Condition) func(*sample) { return func(b *sample) { b.SetConditions(c) } }
	ready, creating, updating := conditions(reconcile.Available(1)), conditions(reconcile.Creating(1, "")),
		conditions(reconcile.Updating(1, ""))
	all := []string{"shop/by-both", "shop/by-label", "shop/by-name", "shop/by-selector", "shop/waiting"}
	selecting := []string{"shop/by-both", "shop/by-label", "shop/by-selector"}
	cases := map[string]struct {
		reason  string
		follows bool
		event   any
		want    []string
	}{
		"Comes": {reason: "What was waited for is there.", event: event.CreateEvent{Object: before}, want: all},
		"WasThere": {
			reason: "At the start all are looked at anyway.",
			event:  event.CreateEvent{Object: before, IsInInitialList: true},
		},
		"Goes": {
			reason: "What is gone may be selected no more.",
			event:  event.DeleteEvent{Object: before},
			want:   all,
		},
		"Renamed": {
			reason: "The reference has another value.",
			event:  changed(func(b *sample) { meta.SetExternalName(b, "two") }),
			want:   all,
		},
		"Created": {reason: "What was refused before may work now.", event: changed(ready), want: all},
		"Again":   {reason: "What was within it is lost.", event: changed(creating, ready), want: all},
		"Updated": {
			reason: "Only what waits may work now.",
			event:  changed(updating, ready),
			want:   []string{"shop/waiting"},
		},
		"Followed": {
			reason:  "What follows it has something to do.",
			follows: true,
			event:   changed(updating, ready),
			want:    all,
		},
		"Updating": {reason: "It goes on once the change has ended.", follows: true, event: changed(ready, updating)},
		"Labelled": {
			reason: "A selector may match another.",
			event:  changed(func(b *sample) { b.Labels = nil }),
			want:   selecting,
		},
		"Relabelled": {
			reason: "Selectors of the labels that it had and has are concerned.",
			event:  changed(func(b *sample) { b.Labels["app"] = "bank" }),
			want:   []string{"shop/by-both", "shop/by-label", "shop/by-other-label", "shop/by-selector"},
		},
		"Owned": {
			reason: "A selector may ask for the same controller.",
			event:  changed(owned),
			want:   []string{"shop/by-both", "shop/by-controller", "shop/by-label", "shop/by-selector"},
		},
		"Unrelated": {
			reason: "A change of other fields requeues nothing.",
			event:  changed(func(b *sample) { b.Spec.Value = "x" }),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var marked []string
			users := watch.Dependents{
				Resources: c, Index: watch.ReferenceIndex,
				NewList: func() client.ObjectList { return &samples.SampleList{} },
				Changed: func(n types.NamespacedName, _ string) { marked = append(marked, n.String()) },
			}
			k := k
			k.References = func(*sample) []reconcile.Reference {
				return []reconcile.Reference{{Follows: tc.follows}}
			}
			enqueued := samples.Enqueued(
				t.Context(),
				predicate.Funcs{},
				watch.DependentsHandler(k.Untyped(), users, samples.GVK),
				tc.event,
			)
			slices.Sort(marked)
			marked = slices.Compact(marked) // Both the old and the new object of an update are mapped.
			if diff := cmp.Diff(tc.want, marked); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}
			if len(enqueued) != len(tc.want) {
				t.Errorf("%s\n%d are enqueued, want %d", tc.reason, len(enqueued), len(tc.want))
			}
		})
	}
}

// lists counts the lists of a reader that has nothing.
type lists struct {
	client.Reader

	count int
}

func (l *lists) List(context.Context, client.ObjectList, ...client.ListOption) error {
	l.count++
	return nil
}

// TestManyLabels changes a label of an object that has as many as the API server stores. All events of its kind wait
// for this one, and every kind that refers to it handles it.
func TestManyLabels(t *testing.T) {
	before := basket("basket", "one")
	before.Labels = map[string]string{}
	for i := range 50_000 {
		before.Labels[fmt.Sprint("l", i)] = ""
	}
	after := before.DeepCopyObject().(*sample) //nolint:forcetypeassert // It is a copy.
	after.Labels["l0"] = "changed"
	reader := &lists{}
	users := watch.Dependents{
		Resources: reader,
		Index:     watch.ReferenceIndex,
		NewList:   func() client.ObjectList { return &samples.SampleList{} },
	}
	k := reconcile.Kind[*sample]{}
	samples.Enqueued(
		t.Context(),
		predicate.Funcs{},
		watch.DependentsHandler(k.Untyped(), users, samples.GVK),
		event.UpdateEvent{ObjectOld: before, ObjectNew: after},
	)
	if reader.count == 0 || reader.count > 1000 {
		t.Errorf("%d lists for one event", reader.count)
	}
}

func TestFreshness(t *testing.T) {
	seen := map[string]time.Duration{}
	e := newEnv(t, samples.New())
	known := memory.Resource{}
	age := func(label string) {
		p := e.reconciler.newPass(e.stored(), known)
		f := p.fresh(p.priority())
		seen[label] = f.Now.Sub(f.Since)
	}
	age("new")
	e.converge()
	age("converged")
	e.reconciler.kind.PollAge = 30 * time.Minute
	age("hardly changing")
	e.change(func(mg *sample) { mg.Generation, mg.Spec.Value = 2, "b" })
	age("changed")
	e.change(func(mg *sample) {
		meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"})
	})
	age("requested")
	e.change(func(mg *sample) { mg.SetAnnotations(nil) })
	e.converge()
	e.change(func(mg *sample) { meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyPollInterval: "4m"}) })
	age("polled often")
	e.change(func(mg *sample) { mg.SetAnnotations(nil) })
	known.Events.Received = e.clock.Add(-time.Minute)
	age("event")
	want := map[string]time.Duration{
		"event":           time.Minute,
		"polled often":    2 * time.Minute,
		"requested":       0,
		"new":             2 * time.Second,
		"converged":       5 * time.Minute,
		"hardly changing": 30 * time.Minute,
		"changed":         2 * time.Second,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf(
			"a shared answer is to be new where the user asks for a look, recent where the user waits, and at most half a poll interval old else, or older if the kind says so: %s",
			diff,
		)
	}
}
