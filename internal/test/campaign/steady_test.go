package campaign

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var steadyFunctions = flag.Int("campaign.steady", 300, "number of functions of TestSteady")

// A steadyFleet is functions that are polled by list.
type steadyFleet struct {
	*Simulation

	t *testing.T
	n int

	// tenant who has the functions. Nil has them in the namespace that a simulation begins with.
	tenant *tenant
}

// pollInterval is the default of --poll.
const pollInterval = 10 * time.Minute

// smallFleet is the largest number of functions that are all changed: each takes a call or more.
const smallFleet = 1000

const (
	secretName = "settings"
	codeBucket = "code"
	codeKey    = "releases/function.zip"
)

func (f *steadyFleet) name(i int) string { return f.tenant.prefix() + fmt.Sprintf("f-%05d", i) }

func (f *steadyFleet) namespace() string {
	if f.tenant != nil {
		return f.tenant.namespace
	}
	return Namespace
}

// apply creates the manifests of the functions, whose code is one object in S3.
func (f *steadyFleet) apply() {
	f.t.Helper()
	f.Double.PutObject(codeBucket, codeKey, f.archive("x = 1"))
	f.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: secretName, Namespace: f.namespace()},
		Data:       map[string][]byte{"TOKEN": []byte("1")},
	})
	for i := range f.n {
		f.Create(f.function(i))
	}
}

// function returns the manifest of a function.
func (f *steadyFleet) function(i int) *v1beta1.Function {
	fn := &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: f.name(i), Namespace: f.namespace()},
		Spec: v1beta1.FunctionSpec{ForProvider: v1beta1.FunctionParameters{
			Regional: v1beta1.Regional{Region: Region},
			FunctionSettings: v1beta1.FunctionSettings{
				Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"),
				Role:       ptr.To("arn:aws:iam::123456789012:role/r"),
				MemorySize: ptr.To[int32](256),
				Code:       &v1beta1.FunctionCode{S3Bucket: ptr.To(codeBucket), S3Key: ptr.To(codeKey)},
			},
		}},
	}
	if i%3 == 0 {
		fn.Spec.ForProvider.Environment = &v1beta1.Environment{EnvFrom: []v1beta1.EnvironmentSource{{
			SecretRef: &v1beta1.EnvironmentSourceReference{Name: secretName},
		}}}
	}
	if f.tenant != nil {
		// The double's S3 has one endpoint.
		fn.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
		fn.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{
			Kind: v1beta1.ProviderConfigKind,
			Name: tenantConfig,
		}
	}
	return fn
}

// create creates the functions and waits until all are Ready.
func (f *steadyFleet) create() {
	f.t.Helper()
	f.apply()
	if !f.Until(2*time.Hour, func() bool { return f.ready() == f.n }) {
		f.t.Fatalf("%d of %d functions are Ready", f.ready(), f.n)
	}
}

// changeSecret changes the value of the variable that every third function has.
func (f *steadyFleet) changeSecret(value string) {
	f.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: secretName, Namespace: Namespace},
		Data:       map[string][]byte{"TOKEN": []byte(value)},
	}
	if err := f.Kube.Update(f.t.Context(), secret); err != nil {
		f.t.Fatal(err)
	}
}

// archive returns a deployment package.
func (f *steadyFleet) archive(code string) []byte {
	f.t.Helper()
	zip, err := archive.Zip(map[string][]byte{"index.py": []byte(code)})
	if err != nil {
		f.t.Fatal(err)
	}
	return zip
}

// resourceVersion returns that of the cluster, which changes with each write of any object.
func (f *steadyFleet) resourceVersion() string {
	f.t.Helper()
	list := &v1beta1.FunctionList{}
	if err := f.Kube.List(f.t.Context(), list, client.Limit(1)); err != nil {
		f.t.Fatal(err)
	}
	return list.ResourceVersion
}

// ready counts the functions that are Ready and Synced.
func (f *steadyFleet) ready() int {
	f.t.Helper()
	list := &v1beta1.FunctionList{}
	if err := f.Kube.List(f.t.Context(), list, client.InNamespace(f.namespace())); err != nil {
		f.t.Fatal(err)
	}
	n := 0
	for i := range list.Items {
		if o := &list.Items[i]; o.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue &&
			o.GetCondition(xpv2.TypeSynced).Status == corev1.ConditionTrue {
			n++
		}
	}
	return n
}

// calls returns the number of calls to AWS during a time, by operation.
func (f *steadyFleet) calls(d time.Duration) map[string]int {
	f.Double.ResetCalls()
	time.Sleep(d)
	return f.counted()
}

// counted returns the number of calls to AWS since they were last reset, by operation.
func (f *steadyFleet) counted() map[string]int {
	n := map[string]int{}
	for _, c := range f.Double.Calls() {
		n[c.Operation]++
	}
	return n
}

