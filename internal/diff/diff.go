// Package diff compares what is wanted with what AWS has, and names each field
// that differs. It is pure: plain values in, plain values out.
//
// Every kind describes itself as one struct, the same type for the desired and
// the observed state. Merge lays initProvider under forProvider, Fill takes from
// AWS what the user leaves to AWS, and Compare tells what is left to do.
package diff

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// A Change is one field whose desired value is not the observed one.
type Change struct {
	// Path of the field as users write it below spec.forProvider, such as
	// environment.variables[LOG_LEVEL].
	Path string

	// Old is the observed value, New the desired one, as short texts. A value that
	// is absent is empty; a Secret is redacted.
	Old, New string
}

// String is the change in a few words, fit for events and conditions.
func (c Change) String() string {
	switch {
	case c.Old == c.New:
		return c.Path
	case c.Old == "":
		return fmt.Sprintf("%s: added %s", c.Path, c.New)
	case c.New == "":
		return fmt.Sprintf("%s: removed", c.Path)
	}
	return fmt.Sprintf("%s: %s -> %s", c.Path, c.Old, c.New)
}

// Changes are all fields that differ, ordered by path.
type Changes []Change

// Any tells whether a change lies at or below one of the paths.
func (cs Changes) Any(paths ...string) bool { return len(cs.In(paths...)) > 0 }

// In returns the changes that lie at or below one of the paths.
func (cs Changes) In(paths ...string) Changes {
	var in Changes
	for _, c := range cs {
		for _, p := range paths {
			if within(c.Path, p) {
				in = append(in, c)
				break
			}
		}
	}
	return in
}

// But returns the changes that lie neither at nor below any of the paths.
func (cs Changes) But(paths ...string) Changes {
	var out Changes
	for _, c := range cs {
		if !(Changes{c}).Any(paths...) {
			out = append(out, c)
		}
	}
	return out
}

// maxNamed bounds how many changes a text names, so that an event stays short.
const maxNamed = 8

// String names the changes, the first eight of them in full.
func (cs Changes) String() string {
	named := make([]string, 0, maxNamed)
	for i, c := range cs {
		if i == maxNamed {
			return fmt.Sprintf("%s and %d more", strings.Join(named, ", "), len(cs)-maxNamed)
		}
		named = append(named, c.String())
	}
	return strings.Join(named, ", ")
}

// maxPaths bounds how many fields a condition names.
const maxPaths = 5

// Names are the paths of the changes without values, the first five of them, fit for
// a condition such as "changing batchSize, tags[team]".
func (cs Changes) Names() string {
	names := make([]string, 0, len(cs))
	for _, c := range cs {
		names = append(names, c.Path)
	}
	sort.Strings(names)
	if more := len(names) - maxPaths; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxPaths], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Compare returns how observed differs from desired. Nil and empty slices and
// maps are the same; a Set is compared without order.
func Compare[T any](desired, observed T) Changes {
	r := &reporter{}
	cmp.Equal(observed, desired, cmp.Reporter(r), cmp.FilterValues(bothEmpty, cmp.Ignore()), cmp.FilterValues(oneNilMap, cmp.Transformer("Empty", emptyForNil)),
		cmp.FilterPath(is[Set], cmp.Comparer(equalSets)), cmp.FilterPath(is[[]string], cmp.Comparer(equalLists)))
	sort.Slice(r.changes, func(i, j int) bool { return r.changes[i].Path < r.changes[j].Path })
	return r.changes
}

// bothEmpty says that two slices or maps have no elements, be they nil or not.
func bothEmpty(x, y any) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	if !vx.IsValid() || !vy.IsValid() || vx.Type() != vy.Type() {
		return false
	}
	if k := vx.Kind(); k != reflect.Slice && k != reflect.Map {
		return false
	}
	return vx.Len() == 0 && vy.Len() == 0
}

// oneNilMap says that one of two maps is nil, which go-cmp would report as one
// difference rather than by the keys of the other.
func oneNilMap(x, y any) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	return vx.IsValid() && vy.IsValid() && vx.Kind() == reflect.Map && vy.Kind() == reflect.Map && vx.IsNil() != vy.IsNil()
}

func emptyForNil(m any) any {
	if v := reflect.ValueOf(m); v.IsNil() {
		return reflect.MakeMap(v.Type()).Interface()
	}
	return m
}

// is filters values of exactly type T: a Set is assignable to a []string too.
func is[T any](p cmp.Path) bool { return p.Last().Type() == reflect.TypeFor[T]() }

// A Set is a list that AWS keeps in no order.
type Set []string

func equalSets(x, y Set) bool {
	return reflect.DeepEqual(sorted(x), sorted(y))
}

func sorted(s []string) []string {
	out := append([]string{}, s...)
	sort.Strings(out)
	return out
}

// equalLists compares ordered lists whole, so that a change names the list.
func equalLists(x, y []string) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// within says that path is p or lies below it.
func within(path, p string) bool {
	rest, ok := strings.CutPrefix(path, p)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
