package fields

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

var (
	roleKind = schema.GroupVersionKind{Group: "iam.example.org", Version: "v1", Kind: "Role"}
	roles    = schema.GroupVersionResource{Group: "iam.example.org", Version: "v1", Resource: "roles"}
)

// world is an API server with Roles, and what the provider may do there.
type world struct {
	testing.TB

	reader  *Reader
	dynamic *fake.FakeDynamicClient
	mapper  *kmeta.DefaultRESTMapper
	clock   *testclock.FakeClock
	gets    atomic.Int64
	asks    atomic.Int64

	mu sync.Mutex
	// mayGet is false where reading is forbidden; mayWatch are the namespaces that
	// may be watched, "" for all at once.
	mayGet   bool
	fail     error
	mayWatch []string
	woken    []string
}

func newWorld(t testing.TB, change ...func(*world)) *world {
	t.Helper()
	w := &world{
		TB:     t,
		mayGet: true,
		mapper: kmeta.NewDefaultRESTMapper(nil),
		clock:  testclock.NewFakeClock(time.Unix(1_800_000_000, 0)),
	}
	w.dynamic = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{roles: "RoleList"})
	w.mapper.Add(roleKind, kmeta.RESTScopeNamespace)
	w.mapper.Add(roleKind.GroupVersion().WithKind("Account"), kmeta.RESTScopeRoot)
	w.dynamic.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if !w.watchable(a.GetNamespace()) {
			return true, nil, kerrors.NewForbidden(roles.GroupResource(), "", nil)
		}
		return false, nil, nil
	})
	for _, c := range change {
		c(w)
	}
	w.reader = NewReader(Options{
		Live:    live{w},
		Mapper:  w.mapper,
		Dynamic: w.dynamic,
		MayWatch: func(_ context.Context, _ schema.GroupVersionResource, namespace string) (bool, error) {
			w.asks.Add(1)
			return w.watchable(namespace), nil
		},
		Clock: w.clock,
		Log:   logging.NewNopLogger(),
	})
	w.reader.Subscribe("Function", func(n types.NamespacedName, _ string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.woken = append(w.woken, n.Name)
	})
	return w
}

func (w *world) watchable(namespace string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.mayWatch, "") || slices.Contains(w.mayWatch, namespace)
}

// grant rights, or withdraw them.
func (w *world) grant(get bool, namespaces ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mayGet, w.mayWatch = get, namespaces
}

// run the Reader until the test ends.
func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.reader.Start(ctx) }()
	w.Cleanup(func() { cancel(); <-done })
}

// live reads from the world's API server.
type live struct{ w *world }

func (l live) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	l.w.gets.Add(1)
	l.w.mu.Lock()
	may, fail := l.w.mayGet, l.w.fail
	l.w.mu.Unlock()
	if fail != nil {
		return fail
	}
	if !may {
		return kerrors.NewForbidden(roles.GroupResource(), key.Name, nil)
	}
	found, err := l.w.dynamic.Resource(roles).Namespace(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	if err == nil {
		found.DeepCopyInto(obj.(*unstructured.Unstructured))
	}
	return err
}

func (l live) List(context.Context, client.ObjectList, ...client.ListOption) error {
	l.w.Error("nothing is listed but by watches")
	return nil
}

// role with an ARN in its status, unless that is empty.
func role(name, arn string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"large": "body"}}}
	u.SetGroupVersionKind(roleKind)
	u.SetNamespace("shop")
	u.SetName(name)
	if arn != "" {
		u.Object["status"] = map[string]any{"arn": arn}
	}
	return u
}

func (w *world) create(u *unstructured.Unstructured) {
	w.Helper()
	if _, err := w.dynamic.Resource(roles).Namespace("shop").Create(w.Context(), u, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) update(u *unstructured.Unstructured) {
	w.Helper()
	if _, err := w.dynamic.Resource(roles).Namespace("shop").Update(w.Context(), u, metav1.UpdateOptions{}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) delete(name string) {
	w.Helper()
	if err := w.dynamic.Resource(roles).Namespace("shop").Delete(w.Context(), name, metav1.DeleteOptions{}); err != nil {
		w.Fatal(err)
	}
}

func arnOf(name string) v1beta1.FieldSelector {
	return v1beta1.FieldSelector{APIVersion: "iam.example.org/v1", Kind: "Role", Name: name, FieldPath: "status.arn"}
}

func user(name string) User {
	return User{Kind: "Function", NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
}

// refer as the gate does, and read as the kind does after it.
func (w *world) reconcile(name string, s ...v1beta1.FieldSelector) string {
	w.Helper()
	u := user(name)
	w.reader.Refer(u, s)
	v, err := w.reader.Get(WithUser(w.Context(), u), u.Namespace, s[0])
	return said(v, err)
}

// value of a field, or the error that it gives.
func (w *world) value(s v1beta1.FieldSelector) string {
	w.Helper()
	return said(w.reader.Get(w.Context(), "shop", s))
}

func said(v string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return v
}

// wakes are the resources that were woken since this was asked last.
func (w *world) wakes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	woken := w.woken
	w.woken = nil
	slices.Sort(woken)
	return slices.Compact(woken)
}

// until something that goroutines bring about is so.
func (w *world) until(what string, so func() bool) {
	w.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("gave up waiting until %s", what)
		}
	}
}

// awake waits until exactly these are woken.
func (w *world) awake(names ...string) {
	w.Helper()
	var got []string
	w.until("the right ones are woken", func() bool {
		got = slices.Compact(slices.Sorted(slices.Values(append(got, w.wakes()...))))
		return len(got) >= len(names)
	})
	if !slices.Equal(got, names) {
		w.Errorf("want %v to be woken, got %v", names, got)
	}
}

// watching waits until the scope is watched, or is not any more.
func (w *world) watching(namespace string, want bool) {
	w.Helper()
	w.until("the watch is there or gone", func() bool {
		w.reader.mu.Lock()
		defer w.reader.mu.Unlock()
		found := w.reader.watches[scope{kind: roleKind, namespace: namespace}]
		return (found != nil && found.synced) == want
	})
}
