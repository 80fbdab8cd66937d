package manager

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// tenantsEnv is a provider of two namespaces that share a ClusterProviderConfig. One of them has a Ready Function
// checkout, with an alias.
type tenantsEnv struct {
	*env

	shop, attacker string
	shares         *v1beta1.ClusterProviderConfig
	checkout       *v1beta1.Function
}

func newTenantsEnv(t *testing.T) *tenantsEnv {
	t.Helper()
	attacker := suite.Cluster(t).Namespace(t)
	r := &tenantsEnv{attacker: attacker}
	r.env = newEnv(t, awsdouble.Options{}, func(o *Options) { o.Namespaces = append(o.Namespaces, attacker) })
	r.shop = r.ns
	r.shares = &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: r.shop}}
	r.shares.Spec.Credentials.Source = v1beta1.CredentialsSourceNone
	r.shares.Spec.Endpoint = &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
		Type:   v1beta1.EndpointURLTypeStatic,
		Static: ptr.To(r.double.URL()),
	}}
	r.checkout = r.function("checkout", func(f *v1beta1.Function) {
		f.Spec.ProviderConfigReference = r.shared()
		f.Spec.ForProvider.Publish = ptr.To(true)
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"STAGE": "shop"}}
	})
	r.create(r.shares, r.checkout)
	r.ready(r.checkout)
	return r
}

func (r *tenantsEnv) shared() *xpv2.ProviderConfigReference {
	return &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: r.shop}
}

// attempts returns resources of the other namespace that name the function.
func (r *tenantsEnv) attempts() map[string]reconcile.Managed {
	name := func(n string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: n, Namespace: r.attacker} }
	spec := xpv2.ManagedResourceSpec{ProviderConfigReference: r.shared()}
	checkout, arn := ptr.To("checkout"), r.checkout.Status.AtProvider.FunctionArn
	fn := v1beta1.ConfiguredFunction{Regional: v1beta1.Regional{Region: region}, FunctionName: checkout}
	return map[string]reconcile.Managed{
		"Alias": &v1beta1.Alias{ObjectMeta: name("evil"), Spec: v1beta1.AliasSpec{
			ManagedResourceSpec: spec,
			ForProvider: v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: region},
					FunctionName: checkout,
				},
				AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("1")},
			},
		}},
		"Permission": &v1beta1.Permission{
			ObjectMeta: name("evil"),
			Spec: v1beta1.PermissionSpec{ManagedResourceSpec: spec, ForProvider: v1beta1.PermissionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: region},
					FunctionName: checkout,
				},
				Action: ptr.To("lambda:InvokeFunction"),
				Principal: ptr.To(
					"111122223333"),
			}},
		},
		"FunctionURL": &v1beta1.FunctionURL{
			ObjectMeta: name("evil"),
			Spec: v1beta1.FunctionURLSpec{ManagedResourceSpec: spec, ForProvider: v1beta1.FunctionURLParameters{
				ConfiguredFunction: fn, FunctionURLSettings: v1beta1.FunctionURLSettings{AuthType: ptr.To("NONE")},
			}},
		},
		"ByExternalName": &v1beta1.FunctionURL{
			ObjectMeta: metav1.ObjectMeta{
				Name: "named", Namespace: r.attacker,
				Annotations: map[string]string{meta.AnnotationKeyExternalName: "checkout:$LATEST"},
			},
			Spec: v1beta1.FunctionURLSpec{
				ManagedResourceSpec: xpv2.ManagedResourceSpec{
					ProviderConfigReference: r.shared(),
					ManagementPolicies:      xpv2.ManagementPolicies{xpv2.ManagementActionObserve},
				},
				ForProvider: v1beta1.FunctionURLParameters{ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional: v1beta1.Regional{Region: region},
				}},
			},
		},
		"FunctionEventInvokeConfig": &v1beta1.FunctionEventInvokeConfig{
			ObjectMeta: name("evil"),
			Spec: v1beta1.FunctionEventInvokeConfigSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.FunctionEventInvokeConfigParameters{
					ConfiguredFunction: fn,
					FunctionEventInvokeConfigSettings: v1beta1.FunctionEventInvokeConfigSettings{
						MaximumRetryAttempts: ptr.To[int32](0),
					},
				},
			},
		},
		"RuntimeManagementConfig": &v1beta1.RuntimeManagementConfig{
			ObjectMeta: name("evil"),
			Spec: v1beta1.RuntimeManagementConfigSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.RuntimeManagementConfigParameters{
					ConfiguredFunction: fn, RuntimeManagementConfigSettings: v1beta1.RuntimeManagementConfigSettings{
						UpdateRuntimeOn: ptr.To("FunctionUpdate"),
					},
				},
			},
		},
		"Version": &v1beta1.Version{ObjectMeta: name("evil"), Spec: v1beta1.VersionSpec{
			ManagedResourceSpec: spec,
			ForProvider: v1beta1.VersionParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: region},
					FunctionName: checkout,
				},
			},
		}},
		"Invocation": &v1beta1.Invocation{
			ObjectMeta: name("evil"),
			Spec: v1beta1.InvocationSpec{ManagedResourceSpec: spec, ForProvider: v1beta1.InvocationParameters{
				Regional: v1beta1.Regional{Region: region}, FunctionName: arn, Payload: ptr.To("{}"),
			}},
		},
		"EventSourceMapping": &v1beta1.EventSourceMapping{
			ObjectMeta: name("evil"),
			Spec: v1beta1.EventSourceMappingSpec{
				ManagedResourceSpec: spec,
				ForProvider: v1beta1.EventSourceMappingParameters{
					Regional: v1beta1.Regional{Region: region}, FunctionName: arn, EventSourceArn: ptr.To(ordersQueue),
				},
			},
		},
		"ResourcePolicy": &v1beta1.ResourcePolicy{
			ObjectMeta: name("evil"),
			Spec: v1beta1.ResourcePolicySpec{ManagedResourceSpec: spec, ForProvider: v1beta1.ResourcePolicyParameters{
				Regional: v1beta1.Regional{
					Region: region,
				},
				ResourceArn: arn,
				Policy: ptr.To(
					`{"Statement": {"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "lambda:InvokeFunction", "Resource": "*"}}`,
				),
			}},
		},
		"Reader": r.other("reader", func(f *v1beta1.Function) {
			f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			f.Spec.ForProvider.FunctionSettings = v1beta1.FunctionSettings{}
		}),
	}
}

