package refs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// all allows watching everything.
func all(e *env) { e.mayWatch = []string{""} }

func TestWatched(t *testing.T) {
	e := newEnv(t, all)
	e.run()
	if got := e.reconcile("cart", arnOf("r")); got != "error: Role shop/r does not exist" {
		t.Errorf("got %q", got)
	}
	e.watching("", true)
	gets := e.gets.Load()

	e.create(role("r", ""))
	e.awake("cart")
	if got := e.reconcile("cart", arnOf("r")); got != "error: Role shop/r has no value at status.arn yet" {
		t.Errorf("an object without the field is not a missing one, got %q", got)
	}
	e.update(role("r", "arn:1"))
	e.awake("cart")
	if got := e.reconcile("cart", arnOf("r")); got != "arn:1" {
		t.Errorf("got %q", got)
	}
	if got := e.reconcile("pay", arnOf("r")); got != "arn:1" {
		t.Errorf("got %q", got)
	}

	// A change that concerns nobody enqueues nothing. The change that does follows it.
	busy := role("r", "arn:1")
	busy.Object["status"].(map[string]any)["heartbeat"] = "now"
	e.update(busy)
	e.create(role("other", "arn:other"))
	e.update(role("r", "arn:2"))
	e.awake("cart", "pay")
	if got := e.reconcile("cart", arnOf("r")) + e.reconcile("pay", arnOf("r")); got != "arn:2arn:2" {
		t.Errorf("got %q", got)
	}
	e.delete("r")
	e.awake("cart", "pay")
	if got := e.reconcile("pay", arnOf("r")); got != "error: Role shop/r does not exist" {
		t.Errorf("got %q", got)
	}
	if got := e.gets.Load() - gets; got != 0 {
		t.Errorf("what is watched is not read: %d reads", got)
	}
}

func TestOnlyFieldsAreKept(t *testing.T) {
	e := newEnv(t, all)
	e.run()
	e.create(role("r", "arn:1"))
	e.reconcile("cart", arnOf("r"))
	e.watching("", true)
	e.reader.mu.Lock()
	defer e.reader.mu.Unlock()
	kept := e.reader.watches[scope{kind: roleKind}].store.List()
	if len(kept) != 1 {
		t.Fatalf("want the one role, got %v", kept)
	}
	got, ok := kept[0].(*trimmed)
	if !ok || got.Name != "r" || len(got.texts) != 1 || got.texts["status.arn"] != "arn:1" {
		t.Errorf("want the name and the field alone, got %+v", kept[0])
	}
}

func TestAnotherFieldOfTheSameKind(t *testing.T) {
	e := newEnv(t, all)
	e.run()
	r := role("r", "arn:1")
	r.Object["status"].(map[string]any)["id"] = "AROA1"
	e.create(r)
	e.reconcile("cart", arnOf("r"))
	e.watching("", true)
	e.clock.Step(minWatch)
	id := arnOf("r")
	id.FieldPath = "status.id"
	if got := e.reconcile("pay", id); got != "AROA1" {
		t.Errorf("a field that is not kept yet is read, got %q", got)
	}
	e.until("both fields are kept", func() bool {
		before := e.gets.Load()
		if got := e.value(id) + e.value(arnOf("r")); got != "AROA1arn:1" {
			t.Fatalf("got %q", got)
		}
		return e.gets.Load() == before
	})
}

// TestChangingFields has a tenant who selects another field, or none, again and again. Objects are not listed each
// time.
func TestChangingFields(t *testing.T) {
	e := newEnv(t, all)
	e.create(role("r", "arn:1"))
	for i := range 100 {
		other := arnOf("r")
		other.FieldPath = fmt.Sprintf("metadata.finalizers[%d]", i)
		e.reader.Refer(user("cart"), []v1beta1.FieldSelector{other})
		e.reader.syncWatches(t.Context())
		e.reader.Refer(user("cart"), nil)
		e.reader.syncWatches(t.Context())
	}
	e.reconcile("cart", arnOf("r"))
	e.reader.syncWatches(t.Context())
	if n := e.calls.Load(); n != 1 {
		t.Errorf("a watch began %d times, want once", n)
	}
	e.clock.Step(minWatch)
	e.reader.syncWatches(t.Context())
	e.watching("", true)
	gets := e.gets.Load()
	if got := e.reconcile("cart", arnOf("r")); got != "arn:1" || e.gets.Load() != gets {
		t.Errorf("the field is not watched after a while: got %q", got)
	}
}

