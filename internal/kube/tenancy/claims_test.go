package tenancy

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

var checkout = Functions(ptr.To("checkout"))[0]

// user returns a Function without status that uses a session.
func user(namespace string, s *session.Session) User {
	return User{Resource: function(namespace, "checkout", ""), Session: s}
}

// unconfirmed returns a user whose own config has an endpoint that returns the account of others.
func unconfirmed(namespace string) User {
	return User{
		Resource: function(namespace, "checkout", "", configured("ProviderConfig", "own")),
		Session: testSession(func(s *session.Session) {
			s.Scope = quota.Scope{Account: quota.Unverified, Region: s.AWS.Region, Config: "own"}
		}),
	}
}

// TestClaim checks who may act on a function from the time before its creation until its owner is confirmed.
func TestClaim(t *testing.T) {
	shop, evil := user("shop", testSession()), user("evil", testSession())
	b := book(t, shop.Resource, evil.Resource)
	const no = "function checkout belongs to Function shop/checkout, which does not allow namespace evil"
	act := func(reason, want string) {
		t.Helper()
		leave, err := b.Act(t.Context(), evil, checkout)
		leave()
		check(t, reason, err, want)
	}
	act("Nobody owns the function.", "")
	check(t, "It is free.", b.Claim(shop, checkout), "")
	act("It is claimed before it is created.", no)
	check(t, "The first claim wins.", b.Claim(evil, checkout), "belongs to Function shop/checkout")
	check(t, "A claim is repeated before each attempt.", b.Claim(shop, checkout), "")
	b.Release(v1beta1.FunctionKind, client.ObjectKeyFromObject(shop.Resource))
	act("The creation has failed.", "")
	check(t, "It is free again.", b.Claim(evil, checkout), "")
	b.Forget(v1beta1.FunctionKind, client.ObjectKeyFromObject(evil.Resource))
	check(t, "The claim is gone with the resource.", b.Claim(shop, checkout), "")
	b.Confirm(shop, []Target{checkout})
	act("The owner is confirmed, though the cache does not have its status.", no)
	if len(b.claims)+len(b.uses) > 0 {
		t.Errorf("kept: %v %v", b.claims, b.uses)
	}
}

// TestClaimWaitsForEachUse checks that a reconcile that acts on several targets with one claim keeps each of them from
// being created until it ends.
func TestClaimWaitsForEachUse(t *testing.T) {
	evil, owned := user("evil", testSession()), Named(ptr.To("arn:aws:lambda:eu-central-1:123456789012:layer:lib:5"))[0]
	lib := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lib", UID: "l"}}
	lib.Spec.ProviderConfigReference = evil.Resource.GetProviderConfigReference()
	mine := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "evil", Name: "lib", UID: "m"}}
	mine.Spec.ProviderConfigReference = evil.Resource.GetProviderConfigReference()
	cases := map[string]struct {
		reason  string
		targets []Target
		owner   User
		claim   Target
	}{
		"Accounts": {
			reason:  "The function with this name in another account is another one.",
			targets: []Target{checkout, Functions(ptr.To(elsewhere))[0]},
			owner:   user("shop", testSession()), claim: checkout,
		},
		"Versions": {
			reason: "The version that somebody owns already is another one.",
			targets: []Target{
				Named(ptr.To("arn:aws:lambda:eu-central-1:123456789012:layer:lib:7"))[0], owned,
			},
			owner: User{Resource: lib, Session: testSession()}, claim: Layer("lib"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := book(t, lib, mine)
			b.Confirm(User{Resource: mine, Session: testSession()}, []Target{owned})
			var leaves []func()
			for _, target := range tc.targets {
				leave, err := b.Act(t.Context(), evil, target)
				check(t, tc.reason, err, "")
				leaves = append(leaves, leave)
			}
			if busy := (*BusyError)(nil); !errors.As(b.Claim(tc.owner, tc.claim), &busy) {
				t.Errorf("%s\nThe creation does not wait.", tc.reason)
			}
			for _, leave := range leaves {
				leave()
			}
			check(t, "The reconcile has ended.", b.Claim(tc.owner, tc.claim), "")
			if len(b.uses) > 0 {
				t.Errorf("kept: %v", b.uses)
			}
		})
	}
}

