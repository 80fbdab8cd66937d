package rollout

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/test/kubedouble"
)

// at is the time of pure tests.
var at = time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)

// stamp returns the time so long after at.
func stamp(d time.Duration) *metav1.Time { return &metav1.Time{Time: at.Add(d)} }

// observeOnly lets the provider only observe an alias.
func observeOnly(a *v1beta1.Alias) {
	a.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionObserve})
}

// canary returns an alias whose rollout of version 2 is in the second of four steps.
func canary(change ...func(a *v1beta1.Alias)) *v1beta1.Alias {
	pause := &v1beta1.RolloutPause{Duration: &metav1.Duration{Duration: 5 * time.Minute}}
	a := &v1beta1.Alias{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1beta1.SchemeGroupVersion.String(), Kind: v1beta1.AliasKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "live", Generation: 1},
		Spec: v1beta1.AliasSpec{Rollout: &v1beta1.AliasRollout{
			Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{
				{
					SetWeight: ptr.To[int32](10),
				},
				{Pause: pause},
				{SetWeight: ptr.To[int32](50)},
				{Pause: &v1beta1.RolloutPause{}},
			}}},
			PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "ping"}},
			Analysis: &v1beta1.RolloutAnalysis{
				Metrics: []v1beta1.RolloutMetric{{Name: "error-rate", SuccessCondition: ptr.To("result < 0.01")}},
				Alarms:  &v1beta1.RolloutAlarms{Names: []string{"checkout-errors"}},
			},
			FinalBakeTime: &metav1.Duration{Duration: 10 * time.Minute},
		}},
	}
	a.Status.ObservedGeneration = 1
	a.Status.AtProvider = v1beta1.AliasObservation{
		FunctionName:    ptr.To("checkout"),
		FunctionVersion: ptr.To("1"),
		RoutingConfig: &v1beta1.AliasRoutingConfig{
			AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"2": "0.1"},
		},
	}
	a.Status.Rollout = &v1beta1.AliasRolloutStatus{
		ID:               "2-t87v8a",
		Phase:            v1beta1.RolloutProgressing,
		Step:             v1beta1.RolloutAnalyzing,
		CurrentStepIndex: 1,
		ObservedWeight:   10,
		Stable:           v1beta1.RolloutRevision{FunctionVersion: "1", Fingerprint: "aaaa"},
		Target:           v1beta1.RolloutRevision{FunctionVersion: "2", Fingerprint: "bbbb"},
		StepStartedAt:    stamp(-time.Hour),
		ShiftedAt:        stamp(-time.Hour),
		NextCheckAt:      stamp(40 * time.Second),
		StepElapsed: metav1.Duration{
			Duration: 40 * time.Second,
		},
		ObservedAt: stamp(-20 * time.Second), // It was down for most of the hour.
		Checks: []v1beta1.RolloutCheck{
			{
				Name:       "ping",
				Type:       rollout.CheckPreTraffic,
				Result:     rollout.Success,
				Value:      "39 ms",
				MeasuredAt: stamp(-2 * time.Minute),
			},
			{
				Name:       "error-rate",
				Type:       rollout.CheckMetric,
				Result:     rollout.Success,
				Value:      "0.002",
				MeasuredAt: stamp(-20 * time.Second),
			},
		},
	}
	for _, f := range change {
		f(a)
	}
	return a
}

// status returns a change of an alias's status.
func status(f func(s *v1beta1.AliasRolloutStatus)) func(a *v1beta1.Alias) {
	return func(a *v1beta1.Alias) { f(a.Status.Rollout) }
}

// served returns a change after which all invocations go to a version.
func served(version string) func(a *v1beta1.Alias) {
	return func(a *v1beta1.Alias) {
		a.Status.AtProvider.FunctionVersion, a.Status.AtProvider.RoutingConfig = &version, nil
	}
}

// ready is a change after which version 2 is stable.
func ready(a *v1beta1.Alias) {
	served("2")(a)
	s := a.Status.Rollout
	s.Phase, s.Step, s.CurrentStepIndex, s.ObservedWeight, s.NextCheckAt, s.StepStartedAt = v1beta1.RolloutReady, "", 0, 0, nil, nil
	s.History, s.Stable = []v1beta1.RolloutRevision{s.Stable}, s.Target
}

// rejected is a change after which version 2 has failed.
func rejected(a *v1beta1.Alias) {
	served("1")(a)
	s := a.Status.Rollout
	s.Phase, s.Step, s.CurrentStepIndex, s.ObservedWeight, s.NextCheckAt, s.StepStartedAt = v1beta1.RolloutFailed, "", 0, 0, nil, nil
	s.Reason, s.Message = v1beta1.RolloutReasonAnalysisFailed, "Metric error-rate: Failure (0.043): successCondition is not met: result < 0.01"
	s.FailedTargets = []v1beta1.RolloutFailure{
		{RolloutRevision: s.Target, Reason: s.Reason, FailedAt: stamp(-time.Hour)},
	}
}

