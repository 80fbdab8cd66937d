package manager

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/watchfault"
)

// frozen are the resources whose watches lag: those that a standby replica has open.
var frozen = []string{"functions", "aliases", "versions", "layerversions", "invocations"}

// succession is a leader, and a standby whose watches can be delayed.
type succession struct {
	*invocationEnv

	faults *watchfault.Faults
	leader func() // Ends the leader.
}

// lead makes a provider work only while it holds the lease, and poll often.
func (s *succession) lead(o *Options) {
	o.LeaderElection, o.LeaderElectionNamespace = true, s.ns
	o.PollInterval, o.MinPollInterval = time.Second, time.Second
}

func newSuccession(t *testing.T) *succession {
	t.Helper()
	s := &succession{invocationEnv: newInvocationEnv(t), faults: &watchfault.Faults{}}
	s.stop()
	s.start(s.lead)
	return s
}

// standBy starts a second provider, whose cache is frozen once it is filled.
func (s *succession) standBy() {
	s.Helper()
	s.leader = s.stop
	s.Cleanup(s.leader)
	cfg := rest.CopyConfig(s.cluster.Config)
	cfg.Wrap(s.faults.Wrap)
	s.cfg = cfg
	s.start(s.lead)
	for _, resource := range frozen {
		s.until("the standby watches "+resource, func() bool { return s.faults.Open(resource) > 0 })
		s.faults.Freeze(resource)
	}
}

// takeOver ends the leader, and waits until the standby has observed a function often enough to have made its changes.
func (s *succession) takeOver(function string) {
	s.Helper()
	s.leader()
	before := s.reconciles(function)
	s.until("the standby works", func() bool { return s.reconciles(function) > before+6 })
}

// reconciles returns how often a function was observed in AWS.
func (s *succession) reconciles(function string) int {
	n := 0
	for _, c := range s.double.Calls() {
		if c.Resource == function && strings.HasPrefix(c.Operation, "GetFunction") {
			n++
		}
	}
	return n
}

// changes returns the calls that change something.
func (s *succession) changes() []string {
	var all []string
	for _, c := range s.double.Calls() {
		if c.Service == "lambda" && !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "List") {
			all = append(all, c.Operation+" "+c.Resource)
		}
	}
	return all
}

// unchanged checks that nothing was changed in AWS since.
func (s *succession) unchanged(reason string, since []string) {
	s.Helper()
	if diff := cmp.Diff(since, s.changes()); diff != "" {
		s.Errorf("%s: calls that change AWS, -want, +got:\n%s", reason, diff)
	}
}