// TestSteady checks what functions cost that do not change, and that what someone else changes is
// still found and corrected within a poll interval: also after a restart.
func TestSteady(t *testing.T) {
	n := *steadyFunctions
	const offline = "f-00099" // It is changed while the provider is down.
	pages := (n + 49) / 50
	Run(t,
		awsdouble.Options{CreateDuration: time.Second, UpdateDuration: time.Second},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			f := &steadyFleet{Simulation: s, t: t, n: n}
			f.Logs.most = 1 << 20
			quiet := func(o *manager.Options) { o.Tracer = nil }
			p := f.Start(&Network{}, quiet)
			f.create()
			time.Sleep(2 * pollInterval)

			before := f.resourceVersion()
			calls := f.calls(pollInterval)
			t.Logf("%d steady functions, calls in a poll interval: %v", n, calls)
			if calls["ListFunctions"] < pages || calls["ListFunctions"] > pages+1 {
				t.Errorf("%d calls of ListFunctions, want %d", calls["ListFunctions"], pages)
			}
			if most := max(n/16, 30) + 5; calls["GetFunction"] > most {
				t.Errorf("%d calls of GetFunction, want at most %d", calls["GetFunction"], most)
			}
			if after := f.resourceVersion(); after != before {
				t.Errorf("resource version %s, want %s: no object is written", after, before)
			}

			f.drift()
			if n <= smallFleet {
				f.replaceCode(15)
			}

			if err := p.Stop(); err != nil {
				t.Error(err)
			}
			f.Double.EditFunction(offline, func(c *awsdouble.Function) { c.MemorySize = 1024 })
			time.Sleep(time.Hour)
			p = f.Start(&Network{}, quiet)
			calls = f.calls(pollInterval)
			t.Logf("calls in the first poll interval after a restart: %v", calls)
			if most := n / 3; calls["GetFunction"] > most {
				t.Errorf("%d calls of GetFunction after a restart, want at most %d", calls["GetFunction"], most)
			}
			time.Sleep(pollInterval / 2)
			if c, _ := f.Double.Function(offline); c.MemorySize != 256 {
				t.Errorf("what was changed while the provider was down was not corrected: %d MB", c.MemorySize)
			}
			f.drift()
			if err := p.Stop(); err != nil {
				t.Error(err)
			}

			if n > smallFleet {
				return
			}
			f.changeSecret("2")
			p = f.Start(&Network{}, quiet)
			time.Sleep(pollInterval)
			for i := 0; i < n; i += 3 {
				if c, _ := f.Double.Function(f.name(i)); c.Environment.Variables["TOKEN"] != "2" {
					t.Fatalf("%s does not have the variable of the Secret that was changed while the provider was down",
						f.name(i))
				}
			}
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
		})
}

// drift changes functions by hand, up to 100 of them, and deletes another. Each has to be found and
// corrected within a poll interval and a little.
func (f *steadyFleet) drift() {
	f.t.Helper()
	changed := f.edit()
	deleted := f.name(f.n / 2)
	if _, err := f.Lambda.DeleteFunction(f.t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: &deleted}); err != nil {
		f.t.Fatal(err)
	}
	calls := f.calls(pollInterval + pollInterval/4)
	f.t.Logf("%d functions were changed by hand: calls in one and a quarter poll intervals: %v", len(changed), calls)
	if left := f.edited(changed); len(left) > 0 {
		f.t.Errorf("%v still have other memory", left)
	}
	if _, ok := f.Double.Function(deleted); !ok {
		f.t.Errorf("%s was not created again", deleted)
	}
}

// edit changes the memory of functions by hand, up to 100 of them, and returns their names.
func (f *steadyFleet) edit() []string {
	var changed []string
	for i := 7; i < f.n && len(changed) < 100; i += max(f.n/100, 20) {
		changed = append(changed, f.name(i))
		f.Double.EditFunction(f.name(i), func(c *awsdouble.Function) { c.MemorySize = 512 })
	}
	return changed
}

// edited returns the functions whose memory was not corrected.
func (f *steadyFleet) edited(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		c, _ := f.Double.Function(name)
		return c.MemorySize == 256
	})
}

// replaceCode replaces the object with the code of all functions. It has to be deployed within one and
// a half poll intervals, and the time that the calls take.
func (f *steadyFleet) replaceCode(version int) {
	f.t.Helper()
	f.Double.PutObject(codeBucket, codeKey, f.archive(fmt.Sprint("x = ", version)))
	time.Sleep(2 * pollInterval)
	want, _ := f.Double.Function(f.name(0))
	for i := range f.n {
		if c, _ := f.Double.Function(f.name(i)); c.CodeSha256 != want.CodeSha256 {
			f.t.Fatalf("%s does not have the code of %s", f.name(i), f.name(0))
		}
	}
}
