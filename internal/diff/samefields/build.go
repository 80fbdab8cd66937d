package samefields

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A builder pairs the fields of two types.
type builder struct {
	hooks map[types]convert
	rules map[string]*rule

	unread, unset []string
}

type types struct{ from, to reflect.Type }

func newBuilder(opts []Option) *builder {
	b := &builder{hooks: map[types]convert{}, rules: map[string]*rule{}}
	for _, o := range opts {
		o(b)
	}
	return b
}

// rule returns what the options say about the field at a path. It records that there is one.
func (b *builder) rule(path string) rule {
	r := b.rules[strings.ToLower(path)]
	if r == nil {
		return rule{}
	}
	r.used = true
	return *r
}

func (b *builder) checkPaths() {
	for path, r := range b.rules {
		if !r.used {
			panic("samefields: an option names " + path + ", where no field is")
		}
	}
}

// pairs returns the fields that two structs at a path share.
func (b *builder) pairs(from, to reflect.Type, path string) []pair {
	var out []pair
	read := map[string]bool{}
	for t := range to.Fields() {
		if !t.IsExported() {
			continue
		}
		at := path + t.Name
		r := b.rule(at)
		source := r.from
		if source == "" {
			source = t.Name
		}
		f, ok := field(from, source)
		if r.except || !ok {
			b.unset = append(b.unset, at)
			continue
		}
		read[strings.ToLower(strings.Split(source, ".")[0])] = true
		p := pair{name: t.Name, from: f.Index, to: t.Index[0], clears: r.clears}
		p.json, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		p.convert = b.conversion(f.Type, t.Type, at)
		if r.clears && b.hooks[types{f.Type, t.Type}] == nil {
			p.convert = orEmpty(p.convert)
		}
		if r.emptyIsAbsent {
			p.convert = unlessEmpty(p.convert)
		}
		out = append(out, p)
	}
	for f := range from.Fields() {
		if f.IsExported() && !read[strings.ToLower(f.Name)] {
			b.unread = append(b.unread, path+f.Name)
		}
	}
	return out
}

// field returns the field of a struct at a path, with the indexes that lead to it.
func field(in reflect.Type, path string) (reflect.StructField, bool) {
	var out reflect.StructField
	var index []int
	for name := range strings.SplitSeq(path, ".") {
		if in.Kind() == reflect.Pointer {
			in = in.Elem()
		}
		f, ok := in.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !ok || len(f.Index) > 1 {
			return out, false
		}
		index = append(index, f.Index...)
		out, in = f, f.Type
	}
	out.Index = index
	return out, true
}

// conversion returns how a value that is not absent is converted.
func (b *builder) conversion(from, to reflect.Type, at string) convert {
	fk, tk := from.Kind(), to.Kind()
	switch hook := b.hooks[types{from, to}]; {
	case hook != nil:
		return hook
	case from == to:
		return func(t, f reflect.Value) { t.Set(f) }
	case fk == reflect.Slice && tk == reflect.Slice && from.Elem() == to.Elem():
		return func(t, f reflect.Value) { t.Set(f.Convert(to)) }
	case fk == reflect.Pointer && tk == reflect.Pointer:
		return pointer(b.conversion(from.Elem(), to.Elem(), at), to)
	case fk == reflect.Pointer:
		inner := b.conversion(from.Elem(), to, at)
		return func(t, f reflect.Value) { inner(t, f.Elem()) }
	case tk == reflect.Pointer:
		inner := b.conversion(from, to.Elem(), at)
		return func(t, f reflect.Value) {
			t.Set(reflect.New(to.Elem()))
			inner(t.Elem(), f)
		}
	case fk == reflect.String && tk == reflect.String:
		return func(t, f reflect.Value) { t.SetString(f.String()) }
	case fk == reflect.Slice && tk == reflect.Slice:
		return list(b.conversion(from.Elem(), to.Elem(), at+"[]"), to)
	case fk == reflect.Struct && tk == reflect.Struct:
		return block(b.pairs(from, to, at+"."))
	}
	panic(fmt.Sprintf("samefields: %s is of type %s, which cannot be made of %s", at, to, from))
}

