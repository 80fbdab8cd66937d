package kubectl

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Decode decodes an object for display: all texts and keys are escaped, since others have written them.
func Decode(u *unstructured.Unstructured, into any) error {
	printable, _ := clean(u.Object).(map[string]any)
	return runtime.DefaultUnstructuredConverter.FromUnstructured(printable, into)
}

// clean returns a copy of a JSON value whose texts and keys are escaped lines.
func clean(v any) any {
	switch t := v.(type) {
	case string:
		return OneLine(t)
	case []any:
		out := make([]any, len(t))
		for i := range t {
			out[i] = clean(t[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(t))
		for k := range t {
			out[OneLine(k)] = clean(t[k])
		}
		return out
	}
	return v
}
