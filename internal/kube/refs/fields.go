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

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
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

// Get returns the string at the selected field of an object in the namespace. An error says
// what is missing: the kind, the object, the field, or the permission to read it.
func (r *FieldReader) Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	obj, err := parse(namespace, s)
	if err != nil {
		return "", err
	}
	m, sure, err := r.mapping(ctx, obj.Kind)
	if err == nil && m.Resource.GroupResource() == configMapResource && r.o.ConfigMaps != nil {
		return r.configMap(ctx, obj, s.FieldPath)
	}
	user := userOf(ctx)
	if v, known := r.observe(user, obj, s.FieldPath, nil); known {
		return given(v, obj, s.FieldPath)
	}
	v := value{}
	if err == nil {
		v, sure, err = r.read(ctx, obj, m.Resource, s.FieldPath)
	}
	err = errors.Wrapf(err, "cannot read %s", obj)
	if !sure {
		return "", err
	}
	// A watch that has synced meanwhile is newer than what was read.
	if now, known := r.observe(user, obj, s.FieldPath, &v); known {
		return given(now, obj, s.FieldPath)
	}
	if err != nil {
		return "", err
	}
	if r.o.Missing != nil && (v.text == "" || s.FieldPath == flux.View && !flux.HasArtifact(v.text)) {
		if text, ok := r.o.Missing(obj, s.FieldPath); ok {
			return text, nil
		}
	}
	return given(v, obj, s.FieldPath)
}

// parse returns the selected object, or an error if the selector is invalid.
func parse(namespace string, s v1beta1.FieldSelector) (Object, error) {
	gv, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return Object{}, errors.Errorf("apiVersion %q is not valid: use one such as iam.aws.m.upbound.io/v1beta1",
			s.APIVersion)
	}
	if _, err := fieldpath.Parse(s.FieldPath); err != nil && s.FieldPath != flux.View {
		return Object{}, errors.Wrapf(err, "fieldPath %q is not valid: use one such as status.atProvider.arn",
			s.FieldPath)
	}
	return Object{Kind: gv.WithKind(s.Kind), Namespace: namespace, Name: s.Name}, nil
}

// observe records the value of a field that a resource uses: the watched one, or else the one
// that was read, if any. It returns the watched value, if there is one. If the object is not
// watched, it enqueues the other users of the field that have another value.
func (r *FieldReader) observe(user User, obj Object, path string, read *value) (value, bool) {
	r.mu.Lock()
	v, known := r.current(obj, path)
	var stale map[User]bool
	switch {
	case known:
		r.uses.notify(user, obj, path, v)
	case read != nil:
		r.uses.notify(user, obj, path, *read)
		stale = r.uses.outdated(obj, func(p string) (value, bool) { return *read, p == path })
	}
	r.mu.Unlock()
	r.enqueueAll(stale, obj.cause())
	return v, known
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

// A value is the value of a field, and whether the object exists.
type value struct {
	exists bool
	text   string
}

// given returns the text of a value, or an error if there is none.
func given(v value, obj Object, path string) (string, error) {
	switch {
	case !v.exists:
		return "", errors.Errorf("%s does not exist", obj)
	case v.text == "":
		return "", errors.Errorf("%s has no value at %s yet", obj, path)
	case v.text == tooLong:
		return "", errors.Errorf("%s has a text of more than %d KB at %s: select another field", obj, maxText>>10, path)
	}
	return v.text, nil
}

var (
	secretResource    = schema.GroupResource{Resource: "secrets"}
	configMapResource = schema.GroupResource{Resource: "configmaps"}
)

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

// read reads a field from the API server. sure is false if the error may be temporary. A
// missing object is not an error.
func (r *FieldReader) read(ctx context.Context, obj Object, resource schema.GroupVersionResource, path string) (
	v value, sure bool, err error,
) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(obj.Kind)
	err = r.o.Live.Get(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: obj.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return value{}, true, nil
	case kerrors.IsForbidden(err):
		return value{}, true, errors.Errorf("grant the provider's ServiceAccount get, list and watch on %s of API "+
			"group %q", resource.Resource, resource.Group)
	case err != nil:
		return value{}, false, err
	}
	return value{exists: true, text: text(u, path)}, true, nil
}

// maxText is the number of bytes of the longest string that is read. A watch keeps the string of each object of a kind,
// of all namespaces, and users choose the path.
const maxText = 8 << 10

// tooLong stands for a longer string.
const tooLong = "\x00"

// text returns the string at a path, or "" if there is none. At the path flux.View, it is the view of a Flux source.
func text(u *unstructured.Unstructured, path string) string {
	if path == flux.View {
		return flux.Summarize(u)
	}
	v, err := fieldpath.Pave(u.Object).GetString(path)
	switch {
	case err != nil:
		return ""
	case len(v) > maxText:
		return tooLong
	}
	return v
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