// other returns a Function of the other namespace that names the same function.
func (r *tenantsEnv) other(name string, change ...func(*v1beta1.Function)) *v1beta1.Function {
	return r.function(name, append([]func(*v1beta1.Function){func(f *v1beta1.Function) {
		f.Namespace = r.attacker
		f.Spec.ProviderConfigReference = r.shared()
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "evil"}}
		f.Annotations = map[string]string{meta.AnnotationKeyExternalName: "checkout", v1beta1.AnnotationAdopt: "true"}
	}}, change...)...)
}

// refused waits until both conditions say why a resource is not allowed in AWS.
func (r *tenantsEnv) refused(mg reconcile.Managed, what string) {
	r.Helper()
	var synced, ready xpv2.Condition
	defer func() {
		if r.Failed() {
			r.Logf("%T: %+v %+v", mg, synced, ready)
		}
	}()
	r.until(fmt.Sprintf("%T %s says %q", mg, mg.GetName(), what), func() bool {
		r.get(mg)
		synced, ready = mg.GetCondition(xpv2.TypeSynced), mg.GetCondition(xpv2.TypeReady)
		return synced.Status == corev1.ConditionFalse && strings.Contains(synced.Message, what) &&
			ready.Status == corev1.ConditionFalse && strings.Contains(ready.Message, what)
	})
}

// allow allows the other namespace on an object. An empty value revokes it.
func (r *tenantsEnv) allow(o client.Object, namespaces string) {
	r.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1beta1.AnnotationAllowedNamespaces, namespaces)
	if err := r.kube.Patch(r.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		r.Fatal(err)
	}
}

