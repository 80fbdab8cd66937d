// Package fields reads fields of other objects that specs refer to: things of
// other providers, whose types this one does not know.
//
// What the provider may list and watch is watched, for as long as a spec refers to
// it: a read then costs nothing, and a change wakes the resources that it concerns.
// Of each object, only the fields that specs name are kept. What the provider may
// only get is read from the API server each time. Crossplane grants a provider
// nothing on kinds of others, so that is up to who runs the cluster, and may change
// at any time.
package fields

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

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Options of a Reader.
type Options struct {
	// Live reads from the API server.
	Live client.Reader

	// ConfigMaps reads what is in ConfigMaps. Nil has them read from the API server each time.
	ConfigMaps ConfigMaps

	// Mapper knows the cluster's kinds, and learns of new ones.
	Mapper kmeta.RESTMapper

	// Dynamic lists and watches objects.
	Dynamic dynamic.Interface

	// MayWatch tells whether the provider may list and watch a resource, in one
	// namespace or, if it is empty, in all.
	MayWatch func(ctx context.Context, resource schema.GroupVersionResource, namespace string) (bool, error)

	// Namespaces that the provider works in. None means all.
	Namespaces []string

	// Clock by which it is asked again what may be watched.
	Clock clock.WithTicker

	// Log of what is watched.
	Log logging.Logger
}

// A Reader reads fields of objects. It watches nothing before it is started. It is
// safe for concurrent use.
type Reader struct {
	o Options

	// changed asks for a look at what is to be watched.
	changed chan struct{}

	mu      sync.Mutex
	uses    *uses
	enqueue map[string]func(name types.NamespacedName, by string)
	watches map[scope]*watch
	asked   map[scope]question
}

// NewReader returns a Reader.
func NewReader(o Options) *Reader {
	return &Reader{
		o:       o,
		changed: make(chan struct{}, 1),
		uses:    newUses(),
		enqueue: map[string]func(name types.NamespacedName, by string){},
		watches: map[scope]*watch{},
		asked:   map[scope]question{},
	}
}

// Get the string at the selected field of an object in the namespace. An error
// says what is missing: the kind, the object, the field, or the permission to read
// it.
func (r *Reader) Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error) {
	obj, err := parse(namespace, s)
	if err != nil {
		return "", err
	}
	if isConfigMap(obj.Kind) && r.o.ConfigMaps != nil {
		return r.configMap(ctx, obj, s.FieldPath)
	}
	user := userOf(ctx)
	if v, known := r.settle(user, obj, s.FieldPath, nil); known {
		return given(v, obj, s.FieldPath)
	}
	v, sure, err := r.read(ctx, obj, s.FieldPath)
	if !sure {
		return "", err
	}
	// What is watched by now is newer than what was read.
	if now, known := r.settle(user, obj, s.FieldPath, &v); known {
		return given(now, obj, s.FieldPath)
	}
	if err != nil {
		return "", err
	}
	return given(v, obj, s.FieldPath)
}

// parse a selector. Secrets are not for fields that AWS shows to whoever looks.
func parse(namespace string, s v1beta1.FieldSelector) (Object, error) {
	gv, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return Object{}, errors.Errorf("apiVersion %q is not valid: use one such as iam.aws.m.upbound.io/v1beta1", s.APIVersion)
	}
	if _, err := fieldpath.Parse(s.FieldPath); err != nil {
		return Object{}, errors.Wrapf(err, "fieldPath %q is not valid: use one such as status.atProvider.arn", s.FieldPath)
	}
	obj := Object{Kind: gv.WithKind(s.Kind), Namespace: namespace, Name: s.Name}
	if isSecret(obj.Kind) {
		return Object{}, errors.Wrapf(errors.New("a setting that is not secret cannot be read from a field of a Secret"), "cannot read %s", obj)
	}
	return obj, nil
}

func isSecret(kind schema.GroupVersionKind) bool { return kind.Group == "" && kind.Kind == "Secret" }

