package importer

import "reflect"

// copyTo returns an answer with the members that another one of AWS has under the same names and types.
func copyTo[T any](from any) *T {
	out := new(T)
	to, v := reflect.ValueOf(out).Elem(), reflect.Indirect(reflect.ValueOf(from))
	for i := range to.NumField() {
		if f := v.FieldByName(to.Type().Field(i).Name); f.IsValid() && to.Field(i).CanSet() &&
			f.Type() == to.Field(i).Type() {
			to.Field(i).Set(f)
		}
	}
	return out
}
