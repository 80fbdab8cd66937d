package v1beta1

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

// Only the API server can verify the CRDs: that it accepts them at all, which input it rejects, and with which
// message.
var suite = devcluster.Suite{
	Options: devcluster.Options{CRDs: []string{"../../package/crds", "testdata/crds"}, Crossplane: true},
}

func TestMain(m *testing.M) { suite.Main(m) }

// The manifests that cases start from: the minimum that a function needs.
const (
	zipFunction = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/hello
    code:
      inline:
        index.py: "def handler(event, context): return event"
`

	imageFunction = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    packageType: Image
    role: arn:aws:iam::123456789012:role/hello
    code:
      imageUri: 123456789012.dkr.ecr.eu-central-1.amazonaws.com/hello:v1
`

	managedInstancesFunction = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: hello, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/hello
    code: {s3Bucket: my-code, s3Key: app.zip}
    capacityProviderConfig:
      lambdaManagedInstancesCapacityProviderConfig:
        capacityProviderArn: arn:aws:lambda:eu-central-1:123456789012:capacity-provider:web
`
)

// A refusal is a change that makes a valid manifest invalid.
type refusal struct {
	reason string

	// change is a merge patch in YAML.
	change string

	// want is the complete message to the user, a line each.
	want string
}

// testRefusals creates each changed manifest in a dry run.
func testRefusals(t *testing.T, base string, cases map[string]refusal) {
	t.Helper()
	c := strictClient(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := complaints(c.Create(t.Context(), manifest(t, base, tc.change), client.DryRunAll))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCreate(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// complaints returns an error as kubectl shows it, without the remark that further errors may appear once these are
// fixed.
func complaints(err error) string {
	status := kerrors.APIStatus(nil)
	if err == nil {
		return ""
	}
	if !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return err.Error()
	}
	var lines []string
	for _, c := range status.Status().Details.Causes {
		if !strings.Contains(c.Message, "some validation rules were not checked") {
			lines = append(lines, c.Field+": "+c.Message)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// strictClient returns a client that rejects unknown fields, as kubectl does.
func strictClient(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(suite.Cluster(t).Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return client.WithFieldValidation(c, metav1.FieldValidationStrict)
}

// manifest returns the base with a merge patch applied.
func manifest(t *testing.T, base, change string) *unstructured.Unstructured {
	t.Helper()
	object, patch := map[string]any{}, map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(base), &object); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(change), &patch); err != nil {
		t.Fatal(err)
	}
	mergePatch(object, patch)
	changed, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(changed, u); err != nil {
		t.Fatal(err)
	}
	return u
}

// forProvider returns a change of spec.forProvider.
func forProvider(fields string) string { return "spec: {forProvider: {" + fields + "}}" }

// code returns a change of the code, which is no longer inline.
func code(fields string) string { return forProvider("code: {inline: null, " + fields + "}") }

// managedInstances returns a change of how a function uses its capacity provider.
func managedInstances(fields string) string {
	return forProvider("capacityProviderConfig: {lambdaManagedInstancesCapacityProviderConfig: {" + fields + "}}")
}

// numbered returns the n entries of a flow sequence or mapping, without its brackets.
func numbered(n int, format string) string {
	entries := make([]string, 0, n)
	for i := range n {
		entries = append(entries, fmt.Sprintf(format, i))
	}
	return strings.Join(entries, ", ")
}

func toJSON(t *testing.T, y string) []byte {
	t.Helper()
	b, err := yaml.YAMLToJSONStrict([]byte(y))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mergePatch(object, patch map[string]any) {
	for k, v := range patch {
		p, isMap := v.(map[string]any)
		o, hasMap := object[k].(map[string]any)
		switch {
		case v == nil:
			delete(object, k)
		case isMap && hasMap:
			mergePatch(o, p)
		default:
			object[k] = v
		}
	}
}