func pointer(inner convert, to reflect.Type) convert {
	return func(t, f reflect.Value) {
		t.Set(reflect.New(to.Elem()))
		inner(t.Elem(), f.Elem())
	}
}

func list(inner convert, to reflect.Type) convert {
	return func(t, f reflect.Value) {
		t.Set(reflect.MakeSlice(to, f.Len(), f.Len()))
		for i := range f.Len() {
			inner(t.Index(i), f.Index(i))
		}
	}
}

func block(pairs []pair) convert {
	pairs = slices.Clip(pairs)
	return func(t, f reflect.Value) {
		for i := range pairs {
			pairs[i].copy(t, f)
		}
	}
}

func orEmpty(inner convert) convert {
	return func(t, f reflect.Value) {
		switch {
		case !absent(f):
			inner(t, f)
		case t.Kind() == reflect.Pointer:
			t.Set(reflect.New(t.Type().Elem()))
		case t.Kind() == reflect.Slice:
			t.Set(reflect.MakeSlice(t.Type(), 0, 0))
		}
	}
}

func unlessEmpty(inner convert) convert {
	return func(t, f reflect.Value) {
		inner(t, f)
		if empty(reflect.Indirect(t)) {
			t.SetZero()
		}
	}
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		for _, f := range v.Fields() {
			if !empty(f) {
				return false
			}
		}
		return true
	}
	return !v.IsValid() || v.IsZero()
}

// An Option says in what two structs differ beyond the names of their fields. Options name a field of the copy by its
// path, such as LoggingConfig.LogGroup, without regard to case.
type Option func(*builder)

// With converts values of type F to type T by a function, also where they are elements of lists.
func With[F, T any](f func(F) T) Option {
	return func(b *builder) {
		b.hooks[types{reflect.TypeFor[F](), reflect.TypeFor[T]()}] = func(to, from reflect.Value) {
			*to.Addr().Interface().(*T) = f(from.Interface().(F)) //nolint:forcetypeassert // Looked up by these types.
		}
	}
}

// Except leaves fields out.
func Except(paths ...string) Option { return forPaths(paths, func(r *rule) { r.except = true }) }

// EmptyIsAbsent makes a pointer in the copy nil if what it points to is empty: an empty text, or a struct whose fields
// are all empty, lists included.
func EmptyIsAbsent(paths ...string) Option {
	return forPaths(paths, func(r *rule) { r.emptyIsAbsent = true })
}

// Clears sets fields to an empty value, rather than leaving them as they are, if the original is absent: a pointer to
// zero, an empty list or, for types of With, the result for zero.
func Clears(paths ...string) Option { return forPaths(paths, func(r *rule) { r.clears = true }) }

// From sets a field to the one at another path, which begins at the struct of the original that the field would be in.
func From(path, original string) Option {
	return forPaths([]string{path}, func(r *rule) { r.from = original })
}

// A rule holds what the options say about a field.
type rule struct {
	except, emptyIsAbsent, clears bool

	from string
	used bool
}

func forPaths(paths []string, change func(*rule)) Option {
	return func(b *builder) {
		for _, p := range paths {
			k := strings.ToLower(p)
			if b.rules[k] == nil {
				b.rules[k] = &rule{}
			}
			change(b.rules[k])
		}
	}
}

// MustNew returns a Copier. It panics if two fields of the same name cannot be converted, or if an option names a field
// that does not exist.
func MustNew[From, To any](opts ...Option) Copier[From, To] {
	b := newBuilder(opts)
	c := Copier[From, To]{pairs: b.pairs(reflect.TypeFor[From](), reflect.TypeFor[To](), "")}
	b.checkPaths()
	c.unread, c.unset = b.unread, b.unset
	return c
}
