package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var barsFile = flag.String("campaign.bars", "", "measure TestBars, and write its table to this file")

// barsScale divides the number of functions, to work on the test itself.
var barsScale = flag.Int("campaign.bars.scale", 1, "divide the number of functions of TestBars")

// TestBars measures what fleets cost, with AWS's quotas and 30 ms a call, and writes a table of the
// figures and of the most that they may be. Times are of the simulated clock, so they do not depend
// on the machine. `make bench` runs it. Without a file, it only checks what 500 functions cost at rest, after a
// restart, a rotation of credentials and an outage.
func TestBars(t *testing.T) {
	if *barsFile == "" {
		b := &bars{scale: 20}
		t.Run("Steady", b.steady)
		t.Run("Changed", b.changed)
		b.check(t)
		return
	}
	b := &bars{scale: *barsScale}
	t.Run("Created", b.created)
	t.Run("Steady", b.steady)
	t.Run("Changed", b.changed)
	t.Run("Large", b.large)
	t.Run("Throttled", b.throttled)
	t.Run("Fair", b.fair)
	t.Run("Source", b.source)
	f, err := os.Create(*barsFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeBars(f, b.rows), f.Close()); err != nil {
		t.Fatal(err)
	}
	b.check(t)
}

// check reports the counts and the simulated times that are above their bars.
func (b *bars) check(t *testing.T) {
	t.Helper()
	for _, r := range b.rows {
		if r.missed() && !r.machine {
			t.Errorf("%s: %s is %s, want at most %s", r.work, r.figure, short(r.reached), short(r.most))
		}
	}
}

// bars are the figures of TestBars.
type bars struct {
	scale int
	rows  []bar
}

func (b *bars) add(work, figure string, reached, most float64) {
	b.rows = append(b.rows, bar{work: work, figure: figure, reached: reached, most: most})
}

// run runs a simulation with AWS's quotas, in which AWS takes a second for a creation or an update.
func (b *bars) run(t *testing.T, test func(s *measured)) {
	t.Helper()
	o := awsdouble.Options{
		Quotas: awsdouble.LambdaQuotas(), Latency: 30 * time.Millisecond,
		CreateDuration: time.Second, UpdateDuration: time.Second,
	}
	Run(t, o, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Logs.most = 1 << 20
		test(newMeasured(t, s))
	})
}

// created measures functions that are created at once, and deleted at once.
func (b *bars) created(t *testing.T) {
	n := 1000 / b.scale
	b.run(t, func(s *measured) {
		const work, deleted = "1,000 new Functions at once, until all are Ready", "1,000 Functions deleted at once"
		f, c := s.fleet(n), newWriteCounter()
		p := s.Start(&c.Network, s.options)
		time.Sleep(time.Minute)
		s.Double.ResetCalls()
		began := time.Now()
		f.apply()
		took := s.allReady(f, began)
		calls := f.counted()
		t.Logf("calls: %v", calls)
		b.add(work, "x the time that the quota takes", ratio(took, quotaTime(n)), 1.1)
		b.add(work, "throttled calls", float64(s.Double.Throttled()), 0)
		b.add(work, "AWS calls a function, except for S3", float64(sum(calls)-calls["HeadObject"])/float64(n), 2.2)
		time.Sleep(2 * pollInterval)
		most := 0
		for i := range n {
			most = max(most, len(c.of(functionsPath+Namespace+"/functions/"+f.name(i))))
		}
		b.add(work, "most writes of one object", float64(most), mostOfCreation)

		s.Double.ResetCalls()
		began = time.Now()
		for i := range n {
			if err := s.Kube.Delete(t.Context(), f.function(i)); err != nil {
				t.Fatal(err)
			}
		}
		took = s.until(began, func() bool { return s.count() == 0 })
		b.add(deleted, "x the time that the quota takes", ratio(took, quotaTime(n)), 1.1)
		b.add(deleted, "throttled calls", float64(s.Double.Throttled()), 0)
		s.stop(p)
	})
}