// settle what a resource is told of a field: what is watched, or else what was read,
// if anything was. It returns what is watched. What nobody watches is seen by one
// who reads it: others that were told something else before have to look again.
func (r *Reader) settle(user User, obj Object, path string, read *value) (value, bool) {
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

// current is the watched value of a field. The lock is held.
func (r *Reader) current(obj Object, path string) (value, bool) {
	for _, namespace := range []string{"", obj.Namespace} {
		if w := r.watches[scope{kind: obj.Kind, namespace: namespace}]; w != nil && w.synced && w.paths[path] {
			return w.value(obj, path), true
		}
	}
	return value{}, false
}

// A value of a field: whether the object exists, and what the field holds.
type value struct {
	exists bool
	text   string
}

func given(v value, obj Object, path string) (string, error) {
	switch {
	case !v.exists:
		return "", errors.Errorf("%s does not exist", obj)
	case v.text == "":
		return "", errors.Errorf("%s has no value at %s yet", obj, path)
	}
	return v.text, nil
}

// read a field from the API server. sure is false for errors that may pass. That the
// object does not exist is none.
func (r *Reader) read(ctx context.Context, obj Object, path string) (v value, sure bool, err error) {
	m, err := r.o.Mapper.RESTMapping(obj.Kind.GroupKind(), obj.Kind.Version)
	switch {
	case kmeta.IsNoMatchError(err):
		return value{}, true, errors.Wrapf(errors.Errorf("the cluster has no kind %s in %s", obj.Kind.Kind, obj.Kind.GroupVersion()), "cannot read %s", obj)
	case err != nil:
		return value{}, false, errors.Wrapf(err, "cannot read %s", obj)
	case m.Scope.Name() != kmeta.RESTScopeNameNamespace:
		return value{}, true, errors.Wrapf(errors.Errorf("kind %s is cluster-scoped, and only objects in the namespace of the resource can be read", obj.Kind.Kind), "cannot read %s", obj)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(obj.Kind)
	err = r.o.Live.Get(ctx, client.ObjectKey{Namespace: obj.Namespace, Name: obj.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return value{}, true, nil
	case kerrors.IsForbidden(err):
		return value{}, true, errors.Wrapf(errors.Errorf("grant the provider's ServiceAccount get, list and watch on %s of API group %q", m.Resource.Resource, m.Resource.Group), "cannot read %s", obj)
	case err != nil:
		return value{}, false, errors.Wrapf(err, "cannot read %s", obj)
	}
	return value{exists: true, text: text(u, path)}, true, nil
}

// text at a path. A field that holds something else has none.
func text(u *unstructured.Unstructured, path string) string {
	v, err := fieldpath.Pave(u.Object).GetString(path)
	if err != nil {
		return ""
	}
	return v
}

type userKey struct{}

// WithUser says for whom fields are read in a context: a resource for which Refer was
// called. It is woken when what it was told is so no longer.
func WithUser(ctx context.Context, u User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

func userOf(ctx context.Context) User {
	u, _ := ctx.Value(userKey{}).(User)
	return u
}

// Refer notes which fields a resource refers to: from now on, only these. None lets
// go of all. It costs next to nothing where nothing has changed.
func (r *Reader) Refer(u User, selectors []v1beta1.FieldSelector) {
	r.mu.Lock()
	changed := r.uses.set(u, fieldsOf(u.Namespace, selectors))
	r.mu.Unlock()
	if changed {
		r.look()
	}
}

// Subscribe has wake called for each resource of a kind for which a field has
// changed. by is the object, such as "Role checkout". It must not block.
func (r *Reader) Subscribe(kind string, wake func(name types.NamespacedName, by string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.enqueue[kind] = wake
}

// enqueueAll the users of objects that have changed, or may have. The lock is not held, since
// those who are woken may read.
func (r *Reader) enqueueAll(users map[User]bool, by string) {
	for u := range users {
		r.mu.Lock()
		wake := r.enqueue[u.Kind]
		r.mu.Unlock()
		if wake != nil {
			wake(u.NamespacedName, by)
		}
	}
}

// look asks for a look at what is to be watched. It never blocks.
func (r *Reader) look() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}
