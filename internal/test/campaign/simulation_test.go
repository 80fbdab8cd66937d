package campaign

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/pipe"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
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

// A Simulation is a cluster, AWS, and the processes of the provider.
type Simulation struct {
	testing.TB

	// Cluster is the double of the Kubernetes API.
	Cluster *kubedouble.Server

	// Double of AWS.
	Double *awsdouble.Server

	// Kube is a user's client of the cluster.
	Kube client.Client

	// Lambda is a client of another user of AWS, which uses no Network.
	Lambda *lambda.Client

	// Logs are what all processes have logged at debug level.
	Logs *Logs

	// Changes are the entries of all processes' change logs.
	Changes *Logs

	spans *tracetest.InMemoryExporter

	routes routes

	// assembled, if it is set, is called with the manager of each process before that is started.
	assembled func(mgr any)

	// inspect, if it is set, passes calls to the double of AWS.
	inspect func(http.ResponseWriter, *http.Request)
}

// Run runs a simulation in a bubble of its own.
func Run(t *testing.T, o awsdouble.Options, test func(t *testing.T, s *Simulation)) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil && !onlyFiltersRemain() {
			panic(r)
		}
		if t.Failed() {
			t.FailNow()
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		// Calls of STS and downloads may outlive those that wait for them, and time stands still once a test has
		// ended.
		t.Cleanup(func() { time.Sleep(time.Hour) })
		s := newSimulation(t, o)
		test(t, s)
		s.checkInvariants()
	})
}

// onlyFiltersRemain reports whether all goroutines that are left in bubbles are loops of apimachinery's watch.Filter.
// Such a loop never ends if its watch is stopped while it passes an event on, as when a process loses its lease at the
// moment at which the API server is back.
func onlyFiltersRemain() bool {
	stacks := make([]byte, 64<<20) //nolint:mnd // 64 MiB are enough for all goroutines.
	stacks = stacks[:runtime.Stack(stacks, true)]
	for g := range strings.SplitSeq(string(stacks), "\n\n") {
		header, frames, _ := strings.Cut(g, "\n")
		if strings.Contains(header, "synctest bubble") &&
			!strings.HasPrefix(frames, "k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop(") {
			return false
		}
	}
	return true
}

// checkInvariants checks the invariants of all simulations: nothing panics, and no secret leaks.
func (s *Simulation) checkInvariants() {
	s.Helper()
	if at := strings.Index(strings.ToLower(s.Logs.String()), "panic"); at >= 0 {
		s.Errorf("a panic: %.2000s", s.Logs.String()[max(0, at-200):])
	}
	for _, leak := range s.leaks() {
		s.Errorf("a secret in %s", leak)
	}
}

// checkNoWrites checks that for a while only reads are sent to AWS.
func (s *Simulation) checkNoWrites(d time.Duration) {
	s.Helper()
	before := len(s.writes())
	time.Sleep(d)
	if again := s.writes()[before:]; len(again) > 0 {
		s.Errorf("not silent: %v", again)
	}
}

func newSimulation(t testing.TB, o awsdouble.Options) *Simulation {
	t.Helper()
	o.Now = time.Now
	cluster, err := kubedouble.New("../../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s := &Simulation{
		TB: t, Cluster: cluster, Double: awsdouble.New(o), Logs: &Logs{}, Changes: &Logs{},
		spans: tracetest.NewInMemoryExporter(),
	}
	cluster.StatusWritten = func(u *unstructured.Unstructured) {
		if err := samples.Contradiction(u); err != nil {
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
				Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceNone},
				ConnectionSpec: v1beta1.ConnectionSpec{
					S3UsePathStyle: true,
					Endpoint: &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
						Type:   v1beta1.EndpointURLTypeStatic,
						Static: aws.String(endpoint),
					}},
				},
			},
		})
	return s
}