// steady measures functions that do not change, a restart, rotated credentials and a short outage.
func (b *bars) steady(t *testing.T) {
	n := 10_000 / b.scale
	b.run(t, func(s *measured) {
		const work, restart = "10,000 steady Functions, one poll interval", "restart with 10,000 Functions"
		const rotation, outage = "rotated credentials of 10,000 Functions", "10,000 Functions, Lambda is away for 2 minutes"
		f, c := s.fleet(n), newWriteCounter()
		s.authenticate()
		f.restore(s.options)
		p := s.Start(&c.Network, s.options)
		time.Sleep(3 * pollInterval)

		before, writes := cpuTime(t), c.all()
		calls := f.calls(pollInterval)
		t.Logf("calls: %v", calls)
		b.add(work, "AWS calls", float64(sum(calls)), 250)
		b.add(work, "API server writes", float64(c.all()-writes), 0)
		b.rows = append(b.rows, bar{
			work: work, figure: "CPU ms a function, with the doubles' own",
			reached: float64((cpuTime(t) - before).Microseconds()) / 1000 / float64(n), most: 0.2, machine: true,
		})

		idle := s.change(f, 11)
		time.Sleep(pollInterval)
		s.stop(p)
		time.Sleep(time.Minute)
		s.Double.ResetCalls()
		c = newWriteCounter() // The network of a process that was stopped delivers nothing.
		p = s.Start(&c.Network, s.options)
		during := s.change(f, 22)
		time.Sleep(pollInterval - during)
		calls = f.counted()
		t.Logf("calls after the restart: %v", calls)
		b.add(restart, "AWS calls in the first 10 minutes", float64(sum(calls)), 300)
		b.add(restart, "x the idle time of a user's change, until Ready", ratio(during, idle), 2)

		s.rotate(1)
		calls = f.calls(pollInterval)
		t.Logf("calls after a rotation: %v", calls)
		b.add(rotation, "AWS calls in the first 10 minutes", float64(sum(calls)), 300)

		writes = c.all()
		s.Double.Fail(awsdouble.Fault{Times: -1, Drop: awsdouble.DropBefore})
		time.Sleep(2 * time.Minute)
		s.Double.ClearFaults()
		calls = f.calls(pollInterval)
		t.Logf("calls after an outage: %v", calls)
		b.add(outage, "AWS calls in the 10 minutes after it", float64(sum(calls)), 600)
		b.add(outage, "API server writes", float64(c.all()-writes), 350)
		s.stop(p)
	})
}

