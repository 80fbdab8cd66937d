package refs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// cluster is an API server with Secrets and ConfigMaps, and the watch of their metadata, which may lag.
type cluster struct {
	mu      sync.Mutex
	secrets map[string]*corev1.Secret
	configs map[string]*corev1.ConfigMap
	shown   map[string]string // Name to version. If absent, it is the object's own.
	reads   atomic.Int64
	err     error
	unblock chan struct{}
}

func newCluster() *cluster {
	return &cluster{
		secrets: map[string]*corev1.Secret{}, configs: map[string]*corev1.ConfigMap{},
		shown: map[string]string{},
	}
}

func (c *cluster) secret(name, version string, data map[string][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secrets[name] = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name,
		ResourceVersion: version,
	}, Data: data}
}

func notFound(name string) error {
	return kerrors.NewNotFound(schema.GroupResource{Resource: "objects"}, name)
}

type metadataReader struct {
	client.Reader

	c *cluster
}

func (m metadataReader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	version := m.c.shown[key.Name]
	switch obj.GetObjectKind().GroupVersionKind().Kind {
	case "Secret":
		s, ok := m.c.secrets[key.Name]
		if !ok {
			return notFound(key.Name)
		}
		obj.SetResourceVersion(s.ResourceVersion)
	case "ConfigMap":
		s, ok := m.c.configs[key.Name]
		if !ok {
			return notFound(key.Name)
		}
		obj.SetResourceVersion(s.ResourceVersion)
	}
	if version != "" {
		obj.SetResourceVersion(version)
	}
	return nil
}

type liveReader struct {
	client.Reader

	c *cluster
}

func (l liveReader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	l.c.reads.Add(1)
	if l.c.unblock != nil {
		<-l.c.unblock
	}
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.c.err != nil {
		return l.c.err
	}
	switch o := obj.(type) {
	case *corev1.Secret:
		s, ok := l.c.secrets[key.Name]
		if !ok {
			return notFound(key.Name)
		}
		s.DeepCopyInto(o)
	case *corev1.ConfigMap:
		s, ok := l.c.configs[key.Name]
		if !ok {
			return notFound(key.Name)
		}
		s.DeepCopyInto(o)
	}
	return nil
}

type testClock struct{ t time.Time }

func (c *testClock) now() time.Time { return c.t }

func newReader(c *cluster) (*ObjectReader, *testClock) {
	k := &testClock{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	return NewObjectReader(metadataReader{c: c}, liveReader{c: c}, k.now), k
}

var db = ObjectRef{Kind: Secret, Namespace: "shop", Name: "db"}

func get(t *testing.T, r *ObjectReader, ref ObjectRef) ObjectData {
	t.Helper()
	d, err := r.Get(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestThousandReadersAreOneRead(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("hunter2")})
	c.unblock = make(chan struct{})
	r, _ := newReader(c)
	var wg sync.WaitGroup
	var wrong atomic.Int64
	for range 1000 {
		wg.Go(func() {
			v, err := Value(t.Context(), r, db, "password")
			if err != nil || string(v) != "hunter2" {
				wrong.Add(1)
			}
		})
	}
	close(c.unblock)
	wg.Wait()
	if wrong.Load() != 0 || c.reads.Load() != 1 {
		t.Errorf("want one read and no wrong answer, got %d reads, %d wrong", c.reads.Load(), wrong.Load())
	}
}

func TestReadOnlyWhenChanged(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("old")})
	r, _ := newReader(c)
	get(t, r, db)
	get(t, r, db)
	if got := c.reads.Load(); got != 1 {
		t.Errorf("an unchanged Secret is read once, not %d times", got)
	}
	c.secret("db", "2", map[string][]byte{"password": []byte("new")})
	if got := string(get(t, r, db)["password"]); got != "new" {
		t.Errorf("a rotated Secret: got %q", got)
	}
	if got := c.reads.Load(); got != 2 {
		t.Errorf("a rotated Secret is read once more, not %d times in all", got)
	}
}

func TestLaggingWatch(t *testing.T) {
	c := newCluster()
	c.secret("db", "2", map[string][]byte{"password": []byte("new")})
	c.shown["db"] = "1"
	r, _ := newReader(c)
	get(t, r, db)
	c.shown["db"] = "2" // The watch catches up with what was read.
	get(t, r, db)
	if got := c.reads.Load(); got != 1 {
		t.Errorf("data that was ahead of the watch is right already: %d reads", got)
	}
}

func TestRecreated(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("first")})
	r, _ := newReader(c)
	get(t, r, db)
	delete(c.secrets, "db")
	if _, err := r.Get(t.Context(), db); !IsMissing(err) {
		t.Errorf("a deleted Secret: got %v", err)
	}
	if len(r.entries) != 0 || r.bytes != 0 {
		t.Errorf("a deleted Secret stays in memory: %d bytes", r.bytes)
	}
	c.secret("db", "9", map[string][]byte{"password": []byte("second")})
	if got := string(get(t, r, db)["password"]); got != "second" {
		t.Errorf("a re-created Secret: got %q", got)
	}
}

