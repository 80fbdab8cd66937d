package tenancy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestNamed checks that each spelling of an ARN that AWS's pattern allows names the same.
func TestNamed(t *testing.T) {
	const prefix = "arn:aws:lambda:eu-central-1:123456789012:"
	named := func(kind, name string) []string {
		return []string{Target{Kind: kind, Region: "eu-central-1", Name: name}.Key()}
	}
	cases := map[string]struct {
		reason, arn string
		want        []string
	}{
		"LayerVersion": {"A version of a layer.", prefix + "layer:lib:10", named(v1beta1.LayerVersionKind, "lib:10")},
		"LeadingZeros": {
			"The number is the same with leading zeros.", prefix + "layer:lib:0010",
			named(v1beta1.LayerVersionKind, "lib:10"),
		},
		"Layer": {"A layer without a version has no owner.", prefix + "layer:lib", nil},
		"CapacityProvider": {
			"Names keep their zeros.", prefix + "capacity-provider:007",
			named(v1beta1.CapacityProviderKind, "007"),
		},
		"Version": {
			"A version of a function is the function's.", prefix + "function:cart:7",
			named(v1beta1.FunctionKind, "cart"),
		},
		"Queue": {"A queue is of another service.", "arn:aws:sqs:eu-central-1:123456789012:cart", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range Named(ptr.To(tc.arn)) {
				got = append(got, target.Key())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFunctions checks that a text that AWS may read as a name with a qualifier or as a partial ARN names both
// functions.
func TestFunctions(t *testing.T) {
	cases := map[string]struct {
		reason, ref string
		want        []string
	}{
		"Qualified": {"It has one reading.", "cart:live", []string{"cart"}},
		"Type":      {"The type of the resource may precede the name.", "function:cart", []string{"function", "cart"}},
		"Account":   {"So may the account.", "123456789012:cart", []string{"123456789012", "cart"}},
		"Region":    {"So may the region.", "eu-central-1:cart", []string{"eu-central-1", "cart"}},
		"GovCloud":  {"A region of GovCloud.", "us-gov-west-1:cart", []string{"us-gov-west-1", "cart"}},
		"Isolated":  {"An isolated region.", "us-isob-east-1:cart", []string{"us-isob-east-1", "cart"}},
		"Sovereign": {"A sovereign region.", "eusc-de-east-1:cart", []string{"eusc-de-east-1", "cart"}},
		"ARN":       {"The name follows the type.", "123456789012:function:function:cart", []string{"function"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range Functions(ptr.To(tc.ref)) {
				got = append(got, target.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
