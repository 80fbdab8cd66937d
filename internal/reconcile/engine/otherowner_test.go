package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestForeign checks that an import is suggested only if no other existing resource owns the
// external resource.
func TestForeign(t *testing.T) {
	const (
		imported = `alias live of function pay exists and was not created by this resource; to import it, set the annotation crossplane.io/external-name to "live"`
		owned    = "alias live of function pay belongs to Sample shop/other of this cluster: delete one of the two; to move it here, first delete the other with managementPolicies that do not include Delete, then set the annotation crossplane.io/external-name to \"live\""
	)
	ref := &xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"}
	made := func(name, function string, change ...func(*sample)) *sample {
		o := samples.New()
		o.SetName("other")
		o.SetUID("u2")
		meta.AddAnnotations(o, ownership.Name(o, name))
		o.Spec.Other = ptr.To(function)
		o.SetProviderConfigReference(ref)
		for _, c := range change {
			c(o)
		}
		return o
	}
	seen := func(kind, account string) func(*sample) {
		return func(o *sample) {
			o.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: kind, Name: "theirs"})
			o.Status.AccountID = account
		}
	}
	age := func(at int64) func(*sample) {
		return func(o *sample) { o.SetCreationTimestamp(metav1.Unix(at, 0)) }
	}
	cases := map[string]struct {
		reason string
		other  *sample
		wrote  bool
		want   string
	}{
		"Nobody":    {reason: "No resource has it.", want: imported},
		"Other":     {reason: "Another resource has made it.", other: made("live", "pay"), want: owned},
		"OtherName": {reason: "The other resource names another alias.", other: made("beta", "pay"), want: imported},
		"OtherAlias": {
			reason: "The other resource has a statement of this name in the policy of an alias.",
			other: made("live", "pay", func(o *sample) {
				meta.AddAnnotations(o, map[string]string{v1beta1.AnnotationParent: "pay:live"})
			}),
			want: imported,
		},
		"Within": {
			reason: "The other resource has it in the same function.",
			other: made("live", "pay", func(o *sample) {
				meta.AddAnnotations(o, map[string]string{v1beta1.AnnotationParent: "pay"})
			}),
			want: owned,
		},
		"OtherFunction": {
			reason: "The other resource names an alias of another function.",
			other:  made("live", "cart"),
			want:   imported,
		},
		"Observes": {
			reason: "An observe-only resource owns nothing.",
			other: made(
				"live",
				"pay",
				func(o *sample) { o.Spec.ManagementPolicies = xpv2.ManagementPolicies{"Observe"} },
			),
			want: imported,
		},
		"Older": {
			reason: "Both have written the name.",
			wrote:  true,
			other:  made("live", "pay", age(1)),
			want:   owned,
		},
		"Younger": {
			reason: "Both have written the name.",
			wrote:  true,
			other:  made("live", "pay", age(3)),
			want:   imported,
		},
		"OtherConfig": {
			reason: "Another config has the same account.",
			other:  made("live", "pay", seen("ClusterProviderConfig", "123456789012")),
			want:   owned,
		},
		"OtherAccount": {
			reason: "It has another account.",
			other:  made("live", "pay", seen("ClusterProviderConfig", "210987654321")),
			want:   imported,
		},
		"OwnConfig": {
			reason: "The endpoint of a tenant's own config may return any account.",
			other:  made("live", "pay", seen("ProviderConfig", "123456789012")),
			want:   imported,
		},
		"NotMade": {
			reason: "The resource of that name has not created it.",
			other:  made("live", "pay", func(o *sample) { o.SetUID("u3") }),
			want:   imported,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.Spec.Other = ptr.To("pay")
			mg.SetProviderConfigReference(ref)
			mg.SetCreationTimestamp(metav1.Unix(2, 0))
			if tc.wrote {
				meta.AddAnnotations(mg, ownership.Name(mg, "live"))
			}
			var got error
			e := newEnv(t, mg, func(_ *Options, k *reconcile.Kind[*sample]) {
				k.ActsOn = func(mg *sample) []tenancy.Target { return tenancy.Functions(mg.Spec.Other) }
				k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] {
					return reconcile.ObserverFunc[*sample](
						func(ctx context.Context, f reconcile.Facts, _ *sample) (reconcile.Outcome, error) {
							_, got = f.Others.CheckUntaggedOwner(
								ctx,
								mg,
								ownership.Foreign,
								"alias live of function pay",
								"pay",
								"live",
							)
							return reconcile.Outcome{}, got
						},
					)
				}
			})
			e.resolver.account = "123456789012"
			if tc.other != nil {
				if err := e.server.Create(t.Context(), tc.other); err != nil {
					t.Fatal(err)
				}
			}
			e.reconcile()
			if got == nil || got.Error() != tc.want || !ownership.IsForeign(got) {
				t.Errorf("%s\ngot  %v\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
	none := (*reconcile.Others)(nil)
	if _, err := none.CheckUntaggedOwner(
		t.Context(),
		samples.New(),
		ownership.Foreign,
		"alias live of function pay",
		"pay",
		"live",
	); err == nil ||
		err.Error() != imported {
		t.Errorf("without a reconcile: %v", err)
	}
}

// TestCopy checks that a resource that names what another existing resource has, and that has never adopted it, neither
// adopts nor deletes it.
func TestCopy(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*flowSample)
		others []string
		named  map[string]string
		want   []string
	}{
		"Kept": {
			reason: "The two would change it back and forth.",
			edit:   func(*flowSample) {},
			others: []string{"basket"},
			named:  map[string]string{meta.AnnotationKeyExternalName: "basket"},
			want:   []string{"Read"},
		},
		"Free": {
			reason: "Nobody else has it.",
			edit:   func(*flowSample) {},
			named:  map[string]string{meta.AnnotationKeyExternalName: "basket"},
			want:   []string{"Read", "Update"},
		},
		"Copy": {
			edit:   deletedSample,
			reason: "The other resource still has it.",
			others: []string{"basket"},
			named:  map[string]string{meta.AnnotationKeyExternalName: "basket", v1beta1.AnnotationNamedBy: "u2/basket"},
			want:   []string{"Read"},
		},
		"Restored": {
			edit:   deletedSample,
			reason: "The resource of which the backup was made is gone.",
			named:  map[string]string{meta.AnnotationKeyExternalName: "basket", v1beta1.AnnotationNamedBy: "u2/basket"},
			want:   []string{"Read", "Delete"},
		},
		"Adopted": {
			edit:   deletedSample,
			reason: "It was adopted by hand.",
			named:  ownership.Name(newExternalSample(), "basket"),
			want:   []string{"Read", "Delete"},
		},
		"Older": {
			edit:   deletedSample,
			reason: "Both have adopted it at once.",
			others: []string{"basket"},
			named:  ownership.Name(newExternalSample(), "basket"),
			want:   []string{"Read"},
		},
		"Changes": {
			reason: "Both have adopted it at once.",
			edit:   func(*flowSample) {},
			others: []string{"basket"},
			named:  ownership.Name(newExternalSample(), "basket"),
			want:   []string{"Read"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &fakeExternal{there: true, value: "elsewhere", parent: "shop"}
			mg := newExternalSample(tc.edit, func(mg *flowSample) { mg.Annotations = tc.named })
			f := reconcile.Facts{Others: &reconcile.Others{
				Owns: func() []tenancy.Target { return nil }, Claims: func() []tenancy.Target { return nil },
				OtherOwner: func(_ context.Context, _, name string) resource.ModernManaged {
					if !slices.Contains(tc.others, name) {
						return nil
					}
					return newExternalSample(func(mg *flowSample) { mg.Name, mg.UID = "other", "u2" })
				},
			}}
			r := c.resource(reconcile.Calls{Create: "CreateThing", Update: "UpdateThing", Delete: "DeleteThing"})
			r.Owner = nil
			Once(t.Context(), r, f, mg, nil)
			if !slices.Equal(c.calls, tc.want) {
				t.Errorf("%s\ncalls %v, want %v", tc.reason, c.calls, tc.want)
			}
		})
	}
}

