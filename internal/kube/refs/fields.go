// Package refs reads what specs refer to: Secrets and ConfigMaps (ObjectReader), and fields of other
// providers' objects, whose types are unknown here (FieldReader).
//
// A watch of the metadata of Secrets and ConfigMaps reports their versions. Their data is read from the API server when
// the version is new, once for all resources that refer to it, and kept in memory for as long as it is used. A change
// is therefore seen at once, an unchanged object causes no request, and objects that nobody refers to are never read.
//
// Kinds that the provider may list and watch are watched for as long as a spec refers to them: a read is then free, and
// a change enqueues the resources that refer to it. Only the fields that specs refer to are kept of each object. Kinds
// that the provider may only get are read from the API server each time. Crossplane grants a provider nothing on other
// kinds, so permissions depend on the cluster's administrator, and may change at any time.
package refs

import (
	"context"
	"sync"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// FieldReaderOptions are the options of a FieldReader.
type FieldReaderOptions struct {
	// Live reads from the API server.
	Live client.Reader

	// ConfigMaps reads the data of ConfigMaps. If it is nil, they are read from the API server each time.
	ConfigMaps Objects

	// Mapper maps the cluster's kinds, including new ones.
	Mapper kmeta.RESTMapper

	// Dynamic lists and watches objects.
	Dynamic dynamic.Interface

	// MayWatch reports whether the provider may list and watch a resource, in one namespace or, if it is empty, in all.
	MayWatch func(ctx context.Context, resource schema.GroupVersionResource, namespace string) (bool, error)

	// Namespaces are the namespaces that the provider works in. Empty means all.
	Namespaces []string

	// Clock determines when permissions are checked again.
	Clock clock.WithTicker

	// Log logs which kinds are watched.
	Log logging.Logger

	// Missing returns a placeholder for the value of an object that has none yet, such as an object that a plan assumes
	// to be created. If it is nil, a missing value is an error.
	Missing func(obj Object, path string) (string, bool)
}

// A FieldReader reads fields of objects. It watches nothing before it is started. It is safe for concurrent use.
type FieldReader struct {
	o FieldReaderOptions

	// changed triggers an update of the watches.
	changed chan struct{}

	// kinds has the answers of Mapper, which asks the API server each time about a kind that the cluster lacks.
	kinds readcache.Cache

	mu       sync.Mutex
	uses     *uses
	enqueue  map[string]func(name types.NamespacedName, by string)
	watches  map[scope]*watch
	requests map[scope]request
}

var (
	secretResource    = schema.GroupResource{Resource: "secrets"}
	configMapResource = schema.GroupResource{Resource: "configmaps"}
)

// A scope is the extent of one watch: the objects of a kind, in one namespace or, if it is empty, in all.
type scope struct {
	kind      schema.GroupVersionKind
	namespace string
}

func (s scope) has(obj Object) bool {
	return s.kind == obj.Kind && (s.namespace == "" || s.namespace == obj.Namespace)
}

// A watch is a watch of a scope.
type watch struct {
	scope scope
	paths sets.Set[string]
	store toolscache.Store
	stop  context.CancelFunc
	began time.Time

	// synced is true once the store contains all objects.
	synced bool
}

// trimmed is the part of an object that is kept.
type trimmed struct {
	metav1.ObjectMeta

	texts map[string]string
}

func (w *watch) value(obj Object, path string) value {
	kept, exists, err := w.store.GetByKey(obj.Namespace + "/" + obj.Name)
	t, ok := kept.(*trimmed)
	if err != nil || !exists || !ok {
		return value{}
	}
	return value{exists: true, text: t.texts[path]}
}

// A request is a permission check for a scope that was refused.
type request struct {
	due time.Time

	// wait is the last delay.
	wait time.Duration
}

// deferred returns the request with a later time, at most the limit from now.
func (q request) deferred(now time.Time, limit time.Duration) request {
	q.wait = min(max(2*q.wait, minDelay), limit)
	q.due = now.Add(q.wait)
	return q
}

// Delays before the permission to watch a scope is checked again: after the first refusal, the longest one, and the
// longest one for single namespaces, of which there may be many unless the provider is limited to some.
const (
	minDelay          = 5 * time.Second
	maxDelay          = 30 * time.Second
	maxNamespaceDelay = 2 * time.Minute

	accessTimeout = 15 * time.Second
)

// NewFieldReader returns a FieldReader.
func NewFieldReader(o FieldReaderOptions) *FieldReader {
	return &FieldReader{
		o:        o,
		changed:  make(chan struct{}, 1),
		uses:     newUses(),
		enqueue:  map[string]func(name types.NamespacedName, by string){},
		watches:  map[scope]*watch{},
		requests: map[scope]request{},
	}
}

// current returns the watched value of a field. The caller holds the lock.
func (r *FieldReader) current(obj Object, path string) (value, bool) {
	for _, namespace := range []string{"", obj.Namespace} {
		if w := r.watches[scope{kind: obj.Kind, namespace: namespace}]; w != nil && w.synced && w.paths.Has(path) {
			return w.value(obj, path), true
		}
	}
	return value{}, false
}

// mapping returns the resource of a kind whose fields may be read. sure is false if the error may be temporary. Secrets
// are rejected, because the fields set from selectors are visible in AWS. The API server serves a kind under several
// names, so what is rejected depends on the resource. Only the name that the cluster uses itself is accepted, so that
// each kind is watched and cached once.
func (r *FieldReader) mapping(ctx context.Context, kind schema.GroupVersionKind) (
	m *kmeta.RESTMapping, sure bool, err error,
) {
	now, key := r.o.Clock.Now(), readcache.Key{Operation: "RESTMapping", Of: kind.String()}
	m, err = readcache.Read(ctx, &r.kinds, key, readcache.Freshness{Now: now, Since: now.Add(-minDelay)},
		func(context.Context) (*kmeta.RESTMapping, error) {
			m, err := r.o.Mapper.RESTMapping(kind.GroupKind(), kind.Version)
			return m, resource.Ignore(kmeta.IsNoMatchError, err)
		})
	switch {
	case err != nil:
		return nil, false, err
	case m == nil:
		return nil, true, errors.Errorf("the cluster has no kind %s in %s", kind.Kind, kind.GroupVersion())
	case m.Resource.GroupResource() == secretResource:
		return nil, true, errors.New(
			"fields of Secrets cannot be selected, because AWS shows the value: select a field of another kind")
	case m.Scope.Name() != kmeta.RESTScopeNameNamespace:
		return nil, true, errors.Errorf(
			"kind %s is cluster-scoped, and only objects in the namespace of the resource can be read", kind.Kind)
	}
	named, err := r.o.Mapper.KindFor(m.Resource)
	switch {
	case kmeta.IsNoMatchError(err): // A plan assumes that the kind exists.
		return m, true, nil
	case err != nil:
		return nil, false, err
	case named.Kind != kind.Kind:
		return nil, true, errors.Errorf("the cluster spells this kind %s: correct it", named.Kind)
	}
	return m, true, nil
}

type userKey struct{}

// WithUser returns a context in which fields are read for a resource that Refer was called
// for. The resource is enqueued when a value that it has read changes.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

func userOf(ctx context.Context) User {
	u, _ := ctx.Value(userKey{}).(User)
	return u
}

// Refer records which fields a resource refers to, in place of those recorded before. Without
// selectors, it removes the resource. It is cheap if nothing has changed.
func (r *FieldReader) Refer(u User, selectors []v1beta1.FieldSelector) {
	r.mu.Lock()
	changed := r.uses.set(u, fieldsOf(u.Namespace, selectors))
	r.mu.Unlock()
	if changed {
		r.triggerSync()
	}
}

// Subscribe registers a function that is called for each resource of a kind when one of its
// fields has changed. by is the object, such as "Role checkout". wake must not block.
func (r *FieldReader) Subscribe(kind string, notify func(name types.NamespacedName, by string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enqueue[kind] = notify
}

// enqueueAll enqueues the users of objects that have changed, or may have. The caller does not
// hold the lock, because the subscribers may read.
func (r *FieldReader) enqueueAll(users map[User]bool, by string) {
	for u := range users {
		r.mu.Lock()
		notify := r.enqueue[u.Kind]
		r.mu.Unlock()
		if notify != nil {
			notify(u.NamespacedName, by)
		}
	}
}

// triggerSync triggers an update of the watches. It never blocks.
func (r *FieldReader) triggerSync() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}
