package tenancy

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

const (
	account   = "123456789012"
	arn       = "arn:aws:lambda:eu-central-1:123456789012:function:checkout"
	elsewhere = "arn:aws:lambda:eu-central-1:210987654321:function:checkout"
	cluster   = "c1"
	kind      = "function.lambda.aws.m.crossplane.io"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// function returns a Function with the ARN in its status, if it is not empty.
func function(namespace, name, arn string, change ...func(*v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(namespace + "-" + name), CreationTimestamp: metav1.NewTime(
			start),
		Annotations: map[string]string{"crossplane.io/external-name": "checkout"},
	}}
	f.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "default"}
	if arn != "" {
		f.Status.AtProvider.FunctionArn = ptr.To(arn)
	}
	for _, c := range change {
		c(f)
	}
	return f
}

func annotated(value string) func(*v1beta1.Function) {
	return func(f *v1beta1.Function) { f.Annotations[v1beta1.AnnotationAllowedNamespaces] = value }
}

func later(f *v1beta1.Function) { f.CreationTimestamp = metav1.NewTime(start.Add(time.Hour)) }

func observing(f *v1beta1.Function) {
	f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
}

func configured(kind, name string) func(*v1beta1.Function) {
	return func(f *v1beta1.Function) {
		f.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: kind, Name: name}
	}
}

func book(t *testing.T, objs ...client.Object) *Registry {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(s).WithObjects(objs...).
		WithIndex(&v1beta1.Function{}, Index, IndexedBy).WithIndex(&v1beta1.LayerVersion{}, Index, IndexedBy).
		WithIndex(&v1beta1.CapacityProvider{}, Index, IndexedBy).WithIndex(&v1beta1.CodeSigningConfig{}, Index,
		IndexedBy).Build()
	return New(&server{c}, &server{c}, func() time.Time { return start })
}

// server is a client that does not accept an empty name, as that of the API server.
type server struct{ client.Client }

func (s *server) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if key.Name == "" {
		return errors.New("resource name may not be empty")
	}
	return s.Client.Get(ctx, key, o, opts...)
}

func testSession(change ...func(*session.Session)) *session.Session {
	s := &session.Session{
		AWS: aws.Config{Region: "eu-central-1"}, Identity: session.Identity{Account: account},
		Scope: quota.Scope{Account: account, Region: "eu-central-1"},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func trusting(s *session.Session) { s.Tenancy.Trusting = true }

func unknown(s *session.Session) { s.Identity.Account = "unknown-1234" }

func check(t *testing.T, reason string, err error, want string) {
	t.Helper()
	if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s\ngot %v, want %q", reason, err, want)
	}
}

func namespace(allowed string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:        "shop",
		Annotations: map[string]string{v1beta1.AnnotationAllowedNamespaces: allowed},
	}}
}

