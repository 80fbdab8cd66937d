package refs

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
)

// An Object is an object that a spec refers to.
type Object struct {
	Kind      schema.GroupVersionKind
	Namespace string
	Name      string
}

// cause returns the kind and name of the object, for users who know its namespace.
func (o Object) cause() string { return o.Kind.Kind + " " + o.Name }

// String returns the kind, namespace and name of the object.
func (o Object) String() string { return fmt.Sprintf("%s %s/%s", o.Kind.Kind, o.Namespace, o.Name) }

// A User is a resource with a spec that refers to fields of objects.
type User struct {
	// Kind is the kind of the resource, such as Function.
	Kind string

	types.NamespacedName
}

// A field is a field of an object.
type field struct {
	Object

	path string
}

func (f field) key() key { return key{kind: f.Kind, path: f.path} }

// fieldsOf returns the fields that selectors select. It omits invalid selectors, because
// reading them returns the error.
func fieldsOf(namespace string, selectors []v1beta1.FieldSelector) map[field]bool {
	fs := make(map[field]bool, len(selectors))
	for _, s := range selectors {
		if gv, err := schema.ParseGroupVersion(s.APIVersion); err == nil {
			fs[field{
				Object: Object{Kind: gv.WithKind(s.Kind), Namespace: namespace, Name: s.Name},
				path:   s.FieldPath,
			}] = true
		}
	}
	return fs
}

// A key identifies the fields of one path in the objects of a kind.
type key struct {
	kind schema.GroupVersionKind
	path string
}

// maxFields is the maximum number of fields of all kinds that are watched for a namespace. Each watched field is kept
// of all objects of the kind, in all namespaces. Further ones are read each time.
const maxFields = 50

// uses records which resource refers to which fields, and the values that it has read.
type uses struct {
	byUser map[User]map[field]bool

	// byObject has the users of the paths of an object, with the value that each read last: nil if it has not read yet.
	byObject map[Object]map[string]map[User]*value

	// watched counts the fields of each key that has to be watched, by namespace.
	watched map[string]map[key]int
}

func newUses() *uses {
	return &uses{
		byUser: map[User]map[field]bool{}, byObject: map[Object]map[string]map[User]*value{},
		watched: map[string]map[key]int{},
	}
}

// set sets the fields that a resource refers to. It reports whether other kinds, namespaces or
// paths may have to be watched now.
func (u *uses) set(user User, fs map[field]bool) bool {
	changed := false
	for f := range u.byUser[user] {
		if !fs[f] {
			changed = u.drop(user, f) || changed
		}
	}
	for f := range fs {
		if !u.byUser[user][f] {
			changed = u.add(user, f) || changed
		}
	}
	delete(u.byUser, user)
	if len(fs) > 0 {
		u.byUser[user] = fs
	}
	return changed
}

// add adds a use. It reports whether it is the first of a key that has to be watched.
func (u *uses) add(user User, f field) bool {
	if u.byObject[f.Object] == nil {
		u.byObject[f.Object] = map[string]map[User]*value{}
	}
	users := u.byObject[f.Object][f.path]
	if users != nil {
		users[user] = nil
		return false
	}
	u.byObject[f.Object][f.path] = map[User]*value{user: nil}
	keys := u.watched[f.Namespace]
	if keys[f.key()] == 0 && (unwatched(f.Kind) || len(keys) >= maxFields) {
		return false
	}
	if keys == nil {
		keys = map[key]int{}
		u.watched[f.Namespace] = keys
	}
	keys[f.key()]++
	return keys[f.key()] == 1
}

// drop removes a use. It reports whether it was the last of a key that was watched.
func (u *uses) drop(user User, f field) bool {
	users := u.byObject[f.Object][f.path]
	delete(users, user)
	if len(users) > 0 {
		return false
	}
	delete(u.byObject[f.Object], f.path)
	if len(u.byObject[f.Object]) == 0 {
		delete(u.byObject, f.Object)
	}
	keys := u.watched[f.Namespace]
	if keys[f.key()] > 1 {
		keys[f.key()]--
		return false
	}
	_, watched := keys[f.key()]
	if delete(keys, f.key()); len(keys) == 0 {
		delete(u.watched, f.Namespace)
	}
	return watched
}

// notify records the value of a field that a resource has read.
func (u *uses) notify(user User, obj Object, path string, v value) {
	users := u.byObject[obj][path]
	if _, ok := users[user]; ok {
		users[user] = &v
	}
}

// outdated returns the resources that have read a value of an object that differs from the present one, if that is
// known. Resources that have not read yet are not included, because they will read the present value.
func (u *uses) outdated(obj Object, now func(path string) (value, bool)) map[User]bool {
	found := map[User]bool{}
	for path, users := range u.byObject[obj] {
		v, known := now(path)
		if !known {
			continue
		}
		for user, read := range users {
			if read != nil && *read != v {
				found[user] = true
			}
		}
	}
	return found
}

// wanted returns the kinds that have to be watched, with the namespaces and paths.
func (u *uses) wanted() map[schema.GroupVersionKind]*needed {
	all := map[schema.GroupVersionKind]*needed{}
	for namespace, keys := range u.watched {
		for p := range keys {
			w := all[p.kind]
			if w == nil {
				w = &needed{namespaces: sets.Set[string]{}, paths: sets.Set[string]{}}
				all[p.kind] = w
			}
			w.namespaces.Insert(namespace)
			w.paths.Insert(p.path)
		}
	}
	return all
}

// needed has the namespaces and fields of a kind that have to be watched.
type needed struct {
	namespaces sets.Set[string]
	paths      sets.Set[string]
}

// maxText is the number of bytes of the longest string that is read. A watch keeps the string of each object of a kind,
// of all namespaces, and users choose the path.
const maxText = 8 << 10

// tooLong stands for a longer string.
const tooLong = "\x00"

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

// unwatched reports whether objects of a kind are read one by one even if the provider may
// watch them: Kubernetes' core objects are too many.
func unwatched(kind schema.GroupVersionKind) bool { return kind.Group == "" }
