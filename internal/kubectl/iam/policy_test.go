package iam

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestFetch(t *testing.T) {
	from := &v1beta1.OCISource{Reference: "123456789012.dkr.ecr.eu-central-1.amazonaws.com/checkout:v1"}
	atFirst, layer := &v1beta1.Function{}, &v1beta1.LayerVersion{}
	atFirst.Spec.InitProvider = &v1beta1.FunctionSettings{Code: &v1beta1.FunctionCode{OCI: from}}
	layer.Spec.ForProvider.Content = &v1beta1.LayerContent{OCI: from}
	inS3 := &v1beta1.Function{}
	inS3.Spec.ForProvider.Code = &v1beta1.FunctionCode{S3Key: ptr.To("k")}
	cases := map[string]struct {
		reason string
		mg     reconcile.Managed
		want   int
	}{
		"Nothing":        {reason: "A function that is only observed needs no code.", mg: &v1beta1.Function{}},
		"NothingOfLayer": {reason: "A layer that is only observed needs no content.", mg: &v1beta1.LayerVersion{}},
		"InS3":           {reason: "Code in S3 is not in a registry.", mg: inS3},
		"AtFirst":        {reason: "Code that is deployed at the creation only is read too.", mg: atFirst, want: 3},
		"Layer":          {reason: "So is the content of a layer.", mg: layer, want: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := allowed{}
			a.fetch(Options{AccountID: "123456789012"}, tc.mg)
			if diff := cmp.Diff(tc.want, len(a)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s\n%v", tc.reason, diff, a)
			}
		})
	}
}

// TestPattern checks which ARNs get the account and the region that are given.
func TestPattern(t *testing.T) {
	cases := map[string]struct{ reason, arn, want string }{
		"Offline": {
			"The account of a plan is made up.",
			"arn:aws:lambda:eu-central-1:000000000000:layer:common:1",
			"arn:aws:lambda:eu-west-1:123456789012:layer:common:1",
		},
		"Role": {
			"IAM has no regions.",
			"arn:aws:iam::000000000000:role/checkout",
			"arn:aws:iam::123456789012:role/checkout",
		},
		"Own": {
			"Another account is that of the resource.",
			"arn:aws:iam::210987654321:role/checkout",
			"arn:aws:iam::210987654321:role/checkout",
		},
		"Name": {"A name is no ARN.", "checkout", "*"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := newNames("123456789012", "eu-west-1", "eu-central-1").pattern(tc.arn); got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestFunction checks the ARNs of a function that a resource names in one of the forms that AWS accepts.
func TestFunction(t *testing.T) {
	const own, other = "arn:aws:lambda:eu-central-1:123456789012:function:", "arn:aws:lambda:eu-central-1:210987654321:function:"
	cases := map[string]struct {
		reason          string
		name, qualifier string
		want            []string
	}{
		"Name": {reason: "A name is that of the account.", name: "cart", want: []string{own + "cart"}},
		"Qualifier": {
			reason:    "A version means all.",
			name:      "cart",
			qualifier: "7",
			want:      []string{own + "cart", own + "cart:*"},
		},
		"ARN": {reason: "An ARN names the account.", name: other + "cart", want: []string{other + "cart"}},
		"Partial": {
			reason: "So does its end from the account on.",
			name:   "210987654321:function:cart:live",
			want:   []string{other + "cart", other + "cart:live"},
		},
		"Offline": {
			reason: "An account that a plan makes up is the given one.",
			name:   "arn:aws:lambda:eu-central-1:000000000000:function:cart",
			want:   []string{own + "cart"},
		},
		"Alias": {
			reason: "An alias may have any name.",
			name:   "cart:function",
			want:   []string{own + "cart", own + "cart:function"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := newNames("123456789012", "", "eu-central-1").function(tc.name, tc.qualifier)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStatementsOrder checks that a policy is the same each time: it may be in Git.
func TestStatementsOrder(t *testing.T) {
	a := allowed{}
	for _, name := range []string{"c", "a", "d", "b"} {
		a.add(everything, condition{"ArnLike": {"lambda:FunctionArn": {name}}}, "lambda:CreateEventSourceMapping")
	}
	for range 20 {
		var got []string
		for _, s := range a.statements() {
			got = append(got, s.Condition["ArnLike"]["lambda:FunctionArn"]...)
		}
		if diff := cmp.Diff([]string{"a", "b", "c", "d"}, got); diff != "" {
			t.Fatalf("statements(): -want, +got:\n%s", diff)
		}
	}
}