func TestMayAct(t *testing.T) {
	const no = `function checkout belongs to Function shop/checkout, which does not allow namespace evil to use it: set the annotation lambda.aws.m.crossplane.io/allowed-namespaces of Function shop/checkout, or of Namespace shop, to "evil"`
	cases := map[string]struct {
		reason  string
		objects []client.Object
		session *session.Session
		target  string
		want    string
	}{
		"Unowned": {reason: "What no resource owns is anybody's."},
		"Other": {
			reason:  "The function belongs to another namespace.",
			objects: []client.Object{function("shop", "checkout", arn)}, want: no,
		},
		"ByARN": {
			reason: "By its ARN as well.", objects: []client.Object{function("shop", "checkout", arn)},
			target: arn, want: no,
		},
		"Read2Ways": {
			reason:  "AWS takes this for the function too.",
			objects: []client.Object{function("shop", "checkout", arn)}, target: "function:checkout", want: no,
		},
		"Read3Ways": {
			reason:  "AWS accepts this partial ARN for the function, too.",
			objects: []client.Object{function("shop", "checkout", arn)}, target: account + ":checkout", want: no,
		},
		"Unreadable": {
			reason: "The name is neither a name nor an ARN of a function.",
			target: "eu-central-1:123456789012:function:checkout",
			want:   "is neither the name nor the ARN of a function",
		},
		"Own": {
			reason:  "The function belongs to the namespace itself.",
			objects: []client.Object{function("evil", "checkout", arn)},
		},
		"OtherAccount": {
			reason:  "The same name elsewhere is another function.",
			objects: []client.Object{function("shop", "checkout", elsewhere)},
		},
		"OtherAccounts": {
			reason:  "The ARN names another account.",
			objects: []client.Object{function("shop", "checkout", elsewhere)}, target: elsewhere, want: no,
		},
		"Allowed": {
			reason:  "The owner allows the namespace.",
			objects: []client.Object{function("shop", "checkout", arn, annotated("bank, evil"))},
		},
		"AllAllowed": {
			reason:  "The owner allows all namespaces.",
			objects: []client.Object{function("shop", "checkout", arn, annotated("*"))},
		},
		"OthersAllowed": {
			reason:  "The owner allows only another namespace.",
			objects: []client.Object{function("shop", "checkout", arn, annotated("evil-twin"))}, want: no,
		},
		"NamespaceAllow": {
			reason:  "The owner's namespace allows the namespace.",
			objects: []client.Object{function("shop", "checkout", arn), namespace("evil")},
		},
		"NamespaceOther": {
			reason:  "The owner's namespace allows only another namespace.",
			objects: []client.Object{function("shop", "checkout", arn), namespace("bank")}, want: no,
		},
		"Trust": {
			reason:  "Both use a config whose namespaces trust each other.",
			objects: []client.Object{function("shop", "checkout", arn)}, session: testSession(trusting),
		},
		"OthersTrust": {reason: "The owner uses another config.", objects: []client.Object{function("shop",
			"checkout", arn, configured("ClusterProviderConfig", "other"))}, session: testSession(trusting), want: no},
		"Observes": {
			reason:  "An observe-only resource owns nothing.",
			objects: []client.Object{function("shop", "checkout", arn, observing)},
		},
		"ForgedBeside": {
			reason:  "Status can be forged: that of one's own namespace is no leave.",
			objects: []client.Object{function("evil", "mine", arn), function("shop", "checkout", arn, later)},
			want:    no,
		},
		"UnknownAccount": {
			reason:  "One config reaches one account, even if it is not known.",
			objects: []client.Object{function("shop", "checkout", arn)}, session: testSession(unknown), want: no,
		},
		"UnknownOther": {reason: "Another config may reach another.", objects: []client.Object{function("shop",
			"checkout", arn, configured("ClusterProviderConfig", "other"))}, session: testSession(unknown)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, u := book(t, tc.objects...), User{Resource: function("evil", "x", ""), Session: tc.session}
			if u.Session == nil {
				u.Session = testSession()
			}
			if tc.target == "" {
				tc.target = "checkout"
			}
			var err error
			for _, target := range Functions(&tc.target) {
				if err == nil {
					err = b.MayAct(t.Context(), u, target)
				}
			}
			check(t, tc.reason, err, tc.want)
		})
	}
}

func TestMayOwn(t *testing.T) {
	const no = "function checkout belongs to Function shop/checkout of this cluster, and cannot be taken over while " +
		"that resource exists: delete one of the two"
	mine := function("evil", "x", arn)
	cases := map[string]struct {
		reason  string
		objects []client.Object
		tagged  bool
		want    string
	}{
		"Free": {reason: "No resource owns the function."},
		"Other": {
			reason:  "The function belongs to another resource, which no annotation changes.",
			objects: []client.Object{function("shop", "checkout", arn, annotated("*"))}, tagged: true, want: no,
		},
		"Mine": {reason: "The function belongs to the resource itself.", objects: []client.Object{mine}},
		"BothTagged": {
			reason:  "The tags decide which of the two owns it.",
			objects: []client.Object{mine, function("shop", "checkout", arn, later)}, tagged: true,
		},
		"BothMineFirst": {
			reason:  "Without tags, the oldest has it.",
			objects: []client.Object{mine, function("shop", "checkout", arn, later)},
		},
		"BothOther": {reason: "Which may be the other.", objects: []client.Object{
			function("evil", "x", arn, later),
			function("shop", "checkout", arn),
		}, want: no},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := book(t, tc.objects...)
			check(t, tc.reason, b.MayOwn(t.Context(), User{Resource: mine, Session: testSession()},
				Functions(ptr.To("checkout"))[0], tc.tagged), tc.want)
		})
	}
}