// TestClaimWaits checks that nothing is created while a reconcile that began before the claim may act on it.
func TestClaimWaits(t *testing.T) {
	cases := map[string]struct {
		reason string
		by     User
		owner  User
		want   bool
	}{
		"Other": {
			reason: "The reconcile of another namespace may be about to call AWS.",
			by:     user("evil", testSession()), owner: user("shop", testSession()), want: true,
		},
		"Own": {
			reason: "The namespace's own resources may act on the function.",
			by:     user("shop", testSession()), owner: user("shop", testSession()),
		},
		"Trusting": {
			reason: "The namespaces trust each other.", by: user("evil", testSession(trusting)),
			owner: user("shop", testSession(trusting)),
		},
		"OtherAccount": {
			reason: "The same name in another account is another function.",
			by:     user("evil", testSession(func(s *session.Session) { s.Identity.Account = "210987654321" })),
			owner:  user("shop", testSession()),
		},
		"OwnEndpoint": {
			reason: "The endpoint of a tenant's own config may return any account.",
			by:     unconfirmed("evil"), owner: user("shop", testSession()),
		},
		"Unknown": {
			reason: "An account that is unknown may be the same.", by: user("evil", testSession(unknown)),
			owner: user("shop", testSession()), want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := book(t, tc.owner.Resource)
			leave, err := b.Act(t.Context(), tc.by, checkout)
			check(t, tc.reason, err, "")
			var busy *BusyError
			if err := b.Claim(tc.owner, checkout); errors.As(err, &busy) != tc.want {
				t.Errorf("%s\ngot %v, want waiting: %t", tc.reason, err, tc.want)
			}
			if _, err := b.Act(t.Context(), user("third", testSession()), checkout); err == nil {
				t.Error("Nobody else begins meanwhile, or the creation would never begin.")
			}
			leave()
			check(t, "The reconcile has ended.", b.Claim(tc.owner, checkout), "")
		})
	}
}

// TestClaimOfAnotherAccount checks that a ProviderConfig's resource that names a function of another account by its ARN
// meets the claims of that account alone.
func TestClaimOfAnotherAccount(t *testing.T) {
	const no = "function checkout belongs to Function shop/checkout"
	there := Functions(ptr.To(elsewhere))[0]
	evil := User{Resource: function("evil", "x", "", configured("ProviderConfig", "own")), Session: testSession()}
	cases := map[string]struct {
		owner User
		want  string
	}{
		"Here": {owner: user("shop", testSession())},
		"There": {owner: user("shop", testSession(func(s *session.Session) {
			s.Identity.Account, s.Scope.Account = there.Account, there.Account
		})), want: no},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := book(t, tc.owner.Resource)
			check(t, "It is free.", b.Claim(tc.owner, checkout), "")
			leave, err := b.Act(t.Context(), evil, there)
			leave()
			check(t, name, err, tc.want)
		})
	}
}

