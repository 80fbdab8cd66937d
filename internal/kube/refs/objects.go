package refs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// An ObjectKind is a kind of object that a spec can refer to.
type ObjectKind string

// Kinds of objects.
const (
	Secret    ObjectKind = "Secret"
	ConfigMap ObjectKind = "ConfigMap"
)

// An ObjectRef refers to a Secret or a ConfigMap.
type ObjectRef struct {
	Kind      ObjectKind
	Namespace string
	Name      string
}

// SecretOf refers to a Secret.
func SecretOf(namespace, name string) ObjectRef {
	return ObjectRef{Kind: Secret, Namespace: namespace, Name: name}
}

// ConfigMapOf refers to a ConfigMap.
func ConfigMapOf(namespace, name string) ObjectRef {
	return ObjectRef{Kind: ConfigMap, Namespace: namespace, Name: name}
}

// KeyOf returns the object that a source refers to, and the selector of a key in it.
func KeyOf(namespace string, s v1beta1.ValueSource) (ObjectRef, v1beta1.KeySelector) {
	if k := s.SecretKeyRef; k != nil {
		return SecretOf(namespace, k.Name), *k
	}
	k := ptr.Deref(s.ConfigMapKeyRef, v1beta1.KeySelector{})
	return ConfigMapOf(namespace, k.Name), k
}

// String returns the object as messages name it, which is also the index key of resources that refer to it.
func (r ObjectRef) String() string { return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name) }

func (r ObjectRef) key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}

// ObjectData is the data of an object, by key. It is shared and must not be changed.
type ObjectData map[string][]byte

// Limits of what is kept in memory.
const (
	// MaxBytes is the maximum size of the data that is kept. A thousand objects of the maximum size are 1 GiB, of the
	// usual size 4 MiB.
	MaxBytes = 64 << 20

	// MaxAge is the time for which unused data is kept.
	MaxAge = 30 * time.Minute

	readTimeout = 15 * time.Second
)

// An ObjectReader reads objects. It is safe for concurrent use.
type ObjectReader struct {
	metadata client.Reader
	live     client.Reader
	now      func() time.Time

	flight singleflight.Group

	mu      sync.Mutex
	entries map[ObjectRef]*entry
	bytes   int
}

// An entry is the data of one object. It is valid while the watch reports one of two versions: the one that it reported
// when the data was read, or the one of the data itself, which may be ahead of the watch.
type entry struct {
	data     ObjectData
	bytes    int
	shown    string
	version  string
	lastUsed time.Time
}

// NewObjectReader returns an ObjectReader. metadata reads PartialObjectMetadata from a cache; live reads from the API
// server.
func NewObjectReader(metadata, live client.Reader, now func() time.Time) *ObjectReader {
	return &ObjectReader{metadata: metadata, live: live, now: now, entries: map[ObjectRef]*entry{}}
}

// Get returns the present data of an object. If the object does not exist, it returns a *MissingError.
func (r *ObjectReader) Get(ctx context.Context, ref ObjectRef) (ObjectData, error) {
	shown, err := r.Version(ctx, ref)
	if err != nil {
		r.Forget(ref)
		return nil, err
	}
	if d, ok := r.cachedAt(ref, shown); ok {
		return d, nil
	}
	v, err, _ := r.flight.Do(ref.String()+"@"+shown, func() (any, error) {
		if d, ok := r.cachedAt(ref, shown); ok {
			return d, nil
		}
		// Others wait for this read too, so it is independent of the caller's context.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		return r.read(ctx, ref, shown)
	})
	if err != nil {
		return nil, err
	}
	return v.(ObjectData), nil //nolint:forcetypeassert // The function above returns nothing else.
}

// Objects reads Secrets and ConfigMaps. *ObjectReader is one.
type Objects interface {
	Get(ctx context.Context, ref ObjectRef) (ObjectData, error)
}

// Value returns the value of one key of an object. If the object or the key does not exist, it returns a *MissingError.
func Value(ctx context.Context, o Objects, ref ObjectRef, key string) ([]byte, error) {
	d, err := o.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	v, ok := d[key]
	if !ok {
		return nil, NoKey(ref, key, d)
	}
	return v, nil
}

// Forget removes the data of an object from memory.
func (r *ObjectReader) Forget(ref ObjectRef) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(ref)
}

