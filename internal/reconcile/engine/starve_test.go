package engine

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// A fleet is a kind's controller with its queue and workers, and an endpoint for each
// namespace, all in simulated time.
type fleet struct {
	t        *testing.T
	server   client.Client
	queue    workqueue.TypedDelayingInterface[ctrl.Request]
	workers  sync.WaitGroup
	breakers *breaker.Breakers

	// silent resolves the configs of namespaces whose STS never answers.
	silent *session.Resolver

	mu        sync.Mutex
	endpoints map[string]*endpoint
	sessions  map[string]*session.Session
	unready   map[types.NamespacedName]bool
	writes    map[string]int
}

// An endpoint is an endpoint of AWS. It has functions, or never answers.
type endpoint struct {
	mu       sync.Mutex
	hangs    bool
	made     map[string]bool
	requests int
	open     int
	most     int
}

// unanswered is the timeout of a request.
const unanswered = 10 * time.Second

// Do performs a request: GET returns whether a function exists, POST creates it.
func (e *endpoint) Do(q *http.Request) (*http.Response, error) {
	e.mu.Lock()
	e.requests++
	e.open++
	e.most = max(e.most, e.open)
	hangs := e.hangs
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.open--
		e.mu.Unlock()
	}()
	took := 30 * time.Millisecond
	if hangs {
		took = unanswered
	}
	select {
	case <-q.Context().Done():
		return nil, q.Context().Err()
	case <-time.After(took):
	}
	if hangs {
		return nil, os.ErrDeadlineExceeded
	}
	return e.answer(q), nil
}