// TestCreators checks the resources that claim a function according to the cluster, after a start.
func TestCreators(t *testing.T) {
	at := func(key string, after time.Duration) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) { f.Annotations[key] = start.Add(after).Format(time.RFC3339) }
	}
	pending := at(meta.AnnotationKeyExternalCreatePending, time.Second)
	cases := map[string]struct {
		reason  string
		change  []func(*v1beta1.Function)
		denied  string
		partial bool
		refused bool
	}{
		"Untried":        {reason: "A resource that has begun nothing claims nothing."},
		"UntriedPartial": {reason: "Another process may begin its creation at any time.", partial: true, refused: true},
		"Pending": {
			reason: "AWS may have created it.", change: []func(*v1beta1.Function){pending},
			refused: true,
		},
		"Created": {
			reason:  "AWS has created it, and status is to follow.",
			change:  []func(*v1beta1.Function){pending, at(meta.AnnotationKeyExternalCreateSucceeded, 2*time.Second)},
			refused: true,
		},
		"Failed": {
			reason: "AWS has answered that it did not create it.",
			change: []func(*v1beta1.Function){pending, at(meta.AnnotationKeyExternalCreateFailed, 2*time.Second)},
		},
		"Observing": {
			reason: "A resource that only observes creates nothing.",
			change: []func(*v1beta1.Function){pending, observing},
		},
		"NotAllowed": {
			reason: "Nobody can create what the config does not allow.",
			change: []func(*v1beta1.Function){pending}, denied: "checkout",
		},
		"OtherConfig": {
			reason: "Another shared config may be of the same account.",
			change: []func(*v1beta1.Function){pending, configured("ClusterProviderConfig", "other")}, refused: true,
		},
		"OwnConfig": {
			reason: "What a tenant's own config reaches is not known before it is used.",
			change: []func(*v1beta1.Function){pending, configured("ProviderConfig", "own")},
		},
		"Allowed": {reason: "The creator allows it.", change: []func(*v1beta1.Function){
			pending,
			annotated("evil"),
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := function("shop", "checkout", "", tc.change...)
			f.Spec.ForProvider.Region = "eu-central-1"
			b := book(t, f)
			b.Partial = tc.partial
			b.Denies = func(_ context.Context, mg resource.ModernManaged, function string) bool {
				return mg.GetNamespace() == "shop" && function == tc.denied
			}
			err := b.MayAct(t.Context(), user("evil", testSession()), checkout)
			if IsRefused(err) != tc.refused {
				t.Errorf("%s\ngot %v, want refused: %t", tc.reason, err, tc.refused)
			}
		})
	}
}

// TestClaimedIsNotTaken checks that no other resource imports what is being created: AWS may show it before the tags
// that name its owner.
func TestClaimedIsNotTaken(t *testing.T) {
	shop, evil := user("shop", testSession()), user("evil", testSession())
	sibling := User{Resource: function("shop", "imports", ""), Session: testSession()}
	b := book(t, shop.Resource, sibling.Resource, evil.Resource)
	const creating = "may be what Function shop/checkout is creating"
	takes := func(u User) error {
		return b.CheckTags(t.Context(), u, nil, ownership.Adopted,
			ownership.Expected{Kind: kind, ClusterID: cluster, Named: true}, "function checkout", []Target{checkout})
	}
	check(t, "It is claimed before it is created.", b.Claim(shop, checkout), "")
	check(t, "What has no tags yet may be the claimant's.", takes(evil), creating)
	check(t, "Nor does its own namespace know better.", takes(sibling), creating)
	check(t, "The claimant finds what it has created.", takes(shop), "")
	check(t, "Then it is the owner.", takes(evil), "belongs to Function shop/checkout")
}

// TestClaimedLayer checks that no other namespace acts on a version of a layer that is being published, whose number is
// not known yet.
func TestClaimedLayer(t *testing.T) {
	l := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lib", UID: "l"}}
	l.Spec.ProviderConfigReference = function("shop", "", "").Spec.ProviderConfigReference
	l.Spec.ForProvider.Region = "eu-central-1"
	b, version := book(t, l), Named(ptr.To("arn:aws:lambda:eu-central-1:123456789012:layer:lib:7"))[0]
	evil := user("evil", testSession())
	check(t, "Nobody publishes it.", b.MayAct(t.Context(), evil, version), "")
	shop := User{Resource: l, Session: testSession()}
	check(t, "It is published.", b.Claim(shop, Layer("lib")), "")
	check(t, "It may become this version.", b.MayAct(t.Context(), evil, version),
		"layer version lib:7 belongs to LayerVersion shop/lib")
	b.Confirm(shop, []Target{{Kind: v1beta1.LayerVersionKind, Name: "lib:8"}})
	check(t, "It became another version.", b.MayAct(t.Context(), evil, version), "")
}
