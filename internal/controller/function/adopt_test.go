package function

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestCodeOfAnAdoptedFunction checks that importing a function that another tool has
// deployed from S3 deploys its code again only if it is not the code that the manifest
// names.
func TestCodeOfAnAdoptedFunction(t *testing.T) {
	cases := map[string]struct {
		reason   string
		key      string
		readable bool
		want     []string
	}{
		"Same": {reason: "The code that is there is left there.", key: "k1.zip", readable: true, want: []string{
			"TagResource",
		}},
		"Other": {reason: "Other code is replaced.", key: "k2.zip", readable: true, want: []string{
			"TagResource", "UpdateFunctionCode",
		}},
		"Unreadable": {reason: "Where the object may not be read, it is deployed once.", key: "k1.zip", want: []string{
			"TagResource", "UpdateFunctionCode",
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To(tc.key)}
				meta.SetExternalName(f, "f")
			})
			p := f.Spec.ForProvider
			_, err := e.Lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
				FunctionName: ptr.To("f"), Role: p.Role, Runtime: types.Runtime(*p.Runtime), Handler: p.Handler,
				Code: &types.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")},
			})
			e.Must(err)
			if !tc.readable {
				e.Double.Fail(awsdouble.Fault{Operation: "GetObject", Times: -1, Error: awsdouble.Error{
					Status: 403, Code: "AccessDenied", Message: "Access Denied",
				}})
			}
			if diff := cmp.Diff(tc.want, e.Converge(f)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			e.Double.ResetCalls()
			if again := e.Converge(f); len(again) > 0 || e.Double.Count("GetObject") > 0 {
				t.Errorf(
					"what was recognised must be remembered, got %v and %d reads", again, e.Double.Count("GetObject"),
				)
			}
		})
	}
}

// TestInitProviderOfAnAdoptedFunction checks that initProvider leaves a function alone that was not created from this
// spec, also if status could not be written after its tags were set.
func TestInitProviderOfAnAdoptedFunction(t *testing.T) {
	e := newEnv(t)
	e.AddFunction("f")
	_, err := e.Lambda.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{
		FunctionName: ptr.To("f"), ReservedConcurrentExecutions: ptr.To[int32](9),
	})
	e.Must(err)
	e.Advance(time.Minute)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.InitProvider = &v1beta1.FunctionSettings{ReservedConcurrentExecutions: ptr.To[int32](5)}
		meta.SetExternalName(f, "f")
	})
	before := f.Status.DeepCopy()
	_, err = e.Step(f)
	e.Must(err)
	f.Status = *before
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestDifferencesOfAnObservedFunction checks that a function that is only observed differs
// if importing it would change it, and not if that is unknown.
func TestDifferencesOfAnObservedFunction(t *testing.T) {
	cases := map[string]struct {
		reason string
		code   v1beta1.FunctionCode
		image  bool
		denied bool
		want   []string
	}{
		"SameCode": {reason: "The code is that of another tool, and the same.", code: v1beta1.FunctionCode{
			S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip"),
		}},
		"OtherCode": {
			reason: "The object has other code.",
			code:   v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k2.zip")},
			want:   []string{"code.sha256"},
		},
		"UnreadableCode": {
			reason: "AWS does not tell where its code comes from.",
			code:   v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k2.zip")}, denied: true,
		},
		"PackageType": {
			reason: "What AWS can't change differs as all else does.",
			code:   v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}, image: true,
			want: []string{"code.sha256", "handler", "runtime", "packageType"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.Code = &tc.code
				f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				meta.SetExternalName(f, "f")
			})
			in := &lambda.CreateFunctionInput{
				FunctionName: ptr.To("f"), Role: f.Spec.ForProvider.Role,
				Runtime: types.Runtime(*f.Spec.ForProvider.Runtime), Handler: f.Spec.ForProvider.Handler,
				Code: &types.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")},
			}
			if tc.image {
				in.PackageType, in.Runtime, in.Handler = types.PackageTypeImage, "", nil
				in.Code = &types.FunctionCode{
					ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/repo:1"),
				}
			}
			_, err := e.Lambda.CreateFunction(t.Context(), in)
			e.Must(err)
			if tc.denied {
				e.Double.Fail(awsdouble.Fault{Operation: "GetObject", Times: -1, Error: awsdouble.Error{
					Status: 403, Code: "AccessDenied", Message: "Access Denied",
				}})
			}
			done := engine.Observe(t.Context(), e.Observer(), reconcile.Facts{}, f)
			e.Must(done.Err)
			var got []string
			for _, d := range done.Differences.List {
				got = append(got, d.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
