package manager

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../../package/crds"}, Controllers: true}}

// TestMain runs several tests at a time, even on few cores: each has a namespace, a provider and a double of its own,
// and mostly waits.
func TestMain(m *testing.M) {
	flag.Parse()
	requested := false
	flag.Visit(func(f *flag.Flag) { requested = requested || f.Name == parallelFlag })
	if !requested {
		if err := flag.Set(parallelFlag, atOnce); err != nil {
			panic(err)
		}
	}
	log.SetLogger(shared.logger())
	suite.Main(m)
}

const (
	region = "eu-central-1"

	// atOnce is how many tests run at a time if -parallel is not set.
	atOnce       = "8"
	parallelFlag = "test.parallel"

	// timeout is how long a test waits before it fails, on a machine that builds and tests other packages meanwhile.
	// No result depends on how long it takes.
	timeout = 3 * time.Minute

	// minPoll is the time between two checks at first. It doubles up to longGlance, since checks use the CPU that the
	// tested provider needs.
	minPoll = 10 * time.Millisecond
	maxPoll = 160 * time.Millisecond

	// remarkable is a waiting time that a test logs.
	remarkable = 3 * time.Second
)

// env is a namespace of the control plane, a double, and the provider between them.
type env struct {
	testing.TB

	cluster *devcluster.Cluster
	ns      string
	double  *awsdouble.Server
	kube    client.Client
	aws     *lambda.Client
	logs    *logs

	// cfg is the provider's identity in Kubernetes. Nil means an administrator.
	cfg *rest.Config

	stop func()
}

// logs are all that a provider logs, at debug level.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// shared are the logs of packages that have no provider's logger.
var shared = &logs{}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

// logger returns a logger that writes to the logs.
func (l *logs) logger() logr.Logger {
	return zap.New(zap.WriteTo(l), zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// newEnv starts a double and a provider that works in a namespace of its own.
func newEnv(t testing.TB, d awsdouble.Options, change ...func(*Options)) *env {
	t.Helper()
	return newEnvOn(t, suite.Cluster(t), d, change...)
}

// newEnvOn starts an env on another control plane than that of the package.
func newEnvOn(t testing.TB, c *devcluster.Cluster, d awsdouble.Options, change ...func(*Options)) *env {
	t.Helper()
	e := newIdleEnv(t, c, d)
	e.create(&v1beta1.ProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: e.ns},
		Spec: v1beta1.ProviderConfigSpec{
			Credentials: v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceNone},
			ConnectionSpec: v1beta1.ConnectionSpec{Endpoint: &v1beta1.EndpointConfig{
				URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(e.double.URL())},
			}},
		},
	})
	e.start(change...)
	return e
}

// newIdleEnv returns an env with neither a ProviderConfig nor a running provider.
func newIdleEnv(t testing.TB, c *devcluster.Cluster, d awsdouble.Options) *env {
	t.Helper()
	scheme, err := testScheme()
	if err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(c.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	e := &env{
		TB: t, cluster: c, ns: c.Namespace(t), double: awsdouble.New(d), kube: kube, logs: &logs{},
		stop: func() {},
	}
	e.double.Start()
	t.Cleanup(e.double.Close)
	e.aws = lambda.NewFromConfig(e.double.Config(region))
	t.Cleanup(func() { e.stop() })
	return e
}

// start starts the provider, assembled as in the binary.
func (e *env) start(change ...func(*Options)) {
	e.Helper()
	done, cancel := e.run(e.options(change...))
	e.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			e.Errorf("the provider ended: %v", err)
		}
	})
}

// options returns the options of a provider.
func (e *env) options(change ...func(*Options)) Options {
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := Options{
		Options:         controller.Options{PollInterval: time.Hour, MaxConcurrentReconciles: 100, Features: features},
		Log:             e.logs.logger(),
		MinPollInterval: time.Second,
		ListPolls:       true,
		ClusterID:       "test-cluster",
		Namespaces:      []string{e.ns},
		// The double is on this machine.
		Config: session.Options{
			AllowNamespacedEndpoints: true, AllowLoopbackEndpoints: true,
			NamespacedEndpointHosts: []string{"*", "127.0.0.1"},
		},
		SourceHosts: []string{"127.0.0.1"}, SourceLoopback: true,
	}
	for _, f := range change {
		f(&o)
	}
	return o
}

// run runs a provider until it is cancelled or ends by itself.
func (e *env) run(o Options) (<-chan error, context.CancelFunc) {
	e.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cfg := e.cfg
	if cfg == nil {
		cfg = e.cluster.Config
	}
	mgr, err := New(ctx, cfg, o)
	if err != nil {
		cancel()
		e.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	return done, cancel
}

// function returns a Function with inline code, with a role that AWS can assume.
func (e *env) function(name string, change ...func(*v1beta1.Function)) *v1beta1.Function {
	f := &v1beta1.Function{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.ns},
		Spec: v1beta1.FunctionSpec{
			ManagedResourceSpec: xpv2.ManagedResourceSpec{ProviderConfigReference: &xpv2.ProviderConfigReference{
				Kind: "ProviderConfig", Name: "default",
			}},
			ForProvider: v1beta1.FunctionParameters{
				Regional: v1beta1.Regional{Region: region},
				FunctionSettings: v1beta1.FunctionSettings{
					Runtime: ptr.To("python3.13"), Handler: ptr.To("index.handler"), Role: ptr.To(
						"arn:aws:iam::123456789012:role/r"),
					Code: &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}},
				},
			},
		},
	}
	for _, c := range change {
		c(f)
	}
	return f
}

