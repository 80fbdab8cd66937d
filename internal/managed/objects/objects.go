// Package objects reads the Secrets and ConfigMaps that specs refer to.
//
// A watch of their metadata alone tells their versions; their data is read from
// the API server when the version is new, once for however many resources refer to
// it, and kept in memory for as long as it is used. So a changed Secret is seen at
// once, an unchanged one costs nothing, and what nobody refers to is never read.
package objects

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Kind of object that a spec can refer to.
type Kind string

// Kinds of objects.
const (
	Secret    Kind = "Secret"
	ConfigMap Kind = "ConfigMap"
)

// A Ref names a Secret or a ConfigMap.
type Ref struct {
	Kind      Kind
	Namespace string
	Name      string
}

// String is the key under which resources that refer to the object are found.
func (r Ref) String() string { return fmt.Sprintf("%s/%s/%s", r.Kind, r.Namespace, r.Name) }

func (r Ref) key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}

// Data of an object, by key. It is shared: it must not be changed.
type Data map[string][]byte

// Bounds of what is kept in memory.
const (
	// MaxBytes of data are kept: a thousand objects of the largest size are 1 GiB,
	// of the usual one 4 MiB.
	MaxBytes = 64 << 20

	// MaxAge since data was last used. Data that no resource refers to any more is
	// gone after this time.
	MaxAge = 30 * time.Minute

	readTimeout = 15 * time.Second
)

// A Reader reads objects. It is safe for concurrent use.
type Reader struct {
	metadata client.Reader
	live     client.Reader
	now      func() time.Time

	flight singleflight.Group

	mu    sync.Mutex
	kept  map[Ref]*entry
	bytes int
}

// entry is the data of one object. It is right for as long as the watch shows one
// of the two versions: that which it showed when the data was read, or that of the
// data itself, which may be ahead of the watch.
type entry struct {
	data     Data
	bytes    int
	shown    string
	version  string
	lastUsed time.Time
}

// NewReader returns a Reader. metadata reads PartialObjectMetadata from a cache;
// live reads from the API server.
func NewReader(metadata, live client.Reader, now func() time.Time) *Reader {
	return &Reader{metadata: metadata, live: live, now: now, kept: map[Ref]*entry{}}
}

// Get the data of an object as it is now. An object that does not exist is a
// *MissingError.
func (r *Reader) Get(ctx context.Context, ref Ref) (Data, error) {
	shown, err := r.shown(ctx, ref)
	if err != nil {
		r.Forget(ref)
		return nil, err
	}
	if d, ok := r.held(ref, shown); ok {
		return d, nil
	}
	v, err, _ := r.flight.Do(ref.String()+"@"+shown, func() (any, error) {
		if d, ok := r.held(ref, shown); ok {
			return d, nil
		}
		// Others wait for this read too, so it outlives the caller's context.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		return r.read(ctx, ref, shown)
	})
	if err != nil {
		return nil, err
	}
	return v.(Data), nil //nolint:forcetypeassert // The function above returns nothing else.
}

// Value of one key of an object. A key that does not exist is a *MissingError.
func (r *Reader) Value(ctx context.Context, ref Ref, key string) ([]byte, error) {
	d, err := r.Get(ctx, ref)
	if err != nil {
		return nil, err
	}
	v, ok := d[key]
	if !ok {
		return nil, NoKey(ref, key, d)
	}
	return v, nil
}

// Forget what is kept of an object.
func (r *Reader) Forget(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(ref)
}

// shown is the version of the object that the watch shows.
func (r *Reader) shown(ctx context.Context, ref Ref) (string, error) {
	m := Metadata(ref.Kind)
	err := r.metadata.Get(ctx, ref.key(), m)
	if kerrors.IsNotFound(err) {
		return "", &MissingError{Ref: ref}
	}
	if err != nil {
		return "", fmt.Errorf("cannot look up %s: %w", ref.words(), err)
	}
	return m.GetResourceVersion(), nil
}

func (r *Reader) held(ref Ref, shown string) (Data, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.kept[ref]
	if e == nil || (e.shown != shown && e.version != shown) {
		return nil, false
	}
	e.lastUsed = r.now()
	return e.data, true
}

func (r *Reader) read(ctx context.Context, ref Ref, shown string) (Data, error) {
	data, version, err := r.load(ctx, ref)
	if kerrors.IsNotFound(err) {
		return nil, &MissingError{Ref: ref}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", ref.words(), err)
	}
	r.keep(ref, &entry{data: data, bytes: size(data), shown: shown, version: version})
	return data, nil
}

func (r *Reader) load(ctx context.Context, ref Ref) (Data, string, error) {
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
	data := make(Data, len(cm.Data)+len(cm.BinaryData))
	maps.Copy(data, cm.BinaryData)
	for k, v := range cm.Data {
		data[k] = []byte(v)
	}
	return data, cm.GetResourceVersion(), nil
}

// keep data, and make room for it: first by what is too old, then by what was used
// longest ago.
func (r *Reader) keep(ref Ref, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	e.lastUsed = now
	r.drop(ref)
	for old, kept := range r.kept {
		if now.Sub(kept.lastUsed) > MaxAge {
			r.drop(old)
		}
	}
	for r.bytes+e.bytes > MaxBytes && len(r.kept) > 0 {
		r.drop(r.oldest())
	}
	r.kept[ref] = e
	r.bytes += e.bytes
}

func (r *Reader) oldest() Ref {
	var oldest Ref
	var at time.Time
	for ref, e := range r.kept {
		if at.IsZero() || e.lastUsed.Before(at) {
			oldest, at = ref, e.lastUsed
		}
	}
	return oldest
}

func (r *Reader) drop(ref Ref) {
	if e := r.kept[ref]; e != nil {
		r.bytes -= e.bytes
		delete(r.kept, ref)
	}
}

func size(d Data) int {
	n := 0
	for k, v := range d {
		n += len(k) + len(v)
	}
	return n
}

// Metadata is an empty object by which the metadata of a kind is got or watched.
func Metadata(k Kind) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(string(k)))
	return m
}
