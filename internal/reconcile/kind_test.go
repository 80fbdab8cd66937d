package reconcile

import (
	"reflect"
	"testing"
)

// TestUntyped checks that an untyped kind has all fields of the kind.
func TestUntyped(t *testing.T) {
	var k Kind[Managed]
	set := reflect.ValueOf(&k).Elem()
	for _, f := range set.Fields() {
		switch f.Kind() { //nolint:exhaustive // Others fail below.
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int64:
			f.SetInt(1)
		case reflect.Struct:
			f.Field(0).SetString("set")
		}
	}
	for _, v := range []reflect.Value{set, reflect.ValueOf(k.Untyped())} {
		for field, f := range v.Fields() {
			if f.IsZero() {
				t.Errorf("the kind has no %s", field.Name)
			}
		}
	}
}
