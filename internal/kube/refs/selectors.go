package refs

import (
	"reflect"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// In returns all field selectors in a spec.
func In(spec any) []v1beta1.FieldSelector {
	var found []v1beta1.FieldSelector
	collect(reflect.ValueOf(spec), &found)
	return found
}

func collect(v reflect.Value, found *[]v1beta1.FieldSelector) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			collect(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			collect(v.Index(i), found)
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			collect(entry.Value(), found)
		}
	case reflect.Struct:
		if s, ok := reflect.TypeAssert[v1beta1.FieldSelector](v); ok {
			*found = append(*found, s)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collect(v.Field(i), found)
			}
		}
	}
}