// undone is a change after which the user has returned to version 1.
func undone(a *v1beta1.Alias) {
	rejected(a)
	s := a.Status.Rollout
	s.Reason, s.Message = v1beta1.RolloutReasonRollbackTo, "the user has chosen version 1"
	s.FailedTargets[0].Reason = s.Reason
}

// unknown is a change after which version 2 has failed, and nobody knows whether it is good.
func unknown(a *v1beta1.Alias) {
	rejected(a)
	s := a.Status.Rollout
	s.Reason, s.Message, s.FailedTargets = v1beta1.RolloutReasonProgressDeadlineExceeded, "no progress for 10m0s after the planned end of the step Analyzing", nil
}

// revalidated is a change after which version 2 was not ready in time, and is validated again.
func revalidated(a *v1beta1.Alias) {
	unknown(a)
	s := a.Status.Rollout
	s.Step, s.Message, s.Checks = v1beta1.RolloutValidating, "no progress for 10m0s after the planned end of the step Validating: version 2 is Pending", nil
}

// An env is an API server with an alias, and the plugin.
type env struct {
	double      *kubedouble.Server
	network     *network
	client      dynamic.ResourceInterface
	factory     *kubectl.Factory
	out, errOut *buffer
}

// newEnv starts an API server with the aliases.
func newEnv(t *testing.T, aliases ...*v1beta1.Alias) *env {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	return bareEnv(t, aliases...)
}

// bareEnv starts an API server with the aliases, in a test that has set KUBECONFIG.
func bareEnv(t *testing.T, aliases ...*v1beta1.Alias) *env {
	t.Helper()
	double, err := kubedouble.New("../../../package/crds", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	e := &env{double: double, network: &network{to: double}, out: &buffer{}, errOut: &buffer{}}
	client, err := dynamic.NewForConfig(double.Config())
	if err != nil {
		t.Fatal(err)
	}
	ns := &unstructured.Unstructured{
		Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop"}},
	}
	if _, err := client.Resource(schemaNamespaces).Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	e.client = client.Resource(kubectl.Aliases.Resource).Namespace("shop")
	for _, a := range aliases {
		e.create(t, a)
	}
	e.factory = kubectl.NewFactory(
		genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: e.out, ErrOut: e.errOut},
		time.Now,
		"test",
	)
	e.factory.Config.WrapConfigFn = func(*rest.Config) *rest.Config {
		c := double.Config()
		c.Transport = e.network
		return c
	}
	return e
}

var schemaNamespaces = corev1.SchemeGroupVersion.WithResource("namespaces")

// create creates an alias with its status.
func (e *env) create(t *testing.T, a *v1beta1.Alias) {
	t.Helper()
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.client.Create(
		t.Context(),
		&unstructured.Unstructured{Object: u},
		metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	e.write(t, a)
}

// write writes the status of an alias.
func (e *env) write(t *testing.T, a *v1beta1.Alias) {
	t.Helper()
	u, err := e.client.Get(t.Context(), a.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if u.Object["status"], err = runtime.DefaultUnstructuredConverter.ToUnstructured(&a.Status); err != nil {
		t.Fatal(err)
	}
	if _, err := e.client.UpdateStatus(t.Context(), u, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// run runs the plugin, and returns the exit code.
func (e *env) run(t *testing.T, args ...string) int {
	t.Helper()
	root := kubectl.NewCommand(e.factory, NewCommand(e.factory))
	root.SetArgs(append([]string{"rollout", "-n", "shop"}, args...))
	return kubectl.Run(t.Context(), e.factory, root)
}

// A buffer may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write writes to the buffer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns what was written.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A network is what is between the plugin and the API server.
type network struct {
	to http.RoundTripper

	mu       sync.Mutex
	down     error
	before   func(r *http.Request) error
	requests []*http.Request
	streams  []io.Closer
}

// RoundTrip sends a request.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	n.requests = append(n.requests, r)
	down, before := n.down, n.before
	n.mu.Unlock()
	if down != nil {
		return nil, down
	}
	if before != nil {
		if err := before(r); err != nil {
			return nil, err
		}
	}
	resp, err := n.to.RoundTrip(r)
	if err == nil && r.URL.Query().Get("watch") != "" {
		n.mu.Lock()
		n.streams = append(n.streams, resp.Body)
		n.mu.Unlock()
	}
	return resp, err
}

// cut ends all watches. With an error, each later request fails with it.
func (n *network) cut(down error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, s := range n.streams {
		_ = s.Close()
	}
	n.streams = nil
}

// count returns how many requests were sent.
func (n *network) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.requests)
}
