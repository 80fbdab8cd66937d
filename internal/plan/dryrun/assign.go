package dryrun

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// assign copies the members of a struct of AWS's API that are set to those of the same name of another one. Types may
// differ, as those of inputs and outputs do. Lists and maps are copied even if they are empty, but not if they are nil.
func assign(to, from any) {
	assignStruct(reflect.Indirect(reflect.ValueOf(to)), reflect.Indirect(reflect.ValueOf(from)))
}

func assignStruct(to, from reflect.Value) {
	for i := range to.NumField() {
		name := to.Type().Field(i).Name
		if name == "ResultMetadata" || !to.Type().Field(i).IsExported() {
			continue
		}
		if f := from.FieldByName(name); f.IsValid() && !f.IsZero() {
			assignValue(to.Field(i), f)
		}
	}
}

func assignValue(to, from reflect.Value) {
	switch {
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
	case to.Kind() == reflect.Pointer && from.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		assignValue(to.Elem(), from.Elem())
	case to.Kind() == reflect.Struct && from.Kind() == reflect.Struct:
		assignStruct(to, from)
	case to.Kind() == reflect.Slice && from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			assignValue(to.Index(i), from.Index(i))
		}
	}
}

// as returns a struct of AWS's API with the members of another one.
func as[T any](from any) *T {
	out := new(T)
	assign(out, from)
	return out
}

func clone[T any](v *T) *T {
	c := *v
	return &c
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// text returns a value as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// atoi returns a number, 0 if the text is none.
func atoi(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
