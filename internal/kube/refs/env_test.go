package refs

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

// env is an API server with Roles, and the permissions of the provider.
type env struct {
	testing.TB

	reader  *FieldReader
	dynamic *fake.FakeDynamicClient
	mapper  *kmeta.DefaultRESTMapper
	clock   *testclock.FakeClock
	gets    atomic.Int64
	calls   atomic.Int64

	mu sync.Mutex
	// mayGet is whether reading is allowed; mayWatch are the namespaces that may be watched, "" for all at once.
	mayGet   bool
	fail     error
	mayWatch []string
	woken    []string
}

func newEnv(t testing.TB, change ...func(*env)) *env {
	t.Helper()
	e := &env{
		TB:     t,
		mayGet: true,
		mapper: kmeta.NewDefaultRESTMapper(nil),
		clock:  testclock.NewFakeClock(time.Unix(1_800_000_000, 0)),
	}
	e.dynamic = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{roles: "RoleList"})
	e.mapper.Add(roleKind, kmeta.RESTScopeNamespace)
	e.mapper.Add(roleKind.GroupVersion().WithKind("Account"), kmeta.RESTScopeRoot)
	e.dynamic.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if !e.watchable(a.GetNamespace()) {
			return true, nil, kerrors.NewForbidden(roles.GroupResource(), "", nil)
		}
		return false, nil, nil
	})
	for _, c := range change {
		c(e)
	}
	e.reader = NewFieldReader(FieldReaderOptions{
		Live:    liveClient{e},
		Mapper:  e.mapper,
		Dynamic: e.dynamic,
		MayWatch: func(_ context.Context, _ schema.GroupVersionResource, namespace string) (bool, error) {
			e.calls.Add(1)
			return e.watchable(namespace), nil
		},
		Clock: e.clock,
		Log:   logging.NewNopLogger(),
	})
	e.reader.Subscribe("Function", func(n types.NamespacedName, _ string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.woken = append(e.woken, n.Name)
	})
	return e
}

func (e *env) watchable(namespace string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Contains(e.mayWatch, "") || slices.Contains(e.mayWatch, namespace)
}

// grant sets the permissions.
func (e *env) grant(get bool, namespaces ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mayGet, e.mayWatch = get, namespaces
}

// run runs the Reader until the test ends.
func (e *env) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = e.reader.Start(ctx) }()
	e.Cleanup(func() { cancel(); <-done })
}

// liveClient reads from the env's API server.
type liveClient struct{ w *env }

func (l liveClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
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

func (l liveClient) List(context.Context, client.ObjectList, ...client.ListOption) error {
	l.w.Error("nothing is listed but by watches")
	return nil
}

// role returns a role with an ARN in its status, unless that is empty.
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

func (e *env) create(u *unstructured.Unstructured) {
	e.Helper()
	if _, err := e.dynamic.Resource(roles).Namespace("shop").Create(e.Context(), u,
		metav1.CreateOptions{}); err != nil {
		e.Fatal(err)
	}
}

func (e *env) update(u *unstructured.Unstructured) {
	e.Helper()
	if _, err := e.dynamic.Resource(roles).Namespace("shop").Update(e.Context(), u,
		metav1.UpdateOptions{}); err != nil {
		e.Fatal(err)
	}
}

func (e *env) delete(name string) {
	e.Helper()
	if err := e.dynamic.Resource(roles).Namespace("shop").Delete(e.Context(), name,
		metav1.DeleteOptions{}); err != nil {
		e.Fatal(err)
	}
}

func arnOf(name string) v1beta1.FieldSelector {
	return v1beta1.FieldSelector{APIVersion: "iam.example.org/v1", Kind: "Role", Name: name, FieldPath: "status.arn"}
}

func user(name string) User {
	return User{Kind: "Function", NamespacedName: types.NamespacedName{Namespace: "shop", Name: name}}
}

// reconcile calls Refer like the reconciler, and then reads like the kind.
func (e *env) reconcile(name string, s ...v1beta1.FieldSelector) string {
	e.Helper()
	u := user(name)
	e.reader.Refer(u, s)
	v, err := e.reader.Get(WithUser(e.Context(), u), u.Namespace, s[0])
	return valueOrError(v, err)
}

// value returns the value of a field, or the error of reading it.
func (e *env) value(s v1beta1.FieldSelector) string {
	e.Helper()
	return valueOrError(e.reader.Get(e.Context(), "shop", s))
}

func valueOrError(v string, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return v
}

// wakes returns the resources that were enqueued since the last call.
func (e *env) wakes() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	woken := e.woken
	e.woken = nil
	slices.Sort(woken)
	return slices.Compact(woken)
}

// until waits until a condition that depends on goroutines is true.
func (e *env) until(what string, so func() bool) {
	e.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			e.Fatalf("gave up waiting until %s", what)
		}
	}
}

// awake waits until exactly these resources are enqueued.
func (e *env) awake(names ...string) {
	e.Helper()
	var got []string
	e.until("the right ones are woken", func() bool {
		got = slices.Compact(slices.Sorted(slices.Values(append(got, e.wakes()...))))
		return len(got) >= len(names)
	})
	if !slices.Equal(got, names) {
		e.Errorf("want %v to be woken, got %v", names, got)
	}
}

// watching waits until the scope is watched, or is not watched any more.
func (e *env) watching(namespace string, want bool) {
	e.Helper()
	e.until("the watch is there or gone", func() bool {
		e.reader.mu.Lock()
		defer e.reader.mu.Unlock()
		found := e.reader.watches[scope{kind: roleKind, namespace: namespace}]
		return (found != nil && found.synced) == want
	})
}