func (s *Simulation) client(cfg *rest.Config) client.Client {
	s.Helper()
	scheme := k8sruntime.NewScheme()
	for _, add := range []func(*k8sruntime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
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

// httpClient returns the HTTP client of a process, with calls to AWS through its network.
func (s *Simulation) httpClient(n *Network) *awshttp.BuildableClient {
	l, served := pipe.Listen(), make(chan struct{})
	api := &passing{Handler: http.HandlerFunc(s.serve), network: n}
	server := &http.Server{Handler: api} //nolint:gosec // It is only reachable in the process.
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	s.Cleanup(func() {
		_ = server.Close()
		<-served
		api.calls.Wait() // The network may hold calls back that nobody waits for.
	})
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.DialContext, t.DialTLSContext = l.Dial, l.Dial // AWS's own hosts reach the double, too.
	})
}

// Create creates objects as a user.
func (s *Simulation) Create(objs ...client.Object) {
	s.Helper()
	for _, o := range objs {
		if err := s.Kube.Create(s.Context(), o); err != nil {
			s.Fatalf("cannot create %T %s: %v", o, o.GetName(), err)
		}
	}
}

// Until waits until a condition is true. It returns false if it is not within the given
// time.
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

// Logs are the logs of processes.
type Logs struct {
	// most is how many bytes are kept. Beyond it, only lines that fail a simulation are. 0
	// keeps all.
	most int

	mu  sync.Mutex
	buf bytes.Buffer
}

// Write writes a line.
func (l *Logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most > 0 && l.buf.Len() > l.most {
		lines := strings.Lines(l.buf.String())
		l.buf.Reset()
		for line := range lines {
			if leaked(line) != "" || strings.Contains(strings.ToLower(line), "panic") {
				l.buf.WriteString(line)
			}
		}
	}
	return l.buf.Write(b)
}

// String returns all that was logged.
func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// statuses returns the conditions of all resources, of every namespace.
func (s *Simulation) statuses() string {
	s.Helper()
	b := strings.Builder{}
	for _, gvk := range s.managed() {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(gvk)
		if err := s.Kube.List(s.Context(), l); err != nil {
			s.Fatal(err)
		}
		for _, u := range l.Items {
			conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
			for _, c := range conditions {
				m, _ := c.(map[string]any)
				fmt.Fprintf(
					&b,
					"\n%s %s/%s %v=%v %v: %v",
					u.GetKind(),
					u.GetNamespace(),
					u.GetName(),
					m["type"],
					m["status"],
					m["reason"],
					m["message"],
				)
			}
		}
	}
	return b.String()
}

// managed returns the kinds of managed resources.
func (s *Simulation) managed() []schema.GroupVersionKind {
	s.Helper()
	kinds, err := Kinds()
	if err != nil {
		s.Fatal(err)
	}
	var out []schema.GroupVersionKind
	for _, k := range kinds {
		if gvk := k.New().GroupVersionKind(); !slices.Contains(out, gvk) {
			out = append(out, gvk)
		}
	}
	return out
}

// history returns the calls that AWS has received.
func (s *Simulation) history() string {
	b := strings.Builder{}
	for _, c := range s.Double.Calls() {
		fmt.Fprintf(&b, "%s %s %s %d %s\n", c.Time.Format(time.TimeOnly), c.Operation, c.Resource, c.Status,
			c.ErrorCode)
	}
	return b.String()
}

// accepted returns how many calls of an operation AWS has accepted.
func (s *Simulation) accepted(operation string) int {
	n := 0
	for _, c := range s.Double.Calls() {
		if c.Operation == operation && operation != "" && c.Status < 300 {
			n++
		}
	}
	return n
}

// writes returns the mutating operations.
func (s *Simulation) writes() []string {
	var out []string
	for _, c := range s.Double.Calls() {
		if !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "List") &&
			c.Operation != "HeadObject" {
			out = append(out, c.Operation)
		}
	}
	return out
}
