package fields

import (
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/test"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestGet(t *testing.T) {
	roles := schema.GroupResource{Group: "iam.example.org", Resource: "roles"}
	role := func(obj client.Object) error {
		obj.(*unstructured.Unstructured).Object["status"] = map[string]any{"arn": "arn:r", "empty": "", "number": int64(1)}
		return nil
	}
	cases := map[string]struct {
		reason string
		get    test.MockGetFn
		path   string
		want   string
		err    string
	}{
		"Found":     {reason: "The field is read.", get: test.NewMockGetFn(nil, role), path: "status.arn", want: "arn:r"},
		"Empty":     {reason: "An empty field has no value yet.", get: test.NewMockGetFn(nil, role), path: "status.empty", err: "Role ns/r has no value at status.empty yet"},
		"Missing":   {reason: "Nor has one that is not there.", get: test.NewMockGetFn(nil, role), path: "status.nope", err: "Role ns/r has no value at status.nope yet"},
		"NotAText":  {reason: "Only texts are read.", get: test.NewMockGetFn(nil, role), path: "status.number", err: "Role ns/r has no value at status.number yet"},
		"NoObject":  {reason: "A missing object is named.", get: test.NewMockGetFn(kerrors.NewNotFound(roles, "r")), err: "Role ns/r does not exist"},
		"Forbidden": {reason: "What to grant is said.", get: test.NewMockGetFn(kerrors.NewForbidden(roles, "r", nil)), err: "grant the provider's ServiceAccount get on Role of iam.example.org/v1"},
		"NoKind":    {reason: "A kind that the cluster lacks is named.", get: test.NewMockGetFn(&kmeta.NoKindMatchError{}), err: "the cluster has no kind Role in iam.example.org/v1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := NewReader(&test.MockClient{MockGet: tc.get})
			got, err := r.Get(t.Context(), "ns", v1beta1.FieldSelector{APIVersion: "iam.example.org/v1", Kind: "Role", Name: "r", FieldPath: tc.path})
			if got != tc.want || (err == nil) != (tc.err == "") || (err != nil && !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s\nwant %q, error %q; got %q, %v", tc.reason, tc.want, tc.err, got, err)
			}
		})
	}
}
