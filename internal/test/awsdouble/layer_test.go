package awsdouble

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

// publish publishes a version of the layer l for some runtimes.
func publish(t *testing.T, c *lambda.Client, runtimes ...types.Runtime) *lambda.PublishLayerVersionOutput {
	t.Helper()
	out, err := c.PublishLayerVersion(t.Context(), &lambda.PublishLayerVersionInput{
		LayerName: aws.String("l"), CompatibleRuntimes: runtimes,
		Content: &types.LayerVersionContentInput{ZipFile: archive("layer")},
	})
	if err != nil {
		t.Fatalf("PublishLayerVersion: %v", err)
	}
	return out
}

func TestLayersAreListedByWhatTheyAreFor(t *testing.T) {
	s := start(t, Options{Now: newClock().now})
	c := client(s)
	publish(t, c, types.RuntimePython312)
	publish(t, c, types.RuntimePython312, types.RuntimeJava21)
	publish(t, c)

	for name, tc := range map[string]struct {
		reason string
		in     *lambda.ListLayerVersionsInput
		want   []int64
	}{
		"All": {"The newest comes first.", &lambda.ListLayerVersionsInput{}, []int64{3, 2, 1}},
		"Runtime": {
			"Versions for other runtimes are left out.",
			&lambda.ListLayerVersionsInput{CompatibleRuntime: types.RuntimeJava21},
			[]int64{2},
		},
		"Architecture": {
			"None names an architecture.",
			&lambda.ListLayerVersionsInput{CompatibleArchitecture: types.ArchitectureArm64}, nil,
		},
		"Page": {
			"A page is as long as was asked for.", &lambda.ListLayerVersionsInput{MaxItems: aws.Int32(2)},
			[]int64{3, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.LayerName = aws.String("l")
			out, err := c.ListLayerVersions(t.Context(), tc.in)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for i := range out.LayerVersions {
				got = append(got, out.LayerVersions[i].Version)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}

	out, err := c.ListLayers(t.Context(), &lambda.ListLayersInput{CompatibleRuntime: types.RuntimePython312})
	if err != nil || len(out.Layers) != 1 || out.Layers[0].LatestMatchingVersion.Version != 2 {
		t.Errorf("ListLayers = %+v, %v, want the layer with its version 2", out, err)
	}
}

func TestAFunctionKeepsADeletedLayer(t *testing.T) {
	s := start(t, Options{Now: newClock().now})
	c := client(s)
	v := publish(t, c)
	in := zipFunction(t, "f")
	in.Layers = []string{*v.LayerVersionArn}
	create(t, c, in)
	if _, err := c.DeleteLayerVersion(t.Context(),
		&lambda.DeleteLayerVersionInput{LayerName: aws.String("l"), VersionNumber: aws.Int64(v.Version)}); err != nil {
		t.Fatal(err)
	}

	_, err := c.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Timeout: aws.Int32(9)})
	if err != nil {
		t.Fatalf("an update that says nothing of layers: %v", err)
	}
	got := get(t, c, "f").Configuration.Layers
	if len(got) != 1 || *got[0].Arn != *v.LayerVersionArn || got[0].CodeSize != v.Content.CodeSize {
		t.Errorf("layers = %+v, want %s", got, *v.LayerVersionArn)
	}
	_, err = c.GetLayerVersion(t.Context(),
		&lambda.GetLayerVersionInput{LayerName: aws.String("l"), VersionNumber: aws.Int64(1)})
	wantError(t, err, "ResourceNotFoundException", "The resource you requested does not exist.")
	_, err = c.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Layers: in.Layers})
	wantError(t, err, "InvalidParameterValueException", "Layer version "+*v.LayerVersionArn+" does not exist.")
}

func TestALayerIsNamedByItsArnToo(t *testing.T) {
	s := start(t, Options{Now: newClock().now})
	c := client(s)
	v := publish(t, c)
	if _, err := c.GetLayerVersion(t.Context(),
		&lambda.GetLayerVersionInput{LayerName: v.LayerArn, VersionNumber: aws.Int64(1)}); err != nil {
		t.Error(err)
	}
	_, err := c.GetLayerVersion(t.Context(), &lambda.GetLayerVersionInput{LayerName: aws.String(
		"arn:aws:lambda:eu-west-1:999999999999:layer:l"), VersionNumber: aws.Int64(1)})
	wantError(t, err, "AccessDeniedException", "")
	_, err = c.DeleteLayerVersion(t.Context(),
		&lambda.DeleteLayerVersionInput{LayerName: aws.String("l"), VersionNumber: aws.Int64(0)})
	wantError(t, err, "InvalidParameterValueException", "")
}