// TestTenantsOfOneConfig lets a namespace name the function of another one, before and after that is allowed.
func TestTenantsOfOneConfig(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	before := r.config("checkout").Configuration
	r.double.ResetCalls()
	belongs := "function checkout belongs to Function " + r.shop + "/checkout"
	attempts := r.attempts()
	kinds := slices.Sorted(maps.Keys(attempts))
	attacker := r.other("thief")
	r.create(attacker)
	for _, kind := range kinds {
		r.create(attempts[kind])
	}
	for _, kind := range kinds {
		r.refused(
			attempts[kind],
			belongs+`, which does not allow namespace `+r.attacker+` to use it: set the annotation `+v1beta1.AnnotationAllowedNamespaces+` of Function `+r.shop+`/checkout, or of Namespace `+r.shop+`, to "`+r.attacker+`"`,
		)
	}
	r.refused(attacker,
		belongs+" of this cluster, and cannot be taken over while that resource exists: delete one of the two")
	if calls := r.calls(); len(calls) > 0 {
		t.Errorf("nothing of AWS is to be called for what is refused, got %v", calls)
	}

	// Deleted resources release their ownership.
	r.remove(attempts["Permission"])
	r.gone(attempts["Permission"])
	r.remove(attacker)
	r.gone(attacker)
	if calls := r.double.Calls(); slices.ContainsFunc(calls,
		func(c awsdouble.Call) bool { return !strings.HasPrefix(c.Operation, "Get") }) {
		t.Errorf("a deletion must leave alone what is not its own, got %v", calls)
	}
	if after := r.config("checkout").Configuration; *after.RevisionId != *before.RevisionId {
		t.Errorf("the function was changed: %+v", after)
	}

	r.allow(r.checkout, "x, "+r.attacker)
	for _, kind := range kinds {
		if kind != "Permission" && kind != "ByExternalName" {
			r.ready(attempts[kind])
		}
	}

	// What was created while it was allowed is deleted once it no longer is, and the resource itself can be deleted.
	r.double.ResetCalls()
	r.allow(r.checkout, "")
	alias, invocation := attempts["Alias"], attempts["Invocation"]
	r.refused(alias, belongs)
	for _, operation := range []string{
		"DeleteAlias", "DeleteFunctionUrlConfig", "DeleteFunctionEventInvokeConfig",
		"DeleteEventSourceMapping", "DeleteResourcePolicy",
	} {
		r.until(operation+" is called", func() bool { return r.double.Count(operation) == 1 })
	}
	r.remove(alias)
	r.gone(alias)
	r.remove(invocation)
	r.gone(invocation)
	if r.double.Count("DeleteAlias") != 1 || r.double.Count("Invoke") != 0 || r.double.Count("DeleteFunction") != 0 {
		t.Errorf("nothing else is to be deleted, got %v", r.double.Calls())
	}
}

// TestTenantsAdoptOnlyOrphans checks that another namespace can take over a function once its first owner has
// released it, in either order.
func TestTenantsAdoptOnlyOrphans(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	sibling := r.other("sibling", func(f *v1beta1.Function) { f.Namespace = r.shop })
	r.create(sibling)
	r.refused(sibling, "delete one of the two; to move it here, first delete the other with managementPolicies that "+
		"do not include Delete")
	edit(r.env, r.checkout, func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate,
			xpv2.ManagementActionUpdate,
		}
	})
	r.remove(r.checkout)
	r.gone(r.checkout)
	r.reconcile(sibling)
	r.ready(sibling)
	if got := r.config("checkout").Tags[ownership.TagName]; got != "sibling" {
		t.Errorf("the function is to be the other's now, its tags say %q", got)
	}
}

// TestTenantsWhoTrustEachOther covers a config that removes the isolation between its namespaces, and one that
// isolates them by function names.
func TestTenantsWhoTrustEachOther(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	p, attacker := r.attempts()["Permission"], r.other("thief")
	r.create(p, attacker)
	r.refused(p, "belongs to Function")
	r.configure(func(c *v1beta1.ClusterProviderConfigSpec) { c.NamespaceIsolation = v1beta1.NamespaceIsolationNone })
	r.ready(p)
	r.refused(attacker, "belongs to Function")

	r.configure(func(c *v1beta1.ClusterProviderConfigSpec) {
		c.FunctionNames = []v1beta1.FunctionNameRule{{
			Namespaces: []string{r.shop},
			Prefixes:   []v1beta1.FunctionNamePrefix{"check"},
		}, {Prefixes: []v1beta1.FunctionNamePrefix{"{namespace}_"}}}
	})
	rule := `spec.functionNames of ClusterProviderConfig "` + r.shop + `" allows namespace "` + r.attacker + `" only functions whose names start with "` + r.attacker + `_", not checkout`
	r.refused(p, rule)
	r.refused(attacker, rule)
	mine := r.other("mine", func(f *v1beta1.Function) {
		f.Annotations = map[string]string{meta.AnnotationKeyExternalName: r.attacker[:30] + "_x"}
	})
	r.create(mine)
	r.refused(mine, "spec.functionNames")
	r.reconcile(r.checkout)
	r.ready(r.checkout)

	// A function that was created before the rule is deleted nevertheless.
	r.double.ResetCalls()
	r.remove(p)
	r.gone(p)
	if r.double.Count("RemovePermission") != 1 {
		t.Errorf("a rule must not keep a resource from deleting what it made, got %v", r.double.Calls())
	}
}

