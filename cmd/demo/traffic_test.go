package main

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestTraffic publishes a version that works and one that raises an exception, behind one alias, and counts the
// invocations of a minute.
func TestTraffic(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	double := awsdouble.New(awsdouble.Options{Now: func() time.Time { return now }})
	double.Start()
	defer double.Close()
	aws := lambda.NewFromConfig(double.Config(region))
	if err := publishTwice(t, double, aws); err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	works, alias := function("checkout", "Available"), &v1beta1.Alias{ObjectMeta: metav1.ObjectMeta{Name: "live"}}
	works.Status.AtProvider.LatestPublishedVersion = ptr.To("1")
	alias.Spec.ForProvider.Region, alias.Status.AtProvider.FunctionName = region, ptr.To("checkout")
	meta.SetExternalName(works, "checkout")
	meta.SetExternalName(alias, "live")
	fails := works.DeepCopy()
	fails.Status.AtProvider.LatestPublishedVersion = ptr.To("2")
	fails.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "raise Exception(1)"}}

	tr := &traffic{e: &env{double: double}, versions: map[string]map[string]bool{}}
	for _, f := range []*v1beta1.Function{works, fails} {
		tr.e.kube = fake.NewClientBuilder().WithScheme(scheme).WithObjects(f, alias).Build()
		tr.observe(t.Context())
	}
	now = now.Add(time.Minute)
	want := map[string]awsdouble.Received{"1": {Requests: 450}, "2": {Requests: 150, Failed: 150}}
	if diff := cmp.Diff(want, double.Received("checkout", "live")); diff != "" {
		t.Errorf("invocations of a minute: -want, +got:\n%s", diff)
	}
	invoke := func(version string, fails bool) {
		t.Helper()
		out, err := aws.Invoke(t.Context(), &lambda.InvokeInput{
			FunctionName: ptr.To("checkout"), Qualifier: ptr.To(version),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.FunctionError != nil; got != fails {
			t.Errorf("version %s fails: %t, want %t", version, got, fails)
		}
	}
	invoke("1", false)
	invoke("2", true)
	invoke("$LATEST", true)
	works.Status.AtProvider.LatestPublishedVersion = nil // Such as one without publish, which is mended.
	tr.e.kube = fake.NewClientBuilder().WithScheme(scheme).WithObjects(works).Build()
	tr.observe(t.Context())
	invoke("$LATEST", false)
}

// publishTwice publishes two versions of a function, and an alias that gives the second one a quarter.
func publishTwice(t *testing.T, double *awsdouble.Server, aws *lambda.Client) error {
	t.Helper()
	double.PutExamples()
	if _, err := aws.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("checkout"), Role: ptr.To("arn:aws:iam::123456789012:role/checkout"),
		Runtime: types.RuntimePython313, Handler: ptr.To("index.handler"), Publish: true,
		Code: &types.FunctionCode{S3Bucket: ptr.To("my-code"), S3Key: ptr.To("app.zip")},
	}); err != nil {
		return err
	}
	if _, err := aws.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{
		FunctionName: ptr.To("checkout"), MemorySize: ptr.To[int32](256),
	}); err != nil {
		return err
	}
	if _, err := aws.PublishVersion(t.Context(),
		&lambda.PublishVersionInput{FunctionName: ptr.To("checkout")}); err != nil {
		return err
	}
	_, err := aws.CreateAlias(t.Context(), &lambda.CreateAliasInput{
		FunctionName: ptr.To("checkout"), Name: ptr.To("live"), FunctionVersion: ptr.To("1"),
		RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"2": 0.25}},
	})
	return err
}