// changed measures what a change costs that many Functions have at once, each with an Alias and a Permission, and a
// restart while STS does not answer.
func (b *bars) changed(t *testing.T) {
	n := 500 / b.scale
	b.run(t, func(s *measured) {
		f := s.fleet(n)
		s.authenticate()
		f.restore(s.options)
		c := newWriteCounter()
		p := s.Start(&c.Network, s.options, func(o *manager.Options) { o.PollInterval = 24 * time.Hour }) // No polls.
		for i := range n {
			meta, ref := metav1.ObjectMeta{
				Namespace: Namespace,
				Name:      f.name(i),
			}, &xpv2.NamespacedReference{
				Name: f.name(i),
			}
			s.Create(&v1beta1.Alias{ObjectMeta: meta, Spec: v1beta1.AliasSpec{ForProvider: v1beta1.AliasParameters{
				ConfiguredFunction: v1beta1.ConfiguredFunction{
					Regional:        v1beta1.Regional{Region: Region},
					FunctionNameRef: ref,
				},
				AliasSettings: v1beta1.AliasSettings{FunctionVersion: ptr.To("$LATEST")},
			}}}, &v1beta1.Permission{ObjectMeta: meta, Spec: v1beta1.PermissionSpec{
				ForProvider: v1beta1.PermissionParameters{
					ConfiguredFunction: v1beta1.ConfiguredFunction{
						Regional:        v1beta1.Regional{Region: Region},
						FunctionNameRef: ref,
					},
					Action:    ptr.To("lambda:InvokeFunction"),
					Principal: ptr.To("s3.amazonaws.com"),
				},
			}})
		}
		time.Sleep(pollInterval)
		for _, of := range []struct {
			work, patch string
			// calls and writes are the most of a Function and what refers to it.
			calls, writes float64
		}{
			{"a label of 500 Functions", `{"metadata": {"labels": {"app.kubernetes.io/version": "2"}}}`, 1.1, 1},
			{"another tool's annotation of 500 Functions", `{"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "2"}}}`, 0.1, 0},
			{"the memory of 500 Functions", `{"spec": {"forProvider": {"memorySize": 320}}}`, 4.1, 4},
		} {
			writes := c.all()
			for i := range n {
				if err := s.Kube.Patch(
					t.Context(),
					f.function(i),
					client.RawPatch(ktypes.MergePatchType, []byte(of.patch)),
				); err != nil {
					t.Fatal(err)
				}
			}
			calls := f.calls(time.Minute)
			t.Logf("calls after a change of %s: %v", of.work, calls)
			b.add(
				of.work,
				"AWS calls a function, except for S3",
				float64(sum(calls)-calls["HeadObject"])/float64(n),
				of.calls,
			)
			b.add(of.work, "API server writes a function", float64(c.all()-writes)/float64(n), of.writes)
		}
		s.stop(p)

		for _, away := range []struct {
			work string
			time time.Duration
			most float64
		}{
			{"restart with 500 Functions, STS is away for 1 minute", time.Minute, 0.1},
			{"restart with 500 Functions, STS is away for 5 minutes", 5 * time.Minute, 3.2},
		} {
			s.Double.Fail(awsdouble.Fault{Operation: "GetCallerIdentity", Times: -1, Drop: awsdouble.DropBefore})
			c = newWriteCounter()
			p = s.Start(&c.Network, s.options)
			time.Sleep(away.time)
			s.Double.ClearFaults()
			time.Sleep(pollInterval)
			b.add(away.work, "API server writes a resource", float64(c.all())/float64(3*n), away.most)
			s.stop(p)
		}
	})
}

// authenticate has the config use keys in a Secret.
func (s *measured) authenticate() {
	s.Helper()
	for n := range 2 {
		s.Double.AddAccessKey(fmt.Sprint("AKIAKEY", n), awsdouble.DefaultAccount)
	}
	s.Create(keySecret(0))
	config := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: Config}}
	patch := fmt.Sprintf(
		`{"spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": %q, "name": "keys"}}}}`,
		Namespace,
	)
	if err := s.Kube.Patch(s.Context(), config, client.RawPatch(ktypes.MergePatchType, []byte(patch))); err != nil {
		s.Fatal(err)
	}
}

// rotate gives the config another key.
func (s *measured) rotate(n int) {
	s.Helper()
	if err := s.Kube.Update(s.Context(), keySecret(n)); err != nil {
		s.Fatal(err)
	}
}

func keySecret(n int) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "keys"},
		Data: map[string][]byte{
			"aws_access_key_id": fmt.Append(nil, "AKIAKEY", n), "aws_secret_access_key": []byte(Canary),
		},
	}
}

// large measures functions that do not change, of which someone changes some by hand.
func (b *bars) large(t *testing.T) {
	n := 30_000 / b.scale
	b.run(t, func(s *measured) {
		const work = "30,000 steady Functions for 10 minutes"
		f := s.fleet(n)
		f.restore(s.options)
		p := s.Start(&Network{}, s.options)
		time.Sleep(3 * pollInterval)
		shown := s.shown()
		calls := f.calls(pollInterval)
		t.Logf("calls: %v", calls)
		b.add(work, "functions that were not checked", float64(n-shown()), 0)
		// AWS returns 50 functions a page, so that 30,000 take a call a second. What is read besides comes on top.
		b.add(work, "pages of ListFunctions a second", float64(calls["ListFunctions"])/pollInterval.Seconds(), 1)
		b.add(work, "other AWS calls a second", float64(sum(calls)-calls["ListFunctions"])/pollInterval.Seconds(), 0.1)
		names := f.edit()
		t.Logf("%d functions were changed by hand", len(names))
		time.Sleep(pollInterval + pollInterval/20)
		b.add(work, "of 100 drifts, not corrected in 10.5 minutes", float64(len(f.edited(names))), 0)
		s.stop(p)
	})
}