// TestTenantsOutsideOfAConfig checks that the annotations of resources that the config does not serve keep nothing from
// the namespaces that it does serve.
func TestTenantsOutsideOfAConfig(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	if _, err := r.aws.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("legacy"), Publish: true,
		Role: r.checkout.Spec.ForProvider.Role, PackageType: lambdatypes.PackageTypeImage,
		Code: &lambdatypes.FunctionCode{ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/theirs:v1")},
	}); err != nil {
		t.Fatal(err)
	}
	r.configure(func(c *v1beta1.ClusterProviderConfigSpec) {
		c.AllowedNamespaces = &v1beta1.AllowedNamespaces{Names: []string{r.shop}}
	})
	squatter := r.other("squatter", func(f *v1beta1.Function) {
		f.Annotations = map[string]string{meta.AnnotationKeyExternalName: "legacy"}
		meta.SetExternalCreatePending(f, time.Now())
	})
	legacy := func(namespace string) *v1beta1.Alias {
		return r.alias("live", func(a *v1beta1.Alias) {
			a.Namespace, a.Spec.ProviderConfigReference = namespace, r.shared()
			a.Spec.ForProvider = v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:     v1beta1.Regional{Region: region},
					FunctionName: ptr.To("legacy"),
				},
			}
			a.Spec.ForProvider.FunctionVersion = ptr.To("1")
		})
	}
	forged, live := legacy(r.attacker), legacy(r.shop)
	r.create(squatter, forged)
	r.until("the annotations are forged", func() bool {
		r.get(forged)
		meta.AddAnnotations(forged, ownership.Name(forged, "live"))
		return r.kube.Update(t.Context(), forged) == nil
	})
	r.create(live)
	r.ready(live)
	r.remove(live)
	r.gone(live)
	if _, left := r.double.Alias("legacy", "live"); left {
		t.Error("the alias that it created is left in AWS, as if it were that of the other namespace")
	}
}

// configure changes the config, and waits until the provider has seen that: what it allowed before, it may still do.
func (r *tenantsEnv) configure(change func(*v1beta1.ClusterProviderConfigSpec)) {
	r.Helper()
	r.until("the config is changed", func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(r.shares), r.shares); err != nil {
			r.Fatal(err)
		}
		change(&r.shares.Spec)
		return r.kube.Update(r.Context(), r.shares) == nil
	})
	changed := r.shares.GetGeneration()
	r.until("the provider has seen the config", func() bool {
		if err := r.kube.Get(r.Context(), client.ObjectKeyFromObject(r.shares), r.shares); err != nil {
			r.Fatal(err)
		}
		return r.shares.GetCondition(xpv2.TypeReady).ObservedGeneration >= changed
	})
}

// TestReferencesAcrossNamespaces checks that such references are refused until the object or its Namespace allows them.
func TestReferencesAcrossNamespaces(t *testing.T) {
	t.Parallel()
	r := newTenantsEnv(t)
	to := func(mg reconcile.Managed, name string) *v1beta1.Alias {
		a := mg.DeepCopyObject().(*v1beta1.Alias) //nolint:forcetypeassert // It is one.
		a.Name, a.Spec.ForProvider.FunctionName = name, nil
		a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "checkout", Namespace: r.shop}
		return a
	}
	alias := r.attempts()["Alias"]
	a, absent := to(alias, "a"), to(alias, "b")
	absent.Spec.ForProvider.FunctionNameRef.Name = "secret"
	selected := to(alias, "c")
	selected.Spec.ForProvider.FunctionNameRef = nil
	selected.Spec.ForProvider.FunctionNameSelector = &xpv2.NamespacedSelector{
		Namespace:   r.shop,
		MatchLabels: map[string]string{"app": "shop"},
	}
	edit(r.env, r.checkout, func(f *v1beta1.Function) { f.Labels = map[string]string{"app": "shop"} })
	r.create(a, absent, selected)
	const may = "namespace "
	r.refused(a, may+r.attacker+" may not refer to Function "+r.shop+"/checkout: set the annotation")
	r.refused(absent, may+r.attacker+" may not refer to Function "+r.shop+"/secret: set the annotation")
	r.refused(selected, may+r.attacker+" may not refer to any Function in namespace "+r.shop)
	r.allow(r.checkout, tenancy.AnyNamespace)
	r.ready(a)
	r.ready(selected)
	r.refused(absent, "may not refer to")
	r.allow(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.shop}}, r.attacker)
	r.refused(absent, "Function "+r.shop+"/secret does not exist")
}
