package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

const region = "eu-central-1"

// env is a namespace of the control plane, and a double of AWS to which a config of the namespace's name leads.
type env struct {
	testing.TB

	cluster *devcluster.Cluster
	ns      string
	kube    client.Client
	double  *awsdouble.Server
	aws     *lambda.Client
}

func newEnv(t testing.TB, o awsdouble.Options) *env {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := suite.Cluster(t)
	kube, err := client.New(c.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &env{TB: t, cluster: c, ns: c.Namespace(t), kube: kube, double: awsdouble.New(o)}
	w.double.Start()
	t.Cleanup(w.double.Close)
	w.aws = lambda.NewFromConfig(w.double.ConfigFor(region, "SOMEONE"))
	w.create(&v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: w.ns},
		Spec: v1beta1.ClusterProviderConfigSpec{
			Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceEnvironment},
			ConnectionSpec: v1beta1.ConnectionSpec{Endpoint: &v1beta1.EndpointConfig{
				URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(w.double.URL())},
			}},
		},
	})
	return w
}

// provider starts a provider of the env in a process of its own.
func (w *env) provider(name string, kubeconfig []byte, args ...string) *process {
	w.Helper()
	return start(w, testProgram(w), name, kubeconfig,
		append([]string{"--watch-namespace=" + w.ns, "--leader-election-namespace=" + w.ns}, args...)...)
}

func (w *env) create(o client.Object) {
	w.Helper()
	if err := w.kube.Create(w.Context(), o); err != nil {
		w.Fatalf("cannot create %T %s: %v", o, o.GetName(), err)
	}
}

// functions creates functions, all at once.
func (w *env) functions(n int) {
	w.Helper()
	for i := range n {
		w.create(w.function(fmt.Sprintf("f-%04d", i)))
	}
}

// function returns a typical Function.
func (w *env) function(name string) *v1beta1.Function {
	return &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.ns},
		Spec: v1beta1.FunctionSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ClusterProviderConfig", Name: w.ns,
			}},
			ForProvider: v1beta1.FunctionParameters{
				Regional: v1beta1.Regional{Region: region},
				FunctionSettings: v1beta1.FunctionSettings{
					Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"), Role: ptr.To(
						"arn:aws:iam::123456789012:role/r"),
					Description: ptr.To("as wanted"),
					Code: &v1beta1.FunctionCode{
						Inline: map[string]string{"index.py": "def handler(event, context):\n    return \"Hello\"\n"},
					},
					Environment: &v1beta1.Environment{Variables: map[string]string{
						"STAGE": "test", "TABLE": "orders",
						"LOG_LEVEL": "info",
					}},
				},
			},
		},
	}
}

// ready waits until n Functions are Ready.
func (w *env) ready(n int, timeout time.Duration) {
	w.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(5 * pollInterval) {
		got := w.countReady()
		if got == n {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("%d of %d Functions are Ready after %s", got, n, timeout)
		}
	}
}

func (w *env) countReady() int {
	w.Helper()
	list := &v1beta1.FunctionList{}
	if err := w.kube.List(w.Context(), list, client.InNamespace(w.ns)); err != nil {
		w.Fatal(err)
	}
	n := 0
	for i := range list.Items {
		if list.Items[i].GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
			n++
		}
	}
	return n
}

// callsOf returns the calls of a provider, by the access key that is its name.
func (w *env) callsOf(p *process) []awsdouble.Call {
	var calls []awsdouble.Call
	for _, c := range w.double.Calls() {
		if c.AccessKey == p.name {
			calls = append(calls, c)
		}
	}
	return calls
}

// created returns how often each function was created successfully.
func (w *env) created() map[string]int {
	n := map[string]int{}
	for _, c := range w.double.Calls() {
		if c.Operation == "CreateFunction" && c.ErrorCode == "" {
			n[c.Resource]++
		}
	}
	return n
}

// inAWS returns the names of the functions in AWS.
func (w *env) inAWS() map[string]bool {
	w.Helper()
	names := map[string]bool{}
	pages := lambda.NewListFunctionsPaginator(w.aws, &lambda.ListFunctionsInput{})
	for pages.HasMorePages() {
		out, err := pages.NextPage(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		for i := range out.Functions {
			names[*out.Functions[i].FunctionName] = true
		}
	}
	return names
}

// drift changes a function in AWS out of band.
func (w *env) drift(ctx context.Context, name string) {
	w.Helper()
	_, err := w.aws.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(name), Description: ptr.To("changed by hand")})
	if err != nil {
		w.Fatal(err)
	}
}
