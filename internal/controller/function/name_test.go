package function

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestCheckName checks that external names that can't identify the function are rejected.
func TestCheckName(t *testing.T) {
	const prefix = "arn:aws:lambda:" + testenv.Region + ":123456789012:function:"
	cases := map[string]struct {
		reason   string
		name     string
		known    string
		nameless bool
		err      string
	}{
		"Name":        {reason: "A plain name.", name: "f"},
		"ARN":         {reason: "An ARN.", name: prefix + "f"},
		"PartialARN":  {reason: "An ARN from the account on.", name: "123456789012:function:f"},
		"Known":       {reason: "The ARN of what is known.", name: prefix + "f", known: prefix + "f"},
		"NameOfKnown": {reason: "The name of what is known.", name: "f", known: prefix + "f"},
		"Renamed": {
			reason: "Another function.", name: "g", known: prefix + "f", err: `would leave function "f" behind`,
		},
		"OtherAccount": {
			reason: "A function of the same name elsewhere.", name: "210987654321:function:f", known: prefix + "f",
			err: "would leave function \"" + prefix + "f\" behind",
		},
		"OtherRegion": {
			reason: "A function of another region.", name: "arn:aws:lambda:eu-west-3:123456789012:function:f",
			err: "is in region eu-west-3",
		},
		"Nameless": {reason: "AWS has answered without a name.", name: "f", nameless: true},
		"Version":  {reason: "A version is no function.", name: prefix + "f:3", err: "use a Version or an Alias"},
		"Alias": {
			reason: "The name of an alias is rejected.", name: "f:live", err: `remove ":live" from the annotation`,
		},
		"SomethingElse": {
			reason: "The ARN of another service is rejected.", name: "arn:aws:sqs:eu-central-1:123456789012:f",
			err: "neither the name nor the ARN of a function",
		},
		"NoFunctionName": {
			reason: "A Kubernetes name with a dot.", name: "a.b", err: "neither the name nor the ARN of a function",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := testFunction(func(f *v1beta1.Function) {
				meta.SetExternalName(f, tc.name)
				if tc.nameless {
					f.Status.AtProvider.FunctionName = ptr.To("")
				}
				if tc.known != "" {
					f.Status.AtProvider.FunctionArn, f.Status.AtProvider.FunctionName = ptr.To(tc.known), ptr.To("f")
				}
			})
			err := checkName(f)
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s\ngot %v, want an error with %q", tc.reason, err, tc.err)
			}
		})
	}
}

// TestExternalNameIsARN checks that a function can be observed, imported, updated and
// deleted by its ARN.
func TestExternalNameIsARN(t *testing.T) {
	arn := "arn:aws:lambda:" + testenv.Region + ":" + awsdouble.DefaultAccount + ":function:f"
	for _, name := range []string{arn, awsdouble.DefaultAccount + ":function:f"} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			made := testFunction()
			e.Converge(made)
			f := testFunction(func(f *v1beta1.Function) {
				f.UID = "another"
				meta.SetExternalName(f, name)
				meta.AddAnnotations(f, map[string]string{"lambda.aws.m.crossplane.io/adopt": "true"})
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			})
			for range 3 {
				e.Poll(f)
			}
			f.Spec.ManagementPolicies = nil
			if calls := e.Converge(f); slices.ContainsFunc(calls, func(c string) bool { return c != "TagResource" }) {
				t.Errorf("to adopt it is to tag it, got %v", calls)
			}
			e.Poll(f)
			f.Spec.ForProvider.MemorySize = ptr.To[int32](256)
			f.Generation++
			if calls := e.Converge(f); !slices.Equal(calls, []string{"UpdateFunctionConfiguration"}) {
				t.Errorf("an edit is one call, got %v", calls)
			}
			if meta.GetExternalName(f) != name || ptr.Deref(f.Status.AtProvider.FunctionName, "") != "f" {
				t.Errorf("external name %q, function %q", meta.GetExternalName(f), ptr.Deref(
					f.Status.AtProvider.FunctionName, "",
				))
			}
			e.Remove(f)
			e.Reconcile(f)
			if _, err := e.Lambda.GetFunction(
				t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("f")},
			); err == nil {
				t.Error("the function is still there")
			}
		})
	}
}

// TestRemovedExternalName checks that the provider uses the external name that it has recorded if the user removes the
// annotation, even if status is lost too, and writes it again.
func TestRemovedExternalName(t *testing.T) {
	for name, lost := range map[string]bool{"WithStatus": false, "WithoutStatus": true} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.AddFunction("legacy")
			f := testFunction(func(f *v1beta1.Function) { meta.SetExternalName(f, "legacy") })
			e.Converge(f)
			meta.SetExternalName(f, "")
			if lost {
				f.Status = v1beta1.FunctionStatus{}
			}
			if calls := e.Converge(f); len(calls) > 0 {
				t.Errorf("nothing has changed in AWS, got %v", calls)
			}
			if got := meta.GetExternalName(f); got != "legacy" {
				t.Errorf("the external name is %q", got)
			}
		})
	}
}