func (e *endpoint) answer(q *http.Request) *http.Response {
	e.mu.Lock()
	defer e.mu.Unlock()
	name := q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]
	a := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{}`))}
	switch {
	case q.Method == http.MethodPut:
		e.made[strings.Split(q.URL.Path, "/")[3]] = true
	case !e.made[name]:
		a.StatusCode = http.StatusNotFound
		a.Header.Set("X-Amzn-Errortype", "ResourceNotFoundException")
	}
	return a
}

// function is an observer that uses the SDK.
type function struct{ api *lambda.Client }

// Observe reads a function. Its creation represents any call that changes AWS.
func (f *function) Observe(ctx context.Context, _ reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	_, err := f.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &mg.Name})
	switch {
	case awserr.IsNotFound(err):
		return reconcile.Outcome{
			Call: &reconcile.Call{Verb: reconcile.ToCreate, Do: func(ctx context.Context) (reconcile.Result, error) {
				_, err := f.api.UpdateFunctionConfiguration(
					ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: &mg.Name},
				)
				return reconcile.Result{}, err
			}},
		}, nil
	case err != nil:
		return reconcile.Outcome{}, err
	}
	return reconcile.Outcome{Exists: true, Ready: reconcile.Available(mg.GetGeneration())}, nil
}

// regionOf returns the region of a resource. The name of the resource may begin with one.
func regionOf(mg *sample) string {
	if region, _, ok := strings.Cut(mg.GetName(), "."); ok {
		return region
	}
	return "eu-west-1"
}

// Resolve returns a session of the namespace's own config in a region.
func (f *fleet) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*session.Session, error) {
	if strings.HasPrefix(mg.GetNamespace(), "silent") {
		return f.silent.Resolve(ctx, mg, region)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ns := mg.GetNamespace()
	key := ns + "/" + region
	if s := f.sessions[key]; s != nil {
		return s, nil
	}
	cfg := aws.Config{
		Region: region, HTTPClient: f.endpoints[ns], Retryer: func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
	}
	ref := session.Ref{Kind: "ProviderConfig", Namespace: ns, Name: "default", UID: types.UID(ns)}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(
			f.breakers.Middleware(breaker.Key{Config: ref.UID, Region: region}),
			middleware.After,
		)
	})
	f.sessions[key] = &session.Session{AWS: cfg, Ref: ref, Scope: quota.Scope{Account: ns, Region: region}}
	return f.sessions[key], nil
}

func (f *fleet) Track(context.Context, resource.ModernManaged) error   { return nil }
func (f *fleet) Untrack(context.Context, resource.ModernManaged) error { return nil }

func (f *fleet) Drop(context.Context, resource.ModernManaged) error { return nil }

// noEvents drops events.
type noEvents struct{}

func (noEvents) Event(runtime.Object, event.Event)          {}
func (s noEvents) WithAnnotations(...string) event.Recorder { return s }

func newFleet(ctx context.Context, t *testing.T, workers int) *fleet {
	t.Helper()
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	draw := func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64()
	}
	f := &fleet{
		t:         t,
		breakers:  breaker.New(time.Now, draw),
		endpoints: map[string]*endpoint{},
		sessions:  map[string]*session.Session{},
		unready:   map[types.NamespacedName]bool{},
		writes:    map[string]int{},
	}
	f.server = fake.NewClientBuilder().
		WithScheme(s).
		WithStatusSubresource(&sample{}).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceUpdate: func(
				ctx context.Context, c client.Client, sub string, obj client.Object,
				opts ...client.SubResourceUpdateOption,
			) error {
				f.wrote(obj)
				return statusAlone(t)(ctx, c, sub, obj, opts...)
			},
		}).
		Build()
	o := Options{
		Options: controller.Options{
			Logger:                  logging.NewNopLogger(),
			PollInterval:            10 * time.Minute,
			MaxConcurrentReconciles: workers,
			Features:                &feature.Flags{},
		},
		Resolver:        f,
		Tracker:         f,
		Limiter:         quota.New(time.Now, nil),
		Breakers:        f.breakers,
		Metrics:         reporting.NewMetrics(),
		MinPollInterval: 30 * time.Second,
		PollJitter:      0.1,
		Now:             time.Now,
		Random:          draw,
	}
	r := newReconciler(&manager{c: f.server}, o, reconcile.Kind[*sample]{
		GVK:     samples.GVK,
		New:     func() *sample { return &sample{} },
		NewList: func() resource.ManagedList { return &samples.SampleList{} },
		Region:  regionOf,
		Reads:   func(*sample) []string { return []string{"GetFunction"} },
		Observer: func(_ *sample, s *session.Session) reconcile.Observer[*sample] {
			return &function{api: session.Client(s, lambda.NewFromConfig)}
		},
	}.Untyped(), noEvents{})
	f.queue = workqueue.NewTypedDelayingQueue[ctrl.Request]()
	for range workers {
		f.workers.Go(func() { f.work(ctx, r) })
	}
	return f
}

func (f *fleet) work(ctx context.Context, r ctrlreconcile.Reconciler) {
	for {
		req, done := f.queue.Get()
		if done {
			return
		}
		res, err := r.Reconcile(ctx, req)
		f.queue.Done(req)
		if err != nil {
			f.t.Errorf("Reconcile: %v", err)
		}
		if res.RequeueAfter > 0 {
			f.queue.AddAfter(req, res.RequeueAfter)
		}
	}
}

// apply creates n resources in a namespace, with an endpoint that hangs or not.
func (f *fleet) apply(ns, prefix string, n int, hangs bool) {
	f.mu.Lock()
	if f.endpoints[ns] == nil {
		f.endpoints[ns] = &endpoint{hangs: hangs, made: map[string]bool{}}
	}
	f.mu.Unlock()
	for i := range n {
		mg := samples.New()
		mg.ObjectMeta = metav1.ObjectMeta{
			Namespace:  ns,
			Name:       fmt.Sprint(prefix, i),
			UID:        types.UID(fmt.Sprint(ns, prefix, i)),
			Generation: 1,
		}
		mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: "ProviderConfig", Name: "default"})
		if err := f.server.Create(f.t.Context(), mg); err != nil {
			f.t.Fatal(err)
		}
		f.mu.Lock()
		f.unready[client.ObjectKeyFromObject(mg)] = true
		f.mu.Unlock()
		f.queue.Add(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mg)})
	}
}

func (f *fleet) samples(ns string) []sample {
	l := &samples.SampleList{}
	if err := f.server.List(f.t.Context(), l, client.InNamespace(ns)); err != nil {
		f.t.Fatal(err)
	}
	return l.Items
}

// wrote records a written status.
func (f *fleet) wrote(obj client.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes[obj.GetNamespace()]++
	if mg, ok := obj.(*sample); ok && mg.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
		delete(f.unready, client.ObjectKeyFromObject(obj))
	}
}

// waiting returns how many resources of a namespace are not Ready.
func (f *fleet) waiting(ns string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for key := range f.unready {
		if key.Namespace == ns {
			n++
		}
	}
	return n
}

// toReady returns how long it takes until all resources of a namespace are Ready.
func (f *fleet) toReady(ns string, most time.Duration) time.Duration {
	began := time.Now()
	for f.waiting(ns) > 0 {
		if time.Since(began) > most {
			f.t.Errorf("%d things of %s are not Ready after %s", f.waiting(ns), ns, most)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began)
}

// stop stops the workers.
func (f *fleet) stop(cancel func()) {
	f.queue.ShutDown()
	cancel()
	f.workers.Wait()
}

// TestHangingEndpoint runs hundreds of resources with an endpoint that stops answering beside others. It checks that
// the others are as quick as without, that the hanging endpoint is hardly called, and that the waiting resources report
// it and recover by themselves.
func TestHangingEndpoint(t *testing.T) {
	const (
		workers  = 100
		attacker = 400
		good     = 50
	)
	alone := time.Duration(0)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFleet(ctx, t, workers)
		defer f.stop(cancel)
		f.apply("good", "a", good, false)
		alone = f.toReady("good", time.Minute)
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFleet(ctx, t, workers)
		defer f.stop(cancel)
		f.apply("evil", "first", 1, false)
		f.toReady("evil", time.Minute)
		tarpit := f.endpoints["evil"]
		tarpit.mu.Lock()
		tarpit.hangs = true
		tarpit.mu.Unlock()
		f.apply("evil", "e", attacker, true)
		time.Sleep(time.Second)
		if tarpit.open != workers/2 {
			t.Errorf(
				"%d calls hang, want half of the workers: the test tests nothing, or a namespace holds more than its share",
				tarpit.open,
			)
		}
		f.apply("good", "a", good, false)
		during := f.toReady("good", time.Minute)
		if float64(during) > 1.2*float64(alone) {
			t.Errorf("while all hang: others are Ready after %s, alone after %s", during, alone)
		}

		time.Sleep(time.Minute)
		if got := f.breakers.Open("evil"); len(got) != 1 {
			t.Errorf("the breaker is not open: %v", got)
		}
		f.apply("late", "b", good, false)
		after := f.toReady("late", time.Minute)
		if float64(after) > 1.2*float64(alone) {
			t.Errorf("with the breaker open: others are Ready after %s, alone after %s", after, alone)
		}
		t.Logf("alone %s, while calls hang %s, with an open breaker %s", alone, during, after)

		requests, most := tarpit.requests, tarpit.most
		f.mu.Lock()
		before := f.writes["evil"]
		f.mu.Unlock()
		time.Sleep(10 * time.Minute)
		f.mu.Lock()
		writes := f.writes["evil"] - before
		f.mu.Unlock()
		if n := tarpit.requests - requests; n > 15 {
			t.Errorf("%d calls to a hanging endpoint in ten minutes, want about one a minute", n)
		}
		if most > workers/2 {
			t.Errorf("%d calls hung at a time", most)
		}
		if writes > 1 {
			t.Errorf("%d writes of status in ten minutes in which one was polled, and nothing changed", writes)
		}
		for _, mg := range f.samples("evil") {
			c := mg.GetCondition(xpv2.TypeSynced)
			if c.Status != corev1.ConditionFalse ||
				!strings.Contains(
					c.Message,
					`AWS does not answer ProviderConfig "default" of namespace "evil" in eu-west-1`,
				) {
				t.Fatalf("a resource does not say what it waits for: %+v", c)
			}
		}

		tarpit.mu.Lock()
		tarpit.hangs = false
		tarpit.mu.Unlock()
		t.Logf("all are Ready %s after the endpoint answers", f.toReady("evil", 4*time.Minute))
	})
}

// TestHangingRegions has tenants whose endpoints answer in no region, and who name as many regions as there are. No
// circuit breaker of a single region sees enough of their calls.
func TestHangingRegions(t *testing.T) {
	const (
		workers = 100
		hostile = 1000
		good    = 50
		regions = 50
	)
	alone := time.Duration(0)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFleet(ctx, t, workers)
		defer f.stop(cancel)
		f.apply("good", "a", good, false)
		alone = f.toReady("good", time.Minute)
	})
	for _, tenants := range []int{1, 20, 100} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			f := newFleet(ctx, t, workers)
			defer f.stop(cancel)
			for i := range hostile {
				// One tenant after the other, so that each takes its share of the workers that are still free.
				share := hostile / tenants
				f.apply(fmt.Sprint("evil", i/share), fmt.Sprintf("eu-x-%d.%d-", i%share%regions, i), 1, true)
			}
			requests := func() (n int) {
				for i := range tenants {
					n += f.endpoints[fmt.Sprint("evil", i)].requests
				}
				return n
			}
			worst := time.Duration(0)
			if tenants > 60 {
				// The first calls of so many take two turns. Nobody knows before which of the new configs answer.
				time.Sleep(2 * unanswered)
			}
			for i, after := range []time.Duration{time.Second, 15 * time.Second, 40 * time.Second} {
				time.Sleep(after)
				ns := fmt.Sprint("good", i)
				f.apply(ns, "a", good, false)
				took := f.toReady(ns, 10*time.Minute)
				worst = max(worst, took)
				t.Logf(
					"%d tenants: others are Ready after %s, alone after %s; %d calls so far",
					tenants,
					took,
					alone,
					requests(),
				)
			}
			if worst > 2*alone {
				t.Errorf(
					"%d tenants with regions that do not answer: others are Ready after %s, alone after %s",
					tenants,
					worst,
					alone,
				)
			}
			before := requests()
			time.Sleep(30 * time.Second)
			if n, most := requests()-before, tenants*10; n > most {
				t.Errorf("%d tenants: %d calls in half a minute, want at most %d: a few at a time", tenants, n, most)
			}
		})
	}
}

// TestDeferredCallsAccumulate checks that calls that are found due one after the other are reserved together in the
// end, and no longer once a reconcile has left a trace.
func TestDeferredCallsAccumulate(t *testing.T) {
	e := newEnv(t, samples.New(), func(_ *Options, k *reconcile.Kind[*sample]) {
		k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] {
			return reconcile.ObserverFunc[*sample](
				func(_ context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
					for _, op := range []string{"First", "Second"} {
						if err := f.Reserve(op); err != nil {
							return reconcile.Outcome{}, err
						}
					}
					return reconcile.Outcome{Exists: true, Ready: reconcile.Available(mg.GetGeneration())}, nil
				},
			)
		}
	})
	reads := func() []string {
		e.limiter.requested = nil
		e.reconcile()
		return e.limiter.requested[0]
	}
	steps := []struct {
		reason, waits string
		want          []string
	}{
		{reason: "Nothing was found due before.", waits: "First", want: []string{"Get"}},
		{reason: "The first call is reserved in advance.", waits: "Second", want: []string{"Get", "First"}},
		{reason: "The second call does not take the place of the first one.", want: []string{"Get", "First", "Second"}},
		{reason: "The calls are not reserved any longer once they were made.", want: []string{"Get"}},
	}
	for _, s := range steps {
		e.limiter.wait = map[string]time.Duration{s.waits: time.Second}
		if got := strings.Join(reads(), " "); got != strings.Join(s.want, " ") {
			t.Errorf("%s\nwant %v reserved in advance, got %s", s.reason, s.want, got)
		}
	}
}
