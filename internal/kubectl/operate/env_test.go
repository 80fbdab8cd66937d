package operate

import (
	"archive/zip"
	"bytes"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

const (
	region = "eu-central-1"

	// manifest is the Function of the tests. Its name in AWS is another than in the cluster.
	manifest = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: checkout, namespace: shop, annotations: {crossplane.io/external-name: shop-checkout}}
spec: {forProvider: {region: eu-central-1}}
`
)

var at = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)

// An env is an API server with a Function, AWS, and the plugin.
type env struct {
	aws         *awsdouble.Server
	lambda      *lambda.Client
	factory     *kubectl.Factory
	in          bytes.Buffer
	out, errOut bytes.Buffer
	now         time.Time
}

// newEnv starts an API server with the Function, and AWS with the function.
func newEnv(t *testing.T, o awsdouble.Options) *env {
	t.Helper()
	e := &env{now: at}
	o.Now = func() time.Time { return e.now }
	e.aws = awsdouble.New(o)
	e.aws.Start()
	t.Cleanup(e.aws.Close)
	e.lambda = lambda.NewFromConfig(e.aws.Config(region))
	plugintest.SetMachine(t, e.aws.URL(), "hunter2")
	double, err := kubedouble.New("../../../package/crds", o.Now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(double.Config())
	if err != nil {
		t.Fatal(err)
	}
	ns, fn := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	ns.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	ns.SetName("shop")
	if _, err := client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).
		Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(manifest), &fn.Object); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resource(kubectl.Functions.Resource).
		Namespace("shop").
		Create(t.Context(), fn, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	e.factory = kubectl.NewFactory(genericiooptions.IOStreams{In: &e.in, Out: &e.out, ErrOut: &e.errOut}, o.Now, "test")
	e.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config { return double.Config() }
	return e
}

// create creates the function in AWS.
func (e *env) create(t *testing.T, change ...func(in *lambda.CreateFunctionInput)) {
	t.Helper()
	var code bytes.Buffer
	z := zip.NewWriter(&code)
	if _, err := z.Create("index.py"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	in := &lambda.CreateFunctionInput{
		FunctionName: aws.String(
			"shop-checkout",
		),
		Role:    aws.String("arn:aws:iam::123456789012:role/r"),
		Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython312,
		Code:    &types.FunctionCode{ZipFile: code.Bytes()},
	}
	for _, f := range change {
		f(in)
	}
	if _, err := e.lambda.CreateFunction(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// run runs the plugin, and returns the exit code.
func (e *env) run(t *testing.T, args ...string) int {
	t.Helper()
	e.out.Reset()
	e.errOut.Reset()
	root := kubectl.NewCommand(e.factory, commands(e.factory)...)
	root.SetArgs(append([]string{"-n", "shop"}, args...))
	return kubectl.Run(t.Context(), e.factory, root)
}

func commands(f *kubectl.Factory) []*cobra.Command {
	return []*cobra.Command{NewInvoke(f), NewLogs(f), NewTail(f), NewExecutions(f)}
}
