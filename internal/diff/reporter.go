package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// maxShown is the length to which a change shortens a value, in bytes.
const maxShown = 120

// reporter collects the unequal leaves that go-cmp reports as changes, by the JSON names of fields.
type reporter struct {
	path    cmp.Path
	changes Changes
}

func (r *reporter) PushStep(ps cmp.PathStep) { r.path = append(r.path, ps) }
func (r *reporter) PopStep()                 { r.path = r.path[:len(r.path)-1] }

// Report is called by go-cmp with each leaf. x is the observed value and y the desired one.
func (r *reporter) Report(rs cmp.Result) {
	if rs.Equal() {
		return
	}
	x, y := r.path.Last().Values()
	c := Change{Path: name(r.path), Old: show(x), New: show(y)}
	if s, ok := r.path.Last().(cmp.StructField); ok && fieldOf(r.path, len(r.path)-1, s).Tag.Get("diff") == "secret" {
		c.Old, c.New = redact(c.Old), redact(c.New)
	}
	r.changes = append(r.changes, c)
}

// redact returns Redacted in place of a shown text that is not empty.
func redact(shown string) string {
	if shown == "" || shown == `""` {
		return shown
	}
	return Redacted
}

// fieldOf returns the field of a struct that a step of a path leads to.
func fieldOf(path cmp.Path, i int, s cmp.StructField) reflect.StructField {
	return structType(path[i-1].Type()).Field(s.Index())
}

func name(path cmp.Path) string {
	var b strings.Builder
	for i, ps := range path {
		switch s := ps.(type) {
		case cmp.StructField:
			join(&b, jsonName(fieldOf(path, i, s)))
		case cmp.MapIndex:
			fmt.Fprintf(&b, "[%v]", s.Key())
		case cmp.SliceIndex:
			ix, iy := s.SplitKeys()
			fmt.Fprintf(&b, "[%d]", max(ix, iy))
		}
	}
	return b.String()
}

func join(b *strings.Builder, name string) {
	if name == "" {
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(name)
}

func structType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
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
	return Short(text(v))
}

// Short returns a text as changes show it: at most 120 bytes of it.
func Short(s string) string {
	if len(s) <= maxShown {
		return s
	}
	// A cut within a character would be invalid UTF-8, which events and conditions must not hold.
	return strings.ToValidUTF8(s[:maxShown], "") + "..."
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
		items := make([]string, 0, v.Len())
		for _, key := range v.MapKeys() {
			items = append(items, fmt.Sprintf("%v:%s", key, show(v.MapIndex(key))))
		}
		slices.Sort(items)
		return "{" + strings.Join(items, " ") + "}"
	case reflect.Struct:
		return fields(v)
	}
	return fmt.Sprint(v.Interface())
}

// fields returns the fields of a struct that are set, each through show, so that no secret in it is spelled out.
func fields(v reflect.Value) string {
	var set []string
	for i := range v.NumField() {
		if s := show(v.Field(i)); s != "" && !v.Field(i).IsZero() {
			set = append(set, jsonName(v.Type().Field(i))+":"+s)
		}
	}
	return "{" + strings.Join(set, " ") + "}"
}
