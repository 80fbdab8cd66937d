package conformance

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
)

func TestMain(m *testing.M) {
	// client-go waits between two errors by the clock of the whole process, but each simulation has its own.
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{ //nolint:reassign // It is meant to be set.
		func(context.Context, error, string, ...any) {},
	}
	log.SetLogger(logr.Discard())
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// theRun is the run of all simulations.
var theRun = Run{ID: "0a1b2c3d", Account: awsdouble.DefaultAccount, Region: "eu-central-1", Endpoint: "http://aws.test"}

// given are values for the scenarios that need them.
var given = map[string]string{
	"subnet": "subnet-0123456789abcdef0", "securityGroup": "sg-0123456789abcdef0",
	"driftQueue":   "arn:aws:sqs:eu-central-1:123456789012:drift",
	"operatorRole": "arn:aws:iam::123456789012:role/operator", "vpcRole": "arn:aws:iam::123456789012:role/network",
}

// doubled passes calls to the double of AWS.
type doubled struct{ *awsdouble.Server }

// RoundTrip sends a call to the double.
func (d doubled) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	rec := httptest.NewRecorder()
	d.ServeHTTP(rec, r)
	return rec.Result(), nil
}

// A simulation is a run with doubles of Kubernetes and AWS, in simulated time.
type simulation struct {
	double     *awsdouble.Server
	gate       *Gate
	state      string
	recordings map[string]*recorded
	operations map[string]int
	results    []Result
	err        error
	took       time.Duration

	// stop ends the run.
	stop context.CancelFunc
}

// recorded is a file in memory.
type recorded struct{ bytes.Buffer }

func (*recorded) Close() error { return nil }

// simulate runs scenarios in a bubble. change may change the double and the runner before.
func simulate(t *testing.T, chosen []string, change func(*simulation, *Runner), check func(*testing.T, *simulation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// Calls of STS may outlive those that wait for them, and time stands still once a test has ended.
		t.Cleanup(func() { time.Sleep(time.Minute) })
		s := newSimulation(t, theRun)
		cfg := s.config()
		kube := s.provider(t)
		r := &Runner{
			Run: theRun, Kube: kube, AWS: cfg, Gate: s.gate, Given: given, Log: t.Logf, Invoke: s.traffic,
			Open: func(name string) (io.WriteCloser, error) {
				s.recordings[name] = &recorded{}
				return s.recordings[name], nil
			},
		}
		if change != nil {
			change(s, r)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s.stop = stop
		began := time.Now()
		s.results, s.err = r.Scenarios(ctx, func(sc Scenario) bool {
			return len(chosen) == 0 || slices.Contains(chosen, sc.Name)
		})
		s.took, s.operations = time.Since(began), map[string]int{}
		for _, c := range s.double.Calls() {
			s.operations[c.Service+":"+c.Operation]++
		}
		check(t, s)
	})
}

func newSimulation(t *testing.T, r Run) *simulation {
	t.Helper()
	o := awsdouble.Lifelike()
	o.Now, o.MetricDelay, o.ProvisionDuration = time.Now, awsdouble.UsualMetricDelay, time.Minute
	s := &simulation{
		double: awsdouble.New(o), state: filepath.Join(t.TempDir(), "state.jsonl"), recordings: map[string]*recorded{},
	}
	s.double.AddQueue(given["driftQueue"])
	s.double.Trail(given["driftQueue"], 30*time.Second)
	s.double.RemoveResources("arn:aws:iam::123456789012:role" + RolePath + theRun.Prefix() + "missing")
	state, err := NewState(s.state, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	s.gate = &Gate{Next: doubled{s.double}, State: state}
	return s
}

// config returns a configuration of clients whose calls pass the gate.
func (s *simulation) config() aws.Config {
	cfg := s.double.Config(theRun.Region)
	cfg.BaseEndpoint, cfg.HTTPClient = aws.String(theRun.Endpoint), &http.Client{Transport: s.gate}
	return cfg
}

// provider starts the provider, and returns a client of its cluster.
func (s *simulation) provider(t *testing.T) client.Client {
	t.Helper()
	cluster, err := kubedouble.New("../../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	kube, err := client.New(cluster.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := kube.Create(t.Context(), Config(s.gate.State.Run, given["driftQueue"])); err != nil {
		t.Fatal(err)
	}
	httpClient, release := s.gate.HTTPClient()
	ctx, cancel := context.WithCancel(t.Context())
	mgr, err := NewProvider(ctx, cluster.Config(), httpClient, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	filled, done := make(filledCaches), make(chan error, 1)
	if err := mgr.Add(filled); err != nil {
		t.Fatal(err)
	}
	go func() { done <- mgr.Start(ctx) }()
	<-filled
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		release()
	})
	_ = kube.Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{})
	return kube
}

