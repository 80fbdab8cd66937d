package function

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	rtlogging "github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// steadyFleet is converged functions with all that polls them by list, but for the queue and the watches: the
// reconciler, the lists, and the SDK's client. AWS answers with bytes that are made beforehand.
type steadyFleet struct {
	testing.TB

	now        time.Time
	pages      [][]byte
	session    *session.Session
	poller     *listpoll.Poller
	reconciler ctrlreconcile.Reconciler
	cache      steadyCache

	// reads counts pages, others has the other calls.
	reads  int
	others []string
}

const pageSize = 50

func newSteadyFleet(t testing.TB, n int) *steadyFleet {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	f := &steadyFleet{TB: t, now: testenv.Start, cache: steadyCache{
		scheme: scheme, functions: map[types.NamespacedName]*v1beta1.Function{},
	}}
	f.session = &session.Session{
		AWS: aws.Config{
			Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("AKID", "SECRET", ""),
			HTTPClient: f,
		},
		Ref:   session.Ref{Kind: "ProviderConfig", Namespace: "ns", Name: "default", UID: "c1"},
		Scope: quota.Scope{Account: "123456789012", Region: "eu-central-1"},
	}
	var page []json.RawMessage
	for i := range n {
		fn := convergedFunction(i)
		f.cache.functions[client.ObjectKeyFromObject(fn)] = fn
		page = append(page, shownByAWS(fn))
		if len(page) < pageSize && i < n-1 {
			continue
		}
		answer := map[string]any{"Functions": page}
		if i < n-1 {
			answer["NextMarker"] = strconv.Itoa(len(f.pages) + 1)
		}
		body, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		f.pages, page = append(f.pages, body), nil
	}
	clock := func() time.Time { return f.now }
	f.poller = listpoll.New(
		listpoll.Options{
			Interval: 10 * time.Minute, FullReadSpacing: 10 * time.Hour, MaxFullReadInterval: 100_000 * time.Hour,
			Now: clock,
		},
	)
	o := engine.Options{
		Options: controller.Options{
			Logger: rtlogging.NewNopLogger(), PollInterval: 10 * time.Minute, MaxConcurrentReconciles: 100,
			Features: &feature.Flags{},
		},
		Limiter: quota.New(clock, nil), Lists: f.poller, Resolver: f, Metrics: reporting.NewMetrics(),
		Fields:          refs.NewFieldReader(refs.FieldReaderOptions{}),
		MinPollInterval: 30 * time.Second, PollJitter: 0.1, ClusterID: testenv.Cluster, Now: clock,
		Random: func() float64 { return 0.5 },
	}
	o.Features.Enable(feature.EnableBetaManagementPolicies)
	f.reconciler = engine.NewReconciler(
		&steadyManager{cache: &f.cache}, o, newKind(&connector{o: o, memory: newRecords(), resources: &f.cache}).Untyped(),
		event.NewNopRecorder(),
	)
	return f
}

// convergedFunction returns a function that was found up to date.
func convergedFunction(i int) *v1beta1.Function {
	name := fmt.Sprintf("f-%05d", i)
	f := testFunction(func(f *v1beta1.Function) {
		f.Name, f.UID, f.ResourceVersion = name, types.UID("uid-"+name), "1"
		f.Annotations = map[string]string{"crossplane.io/external-name": name}
		f.Finalizers = []string{"finalizer.managedresource.crossplane.io"}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			Variables: map[string]string{"STAGE": "production", "TABLE": "carts", "LOG_LEVEL": "info"},
		}
		f.Spec.ForProvider.Tags = map[string]string{"team": "checkout", "cost-center": "4711"}
	})
	s := &f.Status.AtProvider
	s.FunctionName, s.FunctionArn = &name, ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:"+name)
	s.RevisionID, s.CodeSHA256 = ptr.To(
		"b1c2d3e4-0000-4000-8000-"+fmt.Sprintf("%012d", i),
	), ptr.To("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	s.LastModified, s.State, s.LastUpdateStatus = ptr.To(
		"2026-01-01T00:00:00.000+0000",
	), ptr.To("Active"), ptr.To("Successful")
	f.SetConditions(xpv2.Available().WithObservedGeneration(1), xpv2.ReconcileSuccess().WithObservedGeneration(1))
	f.Status.ReconciledGeneration = 1
	return f
}

