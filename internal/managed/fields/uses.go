package fields

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// An Object that a spec refers to.
type Object struct {
	Kind      schema.GroupVersionKind
	Namespace string
	Name      string
}

// cause names the object to a user who knows its namespace.
func (o Object) cause() string { return o.Kind.Kind + " " + o.Name }

// String names the object to the user.
func (o Object) String() string { return fmt.Sprintf("%s %s/%s", o.Kind.Kind, o.Namespace, o.Name) }

// A User is a resource whose spec refers to fields of objects.
type User struct {
	// Kind of the resource, such as Function.
	Kind string

	types.NamespacedName
}

// field of an object.
type field struct {
	Object

	path string
}

func (f field) key() key {
	return key{kind: f.Kind, namespace: f.Namespace, path: f.path}
}

// fieldsOf are the fields that selectors select. A selector that makes no sense is
// left out: reading it says why.
func fieldsOf(namespace string, selectors []v1beta1.FieldSelector) map[field]bool {
	fs := make(map[field]bool, len(selectors))
	for _, s := range selectors {
		if gv, err := schema.ParseGroupVersion(s.APIVersion); err == nil {
			fs[field{Object: Object{Kind: gv.WithKind(s.Kind), Namespace: namespace, Name: s.Name}, path: s.FieldPath}] = true
		}
	}
	return fs
}

// key is where fields of one path are read.
type key struct {
	kind      schema.GroupVersionKind
	namespace string
	path      string
}

// uses tells which resource refers to which fields, and what it was told of them.
type uses struct {
	byUser   map[User]map[field]bool
	byObject map[Object]map[string]*use

	// keys counts the fields of each place.
	keys map[key]int
}

// use of one field.
type use struct {
	// users have been told this value last, or nil if they have not asked yet.
	users map[User]*value
}

func newUses() *uses {
	return &uses{byUser: map[User]map[field]bool{}, byObject: map[Object]map[string]*use{}, keys: map[key]int{}}
}

// set the fields that a resource refers to. It tells whether what is to be watched
// may be something else now.
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

// add a use. It tells whether it is the first of its place.
func (u *uses) add(user User, f field) bool {
	if u.byObject[f.Object] == nil {
		u.byObject[f.Object] = map[string]*use{}
	}
	used := u.byObject[f.Object][f.path]
	if used == nil {
		used = &use{users: map[User]*value{}}
		u.byObject[f.Object][f.path] = used
		u.keys[f.key()]++
	}
	used.users[user] = nil
	return len(used.users) == 1 && u.keys[f.key()] == 1
}

// drop a use. It tells whether it was the last of its place.
func (u *uses) drop(user User, f field) bool {
	used := u.byObject[f.Object][f.path]
	delete(used.users, user)
	if len(used.users) > 0 {
		return false
	}
	delete(u.byObject[f.Object], f.path)
	if len(u.byObject[f.Object]) == 0 {
		delete(u.byObject, f.Object)
	}
	u.keys[f.key()]--
	if u.keys[f.key()] > 0 {
		return false
	}
	delete(u.keys, f.key())
	return true
}

// notify notes what a resource is told of a field.
func (u *uses) notify(user User, obj Object, path string, v value) {
	used := u.byObject[obj][path]
	if used == nil {
		return
	}
	if _, ok := used.users[user]; ok {
		used.users[user] = &v
	}
}

// outdated are the resources that were told something else of an object than what
// is so now, as far as that is known. One that has not asked yet will see it.
func (u *uses) outdated(obj Object, now func(path string) (value, bool)) map[User]bool {
	found := map[User]bool{}
	for path, used := range u.byObject[obj] {
		v, known := now(path)
		if !known {
			continue
		}
		for user, told := range used.users {
			if told != nil && *told != v {
				found[user] = true
			}
		}
	}
	return found
}

// wanted are the kinds to watch that resources refer to, with the namespaces and the paths.
func (u *uses) wanted() map[schema.GroupVersionKind]*want {
	all := map[schema.GroupVersionKind]*want{}
	for p := range u.keys {
		if unwatched(p.kind) {
			continue
		}
		w := all[p.kind]
		if w == nil {
			w = &want{namespaces: map[string]bool{}, paths: map[string]bool{}}
			all[p.kind] = w
		}
		w.namespaces[p.namespace] = true
		w.paths[p.path] = true
	}
	return all
}

// want is what is wanted of a kind.
type want struct {
	namespaces map[string]bool
	paths      map[string]bool
}
