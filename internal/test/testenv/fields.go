package testenv

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A FieldCase is a field of spec that AWS lets somebody else change.
type FieldCase struct {
	// Requirements of the field, and what sets it, both as JSON of spec.forProvider.
	With, Spec string

	// ByHand is the input of the call by which somebody else changes the field, as JSON.
	ByHand string

	// By are the calls of which one puts the field back.
	By []string

	// Left is set if it is left to AWS when spec does not set it. Otherwise it is removed or has its default then.
	Left bool
}

// A FieldTest changes the fields of a kind in spec and in AWS.
type FieldTest[T reconcile.Managed, Spec any] struct {
	// New returns an env and a resource to create in it.
	New func(testing.TB) (*Env[T], T)

	// Spec returns the part of spec that has the fields.
	Spec func(T) *Spec

	// ByHand makes the call by which somebody else changes a field.
	ByHand func(*Env[T], FieldCase)

	// Cases are the fields by their path. Without has the reasons why others have no case, also for all fields of a
	// block. A field that is in neither of them fails the test.
	Cases   map[string]FieldCase
	Without map[string]string
}

// Run sets each field in a new env, lets somebody else change it in AWS, removes it from spec, and lets somebody else
// change it again. Each time, one call has to put it back, or none where spec leaves it to AWS.
func (f FieldTest[T, Spec]) Run(t *testing.T) {
	t.Helper()
	all := slices.DeleteFunc(leaves(reflect.TypeFor[Spec](), ""), func(path string) bool {
		for p := range f.Without {
			if strings.HasPrefix(path+".", p+".") {
				return true
			}
		}
		return false
	})
	if d := cmp.Diff(all, slices.Collect(maps.Keys(f.Cases)), cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("fields with a case: -fields +cases\n%s", d)
	}
	for path, c := range f.Cases {
		t.Run(path, func(t *testing.T) { f.run(t, c) })
	}
}

func (f FieldTest[T, Spec]) run(t *testing.T, c FieldCase) {
	t.Helper()
	e, mg := f.New(t)
	set := func(text string) {
		if text != "" {
			e.Must(json.Unmarshal([]byte(text), f.Spec(mg)))
		}
		mg.SetGeneration(mg.GetGeneration() + 1)
	}
	puts := func(when string, least, most int) {
		t.Helper()
		e.Advance(time.Hour)
		writes := e.Converge(mg)
		other := slices.ContainsFunc(writes, func(op string) bool { return !slices.Contains(c.By, op) })
		if other || len(writes) < least || len(writes) > most {
			t.Errorf("%s: got calls %v, want %d to %d of %v", when, writes, least, most, c.By)
		}
	}
	set(c.With)
	unset := *f.Spec(mg.DeepCopyObject().(T)) //nolint:forcetypeassert // A copy has the same type.
	set(c.Spec)
	e.Converge(mg)
	puts("as it is", 0, 0)
	f.ByHand(e, c)
	puts("changed by hand", 1, 1)
	*f.Spec(mg) = unset
	set("")
	corrections := 1
	if c.Left {
		corrections = 0
	}
	puts("removed from spec", 0, corrections) // It may be AWS's default.
	f.ByHand(e, c)
	puts("changed by hand while spec does not set it", corrections, corrections)
}

// Calling returns a call of AWS that has its input from JSON: what all of them have in common, and what differs. The
// names of the SDK's members are those of spec but for case, which JSON ignores.
func Calling[I, O any](
	call func(context.Context, *I, ...func(*lambda.Options)) (*O, error), common string,
) func(ctx context.Context, input string) error {
	return func(ctx context.Context, input string) error {
		in := new(I)
		for _, text := range []string{common, input} {
			if err := json.Unmarshal([]byte(text), in); err != nil {
				return err
			}
		}
		_, err := call(ctx, in)
		return err
	}
}

// leaves returns the paths of the fields of a block of spec that hold values, but for references to other objects.
func leaves(t reflect.Type, at string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || !strings.Contains(t.PkgPath(), "/apis/v1beta1") {
		return []string{at}
	}
	var out []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || refers(name):
		case name == "": // An embedded struct has no name of its own.
			out = append(out, leaves(f.Type, at)...)
		default:
			out = append(out, leaves(f.Type, strings.TrimPrefix(at+"."+name, "."))...)
		}
	}
	return out
}
