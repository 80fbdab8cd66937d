//go:build flux

package flux

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func (e *env) create(objects ...client.Object) {
	e.Helper()
	for _, o := range objects {
		o.SetNamespace(e.ns)
		must(e.T, e.kube.Create(e.Context(), o))
	}
}

// config creates the provider's config.
func (e *env) config(p *v1beta1.CodePolicy) {
	e.Helper()
	e.create(&v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		Spec: v1beta1.ProviderConfigSpec{
			Credentials: v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone},
			ConnectionSpec: v1beta1.ConnectionSpec{
				Code: p,
				Endpoint: &v1beta1.EndpointConfig{
					URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(e.double.URL())},
				},
			},
		},
	})
}

// source creates a source of Flux, which fetches once an hour, and otherwise when it is asked to.
func (e *env) source(kind, name string, spec map[string]any) *unstructured.Unstructured {
	e.Helper()
	spec["interval"] = "1h"
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion("source.toolkit.fluxcd.io/v1")
	u.SetKind(kind)
	u.SetName(name)
	e.create(u)
	return u
}

// fetch asks source-controller to fetch a source, as a webhook or `flux reconcile` does.
func (e *env) fetch(u *unstructured.Unstructured) {
	e.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`,
		time.Now().Format(time.RFC3339Nano))
	must(e.T, e.kube.Patch(e.Context(), u, client.RawPatch("application/merge-patch+json", patch)))
}

// condition returns the status and the message of a condition of a source.
func (e *env) condition(u *unstructured.Unstructured, of string) (status, message string) {
	e.Helper()
	must(e.T, e.kube.Get(e.Context(), client.ObjectKeyFromObject(u), u))
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range all {
		if c, ok := c.(map[string]any); ok && c["type"] == of {
			return fmt.Sprint(c["status"]), fmt.Sprint(c["message"])
		}
	}
	return "", ""
}

// function creates a Function with the code of a source.
func (e *env) function(name, kind, source string, path *string) *v1beta1.Function {
	e.Helper()
	f := &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1beta1.FunctionSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.FunctionParameters{
				Regional: v1beta1.Regional{Region: region},
				FunctionSettings: v1beta1.FunctionSettings{
					Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"),
					Role: ptr.To("arn:aws:iam::" + awsdouble.DefaultAccount + ":role/r"),
					Code: &v1beta1.FunctionCode{
						SourceRef: &v1beta1.SourceReference{Kind: kind, Name: source, Path: path},
					},
				},
			},
		},
	}
	e.create(f)
	return f
}

// deployed waits until a Function has the code of a revision, and returns its status.
func (e *env) deployed(f *v1beta1.Function, revision string) *v1beta1.DeployedCode {
	e.Helper()
	e.until(f.GetName()+" has revision "+revision, func() error {
		must(e.T, e.kube.Get(e.Context(), client.ObjectKeyFromObject(f), f))
		d, ready := f.Status.AtProvider.DeployedCode, f.GetCondition(xpv2.TypeReady)
		if d == nil || d.Revision != revision || ready.Status != "True" ||
			d.CodeSHA256 != ptr.Deref(f.Status.AtProvider.CodeSHA256, "") {
			return fmt.Errorf("it has %+v, Ready %s: %s; Synced: %s", d, ready.Status, ready.Message,
				f.GetCondition(xpv2.TypeSynced).Message)
		}
		return nil
	})
	return f.Status.AtProvider.DeployedCode
}

// reconcile requests a reconcile of a Function, and waits until the provider has handled it.
func (e *env) reconcile(f *v1beta1.Function) {
	e.Helper()
	token := time.Now().Format(time.RFC3339Nano)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"crossplane.io/reconcile-requested-at":%q}}}`, token)
	must(e.T, e.kube.Patch(e.Context(), f, client.RawPatch("application/merge-patch+json", patch)))
	e.until("the provider has reconciled "+f.GetName(), func() error {
		must(e.T, e.kube.Get(e.Context(), client.ObjectKeyFromObject(f), f))
		if got := f.GetLastHandledReconcileAt(); got != token {
			return fmt.Errorf("the last request that it has handled is %q", got)
		}
		return nil
	})
}