func (e *env) create(objs ...client.Object) {
	e.Helper()
	for _, o := range objs {
		if err := e.kube.Create(e.Context(), o); err != nil {
			e.Fatalf("cannot create %T %s: %v", o, o.GetName(), err)
		}
	}
}

// edit edits a Function as a user does.
func (e *env) edit(f *v1beta1.Function, change func(*v1beta1.Function)) {
	e.Helper()
	edit(e, f, change)
}

// edit edits a resource as a user does, and repeats the edit on a conflict.
func edit[T reconcile.Managed](e *env, mg T, change func(T)) {
	e.Helper()
	e.until(fmt.Sprintf("%s can be edited", mg.GetName()), func() bool {
		e.get(mg)
		change(mg)
		err := e.kube.Update(e.Context(), mg)
		if err != nil && !kerrors.IsConflict(err) {
			e.Fatalf("cannot edit %s: %v", mg.GetName(), err)
		}
		return err == nil
	})
}

func (e *env) get(mg reconcile.Managed) {
	e.Helper()
	if err := e.kube.Get(e.Context(), client.ObjectKeyFromObject(mg), mg); err != nil {
		e.Fatalf("cannot get %s: %v", mg.GetName(), err)
	}
}

// until waits until a condition holds, and fails the test after timeout.
func (e *env) until(what string, so func() bool) {
	e.Helper()
	began, pause := time.Now(), minPoll
	for !so() {
		if time.Since(began) > timeout {
			e.Fatalf("gave up waiting until %s", what)
		}
		time.Sleep(pause)
		pause = min(2*pause, maxPoll)
	}
	if took := time.Since(began); took > remarkable {
		e.Logf("waited %s until %s", took.Round(time.Second), what)
	}
}

// received returns the next value of a channel, and fails the test after timeout.
func received[T any](e *env, what string, from <-chan T) (v T) {
	e.Helper()
	select {
	case v = <-from:
	case <-time.After(timeout):
		e.Fatalf("gave up waiting until %s", what)
	}
	return v
}

// ready waits until the resource is Ready in its present generation.
func (e *env) ready(mg reconcile.Managed) {
	e.Helper()
	defer func() {
		if e.Failed() {
			e.Logf("%s: %+v", mg.GetName(), mg)
		}
	}()
	e.until(mg.GetName()+" is Ready", func() bool { e.get(mg); return isReady(mg) })
}

func isReady(mg reconcile.Managed) bool {
	c := mg.GetCondition(xpv2.TypeReady)
	return c.Status == corev1.ConditionTrue && c.ObservedGeneration == mg.GetGeneration() &&
		mg.GetObservedGeneration() == mg.GetGeneration()
}

// reconcile requests a reconcile, and waits until it has been handled.
func (e *env) reconcile(mg reconcile.Managed) {
	e.Helper()
	token := fmt.Sprint(time.Now().UnixNano())
	edit(e, mg, func(mg reconcile.Managed) {
		meta.AddAnnotations(mg, map[string]string{"crossplane.io/reconcile-requested-at": token})
	})
	e.until(mg.GetName()+" has been looked at",
		func() bool { e.get(mg); return mg.GetLastHandledReconcileAt() == token })
}

// config returns the configuration of a function in AWS.
func (e *env) config(name string) *lambda.GetFunctionOutput {
	e.Helper()
	out, err := e.aws.GetFunction(e.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To(name)})
	if err != nil {
		e.Fatalf("cannot read function %s: %v", name, err)
	}
	return out
}

// calls returns the calls of AWS for resources. It omits those that find a config's identity and an account's limits,
// which occur at any time.
func (e *env) calls() []awsdouble.Call {
	return slices.DeleteFunc(e.double.Calls(), func(c awsdouble.Call) bool {
		return c.Operation == "GetCallerIdentity" || c.Operation == "GetAccountSettings"
	})
}

// count returns how many functions AWS has.
func (e *env) count() int {
	e.Helper()
	out, err := e.aws.ListFunctions(e.Context(), &lambda.ListFunctionsInput{})
	if err != nil {
		e.Fatalf("cannot list functions: %v", err)
	}
	return len(out.Functions)
}

// gone waits until the resource is deleted.
func (e *env) gone(mg reconcile.Managed) {
	e.Helper()
	e.until(mg.GetName()+" is gone", func() bool {
		return kerrors.IsNotFound(e.kube.Get(e.Context(), client.ObjectKeyFromObject(mg), mg))
	})
}

// drop deletes cluster-scoped objects.
func (e *env) drop(objs ...client.Object) {
	e.Helper()
	for _, o := range objs {
		if err := client.IgnoreNotFound(e.kube.Delete(context.Background(), o)); err != nil {
			e.Errorf("cannot delete %s: %v", o.GetName(), err)
		}
	}
}

func (e *env) remove(mg reconcile.Managed) {
	e.Helper()
	if err := e.kube.Delete(e.Context(), mg); err != nil {
		e.Fatalf("cannot delete %s: %v", mg.GetName(), err)
	}
}

// testScheme returns the provider's scheme, and the API groups that only tests use.
func testScheme() (*runtime.Scheme, error) {
	s, err := newScheme()
	if err != nil {
		return nil, err
	}
	return s, rbacv1.AddToScheme(s)
}