// TestManyFields has a namespace that selects one field in so many spellings that each object with all of them would
// fill the memory. Those that are not watched are read.
func TestManyFields(t *testing.T) {
	e := newEnv(t, all)
	e.create(role("r", "arn:1"))
	var many []v1beta1.FieldSelector
	for i := range 1000 {
		s := arnOf("r")
		s.Name, s.FieldPath = "many", "metadata.finalizers["+strings.Repeat("0", i)+"]"
		many = append(many, s)
	}
	e.reader.Refer(user("many"), many)
	shop := User{Kind: "Function", NamespacedName: types.NamespacedName{Namespace: "blog", Name: "cart"}}
	e.reader.Refer(shop, []v1beta1.FieldSelector{arnOf("r")})
	e.reader.syncWatches(t.Context())
	e.reader.mu.Lock()
	paths := e.reader.watches[scope{kind: roleKind}].paths
	e.reader.mu.Unlock()
	if len(paths) > maxFields+1 || !paths.Has("status.arn") {
		t.Errorf(
			"%d fields of each object are kept, want %d of the namespace and that of another one",
			len(paths),
			maxFields,
		)
	}
	if got := e.reconcile("pay", arnOf("r")); got != "arn:1" {
		t.Errorf("a field that is not watched for the namespace: got %q", got)
	}
	for _, u := range []User{user("many"), user("pay"), shop} {
		e.reader.Refer(u, nil)
	}
	if u := e.reader.uses; len(u.byUser)+len(u.byObject)+len(u.watched) != 0 {
		t.Errorf("nothing must be left of what nobody refers to, got %+v", u)
	}
}

func TestReferenceThatIsNoMore(t *testing.T) {
	e := newEnv(t, all)
	e.run()
	e.create(role("r", "arn:1"))
	e.reconcile("cart", arnOf("r"))
	e.reconcile("pay", arnOf("r"))
	e.watching("", true)
	e.reader.Refer(user("cart"), nil)
	e.watching("", true)
	e.update(role("r", "arn:2"))
	e.awake("pay")
	e.clock.Step(minWatch)
	e.reader.Refer(user("pay"), []v1beta1.FieldSelector{})
	e.watching("", false)
	e.reader.mu.Lock()
	defer e.reader.mu.Unlock()
	if u := e.reader.uses; len(u.byUser)+len(u.byObject)+len(u.watched)+len(e.reader.requests) != 0 {
		t.Errorf("nothing must be left of what nobody refers to, got %+v, %v", u, e.reader.requests)
	}
}

func TestOnlyGet(t *testing.T) {
	e := newEnv(t)
	e.run()
	e.create(role("r", "arn:1"))
	e.reconcile("cart", arnOf("r"))
	if got := e.reconcile("pay", arnOf("r")); got != "arn:1" {
		t.Errorf("got %q", got)
	}
	e.until("all and the namespace were asked for", func() bool { return e.calls.Load() >= 2 })
	e.update(role("r", "arn:2"))
	if got := e.wakes(); got != nil {
		t.Errorf("nothing can have seen the change, but %v were woken", got)
	}
	// One resource reads the change when it is polled, which enqueues the other.
	if got := e.reconcile("cart", arnOf("r")); got != "arn:2" {
		t.Errorf("got %q", got)
	}
	e.awake("pay")
	if got := e.reconcile("pay", arnOf("r")) + e.reconcile("cart", arnOf("r")); got != "arn:2arn:2" {
		t.Errorf("got %q", got)
	}
	if got := e.wakes(); got != nil {
		t.Errorf("all know the new value, but %v were woken", got)
	}
}

func TestGrantedLater(t *testing.T) {
	for name, namespaces := range map[string][]string{"AllNamespaces": {""}, "OneNamespace": {"shop"}} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, func(e *env) { e.mayGet = false })
			e.run()
			e.create(role("r", "arn:1"))
			if got := e.reconcile("cart", arnOf("r")); got == "arn:1" {
				t.Errorf("nothing is granted, but got %q", got)
			}
			e.until("both scopes were asked for", func() bool { return e.calls.Load() == 2 })
			e.grant(false, namespaces...)
			e.until("it is asked again", func() bool {
				e.clock.Step(minDelay)
				return len(e.wakes()) == 1
			})
			if got := e.reconcile("cart", arnOf("r")); got != "arn:1" {
				t.Errorf("to list and watch is enough, got %q", got)
			}
		})
	}
}

