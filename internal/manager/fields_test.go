package manager

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// iamRole is a kind of another provider, unknown to this one.
var iamRole = schema.GroupVersionKind{Group: "iam.aws.m.upbound.io", Version: "v1beta1", Kind: "Role"}

// otherKinds is locked by a test that defines a kind and grants rights on it, which affects the whole cluster. It is
// read-locked by a test that needs the set of kinds not to change.
var otherKinds sync.RWMutex

// definition returns a CustomResourceDefinition of the kind, without a schema.
func definition(gvk schema.GroupVersionKind) *apiextensionsv1.CustomResourceDefinition {
	plural := strings.TrimSuffix(strings.ToLower(gvk.Kind)+"s", "ys")
	if strings.HasSuffix(gvk.Kind, "y") {
		plural += "ies"
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + gvk.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: gvk.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: plural, Kind: gvk.Kind,
				ListKind: gvk.Kind + "List", Singular: strings.ToLower(gvk.Kind),
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: gvk.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}
}

// fieldsEnv is a provider with Crossplane's rights and a Function whose role comes from another provider's object.
type fieldsEnv struct {
	*env

	f *v1beta1.Function
}

func newFieldsEnv(t *testing.T) *fieldsEnv {
	t.Helper()
	otherKinds.Lock()
	t.Cleanup(otherKinds.Unlock)
	r := &fieldsEnv{env: newEnv(t, awsdouble.Options{})}
	r.stop() // A provider with other rights takes over.
	r.cfg = r.as("system:serviceaccount:crossplane-system:provider-lambda", crossplanesRules(true))
	t.Cleanup(func() {
		granted := metav1.ObjectMeta{Name: "provider-lambda-references"}
		r.drop(&rbacv1.ClusterRole{ObjectMeta: granted}, &rbacv1.ClusterRoleBinding{ObjectMeta: granted})
	})
	r.start()
	r.f = r.function("cart", func(f *v1beta1.Function) {
		f.Spec.ForProvider.Role = nil
		f.Spec.ForProvider.RoleFrom = &v1beta1.FieldSelector{
			APIVersion: "iam.aws.m.upbound.io/v1beta1", Kind: "Role",
			Name: "checkout", FieldPath: "status.atProvider.arn",
		}
	})
	return r
}

// define defines the other provider's kind until the test ends.
func (r *fieldsEnv) define() { r.defineKind(iamRole) }

// defineKind defines a kind until the test ends.
func (r *fieldsEnv) defineKind(gvk schema.GroupVersionKind) {
	r.Helper()
	crd, roles := definition(gvk), &unstructured.UnstructuredList{}
	roles.SetGroupVersionKind(gvk)
	list := func(ctx context.Context) error { return r.kube.List(ctx, roles, client.InNamespace(r.ns)) }
	r.create(crd)
	r.until("the kind is served", func() bool { return list(r.Context()) == nil })
	r.Cleanup(func() {
		_ = r.kube.Delete(context.Background(), crd)
		r.until("the kind is gone", func() bool {
			return kmeta.IsNoMatchError(list(context.Background())) || kerrors.IsNotFound(list(context.Background()))
		})
	})
}

// grant grants the rights of an example, with these verbs.
func (r *fieldsEnv) grant(verbs ...string) {
	r.Helper()
	for _, o := range objectsIn(r, "../../examples/references/rbac.yaml") {
		if o.GetKind() == "ClusterRole" {
			rules, _, _ := unstructured.NestedSlice(o.Object, "rules")
			for _, rule := range rules {
				if err := unstructured.SetNestedStringSlice(rule.(map[string]any), verbs, "verbs"); err != nil {
					r.Fatal(err)
				}
			}
			o.Object["rules"] = rules
		}
		if err := client.IgnoreNotFound(r.kube.Delete(r.Context(), o.DeepCopy())); err != nil {
			r.Fatal(err)
		}
		r.create(o)
	}
}

// grantFile grants the rights of an example until the test ends.
func (r *fieldsEnv) grantFile(file string) {
	r.Helper()
	for _, o := range objectsIn(r, file) {
		r.create(o)
		r.Cleanup(func() { _ = r.kube.Delete(context.Background(), o) })
	}
}