// TestMayOwnWhatItObserved checks that a LayerVersion that has observed the version of another one does not own it once
// its policies allow more, whichever is older: no tags say whose it is.
func TestMayOwnWhatItObserved(t *testing.T) {
	const arn = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:7"
	layer := func(namespace string, created time.Time) *v1beta1.LayerVersion {
		l := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "lib", UID: types.UID(namespace), CreationTimestamp: metav1.NewTime(created),
			Annotations: map[string]string{"crossplane.io/external-name": arn},
		}}
		l.Spec.ProviderConfigReference = function("", "", "").Spec.ProviderConfigReference
		l.Status.AtProvider.LayerVersionArn = ptr.To(arn)
		return l
	}
	owner, observer := layer("shop", start.Add(time.Hour)), layer("evil", start)
	owner.Annotations = ownership.Name(owner, arn)
	b := book(t, owner, observer)
	for _, target := range Named(ptr.To(arn)) {
		check(t, "It has observed the version.", b.MayOwn(t.Context(),
			User{Resource: observer, Session: testSession()}, target, false), "belongs to LayerVersion shop/lib")
		check(t, "It has published the version.", b.MayOwn(t.Context(),
			User{Resource: owner, Session: testSession()}, target, false), "")
	}
}

// TestMayOwnReplaced checks that a version of a layer that its owner has replaced may be imported within the owner's
// namespace, and nowhere else.
func TestMayOwnReplaced(t *testing.T) {
	const layer = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:"
	owner := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lib", UID: "l"}}
	owner.Annotations = ownership.Name(owner, layer+"8")
	owner.Spec.ProviderConfigReference = function("", "", "").Spec.ProviderConfigReference
	owner.Status.AtProvider.LayerVersionArn, owner.Status.AtProvider.OldVersions = ptr.To(layer+"8"), []int64{6, 7}
	const no = "belongs to LayerVersion shop/lib"
	b := book(t, owner)
	for arn, want := range map[string]map[string]string{
		layer + "7": {"shop": "", "evil": no},
		layer + "8": {"shop": no, "evil": no},
		layer + "9": {"shop": "", "evil": ""},
	} {
		for namespace, message := range want {
			check(t, namespace+" imports "+arn, b.MayOwn(t.Context(), user(namespace, testSession()),
				Named(ptr.To(arn))[0], false), message)
		}
	}
}

// TestManyOldVersions checks that a status, which whoever may write it can make long, does not fill the index.
func TestManyOldVersions(t *testing.T) {
	const layer = "arn:aws:lambda:eu-central-1:123456789012:layer:lib:"
	owner := &v1beta1.LayerVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lib", UID: "l"}}
	owner.Annotations = ownership.Name(owner, layer+"50001")
	owner.Status.AtProvider.LayerVersionArn = ptr.To(layer + "50001")
	for n := range int64(50_000) {
		owner.Status.AtProvider.OldVersions = append(owner.Status.AtProvider.OldVersions, n+1)
	}
	owned := Owned(owner)
	if len(owned) != 1+v1beta1.MaxOldVersions {
		t.Errorf("%d versions, want the present one and the last %d old ones", len(owned), v1beta1.MaxOldVersions)
	}
	if newest := Named(ptr.To(layer + "50000"))[0].Key(); !slices.Contains(owned, newest) {
		t.Errorf("it does not own %s", newest)
	}
}