func TestConfigMapData(t *testing.T) {
	c := newCluster()
	c.configs["app"] = &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"},
		Data:       map[string]string{"LOG": "debug"},
		BinaryData: map[string][]byte{"code.zip": {0, 1}},
	}
	r, _ := newReader(c)
	want := ObjectData{"LOG": []byte("debug"), "code.zip": {0, 1}}
	if diff := cmp.Diff(want, get(t, r, ObjectRef{Kind: ConfigMap, Namespace: "shop", Name: "app"})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestMissing(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("hunter2")})
	empty, many := ObjectRef{Kind: Secret, Namespace: "shop", Name: "empty"}, ObjectRef{
		Kind: Secret, Namespace: "shop",
		Name: "many",
	}
	c.secret("empty", "1", nil)
	c.secret("many", "1", map[string][]byte{
		strings.Repeat("a", 253): []byte("hunter2"), "k0": nil, "k1": nil,
		"k2": nil, "k3": nil, "k4": nil, "k5": nil, "k6": nil, "k7": nil, "k8": nil, "k9": nil,
	})
	r, _ := newReader(c)
	cases := map[string]struct {
		reason string
		ref    ObjectRef
		key    string
		want   string
	}{
		"Object": {
			reason: "Names the object.", ref: ObjectRef{Kind: Secret, Namespace: "shop", Name: "nope"},
			key: "k", want: "Secret shop/nope does not exist",
		},
		"ConfigMap": {
			reason: "Names the kind.", ref: ObjectRef{Kind: ConfigMap, Namespace: "shop", Name: "nope"},
			key: "k", want: "ConfigMap shop/nope does not exist",
		},
		"Key": {
			reason: "Names the key.", ref: db, key: "user",
			want: `Secret shop/db has no key "user": it has "password"`,
		},
		"Empty": {
			reason: "The Secret has no keys.", ref: empty, key: "user",
			want: `Secret shop/empty has no key "user": it is empty`,
		},
		"Many": {
			reason: "A few of many are named, and of long ones the beginning.", ref: many, key: "user",
			want: `Secret shop/many has no key "user": it has "` + strings.Repeat("a",
				64) + `", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8" and 1 more`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Value(t.Context(), r, tc.ref, tc.key)
			if err == nil || err.Error() != tc.want || !IsMissing(fmt.Errorf("wrapped: %w", err)) {
				t.Errorf("%s: want %q, got %v", tc.reason, tc.want, err)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: the error shows a value", tc.reason)
			}
		})
	}
	if got := c.reads.Load(); got != 3 {
		t.Errorf("what does not exist is not read: %d reads", got)
	}
}

func TestErrorIsNotKept(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("x")})
	c.err = errors.New("boom")
	r, _ := newReader(c)
	if _, err := r.Get(t.Context(), db); !errors.Is(err, c.err) || !strings.Contains(err.Error(), "Secret shop/db") {
		t.Errorf("want the error and what it is about, got %v", err)
	}
	c.err = nil
	get(t, r, db)
}

func TestCancelledCallerDoesNotFailTheOthers(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("x")})
	r, _ := newReader(c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Get(ctx, db); err != nil {
		t.Errorf("a read that others wait for outlives its caller: %v", err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := newCluster()
	big := bytes.Repeat([]byte{1}, MaxBytes/8)
	r, k := newReader(c)
	for i := range 20 {
		name := fmt.Sprintf("big-%d", i)
		c.secret(name, "1", map[string][]byte{"k": big})
		get(t, r, ObjectRef{Kind: Secret, Namespace: "shop", Name: name})
		k.t = k.t.Add(time.Second)
		if r.bytes > MaxBytes {
			t.Fatalf("%d bytes are kept", r.bytes)
		}
	}
	if _, ok := r.entries[ObjectRef{Kind: Secret, Namespace: "shop", Name: "big-19"}]; !ok {
		t.Error("what was used last is kept")
	}
	if _, ok := r.entries[ObjectRef{Kind: Secret, Namespace: "shop", Name: "big-0"}]; ok {
		t.Error("what was used longest ago goes first")
	}

	k.t = k.t.Add(MaxAge + time.Second)
	c.secret("small", "1", map[string][]byte{"k": {1}})
	get(t, r, ObjectRef{Kind: Secret, Namespace: "shop", Name: "small"})
	if len(r.entries) != 1 {
		t.Errorf("what nobody uses any more is dropped: %d are kept", len(r.entries))
	}
}

func TestForget(t *testing.T) {
	c := newCluster()
	c.secret("db", "1", map[string][]byte{"password": []byte("x")})
	r, _ := newReader(c)
	get(t, r, db)
	r.Forget(db)
	if len(r.entries) != 0 || r.bytes != 0 {
		t.Errorf("%d bytes are kept", r.bytes)
	}
}

// TestObjectRef checks how messages name objects, which are also the keys by which resources are indexed.
func TestObjectRef(t *testing.T) {
	got := []string{db.String(), ConfigMapOf("shop", "db").String()}
	if diff := cmp.Diff([]string{"Secret shop/db", "ConfigMap shop/db"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
