package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxShown is the length to which a change shortens a value, in bytes.
const maxShown = 120

// A comparison collects the leaves that differ, by the JSON names of fields. go-cmp is not used: it keeps the linker from
// leaving out methods that nothing calls, a quarter of the plugin.
type comparison struct{ changes Changes }

// compare compares an observed value with a desired one of the same type.
func (c *comparison) compare(path string, x, y reflect.Value) {
	if equal, ok := equalValues(x, y); ok {
		if !equal {
			c.changes = append(c.changes, Change{Path: path, Old: show(x), New: show(y)})
		}
		return
	}
	switch x.Kind() {
	case reflect.Pointer, reflect.Interface:
		c.compare(path, x.Elem(), y.Elem())
	case reflect.Struct:
		for i := range x.NumField() {
			c.compare(join(path, jsonName(x.Type().Field(i))), x.Field(i), y.Field(i))
		}
	case reflect.Map:
		c.compareMaps(path, x, y)
	case reflect.Slice, reflect.Array:
		c.compareLists(path, x, y)
	}
}

// equalValues reports whether two values are equal, and whether they are leaves: lists of texts are compared as a whole,
// as are types with a method Equal.
func equalValues(x, y reflect.Value) (equal, leaf bool) {
	if !x.IsValid() || !y.IsValid() {
		return x.IsValid() == y.IsValid(), true
	}
	if x.Type() != y.Type() { // Of interfaces.
		return false, true
	}
	switch x.Type() {
	case reflect.TypeFor[Set]():
		return slices.Equal(sorted(texts(x)), sorted(texts(y))), true
	case reflect.TypeFor[[]string]():
		return slices.Equal(texts(x), texts(y)), true
	}
	if m := x.MethodByName("Equal"); m.IsValid() && m.Type().NumIn() == 1 && y.Type().AssignableTo(m.Type().In(0)) {
		return m.Call([]reflect.Value{y})[0].Bool(), true
	}
	switch x.Kind() {
	case reflect.Struct, reflect.Array:
		return false, false
	case reflect.Pointer, reflect.Interface:
		return x.IsNil() == y.IsNil(), x.IsNil() || y.IsNil()
	case reflect.Slice:
		return x.Len() == y.Len(), x.Len()+y.Len() == 0 || x.IsNil() != y.IsNil()
	case reflect.Map:
		return true, x.Len()+y.Len() == 0
	}
	return x.Equal(y), true
}

func texts(v reflect.Value) []string {
	return v.Convert(reflect.TypeFor[[]string]()).Interface().([]string) //nolint:forcetypeassert // It was converted.
}

// compareMaps compares what two maps have under each key.
func (c *comparison) compareMaps(path string, x, y reflect.Value) {
	keys := x.MapKeys()
	for _, k := range y.MapKeys() {
		if !x.MapIndex(k).IsValid() {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		c.compare(fmt.Sprintf("%s[%v]", path, k), x.MapIndex(k), y.MapIndex(k))
	}
}

// compareLists compares the elements of two lists in order, between what both begin and end with.
func (c *comparison) compareLists(path string, x, y reflect.Value) {
	same := func(i, j int) bool {
		inner := &comparison{}
		inner.compare("", x.Index(i), y.Index(j))
		return len(inner.changes) == 0
	}
	from, most := 0, min(x.Len(), y.Len())
	for from < most && same(from, from) {
		from++
	}
	end := 0
	for end < most-from && same(x.Len()-1-end, y.Len()-1-end) {
		end++
	}
	element := func(v reflect.Value, i int) reflect.Value {
		if i >= v.Len()-end {
			return reflect.Value{}
		}
		return v.Index(i)
	}
	for i := from; i < max(x.Len(), y.Len())-end; i++ {
		c.compare(fmt.Sprintf("%s[%d]", path, i), element(x, i), element(y, i))
	}
}

// join returns the path of a field below another one. The name of an inlined struct is empty.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// jsonName returns the name of a field in JSON, empty for inlined structs.
func jsonName(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if tag == "" && !f.Anonymous {
		return f.Name
	}
	return tag
}

// show returns a short text for the value of a leaf.
func show(v reflect.Value) string {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	s := text(v)
	if len(s) <= maxShown {
		return s
	}
	// A cut within a character would be invalid UTF-8, which events and conditions must not hold.
	end := maxShown
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}

func text(v reflect.Value) string {
	if v.Type() == reflect.TypeFor[Secret]() {
		return Redacted
	}
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Slice:
		if v.Len() == 0 {
			return ""
		}
		items := make([]string, 0, v.Len())
		for i := range v.Len() {
			items = append(items, show(v.Index(i)))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Map:
		if v.Len() == 0 {
			return ""
		}
		return fmt.Sprintf("%d entries", v.Len())
	case reflect.Struct:
		return fields(v)
	}
	return fmt.Sprint(v.Interface())
}

// fields returns the fields of a struct that are set, each through show, so that no secret in it is
// spelled out.
func fields(v reflect.Value) string {
	var set []string
	for i := range v.NumField() {
		if s := show(v.Field(i)); s != "" && !v.Field(i).IsZero() {
			set = append(set, jsonName(v.Type().Field(i))+":"+s)
		}
	}
	return "{" + strings.Join(set, " ") + "}"
}