// TestOldest checks that the order of resources of one age does not depend on the order in which a cache lists them,
// which changes from one list to the next: both of two resources would own the same, or neither.
func TestOldest(t *testing.T) {
	a, b, c := function("ns", "a", arn), function("ns", "b", arn), function("other", "a", arn)
	want := []resource.ModernManaged{a, b, c}
	for _, listed := range [][]resource.ModernManaged{{a, b, c}, {c, b, a}, {b, c, a}} {
		if slices.SortStableFunc(listed, ByAge); !slices.Equal(want, listed) {
			t.Errorf("%s/%s is first, want ns/a", listed[0].GetNamespace(), listed[0].GetName())
		}
	}
}

func TestCheckTags(t *testing.T) {
	const no = "belongs to Function shop/checkout of this cluster, and cannot be taken over"
	owner := function("shop", "checkout", "")
	tags := ownership.Tags(owner, cluster, "default", kind)
	unnamed := maps.Clone(tags)
	delete(unnamed, ownership.TagName)
	delete(unnamed, ownership.TagUID)
	cases := map[string]struct {
		reason  string
		objects []client.Object
		tags    map[string]string
		want    string
	}{
		"Live": {
			reason:  "The annotation adopts nothing from an existing resource.",
			objects: []client.Object{owner}, tags: tags, want: no,
		},
		"Sibling": {
			reason:  "The annotation adopts nothing of an existing resource of the same namespace.",
			objects: []client.Object{owner}, tags: tags, want: no,
		},
		"Gone": {reason: "What was left behind is adopted.", tags: tags},
		"Observes": {
			reason:  "A resource that its owner only observes is adopted.",
			objects: []client.Object{function("shop", "checkout", "", observing)}, tags: tags,
		},
		"Again": {
			reason:  "A resource that was created anew has another UID.",
			objects: []client.Object{function("shop", "checkout", "", func(f *v1beta1.Function) { f.UID = "again" })},
			tags:    tags, want: no,
		},
		"AgainOther": {
			reason: "The owner of that name is for another function now.",
			objects: []client.Object{function("shop", "checkout", "", func(f *v1beta1.Function) {
				f.UID, f.Annotations = "again", nil
				f.Annotations = map[string]string{"crossplane.io/external-name": "pay"}
			})}, tags: tags,
		},
		"AgainOtherNameless": {
			reason: "The owner of that name is for another function now, whose annotation was removed.",
			objects: []client.Object{function("shop", "checkout", "", func(f *v1beta1.Function) {
				f.UID = "again"
				f.Annotations = ownership.Name(f, "pay")
				delete(f.Annotations, "crossplane.io/external-name")
			})}, tags: tags,
		},
		"Unnamed": {reason: "Someone removed the tags that name the owner, which is gone.", tags: unnamed},
		"UnnamedLive": {
			reason:  "The status of another resource shows the ownership of a function whose tags name nobody.",
			objects: []client.Object{function("shop", "checkout", arn)}, tags: unnamed, want: no,
		},
		"Untagged": {
			reason:  "The status of another resource shows the ownership of an untagged function.",
			objects: []client.Object{function("shop", "checkout", arn)}, want: no,
		},
		"Adopted": {
			reason:  "Another resource has adopted what was left behind, and its tags were not changed yet.",
			objects: []client.Object{function("shop", "adopter", arn)}, tags: tags,
			want: "belongs to Function shop/adopter of this cluster",
		},
		"OtherRegion": {
			reason:  "A function of another account.",
			objects: []client.Object{function("shop", "checkout", elsewhere)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := User{Resource: function("evil", "x", ""), Session: testSession()}
			if name == "Sibling" {
				u.Resource = function("shop", "x", "")
			}
			err := book(t, tc.objects...).CheckTags(t.Context(), u, tc.tags, ownership.Adopted,
				ownership.Expected{Kind: kind, ClusterID: cluster, Named: true}, "function checkout",
				Functions(ptr.To("checkout")))
			check(t, tc.reason, err, tc.want)
			if err != nil && !ownership.IsForeign(err) {
				t.Errorf("%s\na deletion must let go of it, got %v", tc.reason, err)
			}
		})
	}
}

