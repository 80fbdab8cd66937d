package campaign

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/managedtest"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

const (
	// Region of everything.
	Region = "eu-central-1"

	// Namespace that a simulation begins with.
	Namespace = "shop"

	// Config is the name of the ClusterProviderConfig that a simulation begins with.
	Config = "default"

	endpoint = "http://aws.test"
)

// A Simulation is a cluster, AWS, and the processes of the provider between them.
type Simulation struct {
	testing.TB

	// Cluster is the double of the Kubernetes API.
	Cluster *kubedouble.Server

	// Double of AWS.
	Double *awsdouble.Server

	// Kube is a user's client of the cluster.
	Kube client.Client

	// Lambda is a client of someone else in AWS, whose calls no network passes.
	Lambda *lambda.Client

	// Logs are what all processes have logged at debug level.
	Logs *Logs

	spans *tracetest.InMemoryExporter
}

// Run a simulation in a bubble of its own.
func Run(t *testing.T, o awsdouble.Options, test func(t *testing.T, s *Simulation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, o)
		test(t, s)
	})
}

func newSimulation(t testing.TB, o awsdouble.Options) *Simulation {
	t.Helper()
	o.Now = time.Now
	cluster, err := kubedouble.New("../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := &Simulation{TB: t, Cluster: cluster, Double: awsdouble.New(o), Logs: &Logs{}, spans: tracetest.NewInMemoryExporter()}
	cluster.StatusWritten = func(u *unstructured.Unstructured) {
		if err := managedtest.Contradiction(u); err != nil {
			t.Errorf("%s %s: %v", u.GetKind(), u.GetName(), err)
		}
	}
	s.Kube = s.client(cluster.Config())
	cfg := s.Double.Config(Region)
	cfg.BaseEndpoint, cfg.HTTPClient = aws.String(endpoint), s.httpClient(&Network{})
	s.Lambda = lambda.NewFromConfig(cfg)
	s.Create(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}},
		&v1beta1.ClusterProviderConfig{
			ObjectMeta: metav1.ObjectMeta{Name: Config},
			Spec: v1beta1.ClusterProviderConfigSpec{
				Credentials:    v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceNone},
				ConnectionSpec: v1beta1.ConnectionSpec{S3UsePathStyle: true, Endpoint: &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: aws.String(endpoint)}}},
			},
		})
	return s
}

func (s *Simulation) client(cfg *rest.Config) client.Client {
	s.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			s.Fatal(err)
		}
	}
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// httpClient of a process, whose calls of AWS pass its network.
func (s *Simulation) httpClient(n *Network) *awshttp.BuildableClient {
	l, served := newListener(), make(chan struct{})
	server := &http.Server{Handler: &passing{Handler: s.Double, network: n}} //nolint:gosec // Nobody else can reach it.
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	s.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DialContext = l.dial })
}

// A Provider is a process of the provider.
type Provider struct {
	// Network of the process.
	*Network

	cancel context.CancelFunc
	done   chan error
	filled chan struct{}
	once   sync.Once
	err    error
}

// Start a process of the provider, which has the network for its own.
func (s *Simulation) Start(n *Network, change ...func(*manager.Options)) *Provider {
	s.Helper()
	l := zap.New(zap.WriteTo(s.Logs), zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := manager.Options{
		Options:         controller.Options{PollInterval: 10 * time.Minute, MaxConcurrentReconciles: 4, Features: features}, //nolint:mnd // The default of --poll.
		Log:             l,
		MinPollInterval: time.Second,
		PollJitter:      0.1, //nolint:mnd // The default of --poll-jitter-percentage.
		ClusterID:       "simulated",
	}
	o.Config.HTTPClient = s.httpClient(n)
	o.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans)).Tracer("campaign")
	for _, f := range change {
		f(&o)
	}
	ctx, cancel := context.WithCancel(s.Context())
	cfg := s.Cluster.Config()
	cfg.Transport = &transport{RoundTripper: s.Cluster, network: n}
	mgr, err := manager.New(ctx, cfg, o)
	if err != nil {
		cancel()
		s.Fatalf("cannot start the provider: %v", err)
	}
	p := &Provider{Network: n, cancel: cancel, done: make(chan error, 1), filled: make(chan struct{})}
	if err := mgr.Add(p); err != nil {
		cancel()
		s.Fatalf("cannot start the provider: %v", err)
	}
	go func() { p.done <- mgr.Start(ctx) }()
	s.Cleanup(func() { _ = p.Stop() })
	return p
}

// Start is called by the manager once its caches are filled.
func (p *Provider) Start(context.Context) error {
	close(p.filled)
	return nil
}

// NeedLeaderElection says that a standby fills its caches, too.
func (p *Provider) NeedLeaderElection() bool { return false }

// Stop the process in order, and return the error that it ended with. One that is just
// starting fills its caches first: controller-runtime never ends, and uses up a processor,
// if it is stopped before.
func (p *Provider) Stop() error {
	p.once.Do(func() {
		<-p.filled
		p.cancel()
		p.err = <-p.done
	})
	return p.err
}

// Kill the process: nothing that it still does has any effect.
func (p *Provider) Kill() {
	p.Cut()
	_ = p.Stop()
}

// Create objects as a user.
func (s *Simulation) Create(objs ...client.Object) {
	s.Helper()
	for _, o := range objs {
		if err := s.Kube.Create(s.Context(), o); err != nil {
			s.Fatalf("cannot create %T %s: %v", o, o.GetName(), err)
		}
	}
}

// Until something is so, or the given time has passed, which it returns false for.
func (s *Simulation) Until(most time.Duration, so func() bool) bool {
	step := 250 * time.Millisecond
	for passed := time.Duration(0); ; passed += step {
		if passed >= time.Minute {
			step = 10 * time.Second
		}
		synctest.Wait()
		if so() {
			return true
		}
		if passed >= most {
			return false
		}
		time.Sleep(step)
	}
}

// Logs of processes.
type Logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write a line.
func (l *Logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

// String is all that was logged.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
