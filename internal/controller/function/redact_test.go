package function

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestRedact checks that possible secrets are not logged: values of variables, and inline
// code.
func TestRedact(t *testing.T) {
	const secret = "hunter2"
	vars := &v1beta1.Environment{Variables: map[string]string{"PASSWORD": secret}}
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = vars
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
			Inline: map[string]string{"index.py": "password = '" + secret + "'"},
		}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			Environment: vars.DeepCopy(), Code: f.Spec.ForProvider.Code.DeepCopy(),
		}
	})
	shown := f.DeepCopy()
	redact(shown)
	b, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); strings.Contains(text, secret) || !strings.Contains(text, "index.py") ||
		!strings.Contains(text, "PASSWORD") {
		t.Errorf("want names and no values, got %s", text)
	}
	if f.Spec.ForProvider.Environment.Variables["PASSWORD"] != secret ||
		!strings.Contains(f.Spec.ForProvider.Code.Inline["index.py"], secret) {
		t.Error("the resource itself must stay as it is")
	}
}