// throttled measures two accounts, while others use up the quota of one of them.
func (b *bars) throttled(t *testing.T) {
	const n, work = 300, "2 accounts, one throttled hard"
	of := func(others bool) (took time.Duration) {
		b.run(t, func(s *measured) {
			north, south := tenants()[0], tenants()[1]
			s.join(north)
			s.join(south)
			p := s.Start(&Network{}, s.options)
			time.Sleep(time.Minute)
			busy := s.fleet(n)
			busy.tenant = south
			if others {
				defer s.useUp()()
				busy.apply()
				time.Sleep(time.Minute / 2)
			}
			f := s.fleet(n)
			f.tenant = north
			began := time.Now()
			f.apply()
			took = s.allReady(f, began)
			if others {
				t.Logf("%d calls were throttled, %d of %d functions of that account are Ready", s.Double.Throttled(),
					busy.ready(), n)
				if s.Double.Throttled() == 0 || busy.ready() > n/2 {
					t.Error("the account is not throttled hard")
				}
			}
			s.stop(p)
		})
		return took
	}
	alone := of(false)
	b.add(work, "x the time of the other one alone, for 300 new Functions", ratio(of(true), alone), 1.2)
}

// fair measures how long a tenant's function takes while another tenant creates many.
func (b *bars) fair(t *testing.T) {
	b.run(t, func(s *measured) {
		south := tenants()[1]
		s.join(south)
		p := s.Start(&Network{}, s.options)
		time.Sleep(time.Minute)
		f, busy := s.fleet(2), s.fleet(1000/b.scale)
		busy.tenant = south
		f.Double.PutObject(codeBucket, codeKey, f.archive("x = 1"))
		one := func(i int) time.Duration {
			fn := f.function(i)
			fn.Spec.ForProvider.Environment = nil
			began := time.Now()
			s.Create(fn)
			return s.ready(fn, began)
		}
		alone := one(0)
		busy.apply()
		time.Sleep(10 * time.Second)
		b.add("1,000 new Functions of one tenant, one of another", "x the time of the one alone", ratio(one(1), alone),
			2)
		s.stop(p)
	})
}

// functionsPath is the path of all namespaces.
const functionsPath = "/apis/lambda.aws.m.crossplane.io/v1beta1/namespaces/"

// A measured simulation records when each object becomes Ready.
type measured struct {
	*Simulation

	t *testing.T

	mu sync.Mutex
	// readyAt is when each generation of an object became Ready.
	readyAt map[generation]time.Time
}

// A generation is one of an object.
type generation struct {
	key    client.ObjectKey
	number int64
}

