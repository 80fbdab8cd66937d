package samefields

import (
	"reflect"
	"strings"
)

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
