package diff

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{
	CRDs: []string{"../../../package/crds", "testdata/gitrepositories.yaml"},
}}

func TestMain(m *testing.M) { suite.Main(m) }

const function = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: checkout}
spec:
  forProvider:
    region: eu-central-1
    runtime: python3.13
    handler: index.handler
    role: arn:aws:iam::123456789012:role/r
    memorySize: 256
    tags: {team: shop}
    code: {inline: {index.py: "x = 1"}}
`

const providerConfig = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ClusterProviderConfig
metadata: {name: default}
spec:
  credentials: {source: None}
  endpoint: {url: {type: Static, static: URL}}
`

// TestAPIServer plans against a real API server, whose dry runs set defaults and reject what is invalid, and with
// --refresh against AWS.
func TestAPIServer(t *testing.T) {
	cluster := suite.Cluster(t)
	namespace := cluster.Namespace(t)
	kube, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	double := awsdouble.New(awsdouble.Options{})
	double.Start()
	t.Cleanup(double.Close)
	apply := func(text string) *unstructured.Unstructured {
		t.Helper()
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), u); err != nil {
			t.Fatal(err)
		}
		if u.GetKind() == "Function" {
			u.SetNamespace(namespace)
		}
		//nolint:staticcheck // An unstructured object has no apply configuration.
		if err := kube.Patch(t.Context(), u, client.Apply, client.FieldOwner("argocd-controller")); err != nil {
			t.Fatal(err)
		}
		return u
	}
	do := func(code int, text string, args ...string) string {
		t.Helper()
		got, out, errOut := run(t, cluster.Config, text, append(args, "-n", namespace)...)
		if got != code {
			t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, out, errOut)
		}
		return out + errOut
	}
	wants := func(out string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(out, p) {
				t.Errorf("want %q in:\n%s", p, out)
			}
		}
	}
	wants(do(1, function, "-f", "-"), "(create)", "+ memorySize: 256", "CreateFunction checkout")
	if list := do(0, "", "functions"); !strings.Contains(list, "0 to create") {
		t.Errorf("the dry run has created something: %s", list)
	}
	invalid := strings.Replace(function, "memorySize: 256", "memorySize: 1", 1)
	wants(do(2, invalid, "-f", "-"), "(reject)", "memorySize", "error: 1 of 1 resources are rejected")

	elsewhere := strings.Replace(function, "name: checkout", "name: checkout, namespace: elsewhere", 1)
	_, out, _ := run(t, cluster.Config, elsewhere, "-f", "-")
	wants(
		out,
		"(create)",
		"not known: whether the API server accepts the manifest, since namespace elsewhere does not exist",
	)

	// AWS has what the object in the cluster asks for.
	apply(strings.Replace(providerConfig, "URL", double.URL(), 1))
	u := apply(function)
	u.SetAnnotations(map[string]string{"crossplane.io/external-name": "checkout"})
	u.SetManagedFields(nil)
	if err := kube.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	out = do(
		1,
		strings.Replace(
			strings.Replace(function, "memorySize: 256", "memorySize: 512", 1),
			"    tags: {team: shop}\n",
			"",
			1,
		),
		"-f",
		"-",
	)
	wants(
		out,
		"(update)",
		"~ memorySize: 256 -> 512",
		"- tags[team]",
		"UpdateFunctionConfiguration checkout",
		"not known: the object in the cluster was not up to date",
	)
	do(0, function, "-f", "-")

	// AWS has a function that the user names, with other settings.
	api := lambda.NewFromConfig(double.Config("eu-central-1"))
	_, err = api.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: aws.String(
			"checkout",
		),
		Role:    aws.String("arn:aws:iam::123456789012:role/r"),
		Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython312,
		Description: aws.String(
			"first",
		),
		MemorySize: aws.Int32(256),
		Code:       &types.FunctionCode{ZipFile: []byte("PK\x05\x06" + strings.Repeat("\x00", 18))},
	})
	if err != nil {
		t.Fatal(err)
	}
	double.ResetCalls()
	out = do(1, function, "-f", "-", "--refresh")
	wants(
		out,
		"(adopt)",
		`~ runtime: "python3.12" -> "python3.13"`,
		"TagResource",
		"UpdateFunctionConfiguration checkout",
		"UpdateFunctionCode checkout",
	)
	wants(
		do(1, "", "function", "checkout", "--refresh", "-o", "json"),
		`"action": "adopt"`,
		`"operation": "UpdateFunctionCode"`,
	)
	for _, c := range double.Calls() {
		if !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "List") {
			t.Errorf("the plan has called %s", c.Operation)
		}
	}

	// AWS is read within the quota, however many resources there are.
	var layers strings.Builder
	for i := range 20 {
		fmt.Fprintf(
			&layers,
			"---\n{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: LayerVersion, metadata: {name: l-%d}, spec: {forProvider: {region: eu-central-1, layerName: l-%d, content: {inline: {a.py: x}}}}}\n",
			i,
			i,
		)
	}
	wants(
		do(1, layers.String(), "-f", "-", "--refresh"),
		"Plan: 20 to create, 0 to adopt, 0 to update, 0 to replace, 0 to delete, 0 unchanged.\n",
	)

	// The credentials of the provider's pod are not on this machine.
	apply(
		"{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: ClusterProviderConfig, metadata: {name: default}, spec: {credentials: {source: IRSA}}}",
	)
	wants(do(2, function, "-f", "-", "--refresh"), "(reject)", "set --aws-profile or --aws-default-chain")

	// The credentials of this machine are used in their place, at the endpoint that the user names, and never at that
	// of a config.
	irsa := strings.Replace(providerConfig, "source: None", "source: IRSA", 1)
	tenant := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the config's host was sent %s %s %s", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(tenant.Close)
	apply(strings.Replace(irsa, "URL", tenant.URL, 1))
	file := filepath.Join(t.TempDir(), "credentials")
	profiles := "[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key = s\n[audit]\naws_access_key_id = AKIAAUDIT\naws_secret_access_key = s\naws_session_token = t\n"
	if err := os.WriteFile(file, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_SHARED_CREDENTIALS_FILE": file, "AWS_CONFIG_FILE": file + "-none", "AWS_ACCESS_KEY_ID": "",
		"AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "",
	} {
		t.Setenv(name, value)
	}
	for flag, key := range map[string]string{"--aws-profile=audit": "AKIAAUDIT", "--aws-default-chain": "AKIADEFAULT"} {
		double.ResetCalls()
		wants(
			do(1, function, "-f", "-", "--refresh", flag, "--aws-endpoint-url", double.URL()),
			"(adopt)",
			"UpdateFunctionCode checkout",
		)
		for _, c := range double.Calls() {
			if c.AccessKey != key {
				t.Errorf("%s: %s was called with the key %s, want %s", flag, c.Operation, c.AccessKey, key)
			}
		}
	}
	wants(
		do(2, function, "-f", "-", "--refresh", "--aws-profile=other"),
		"cannot load the AWS configuration of this machine",
		"other",
	)

	// A tenant's config is rejected as the provider rejects it.
	own := "{apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: ProviderConfig, metadata: {name: own, namespace: %s}, spec: {credentials: {source: None}, endpoint: {url: {type: Static, static: %q}}}}"
	apply(fmt.Sprintf(own, namespace, tenant.URL))
	owned := strings.Replace(function, "spec:", "spec:\n  providerConfigRef: {kind: ProviderConfig, name: own}", 1)
	for _, flags := range [][]string{{}, {"--aws-default-chain"}} {
		wants(
			do(2, owned, append([]string{"-f", "-", "--refresh"}, flags...)...),
			"(reject)",
			"endpoint is not allowed in a namespaced config",
		)
	}
}