// TestConfirmedOwner checks that tags in AWS take precedence over the status of any resource.
func TestConfirmedOwner(t *testing.T) {
	shop, forged := function("shop", "checkout", arn, later), function("evil", "forged", arn)
	b, target := book(t, shop, forged), Functions(ptr.To("checkout"))[0]
	owner, act := User{Resource: shop, Session: testSession()}, User{
		Resource: function("shop", "alias", ""),
		Session:  testSession(),
	}
	if b.OwnedWithin(t.Context(), act, target) {
		t.Error("nobody knows whose it is")
	}
	check(t, "As long as nobody knows, both may be its owner.", b.MayAct(t.Context(), act, target),
		"belongs to Function evil/forged")
	tags := ownership.Tags(shop, cluster, "default", kind)
	if err := b.CheckTags(t.Context(), owner, tags, ownership.Ours, ownership.Expected{Kind: kind, ClusterID: cluster},
		"function checkout", []Target{target}); err != nil {
		t.Fatal(err)
	}
	check(t, "Then there is one.", b.MayAct(t.Context(), act, target), "")
	if !b.OwnedWithin(t.Context(), act, target) ||
		b.OwnedWithin(t.Context(), User{Resource: forged, Session: testSession()}, target) {
		t.Error("it is owned within its namespace, and in no other")
	}
	check(t, "Who forges a status gets nothing.", b.MayOwn(t.Context(), User{Resource: forged, Session: testSession()},
		target, true), "belongs to Function shop/checkout")

	// A tenant's own endpoint may return any account, and the tenant may name a shared config afterwards.
	for _, ref := range []string{"ProviderConfig", "ClusterProviderConfig"} {
		hostile := function("evil", "hostile", arn, configured(ref, "default"))
		b = book(t, hostile)
		b.Serve(v1beta1.FunctionKind, User{Resource: hostile, Session: unconfirmed("evil").Session})
		check(t, "What it says counts for nobody else.", b.MayAct(t.Context(), act, target), "")
		check(t, "Nor for another tenant with an endpoint.", b.MayAct(t.Context(), unconfirmed("bank"), target), "")
	}
	b = book(t, shop)
	for _, confirmed := range [][]Target{nil, {target}} {
		b.Confirm(owner, confirmed)
		const reason = "Who only claims to be in an account is not told who owns what there."
		check(t, reason, b.MayAct(t.Context(), unconfirmed("evil"), target), "")
		check(t, reason, b.MayOwn(t.Context(), unconfirmed("evil"), target, true), "")
		check(t, reason, b.MayAct(t.Context(), unconfirmed("evil"), Functions(ptr.To(arn))[0]), "")
	}
	check(t, "Within one config, there is one account.", b.MayAct(t.Context(), unconfirmed("shop"), target), "")
}

// TestConfirmedOwnerOfOneAccount checks that the confirmed owner of a function is not that of the function with the
// same name in another account, which an ARN names.
func TestConfirmedOwnerOfOneAccount(t *testing.T) {
	const no = "function checkout belongs to Function shop/checkout"
	here, there := Functions(ptr.To(arn))[0], Functions(ptr.To(elsewhere))[0]
	confirmed := func(owner *v1beta1.Function, targets ...Target) *Registry {
		b := book(t, owner, function("evil", "x", ""))
		b.Confirm(User{Resource: owner, Session: testSession()}, targets)
		return b
	}
	evil := User{Resource: function("evil", "alias", ""), Session: testSession()}

	b := confirmed(function("shop", "checkout", arn), checkout)
	check(t, "It is owned by its name.", b.MayAct(t.Context(), evil, checkout), no)
	check(t, "It is owned by its ARN.", b.MayAct(t.Context(), evil, here), no)
	check(t, "Nobody owns that of the other account.", b.MayAct(t.Context(), evil, there), "")

	b = confirmed(function("shop", "checkout", elsewhere))
	b.Confirm(User{Resource: function("evil", "x", ""), Session: testSession()}, []Target{checkout})
	check(t, "Who owns the function here does not own that of the other account.",
		b.MayAct(t.Context(), evil, there), no)

	shop := function("shop", "checkout", arn)
	b = confirmed(shop, checkout)
	b.Confirm(User{Resource: function("evil", "x", ""), Session: testSession()}, []Target{there})
	check(t, "Who owns that of the other account does not own the function here.",
		b.MayAct(t.Context(), evil, checkout), no)
	check(t, "Its owner keeps it.",
		b.MayOwn(t.Context(), User{Resource: shop, Session: testSession()}, checkout, true), "")
}