// shownByAWS returns what ListFunctions shows of a function.
func shownByAWS(f *v1beta1.Function) json.RawMessage {
	s := f.Status.AtProvider
	body, err := json.Marshal(map[string]any{
		"FunctionName": s.FunctionName, "FunctionArn": s.FunctionArn, "Runtime": "python3.13",
		"Role":    "arn:aws:iam::123456789012:role/r",
		"Handler": "index.handler", "CodeSize": 312, "Description": "", "Timeout": 3, "MemorySize": 128,
		"LastModified": s.LastModified,
		"CodeSha256":   s.CodeSHA256, "Version": "$LATEST",
		"Environment":   map[string]any{"Variables": f.Spec.ForProvider.Environment.Variables},
		"TracingConfig": map[string]string{"Mode": "PassThrough"}, "RevisionId": s.RevisionID, "PackageType": "Zip",
		"Architectures":    []string{"x86_64"},
		"EphemeralStorage": map[string]int{"Size": 512},
		"SnapStart":        map[string]string{"ApplyOn": "None", "OptimizationStatus": "Off"},
		"LoggingConfig":    map[string]string{"LogFormat": "Text", "LogGroup": "/aws/lambda/" + *s.FunctionName},
	})
	if err != nil {
		panic(err)
	}
	return body
}

// Do answers requests to AWS.
func (f *steadyFleet) Do(r *http.Request) (*http.Response, error) {
	page := 0
	if marker := r.URL.Query().Get("Marker"); marker != "" {
		page, _ = strconv.Atoi(marker)
	}
	if r.URL.Path != "/2015-03-31/functions" && r.URL.Path != "/2015-03-31/functions/" {
		f.others = append(f.others, r.Method+" "+r.URL.Path)
		return &http.Response{
			StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	}
	f.reads++
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(f.pages[page])), Request: r,
	}, nil
}

// Resolve returns the session.
func (f *steadyFleet) Resolve(context.Context, resource.ModernManaged, string) (*session.Session, error) {
	return f.session, nil
}

// reconcile reconciles all functions once.
func (f *steadyFleet) reconcile(ctx context.Context) {
	f.Helper()
	for key := range f.cache.functions {
		if _, err := f.reconciler.Reconcile(ctx, ctrlreconcile.Request{NamespacedName: key}); err != nil {
			f.Fatal(err)
		}
	}
}

// interval lets one poll interval pass, in which each page of the list is read and each function is reconciled once.
func (f *steadyFleet) interval(ctx context.Context) {
	f.Helper()
	for end := f.now.Add(10 * time.Minute); f.now.Before(end); {
		f.now = f.now.Add(max(min(f.poller.Poll(ctx), end.Sub(f.now)), time.Millisecond))
	}
	f.reconcile(ctx)
}

// steadyManager is a manager with clients alone.
type steadyManager struct {
	ctrl.Manager

	cache *steadyCache
}

func (m *steadyManager) GetClient() client.Client    { return m.cache }
func (m *steadyManager) GetAPIReader() client.Reader { return m.cache }
func (m *steadyManager) GetScheme() *runtime.Scheme  { return m.cache.scheme }

// steadyCache has functions, which it copies as the cache of a manager does.
type steadyCache struct {
	client.Client

	scheme    *runtime.Scheme
	functions map[types.NamespacedName]*v1beta1.Function
}

// Scheme returns the scheme.
func (c *steadyCache) Scheme() *runtime.Scheme { return c.scheme }

// Get copies a function.
func (c *steadyCache) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	f, ok := o.(*v1beta1.Function)
	if !ok || c.functions[key] == nil {
		return fmt.Errorf("there is no %T %s", o, key)
	}
	c.functions[key].DeepCopyInto(f)
	return nil
}

// List lists nothing.
func (c *steadyCache) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

// TestSteadyByList checks what BenchmarkSteadyLook measures: no call but those of the list.
func TestSteadyByList(t *testing.T) {
	const n = 120
	f := newSteadyFleet(t, n)
	f.reconcile(t.Context())
	f.interval(t.Context())
	f.reads = 0
	f.interval(t.Context())
	if f.reads != (n+pageSize-1)/pageSize || len(f.others) > 0 {
		t.Errorf("%d pages and the calls %v in an interval, want %d pages", f.reads, f.others, (n+pageSize-1)/pageSize)
	}
}

// BenchmarkSteadyLook polls 10,000 converged functions by list, and reports the CPU time of all threads for each: their
// share of a page of ListFunctions, and the reconcile that finds them unchanged. It may be 0.2 ms.
func BenchmarkSteadyLook(b *testing.B) {
	const n, most = 10_000, 0.2
	f := newSteadyFleet(b, n)
	f.reconcile(b.Context())
	f.interval(b.Context())
	before, looks := cpuTime(b), 0
	b.ReportAllocs()
	for b.Loop() {
		f.interval(b.Context())
		looks += n
	}
	spent := float64((cpuTime(b) - before).Microseconds()) / 1000 / float64(looks)
	if len(f.others) > 0 {
		b.Fatalf("%d calls of other operations, such as %s", len(f.others), f.others[0])
	}
	b.ReportMetric(spent, "cpu-ms/function")
	b.ReportMetric(spent/most, "x-bar")
}

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	u := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