func newMeasured(t *testing.T, s *Simulation) *measured {
	t.Helper()
	m := &measured{Simulation: s, t: t, readyAt: map[generation]time.Time{}}
	check := s.Cluster.StatusWritten
	s.Cluster.StatusWritten = func(u *unstructured.Unstructured) {
		check(u)
		seen, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		if seen != u.GetGeneration() || !is(u, "Ready", "True") || !is(u, "Synced", "True") {
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		g := generation{client.ObjectKeyFromObject(u), seen}
		if _, ok := m.readyAt[g]; !ok {
			m.readyAt[g] = time.Now()
		}
	}
	return m
}

// options are those of the binary: they trace nothing and log no details.
func (s *measured) options(o *manager.Options) {
	o.Tracer, o.Log, o.MaxConcurrentReconciles = nil, zap.New( //nolint:mnd // The default of --max-reconcile-rate.
		zap.WriteTo(
			s.Logs)), 100
}

func (s *measured) fleet(n int) *steadyFleet {
	return &steadyFleet{Simulation: s.Simulation, t: s.t, n: n}
}

func (s *measured) stop(p *Provider) {
	s.Helper()
	if err := p.Stop(); err != nil {
		s.Error(err)
	}
	time.Sleep(time.Second) // The double has received what was sent.
}

// until waits until a condition is true, and returns how long that took since a time.
func (s *measured) until(began time.Time, so func() bool) time.Duration {
	s.Helper()
	for synctest.Wait(); !so(); synctest.Wait() {
		if time.Since(began) > time.Hour {
			s.Fatalf("it takes more than an hour: %s", s.statuses())
		}
		time.Sleep(time.Second / 4)
	}
	return time.Since(began)
}

// allReady waits until all functions of a fleet are Ready, and returns how long that took since a time.
func (s *measured) allReady(f *steadyFleet, began time.Time) time.Duration {
	s.Helper()
	at := func() (ready int, last time.Time) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for g, t := range s.readyAt {
			if g.key.Namespace == f.namespace() && g.number == 1 {
				ready++
				if t.After(last) {
					last = t
				}
			}
		}
		return ready, last
	}
	s.until(began, func() bool {
		n, _ := at()
		if n < f.n && time.Since(began) > 50*time.Minute {
			fn := f.function(f.n - 1)
			_ = s.Kube.Get(s.Context(), client.ObjectKeyFromObject(fn), fn)
			s.Fatalf("%d of %d functions are Ready: %+v", n, f.n, fn.Status.Conditions)
		}
		return n == f.n
	})
	_, last := at()
	return last.Sub(began)
}

// ready waits until the present generation of an object is Ready, and returns how long that took since a time.
func (s *measured) ready(o client.Object, began time.Time) time.Duration {
	s.Helper()
	at := func() time.Time {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.readyAt[generation{client.ObjectKeyFromObject(o), o.GetGeneration()}]
	}
	s.until(began, func() bool { return !at().IsZero() })
	return at().Sub(began)
}

// change changes the memory of a function as its user does, and returns how long it takes until that is Ready.
func (s *measured) change(f *steadyFleet, i int) time.Duration {
	s.Helper()
	fn := &v1beta1.Function{}
	if err := s.Kube.Get(s.Context(), client.ObjectKey{Namespace: f.namespace(), Name: f.name(i)}, fn); err != nil {
		s.Fatal(err)
	}
	fn.Spec.ForProvider.MemorySize = ptr.To[int32](320)
	began := time.Now()
	if err := s.Kube.Update(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
	return s.ready(fn, began)
}

// count counts the functions in the cluster.
func (s *measured) count() int {
	s.Helper()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1beta1.FunctionGroupVersionKind)
	if err := s.Kube.List(s.Context(), list); err != nil {
		s.Fatal(err)
	}
	return len(list.Items)
}

// shown returns a function that counts the functions that lists have shown from now on.
func (s *measured) shown() func() int {
	var mu sync.Mutex
	names := map[string]bool{}
	s.Double.Fail(awsdouble.Fault{
		Operation: "ListFunctions", Times: -1,
		Answer: func(status int, body []byte) (int, []byte) {
			var page struct {
				Functions []struct{ FunctionName string }
			}
			_ = json.Unmarshal(body, &page)
			mu.Lock()
			defer mu.Unlock()
			for _, f := range page.Functions {
				names[f.FunctionName] = true
			}
			return status, body
		},
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(names)
	}
}

// useUp makes 14 of the 15 calls a second that AWS allows an account, until the returned function is called.
func (s *measured) useUp() (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_, _ = s.Lambda.GetAccountSettings(ctx, &lambda.GetAccountSettingsInput{},
				func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
			time.Sleep(time.Second / 25) // And 30 ms for the call.
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// quotaTime is how long AWS's quota takes for so many calls that change something.
func quotaTime(calls int) time.Duration {
	return time.Duration(float64(calls) / awsdouble.LambdaQuotas().ControlPlane * float64(time.Second))
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func sum(calls map[string]int) int {
	n := 0
	for c := range maps.Values(calls) {
		n += c
	}
	return n
}

// cpuTime returns the CPU time of this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	u := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