// objectsIn returns the objects in a file.
func objectsIn(t testing.TB, file string) []*unstructured.Unstructured {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := manifests.Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// untilSynced waits until the message of Synced contains the text.
func (r *fieldsEnv) untilSynced(text string) {
	r.Helper()
	r.until("Synced says: "+text, func() bool {
		r.get(r.f)
		return strings.Contains(r.f.GetCondition(xpv2.TypeSynced).Message, text)
	})
}

// follows waits until the function has the role, and logs how long that took.
func (r *fieldsEnv) follows(arn string) {
	r.Helper()
	began := time.Now()
	r.until("the function has the role "+arn, func() bool {
		r.get(r.f)
		return isReady(r.f) && ptr.Deref(r.f.Status.AtProvider.Role, "") == arn
	})
	if got := ptr.Deref(r.config("cart").Configuration.Role, ""); got != arn {
		r.Errorf("want the role %s in AWS, got %s", arn, got)
	}
	r.Logf("the function has the role %s after %s", arn, time.Since(began).Round(time.Millisecond))
}

// role creates the other provider's role, with this ARN in its status if it is not empty.
func (r *fieldsEnv) role(arn string) *unstructured.Unstructured {
	r.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(iamRole)
	u.SetNamespace(r.ns)
	u.SetName("checkout")
	_, err := controllerutil.CreateOrUpdate(r.Context(), r.kube, u, func() error {
		if arn != "" {
			u.Object["status"] = map[string]any{"atProvider": map[string]any{"arn": arn}}
		}
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	return u
}

// TestFieldOfAnotherProvidersObject creates a Function whose role comes from another provider's object, in a cluster
// that does not even have the kind, and then grants each right.
func TestFieldOfAnotherProvidersObject(t *testing.T) {
	t.Parallel()
	const one, two, three = "arn:aws:iam::123456789012:role/one", "arn:aws:iam::123456789012:role/two", "arn:aws:iam::123456789012:role/three"
	r := newFieldsEnv(t)
	r.create(r.f)
	r.untilSynced("the cluster has no kind Role in iam.aws.m.upbound.io/v1beta1 (cannot resolve " +
		"spec.forProvider.roleFrom: cannot read Role " + r.ns + "/checkout)")
	if n := r.double.Count("CreateFunction"); n != 0 {
		t.Errorf("a function without a role must not be created, got %d calls", n)
	}
	r.define()
	r.reconcile(r.f)
	r.untilSynced(
		`grant the provider's ServiceAccount get, list and watch on roles of API group "iam.aws.m.upbound.io"`,
	)

	// The verb get is enough, but a change is not seen before the next reconcile.
	r.grant("get")
	r.role("")
	r.until("the right is seen", func() bool {
		r.reconcile(r.f)
		return strings.Contains(r.f.GetCondition(xpv2.TypeSynced).Message,
			"Role "+r.ns+"/checkout has no value at status.atProvider.arn yet")
	})
	r.role(one)
	r.reconcile(r.f)
	r.follows(one)

	// With list and watch, a change triggers a reconcile of the function.
	r.grant("get", "list", "watch")
	r.until("the kind is watched",
		func() bool { return strings.Contains(r.logs.String(), "Watching objects that specs refer to") })
	role := r.role(two)
	r.follows(two)

	// A deleted and recreated role is seen without a poll as well.
	if err := r.kube.Delete(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	r.untilSynced("Role " + r.ns + "/checkout does not exist")
	calls := r.double.Count("")
	r.role(three)
	r.follows(three)
	t.Logf("%d calls of AWS for the last change", r.double.Count("")-calls)
	r.remove(r.f)
	r.gone(r.f)
}

// TestFieldThatIsGrantedLater starts without rights. The function is reconciled when they are granted.
func TestFieldThatIsGrantedLater(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:iam::123456789012:role/one"
	r := newFieldsEnv(t)
	r.define()
	r.role(arn)
	r.create(r.f)
	r.untilSynced(
		`grant the provider's ServiceAccount get, list and watch on roles of API group "iam.aws.m.upbound.io"`,
	)
	r.grant("get", "list", "watch")
	r.follows(arn)
}
