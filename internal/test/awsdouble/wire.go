package awsdouble

import (
	"cmp"
	"reflect"
	"strings"
	"time"
)

// wired returns a value as Lambda and SQS send it: structures by the names of their members. Those of the SDK have no
// members that are unset, and others none that are zero and that their tags leave out.
func wired(v any) any { return wiredValue(reflect.ValueOf(v)) }

func wiredValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		return wiredValue(v.Elem())
	case reflect.Struct:
		if t, isTime := v.Interface().(time.Time); isTime {
			return float64(t.UnixMilli()) / 1000
		}
		out := map[string]any{}
		wireMembers(v, out)
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = wiredValue(v.Index(i))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for k, e := range v.Seq2() {
			out[k.String()] = wiredValue(e)
		}
		return out
	}
	return v.Interface()
}

// wireMembers adds the members of a structure, and of those that are embedded in it.
func wireMembers(v reflect.Value, to map[string]any) {
	for f, m := range v.Fields() {
		name, optional, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			wireMembers(m, to)
		case !f.IsExported():
		case unset(m) && (optional != "" || strings.HasPrefix(v.Type().PkgPath(), sdk)):
		default:
			to[cmp.Or(name, f.Name)] = wiredValue(m)
		}
	}
}

// sdk begins the paths of the packages whose structures have AWS's names.
const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// unset reports whether a member is left out. An empty list is not, unlike an empty enum.
func unset(v reflect.Value) bool { return v.Kind() != reflect.Struct && v.IsZero() }

// overlay sets members of a structure to those that were sent in another one under the same names. A structure in it
// is overlaid in turn, and cleared by one without members.
func overlay(to, sent any) { overlayValue(reflect.ValueOf(to).Elem(), reflect.ValueOf(sent).Elem()) }

func overlayValue(to, sent reflect.Value) {
	for f, from := range sent.Fields() {
		at := to.FieldByName(f.Name)
		switch {
		case !f.IsExported() || unset(from) || !at.IsValid():
		case from.Kind() == reflect.Pointer && at.Type() == from.Type().Elem():
			at.Set(from.Elem())
		case at.Type() != from.Type():
		case from.Kind() != reflect.Pointer || from.Elem().Kind() != reflect.Struct:
			at.Set(from)
		case blank(from.Elem()):
			at.SetZero()
		default:
			merged := reflect.New(from.Type().Elem())
			if !at.IsNil() {
				merged.Elem().Set(at.Elem())
			}
			overlayValue(merged.Elem(), from.Elem())
			at.Set(merged)
		}
	}
}

// blank reports whether nothing in a structure is set, or only empty lists.
func blank(v reflect.Value) bool {
	for f, m := range v.Fields() {
		if f.IsExported() && !unset(m) && (m.Kind() != reflect.Slice || m.Len() > 0) {
			return false
		}
	}
	return true
}