func TestRequestsAreDeferred(t *testing.T) {
	e := newEnv(t)
	e.run()
	e.reconcile("cart", arnOf("r"))
	e.until("both scopes were asked for", func() bool { return e.calls.Load() == 2 })
	e.reconcile("pay", arnOf("s"))
	other := arnOf("s")
	other.FieldPath = "status.id"
	e.reconcile("pay", other)
	if got := e.calls.Load(); got != 2 {
		t.Errorf("what was refused a moment ago is not asked again, got %d questions", got)
	}
	q := request{}
	var waits []float64
	for range 5 {
		q = q.deferred(e.clock.Now(), maxDelay)
		waits = append(waits, q.wait.Seconds())
	}
	if q.wait != maxDelay || waits[0] != minDelay.Seconds() {
		t.Errorf("want waits from %s to %s, got %v", minDelay, maxDelay, waits)
	}
}

func TestWithdrawn(t *testing.T) {
	e := newEnv(t, all)
	e.run()
	e.create(role("r", "arn:1"))
	e.reconcile("cart", arnOf("r"))
	e.watching("", true)
	e.grant(false)
	e.reader.mu.Lock()
	running := e.reader.watches[scope{kind: roleKind}]
	e.reader.mu.Unlock()
	e.reader.handleLost(running)
	e.awake("cart")
	want := `error: cannot read Role shop/r: grant the provider's ServiceAccount get, list and watch on roles of API group "iam.example.org"`
	if got := e.reconcile("cart", arnOf("r")); got != want {
		t.Errorf("what may no longer be read must not be used, got %q", got)
	}
	e.grant(true, "")
	e.until("it is watched again", func() bool {
		e.clock.Step(minDelay)
		return len(e.wakes()) == 1
	})
	if got := e.reconcile("cart", arnOf("r")); got != "arn:1" {
		t.Errorf("got %q", got)
	}
}

// configMaps are ConfigMaps by name.
type configMaps map[string]ObjectData

func (c configMaps) Get(_ context.Context, ref ObjectRef) (ObjectData, error) {
	if d, ok := c[ref.Namespace+"/"+ref.Name]; ok && ref.Kind == ConfigMap {
		return d, nil
	}
	return nil, &MissingError{Ref: ref}
}

// TestConfigMapsAreNotWatched checks that a ConfigMap that a tenant refers to does not make
// the provider watch all of them, although Crossplane grants that.
func TestConfigMapsAreNotWatched(t *testing.T) {
	e := newEnv(t, all, func(e *env) {
		e.mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), kmeta.RESTScopeNamespace)
	})
	e.reader.o.ConfigMaps = configMaps{
		"shop/net": {"role.arn": []byte("arn:1")},
		"pay/net":  {"role.arn": []byte("arn:2")},
	}
	of := func(name, path string) v1beta1.FieldSelector {
		return v1beta1.FieldSelector{APIVersion: "v1", Kind: "ConfigMap", Name: name, FieldPath: path}
	}
	cases := map[string]struct {
		reason   string
		selector v1beta1.FieldSelector
		want     string
	}{
		"Value": {reason: "The value of a key is read.", selector: of("net", "data[role.arn]"), want: "arn:1"},
		"NoKey": {
			reason: "A missing key is reported.", selector: of("net", "data.other"),
			want: "error: ConfigMap shop/net has no value at data.other yet",
		},
		"NotData": {
			reason: "Only data can be read.", selector: of("net", "metadata.name"),
			want: "error: ConfigMap shop/net has no value at metadata.name yet",
		},
		"Missing": {
			reason: "A missing ConfigMap is reported.", selector: of("none", "data.arn"),
			want: "error: ConfigMap shop/none does not exist",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := e.reconcile("cart", tc.selector); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	e.reader.syncWatches(t.Context())
	if n := len(e.reader.watches); n != 0 || e.calls.Load() != 0 || e.gets.Load() != 0 {
		t.Errorf("%d watches, %d questions, %d reads", n, e.calls.Load(), e.gets.Load())
	}
	want := []ObjectRef{{Kind: ConfigMap, Namespace: "shop", Name: "net"}}
	if diff := cmp.Diff(want,
		Refs("shop", []v1beta1.FieldSelector{arnOf("r"), of("net", "data.arn"), {APIVersion: "a/b/c"}})); diff != "" {
		t.Errorf("Refs(): -want, +got:\n%s", diff)
	}
}
