// Package samefields copies a struct to one of another type, field by field, where the names of the fields are equal
// but for case. It is pure.
//
// A field is converted between text and enum, value and pointer, and element by element in lists and nested structs.
// Options name what is different. Types are paired once, in MustNew, which panics if two fields of the same name cannot
// be converted or if an option names a field that does not exist. A field without a counterpart is left as it is: tests
// should compare Unpaired with a list.
package samefields

import (
	"reflect"
	"slices"
)

// A Copier copies the fields of a From that a To has too. It is safe for concurrent use.
type Copier[From, To any] struct {
	pairs []pair
	// unread has the paths of the fields of From, and unset those of To, that have no counterpart.
	unread, unset []string
}

// Copy copies all fields that have a counterpart. It leaves a field of to as it is if that of from is absent: a nil
// pointer, list or map, or an empty enum.
func (c Copier[From, To]) Copy(to *To, from *From) {
	c.CopyIf(to, from, func(string) bool { return true })
}

// CopyIf copies the fields that have a counterpart and are selected by the name of the original in JSON.
func (c Copier[From, To]) CopyIf(to *To, from *From, selected func(name string) bool) {
	target, source := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for i := range c.pairs {
		if selected(c.pairs[i].json) {
			c.pairs[i].copy(target, source)
		}
	}
}

// Names returns the names of the fields of To that are copied.
func (c Copier[From, To]) Names() []string {
	out := make([]string, 0, len(c.pairs))
	for _, p := range c.pairs {
		out = append(out, p.name)
	}
	return out
}

// Unpaired returns the paths of the fields of From that are not read and of those of To that are not set, each in the
// order of the struct. It does not look into types that an Option converts.
func (c Copier[From, To]) Unpaired() (unread, unset []string) {
	return slices.Clone(c.unread), slices.Clone(c.unset)
}

// A pair is a field that both structs have.
type pair struct {
	name string
	// json is the name of the original in JSON.
	json string
	// from has the indexes of the field and of the structs that it is in, from the outside.
	from []int
	to   int
	// convert sets a field to the value of another. The value is not absent, unless clears is set.
	convert convert
	// clears is set if convert is called for absent values too.
	clears bool
}

type convert func(to, from reflect.Value)

func (p *pair) copy(to, from reflect.Value) {
	v := from
	for _, i := range p.from {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if p.clears || !absent(v) {
		p.convert(to.Field(p.to), v)
	}
}

// absent reports whether a value is nil or, if its type is an enum, empty: the SDK has no pointers to enums.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return v.IsNil()
	case reflect.String:
		return v.Len() == 0 && v.Type() != reflect.TypeFor[string]()
	default:
		return false
	}
}
