package alias

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// publishers are a Function and a Version with the code that they have published, in namespace ns.
type publishers struct {
	client.Reader

	function, version []v1beta1.PublishedCode
}

func (p publishers) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	switch o := obj.(type) {
	case *v1beta1.Function:
		o.Status.AtProvider.PublishedCode = p.function
	case *v1beta1.Version:
		o.Status.AtProvider.PublishedCode = p.version
	}
	if key.Namespace != "ns" {
		panic("another namespace is read: " + key.String())
	}
	return nil
}

// TestServedCode checks that status has the code of the versions that an alias without a rollout invokes.
func TestServedCode(t *testing.T) {
	one, two := v1beta1.PublishedCode{
		Version:  "1",
		Revision: "a",
	}, v1beta1.PublishedCode{
		Version:  "2",
		Revision: "b",
		Verified: "alice",
	}
	function, version := &xpv2.NamespacedReference{Name: "cart"}, &xpv2.NamespacedReference{Name: "release"}
	all := []v1beta1.PublishedCode{two, one}
	cases := map[string]struct {
		reason string
		p      publishers
		change func(*v1beta1.Alias)
		want   []v1beta1.PublishedCode
	}{
		"Function": {
			reason: "The Function has published the version.",
			p:      publishers{function: all},
			change: func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionNameRef = function },
			want:   []v1beta1.PublishedCode{one},
		},
		"Weights": {
			reason: "The other version that receives invocations follows.", p: publishers{function: all},
			change: func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionNameRef, a.Spec.ForProvider.RoutingConfig = function, weighted(t, "2", "0.1")
			},
			want: []v1beta1.PublishedCode{one, two},
		},
		"Version": {
			reason: "A Version has published it.",
			p:      publishers{version: all},
			change: func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionVersionRef = version },
			want:   []v1beta1.PublishedCode{one},
		},
		"Both": {
			reason: "The Function and a Version have published one each.",
			p:      publishers{function: all[:1], version: all[1:]},
			change: func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionNameRef, a.Spec.ForProvider.FunctionVersionRef = function, version
				a.Spec.ForProvider.RoutingConfig = weighted(t, "2", "0.1")
			},
			want: []v1beta1.PublishedCode{one, two},
		},
		"Unreferenced": {
			reason: "Without a reference, nothing is known.",
			p:      publishers{function: all, version: all},
			change: func(*v1beta1.Alias) {},
		},
		"OtherNamespace": {
			reason: "Another namespace is not read for it.", p: publishers{function: all},
			change: func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart", Namespace: "other"}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.Observer = func() reconcile.Observer[*v1beta1.Alias] {
				return (&external{api: e.Lambda, functions: tc.p, cache: e.Cache, now: e.Now}).resource()
			}
			a := testAlias(tc.change)
			e.Converge(a)
			e.Reconcile(a)
			if diff := cmp.Diff(tc.want, a.Status.AtProvider.ServedCode); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if slices.Contains(e.Operations(), "GetFunction") {
				t.Error("no call is made for it")
			}
		})
	}
}
