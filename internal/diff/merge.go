package diff

import (
	"fmt"
	"reflect"
)

// Left has the paths that only initProvider sets. They are set at creation, and left alone after it.
type Left []string

// Covers reports whether a path is one of them or lies below one.
func (l Left) Covers(path string) bool {
	for _, p := range l {
		if within(path, p) {
			return true
		}
	}
	return false
}

// Merge returns base with the values of init where base has none, and the paths that were taken
// from init. Structs are merged by field and maps by key. Lists and fields tagged `diff:"atomic"`
// are taken whole. Neither argument is changed.
func Merge[T any](base, init T) (T, Left) {
	var left Left
	out := base
	merge(reflect.ValueOf(&out).Elem(), reflect.ValueOf(init), "", &left)
	return out, left
}

func merge(base, init reflect.Value, path string, left *Left) {
	switch base.Kind() {
	case reflect.Struct:
		mergeStruct(base, init, path, left)
	case reflect.Pointer:
		mergePointer(base, init, path, left)
	case reflect.Map:
		mergeMap(base, init, path, left)
	default:
		if base.IsZero() && !init.IsZero() {
			base.Set(init)
			*left = append(*left, path)
		}
	}
}

func mergeStruct(base, init reflect.Value, path string, left *Left) {
	for i := range base.NumField() {
		f := base.Type().Field(i)
		p := sub(path, f)
		if f.Tag.Get("diff") == "atomic" {
			if base.Field(i).IsZero() && !init.Field(i).IsZero() {
				base.Field(i).Set(init.Field(i))
				*left = append(*left, p)
			}
			continue
		}
		merge(base.Field(i), init.Field(i), p, left)
	}
}

func mergePointer(base, init reflect.Value, path string, left *Left) {
	switch {
	case init.IsNil():
	case base.IsNil():
		base.Set(init)
		*left = append(*left, path)
	case base.Elem().Kind() == reflect.Struct:
		// A copy keeps the caller's value unchanged.
		c := reflect.New(base.Elem().Type())
		c.Elem().Set(base.Elem())
		merge(c.Elem(), init.Elem(), path, left)
		base.Set(c)
	}
}

func mergeMap(base, init reflect.Value, path string, left *Left) {
	if init.Len() == 0 {
		return
	}
	out := reflect.MakeMap(base.Type())
	for _, k := range init.MapKeys() {
		if !base.MapIndex(k).IsValid() {
			out.SetMapIndex(k, init.MapIndex(k))
			*left = append(*left, fmt.Sprintf("%s[%v]", path, k))
		}
	}
	for _, k := range base.MapKeys() {
		out.SetMapIndex(k, base.MapIndex(k))
	}
	base.Set(out)
}

// Fill returns desired with what the user leaves to AWS taken from observed, so that Compare finds
// only differences to correct. It takes from observed
//
//   - the paths in left, and all below them, also if they are absent in observed;
//   - scalars (pointers to anything but structs) that are nil in desired.
//
// It takes nothing else: lists and maps are exact, keys in left aside, and so are blocks (pointers to structs). If a
// list, a map or a block is absent in desired, it stays absent, and Compare reports what AWS has there as a change.
// Within a block that is present in both, fields are filled by the same rules. See the example. A block that is absent
// in observed is created as desired, with the paths in left: AWS may not accept it without them.
//
// Fill is idempotent. It changes neither argument, but the result shares values with both.
func Fill[T any](desired, observed T, left Left) T {
	out := desired
	fill(reflect.ValueOf(&out).Elem(), reflect.ValueOf(observed), "", left, true)
	return out
}

// Keep returns desired like Fill, but with nil scalars: they ask for AWS's defaults.
func Keep[T any](desired, observed T, left Left) T {
	out := desired
	fill(reflect.ValueOf(&out).Elem(), reflect.ValueOf(observed), "", left, false)
	return out
}

// fill fills desired, with the scalars that are nil if scalars is true.
func fill(desired, observed reflect.Value, path string, left Left, scalars bool) {
	if path != "" && left.Covers(path) {
		desired.Set(observed)
		return
	}
	switch desired.Kind() {
	case reflect.Struct:
		for i := range desired.NumField() {
			fill(desired.Field(i), observed.Field(i), sub(path, desired.Type().Field(i)), left, scalars)
		}
	case reflect.Pointer:
		fillPointer(desired, observed, path, left, scalars)
	case reflect.Map:
		fillMap(desired, observed, path, left)
	}
}

func fillPointer(desired, observed reflect.Value, path string, left Left, scalars bool) {
	block := desired.Type().Elem().Kind() == reflect.Struct
	switch {
	case !block && desired.IsNil() && scalars:
		desired.Set(observed)
	case block && !desired.IsNil():
		c := reflect.New(desired.Elem().Type())
		c.Elem().Set(desired.Elem())
		if !observed.IsNil() {
			fill(c.Elem(), observed.Elem(), path, left, scalars)
		}
		desired.Set(c)
	}
}

// fillMap takes the keys in left from observed, also if they are absent there.
func fillMap(desired, observed reflect.Value, path string, left Left) {
	out := reflect.MakeMap(desired.Type())
	for _, k := range desired.MapKeys() {
		if !left.Covers(fmt.Sprintf("%s[%v]", path, k)) {
			out.SetMapIndex(k, desired.MapIndex(k))
		}
	}
	for _, k := range observed.MapKeys() {
		if left.Covers(fmt.Sprintf("%s[%v]", path, k)) {
			out.SetMapIndex(k, observed.MapIndex(k))
		}
	}
	desired.Set(out)
}

func sub(path string, f reflect.StructField) string {
	n := jsonName(f)
	switch {
	case n == "":
		return path
	case path == "":
		return n
	}
	return path + "." + n
}