// filledCaches is closed once the caches of a manager are filled.
type filledCaches chan struct{}

// Start is called by the manager.
func (f filledCaches) Start(context.Context) error {
	close(f)
	return nil
}

// traffic makes metrics of an alias. Version 3 fails.
func (s *simulation) traffic(_ context.Context, t Traffic) func() {
	s.double.Traffic(awsdouble.Traffic{
		Function: t.Function, Alias: t.Alias, PerMinute: 30, //nolint:mnd // As the runner does on AWS.
		Versions: map[string]awsdouble.Outcomes{"3": {ErrorRate: 1}},
	})
	return func() {}
}

// left returns what exists in AWS.
func (s *simulation) left() []string {
	out := slices.DeleteFunc(append(s.double.MadeRoles(), s.double.Queues()...),
		func(arn string) bool { return arn == given["driftQueue"] })
	for _, r := range s.double.Resources(theRun.Account, theRun.Region) {
		out = append(out, r.Kind+" "+r.ID)
	}
	return out
}

// clean removes what the run has left, as another process: by its file, or by tags and names alone.
func (s *simulation) clean(t *testing.T, byFile bool) {
	t.Helper()
	state := &State{Run: theRun}
	if byFile {
		var err error
		if state, err = ReadState(s.state); err != nil {
			t.Fatal(err)
		}
	}
	s.gate = &Gate{Next: doubled{s.double}, State: state}
	if ids, err := Leftovers(
		t.Context(),
		s.config(),
	); err != nil ||
		len(s.left()) > 0 && !slices.Contains(ids, theRun.ID) {
		t.Errorf("something of run %s is left, and %v is found: %v", theRun.ID, ids, err)
	}
	if _, err := Clean(t.Context(), s.config(), state); err != nil {
		t.Error(err)
	}
	if refused := s.gate.Refusals(); len(refused) > 0 {
		t.Errorf("the gate refuses to remove %s", strings.Join(refused, ", "))
	}
}

// full is a run of all scenarios, which several tests look at, and what was left after it.
var full = struct {
	once  sync.Once
	s     *simulation
	calls []awsdouble.Call
	left  []string
}{}

// fullRun returns a run of all scenarios. The first test that needs it makes it.
func fullRun(t *testing.T) *simulation {
	t.Helper()
	full.once.Do(func() {
		simulate(t, nil, nil, func(t *testing.T, s *simulation) {
			t.Helper()
			full.s, full.calls = s, s.double.Calls()
			s.clean(t, true)
			full.left = s.left()
		})
	})
	if full.s == nil {
		t.Fatal("the run of all scenarios has failed before")
	}
	return full.s
}

// exchanges returns the recordings of the run, by scenario.
func (s *simulation) exchanges(t *testing.T) map[string][]Exchange {
	t.Helper()
	all := map[string][]Exchange{}
	for name, r := range s.recordings {
		var err error
		if all[name], err = readExchanges(r.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d scenarios were recorded", len(all))
	}
	return all
}

// TestFullRun checks that a run of all scenarios succeeds, that it takes no more calls and time than a run may, and
// that nothing is left.
func TestFullRun(t *testing.T) {
	const mostCalls, most = 3000, 20 * time.Minute
	s := fullRun(t)
	if s.err != nil {
		t.Error(s.err)
	}
	for _, r := range s.results {
		if r.Error != "" || r.Missing != "" {
			t.Errorf("%s: %s%s", r.Scenario, r.Error, r.Missing)
		}
	}
	for _, c := range full.calls {
		if c.ErrorCode == "TooManyRequestsException" && c.Operation != "Invoke" {
			t.Errorf("%s was throttled: AWS's quotas are not kept", c.Operation)
		}
	}
	if len(full.left) > 0 {
		t.Errorf("left behind: %v", full.left)
	}
	t.Logf("%d calls in %s", len(full.calls), s.took)
	if len(full.calls) > mostCalls || s.took > most {
		t.Errorf("a run takes %d calls and %s, and may take %d and %s", len(full.calls), s.took, mostCalls, most)
	}
}
