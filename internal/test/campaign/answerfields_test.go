package campaign

import (
	"reflect"
	"slices"
	"strings"
)

// fieldFaults returns the faults that a field of responses is tried with, in all operations at once. A field that is
// null is decoded as one that is not there. It returns none for what would be another resource: code of another hash is
// sent and published again, and what a rollout has not set in the alias is a change by someone else.
func (sc scenario) fieldFaults(name string) []fault {
	if sc.serves != "" || slices.Contains([]string{"CodeSha256", "Content", "FunctionName"}, name) {
		return nil
	}
	of := func(what string, edit func(v any) (any, bool)) fault {
		return edited(what+" "+name, func(field string, v any) (any, bool) {
			if field != name || v == nil {
				return v, true
			}
			return edit(v)
		})
	}
	return []fault{
		of("no", func(any) (any, bool) { return nil, false }),
		of("an empty", func(v any) (any, bool) { return reflect.Zero(reflect.TypeOf(v)).Interface(), true }),
		of("another", func(v any) (any, bool) {
			switch t := v.(type) {
			case string:
				return strings.ToUpper(t), true
			case float64:
				return t + 1, true
			case bool:
				return !t, true
			case []any:
				return slices.Repeat(t, 2), true
			}
			return v, true
		}),
	}
}
