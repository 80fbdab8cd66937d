package diff

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Compare returns the differences between observed and desired. Nil and empty slices and maps are
// equal. A Set is compared without order.
func Compare[T any](desired, observed T) Changes {
	r := &reporter{}
	cmp.Equal(observed, desired, cmp.Reporter(r), cmp.FilterValues(bothEmpty, cmp.Ignore()), cmp.FilterValues(
		oneNilMap, cmp.Transformer("Empty", emptyForNil),
	),
		cmp.FilterPath(is[Set], cmp.Comparer(equalSets)),
		// Ordered lists are compared as a whole, so that a change names the list.
		cmp.FilterPath(is[[]string], cmp.Comparer(slices.Equal[[]string])))
	slices.SortFunc(r.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return r.changes
}

// bothEmpty reports whether two slices or maps have no elements, nil or not.
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

// oneNilMap reports whether one of two maps is nil. go-cmp would report one difference instead of
// one for each key of the other.
func oneNilMap(x, y any) bool {
	vx, vy := reflect.ValueOf(x), reflect.ValueOf(y)
	return vx.IsValid() && vy.IsValid() && vx.Kind() == reflect.Map && vy.Kind() == reflect.Map &&
		vx.IsNil() != vy.IsNil()
}

func emptyForNil(m any) any {
	if v := reflect.ValueOf(m); v.IsNil() {
		return reflect.MakeMap(v.Type()).Interface()
	}
	return m
}

// is returns a filter for values of exactly type T: a Set is assignable to a []string too.
func is[T any](p cmp.Path) bool { return p.Last().Type() == reflect.TypeFor[T]() }

// A Set is a list without order.
type Set []string

func equalSets(x, y Set) bool {
	return slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y)))
}