// TestConfirmedOwnerAtAnyEndpoint checks that the confirmed owner of a function is known to the configs of the same
// account that have another endpoint, also before the cache has the owner's status.
func TestConfirmedOwnerAtAnyEndpoint(t *testing.T) {
	at := func(endpoint string) func(*session.Session) {
		return func(s *session.Session) { s.Scope.Endpoint = endpoint }
	}
	for _, endpoints := range [][2]string{{"https://vpce.test", ""}, {"", "https://vpce.test"}} {
		shop := function("shop", "checkout", "")
		b := book(t, shop)
		b.Confirm(User{Resource: shop, Session: testSession(at(endpoints[0]))}, []Target{checkout})

		alias := User{Resource: function("evil", "alias", ""), Session: testSession(at(endpoints[1]))}
		err := b.MayAct(t.Context(), alias, checkout)
		check(t, "Both are in one account.", err, "belongs to Function shop/checkout")
		if RefusedBy(err) == nil {
			t.Error("what the other one has created is not removed")
		}
		alias.Session = testSession(at(endpoints[1]), unknown)
		check(t, "It may be in another account.", b.MayAct(t.Context(), alias, checkout), "")
	}
}

func TestBookForgets(t *testing.T) {
	b, target := book(t), Functions(ptr.To("checkout"))
	for range 3 {
		f := function("shop", "checkout", arn)
		u := User{Resource: f, Session: testSession()}
		b.Serve(v1beta1.FunctionKind, u)
		b.Acts("Alias", u, "live", target)
		if err := b.CheckTags(t.Context(), u, map[string]string{ownership.TagUID: string(f.UID)}, ownership.Ours,
			ownership.Expected{}, "", target); err != nil {
			t.Fatal(err)
		}
		b.Forget(v1beta1.FunctionKind, client.ObjectKeyFromObject(f))
		b.Forget("Alias", client.ObjectKeyFromObject(f))
	}
	if diff := cmp.Diff(0, len(b.resources)+len(b.confirmed)); diff != "" {
		t.Errorf("nothing is to be kept of what is gone: %s", diff)
	}
}

func TestActedIsOfThisProcess(t *testing.T) {
	b, target := book(t), Functions(ptr.To("checkout"))
	u := User{Resource: function("evil", "alias", ""), Session: testSession()}
	if b.Acted(t.Context(), "Alias", u, "live", target[0]) {
		t.Error("nothing was allowed yet")
	}
	b.Acts("Alias", u, "live", target)
	if !b.Acted(t.Context(), "Alias", u, "live", target[0]) ||
		b.Acted(t.Context(), "Alias", u, "live", Functions(ptr.To("other"))[0]) || b.Acted(t.Context(), "Alias", u, "other", target[0]) {
		t.Error("what was allowed is known, and nothing else")
	}
	u.Resource = function("evil", "alias", "", func(f *v1beta1.Function) { f.UID = "again" })
	if b.Acted(t.Context(), "Alias", u, "live", target[0]) {
		t.Error("it was another resource of this name that was allowed")
	}
}

func TestMayReferRevealsNothingAboutExistence(t *testing.T) {
	b, u := book(t), User{Resource: function("evil", "x", "")}
	name := types.NamespacedName{Namespace: "shop", Name: "checkout"}
	there := b.MayRefer(t.Context(), u, "Function", function("shop", "checkout", arn), name)
	absent := b.MayRefer(t.Context(), u, "Function", nil, name)
	check(t, "It is refused.", there, `namespace evil may not refer to Function shop/checkout: set the annotation`)
	if there.Error() != absent.Error() {
		t.Errorf("whether there is such a resource is told by %q and %q", there, absent)
	}
}