// TestStandbyWithLaggingWatches checks that a standby whose watches lag neither repeats nor undoes what the previous
// leader did, however its watches continue.
func TestStandbyWithLaggingWatches(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		how    watchfault.Delivery
	}{
		"Late":     {reason: "Events come late.", how: watchfault.All},
		"Merged":   {reason: "Events in between are not seen.", how: watchfault.Merged},
		"Reversed": {reason: "Older events come after newer ones.", how: watchfault.Reversed},
		"Shuffled": {reason: "Events come in any order.", how: watchfault.Shuffled(1)},
		"Lost":     {reason: "Events are lost until all is listed again.", how: watchfault.None},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSuccession(t)
			env := &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: s.ns},
				Data:       map[string]string{"m.py": "x = 1"},
			}
			f := s.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](128) })
			old := s.function("old")
			v := s.publisher("v")
			a := s.alias("live", func(a *v1beta1.Alias) {
				a.Spec.ForProvider.FunctionVersionRef = &xpv2.NamespacedReference{Name: "v"}
			})
			l := &v1beta1.LayerVersion{
				ObjectMeta: metav1.ObjectMeta{Name: "lib", Namespace: s.ns},
				Spec: v1beta1.LayerVersionSpec{
					ManagedResourceSpec: byDefault(),
					ForProvider: v1beta1.LayerVersionParameters{
						Regional: v1beta1.Regional{
							Region: region,
						},
						OldVersions: ptr.To(v1beta1.OldVersionsKeep),
						Content: &v1beta1.LayerContent{
							ConfigMapRef: &v1beta1.LayerConfigMap{Name: "lib"},
						},
					},
				},
			}
			i := s.invocation("job", func(p *v1beta1.InvocationParameters) { p.Payload = ptr.To(`{"n":1}`) })
			s.create(env, f, old, v, a, l, i)
			s.ready(f)
			s.ready(old)
			s.ready(v)
			s.ready(a)
			s.ready(l)
			s.ready(i)
			s.standBy()

			// The standby does not see what the leader does.
			s.edit(f, func(f *v1beta1.Function) {
				f.Spec.ForProvider.MemorySize = ptr.To[int32](512)
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "the fix"}}
			})
			edit(s.env, i, func(i *v1beta1.Invocation) { i.Spec.ForProvider.Payload = ptr.To(`{"n":2}`) })
			env.Data["m.py"] = "x = 2"
			if err := s.kube.Update(t.Context(), env); err != nil {
				t.Fatal(err)
			}
			created := s.function("born")
			s.create(created)
			s.remove(old)
			s.until("the layer is published anew",
				func() bool { s.get(l); return ptr.Deref(l.Status.AtProvider.Version, 0) == 2 })
			s.at("live", "2")
			s.ready(f)
			s.ready(created)
			s.ready(i)
			s.ready(l)
			s.gone(old)

			did := s.changes()
			s.takeOver("f")
			s.unchanged("What the leader has done is done", did)
			for _, resource := range frozen {
				s.faults.Thaw(resource, tc.how)
				s.faults.Break(resource)
			}
			s.reconcile(f)
			s.reconcile(created)
			s.reconcile(v)
			s.reconcile(a)
			s.reconcile(l)
			s.reconcile(i)
			s.unchanged(tc.reason, did)
			s.sees(`{"n":1}`, `{"n":2}`)
			for operation, want := range map[string]int{
				"PublishLayerVersion": 2, "PublishVersion": 2,
				"CreateFunction": 3, "CreateAlias": 1, "DeleteFunction": 1,
			} {
				if got := slices.IndexFunc(did, func(c string) bool {
					return strings.HasPrefix(c,
						operation+" ")
				}); got < 0 || s.double.Count(operation) != want {
					t.Errorf("%s: %s was called %d times, want %d", tc.reason, operation, s.double.Count(operation),
						want)
				}
			}
			s.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.MemorySize = ptr.To[int32](1024) })
			s.ready(f)
			if got := *s.config("f").Configuration.MemorySize; got != 1024 {
				t.Errorf("%s: then it works as any leader, got memory %d", tc.reason, got)
			}
		})
	}
}

// TestInvocationOutlivesTheLease checks that a function is not run again if the leader loses its lease while the
// function runs: the next leader does not know whether it ran.
func TestInvocationOutlivesTheLease(t *testing.T) {
	t.Parallel()
	s := newSuccession(t)
	s.create(s.function("f"))
	cut := &outage{}
	cfg := rest.CopyConfig(s.cluster.Config)
	cfg.Wrap(cut.wrap)
	s.stop()
	s.cfg = cfg
	var later atomic.Int64
	ended, cancel := s.run(s.options(s.lead, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	}))
	defer cancel()
	s.stop = cancel
	withheld := s.double.Hold("Invoke")
	i := s.invocation("job", func(p *v1beta1.InvocationParameters) { p.Payload = ptr.To(`{"n":1}`) })
	s.create(i)
	received(s.env, "the function is invoked", withheld.Arrived())
	cut.on.Store(true)
	later.Store(int64(DefaultRenewDeadline))
	if err := received(s.env, "the leader ends", ended); err == nil {
		t.Error("a leader that lost its lease ended as if it had been told to")
	}
	// Another replica acquires a lease that has expired.
	s.cfg = nil
	s.drop(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: leaseName, Namespace: s.ns}})
	s.start(s.lead)
	s.becomes(i, corev1.ConditionFalse, "it is not known whether the function ran")
	withheld.Release()
	s.observe(i, "1")
	if got := s.double.Count("Invoke"); got > 1 {
		t.Errorf("it was invoked %d times", got)
	}
}

// An outage makes the API server unavailable, for the lease alone.
type outage struct{ on atomic.Bool }

type outageTransport struct {
	http.RoundTripper

	o *outage
}

func (o *outage) wrap(rt http.RoundTripper) http.RoundTripper { return outageTransport{rt, o} }

// RoundTrip sends a request, unless it is for the lease during an outage.
func (t outageTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.o.on.Load() && strings.Contains(r.URL.Path, "/leases") {
		return nil, errors.New("no route to host")
	}
	return t.RoundTripper.RoundTrip(r)
}