// Version returns the resource version of an object according to the watch. If the object does not
// exist, it returns a *MissingError.
func (r *ObjectReader) Version(ctx context.Context, ref ObjectRef) (string, error) {
	m := Metadata(ref.Kind)
	err := r.metadata.Get(ctx, ref.key(), m)
	if kerrors.IsNotFound(err) {
		return "", &MissingError{Ref: ref}
	}
	if err != nil {
		return "", fmt.Errorf("cannot look up %s: %w", ref, err)
	}
	return m.GetResourceVersion(), nil
}

// cachedAt returns the data of an object if it is kept and valid.
func (r *ObjectReader) cachedAt(ref ObjectRef, shown string) (ObjectData, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[ref]
	if e == nil || (e.shown != shown && e.version != shown) {
		return nil, false
	}
	e.lastUsed = r.now()
	return e.data, true
}

func (r *ObjectReader) read(ctx context.Context, ref ObjectRef, shown string) (ObjectData, error) {
	data, version, err := r.load(ctx, ref)
	if kerrors.IsNotFound(err) {
		return nil, &MissingError{Ref: ref}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", ref, err)
	}
	r.keep(ref, &entry{data: data, bytes: size(data), shown: shown, version: version})
	return data, nil
}

func (r *ObjectReader) load(ctx context.Context, ref ObjectRef) (ObjectData, string, error) {
	if ref.Kind == Secret {
		s := &corev1.Secret{}
		if err := r.live.Get(ctx, ref.key(), s); err != nil {
			return nil, "", err
		}
		return s.Data, s.GetResourceVersion(), nil
	}
	cm := &corev1.ConfigMap{}
	if err := r.live.Get(ctx, ref.key(), cm); err != nil {
		return nil, "", err
	}
	data := make(ObjectData, len(cm.Data)+len(cm.BinaryData))
	maps.Copy(data, cm.BinaryData)
	for k, v := range cm.Data {
		data[k] = []byte(v)
	}
	return data, cm.GetResourceVersion(), nil
}

// keep stores data. It removes what was not used for MaxAge, and then what was used least
// recently, until there is room.
func (r *ObjectReader) keep(ref ObjectRef, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	e.lastUsed = now
	r.drop(ref)
	for old, entries := range r.entries {
		if now.Sub(entries.lastUsed) > MaxAge {
			r.drop(old)
		}
	}
	for r.bytes+e.bytes > MaxBytes && len(r.entries) > 0 {
		r.drop(r.oldest())
	}
	r.entries[ref] = e
	r.bytes += e.bytes
}

func (r *ObjectReader) oldest() ObjectRef {
	var oldest ObjectRef
	var at time.Time
	for ref, e := range r.entries {
		if at.IsZero() || e.lastUsed.Before(at) {
			oldest, at = ref, e.lastUsed
		}
	}
	return oldest
}

func (r *ObjectReader) drop(ref ObjectRef) {
	if e := r.entries[ref]; e != nil {
		r.bytes -= e.bytes
		delete(r.entries, ref)
	}
}

func size(d ObjectData) int {
	n := 0
	for k, v := range d {
		n += len(k) + len(v)
	}
	return n
}

// Metadata returns an empty object for getting or watching the metadata of a kind.
func Metadata(k ObjectKind) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(string(k)))
	return m
}

// A MissingError is the error of an object, or of a key of it, that does not exist. It never contains a value.
type MissingError struct {
	Ref ObjectRef

	// Key is the missing key. It is empty if the object itself is missing.
	Key string

	// has lists the keys that the object has.
	has string
}

const (
	// maxKeys is the maximum number of keys in an error.
	maxKeys = 10

	// maxKey is the maximum length of a key in an error, in characters.
	maxKey = 64
)

// NoKey returns the error for an object without a key. It lists the keys that the object has.
func NoKey(ref ObjectRef, key string, d ObjectData) *MissingError {
	return &MissingError{Ref: ref, Key: key, has: Keys(d)}
}

// Keys returns some of the keys of a map for an error, in order and in quotes. It is empty if there are none.
func Keys[V any](m map[string]V) string {
	names := slices.Sorted(maps.Keys(m))
	for i, name := range names {
		names[i] = fmt.Sprintf("%.*q", maxKey, name)
	}
	return diff.List(names, maxKeys)
}

// Error returns what is missing, and the existing keys.
func (e *MissingError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s does not exist", e.Ref)
	}
	if e.has == "" {
		return fmt.Sprintf("%s has no key %q: it is empty", e.Ref, e.Key)
	}
	return fmt.Sprintf("%s has no key %q: it has %s", e.Ref, e.Key, e.has)
}

// IsMissing reports whether an error says that an object or a key of it does not exist.
func IsMissing(err error) bool {
	var m *MissingError
	return errors.As(err, &m)
}
