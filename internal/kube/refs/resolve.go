package refs

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Getter reads fields of objects. *FieldReader is one.
type Getter interface {
	Get(ctx context.Context, namespace string, s v1beta1.FieldSelector) (string, error)
}

// One returns the selected value of a field of spec, or v without a selector. An error contains the selector's field of
// spec, such as spec.forProvider.roleFrom.
func One(ctx context.Context, g Getter, namespace, name string, v *string,
	from *v1beta1.FieldSelector,
) (*string, error) {
	if from == nil {
		return v, nil
	}
	selected, err := g.Get(ctx, namespace, *from)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot resolve %s", name)
	}
	return &selected, nil
}

// Resolve returns a copy of a block of spec in which each field <name> has the value that <name>From selects, if that
// is set. A list has a value that several selectors select once, because the API server accepts none twice in spec
// either. at is the path of the block in spec, for errors such as those of One.
func Resolve[T any](ctx context.Context, g Getter, namespace, at string, block T) (T, error) {
	err := walk(reflect.ValueOf(&block).Elem(), at, true, func(at string, from, to reflect.Value) error {
		switch from := from.Interface().(type) {
		case *v1beta1.FieldSelector:
			v, err := One(ctx, g, namespace, at, nil, from)
			to.Set(reflect.ValueOf(v))
			return err
		case []v1beta1.FieldSelector:
			var all []string
			for i := range from {
				v, err := One(ctx, g, namespace, fmt.Sprintf("%s[%d]", at, i), nil, &from[i])
				if err != nil {
					return err
				}
				if !slices.Contains(all, *v) {
					all = append(all, *v)
				}
			}
			if all != nil {
				to.Set(reflect.ValueOf(all))
			}
		}
		return nil
	})
	return block, err
}

// In returns all field selectors in a spec.
func In(spec any) []v1beta1.FieldSelector {
	var found []v1beta1.FieldSelector
	_ = walk(reflect.ValueOf(spec), "", false, func(_ string, from, _ reflect.Value) error { // It returns no error.
		switch from := from.Interface().(type) {
		case *v1beta1.FieldSelector:
			found = append(found, *from)
		case []v1beta1.FieldSelector:
			found = append(found, from...)
		}
		return nil
	})
	return found
}

// walk calls a function with each field of a value that has selectors: its path, and the field that they set. With
// copies, it first replaces the blocks and lists that lead there by copies, so that the function may change them.
func walk(v reflect.Value, at string, copies bool, each func(at string, from, to reflect.Value) error) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if copies {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			v.Set(c)
		}
		return walk(v.Elem(), at, copies, each)
	case reflect.Slice:
		if copies && !v.IsNil() {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			v.Set(c)
		}
		for i := range v.Len() {
			if err := walk(v.Index(i), fmt.Sprintf("%s[%d]", at, i), copies, each); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return walkStruct(v, at, copies, each)
	}
	return nil
}

func walkStruct(v reflect.Value, at string, copies bool, each func(at string, from, to reflect.Value) error) error {
	for _, s := range stepsOf(v.Type()) {
		var err error
		if from := v.Field(s.from); s.sets < 0 {
			err = walk(from, at+s.path, copies, each)
		} else if !from.IsNil() {
			err = each(at+s.path, from, v.Field(s.sets))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A step leads from a struct to a field that has selectors, and sets another one, or to a field that leads to such.
type step struct {
	// path is the name of the field in JSON after a dot. It is empty if the field is inlined.
	path string

	// from is the index of the field, and sets that of the other one, or -1.
	from, sets int
}

// steps has the steps of types, so that a spec is searched only where selectors may be.
var steps sync.Map

func stepsOf(t reflect.Type) []step {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if known, ok := steps.Load(t); ok {
		return known.([]step) //nolint:forcetypeassert // Nothing else is stored.
	}
	var out []step
	for f := range t.Fields() {
		s := step{from: f.Index[0], sets: -1}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			s.path = "." + name
		}
		switch f.Type {
		case reflect.TypeFor[*v1beta1.FieldSelector](), reflect.TypeFor[[]v1beta1.FieldSelector]():
			set, _ := t.FieldByName(strings.TrimSuffix(f.Name, "From"))
			s.sets = set.Index[0]
			out = append(out, s)
		default:
			if f.IsExported() && len(stepsOf(f.Type)) > 0 {
				out = append(out, s)
			}
		}
	}
	steps.Store(t, out)
	return out
}