// TestClaimOfAReplacement checks that what exists and is to be replaced is not reported as being created while others
// may act on what its replacement is claimed for.
func TestClaimOfAReplacement(t *testing.T) {
	reader, _ := neighbours(t)
	tenants := tenancy.New(reader, reader, time.Now)
	s, claimed := &session.Session{
		AWS: aws.Config{Region: "eu-west-1"},
	}, tenancy.Target{
		Kind: v1beta1.FunctionKind,
		Name: "new",
	}
	other := newExternalSample(func(mg *flowSample) { mg.Namespace, mg.UID = "bank", "u2" })
	leave, err := tenants.Act(t.Context(), tenancy.User{Resource: other, Session: s}, claimed)
	if err != nil {
		t.Fatal(err)
	}
	mg := newExternalSample(func(mg *flowSample) { mg.SetConditions(reconcile.Available(2)) })
	f := reconcile.Facts{Others: &reconcile.Others{
		Registry: tenants,
		User:     tenancy.User{Resource: mg, Session: s},
		Kind:     v1beta1.FunctionKind,
		Owns:     func() []tenancy.Target { return nil },
		Claims:   func() []tenancy.Target { return []tenancy.Target{claimed} },
	}}
	c := &fakeExternal{there: true, value: "elsewhere"}
	r := c.resource(reconcile.Calls{Create: "UpdateThing", Update: "UpdateThing"})
	done := Once(t.Context(), r, f, mg, nil)
	if ready := mg.GetCondition(
		xpv2.TypeReady,
	); ready.Reason != v1beta1.ReasonUpdating || !strings.Contains(ready.Message, "is not created before") ||
		done.After == 0 {
		t.Errorf("comes back after %v, and Ready is %s: %s", done.After, ready.Reason, ready.Message)
	}
	leave()
	Once(t.Context(), r, f, mg, nil)
	if want := []string{"Read", "Read", "Update"}; !slices.Equal(c.calls, want) {
		t.Errorf("calls %v, want %v", c.calls, want)
	}
}

// TestOwnerConfirmedMeanwhile checks that a resource whose annotations say that it has made something does not become
// its owner if AWS has confirmed another one while this one read it.
func TestOwnerConfirmedMeanwhile(t *testing.T) {
	reader, _ := neighbours(t)
	tenants, owner := tenancy.New(reader, reader, time.Now), &v1beta1.Function{}
	if err := reader.Get(t.Context(), client.ObjectKey{Namespace: "bank", Name: "checkout"}, owner); err != nil {
		t.Fatal(err)
	}
	s, target := &session.Session{
		AWS: aws.Config{Region: "eu-west-1"}, Identity: session.Identity{Account: "123456789012"},
	}, tenancy.Functions(ptr.To("checkout"))[0]
	forged := newExternalSample(func(mg *flowSample) { mg.Annotations = ownership.Name(mg, "checkout") })
	o := &reconcile.Others{
		Registry: tenants, User: tenancy.User{Resource: forged, Session: s},
		Owns: func() []tenancy.Target { return []tenancy.Target{target} },
	}
	tenants.Confirm(tenancy.User{Resource: owner, Session: s}, []tenancy.Target{target})
	v, err := o.CheckUntaggedOwner(t.Context(), forged, ownership.Ours, "function checkout", "", "checkout")
	if v.Manageable() || !tenancy.IsRefused(err) {
		t.Errorf("it is %s: %v", v, err)
	}
}
