package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

type sample = samples.Sample

var cart = types.NamespacedName{Namespace: "shop", Name: "cart"}

// cloud is AWS, with at most one external resource, whose value is set by the calls. It is also the observer of it.
type cloud struct {
	value string
	there bool

	// fail maps names of calls to the error that they return without doing anything.
	fail map[string]error

	// reserve is whether calls that are due are reserved.
	reserve bool

	// before are the steps before a deletion, each of which takes a reconcile.
	before []string

	// during runs once, while AWS is read.
	during func()

	calls []string

	// cause is the cause of the last update.
	cause string
}

func (c *cloud) call(name string) error {
	c.calls = append(c.calls, name)
	return c.fail[name]
}

func (c *cloud) Observe(_ context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	if err := c.call("Get"); err != nil {
		return reconcile.Outcome{}, err
	}
	if f := c.during; f != nil {
		c.during = nil
		f()
	}
	mg.Status.Value = c.value
	out := reconcile.Outcome{Exists: c.there, MayUpdate: true}
	switch {
	case meta.WasDeleted(mg) && c.there:
		out.Call = c.due(reconcile.ToDelete, "Delete", func() (reconcile.Result, error) { return c.delete(mg) })
	case !c.there:
		out.State = reconcile.Missing
		if !meta.WasDeleted(mg) {
			out.Call = c.due(reconcile.ToCreate, "Create", func() (reconcile.Result, error) { return c.create(mg) })
		}
	case c.value != mg.Spec.Value:
		out.State, out.Ready = reconcile.Differs, reconcile.Updating(mg.GetGeneration(), "")
		out.Call = c.due(reconcile.ToUpdate, "Update", func() (reconcile.Result, error) { return c.update(f, mg) })
	default:
		out.State, out.Ready = reconcile.UpToDate, reconcile.Available(mg.GetGeneration())
	}
	return out, nil
}

// due returns a call that is due, with its reservation.
func (c *cloud) due(verb reconcile.Verb, op string, do func() (reconcile.Result, error)) *reconcile.Call {
	call := &reconcile.Call{Verb: verb, Do: func(context.Context) (reconcile.Result, error) { return do() }}
	if c.reserve {
		call.Reserve = []string{op}
	}
	return call
}

func (c *cloud) create(mg *sample) (reconcile.Result, error) {
	err := c.call("Create")
	if err == nil {
		c.value, c.there = mg.Spec.Value, true
	}
	return reconcile.Result{}, err
}

func (c *cloud) update(f reconcile.Facts, mg *sample) (reconcile.Result, error) {
	if err := c.call("Update"); err != nil {
		return reconcile.Result{}, err
	}
	res := reconcile.Result{Does: "value: " + c.value + " -> " + mg.Spec.Value}
	c.cause, c.value = f.Cause(mg, reconcile.Plan{}), mg.Spec.Value
	return res, nil
}

func (c *cloud) delete(mg *sample) (reconcile.Result, error) {
	if len(c.before) > 0 {
		step := c.before[0]
		c.before = c.before[1:]
		return reconcile.Result{Ready: reconcile.Deleting(mg.GetGeneration(), step), Does: step}, nil
	}
	err := c.call("Delete")
	if err == nil {
		c.value, c.there = "", false
	}
	return reconcile.Result{Ready: reconcile.Deleting(mg.GetGeneration(), "")}, err
}

// limiter grants all calls except those to be refused.
type limiter struct {
	wait      map[string]time.Duration
	requested [][]string
	holders   []quota.Caller
	released  int
	gone      []string
}

func (l *limiter) Reserve(_ quota.Scope, h quota.Caller, ops ...string) time.Duration {
	l.requested = append(l.requested, slices.Clone(ops))
	l.holders = append(l.holders, h)
	var wait time.Duration
	for _, op := range ops {
		wait = max(wait, l.wait[op])
	}
	return wait
}

func (l *limiter) Release(quota.Scope, string) { l.released++ }

func (l *limiter) Forget(_ quota.Scope, id string) { l.gone = append(l.gone, id) }

// priority returns the priority of the last reservation.
func (l *limiter) priority() quota.Priority { return l.holders[len(l.holders)-1].Priority }

type resolver struct {
	err     error
	tenancy session.Tenancy
	account string
}

func (r *resolver) Resolve(context.Context, resource.ModernManaged, string) (*session.Session, error) {
	if r.err != nil {
		return nil, r.err
	}
	return &session.Session{
		AWS:      aws.Config{Region: "eu-west-1"},
		Ref:      session.Ref{Kind: "ProviderConfig", Namespace: "shop", Name: "default", UID: "c1"},
		Scope:    quota.Scope{Account: "1", Region: "eu-west-1"},
		Identity: session.Identity{Account: r.account},
		Tenancy:  r.tenancy,
	}, nil
}

// tracker records which resources use a config.
type tracker struct {
	users map[types.UID]bool
	err   error
}

func (tr *tracker) Track(_ context.Context, mg resource.ModernManaged) error {
	tr.users[mg.GetUID()] = true
	return tr.err
}

func (tr *tracker) Untrack(_ context.Context, mg resource.ModernManaged) error {
	if tr.err == nil {
		delete(tr.users, mg.GetUID())
	}
	return tr.err
}

func (tr *tracker) Drop(ctx context.Context, mg resource.ModernManaged) error {
	return tr.Untrack(ctx, mg)
}

// events records the emitted events.
type events struct{ all []string }

func (e *events) Event(_ runtime.Object, ev event.Event) {
	e.all = append(e.all, string(ev.Reason)+": "+ev.Message)
}

func (e *events) WithAnnotations(...string) event.Recorder { return e }

func (e *events) count(reason event.Reason) int {
	n := 0
	for _, s := range e.all {
		if strings.HasPrefix(s, string(reason)+": ") {
			n++
		}
	}
	return n
}

// changes records the change log.
type changes struct {
	ops  []v1alpha1.OperationType
	last resource.Managed
}

func (c *changes) Log(
	_ context.Context,
	mg resource.Managed,
	op v1alpha1.OperationType,
	_ error,
	_ managed.AdditionalDetails,
) error {
	c.ops = append(c.ops, op)
	c.last = mg
	return nil
}

type manager struct {
	ctrl.Manager

	c client.Client
}

func (m *manager) GetClient() client.Client             { return m.c }
func (m *manager) GetAPIReader() client.Reader          { return m.c }
func (m *manager) GetScheme() *runtime.Scheme           { return m.c.Scheme() }
func (m *manager) GetFieldIndexer() client.FieldIndexer { return nil }

// env is the complete controller of a kind except for the queue: the reconciler, the runtime's
// reconciler and a cloud, with a clock that stands still.
type env struct {
	t          testing.TB
	server     client.Client
	reconciler *reconciler
	cloud      *cloud
	limiter    *limiter
	resolver   *resolver
	tracker    *tracker
	events     *events
	changes    *changes
	options    Options
	kind       reconcile.Kind[*sample]
	clock      time.Time
}

func newEnv(t testing.TB, mg *sample, edit ...func(*Options, *reconcile.Kind[*sample])) *env {
	t.Helper()
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	e := &env{
		t:        t,
		cloud:    &cloud{fail: map[string]error{}, reserve: true},
		limiter:  &limiter{wait: map[string]time.Duration{}},
		resolver: &resolver{},
		tracker:  &tracker{users: map[types.UID]bool{}},
		events:   &events{},
		changes:  &changes{},
		clock:    time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	e.server = fake.NewClientBuilder().WithScheme(s).WithObjects(mg).WithStatusSubresource(&sample{}).
		WithInterceptorFuncs(interceptor.Funcs{SubResourceUpdate: statusAlone(t)}).Build()
	o := Options{
		Options: controller.Options{
			Logger:           logging.NewNopLogger(),
			PollInterval:     10 * time.Minute,
			Features:         &feature.Flags{},
			ChangeLogOptions: &controller.ChangeLogOptions{ChangeLogger: e.changes},
		},
		Resolver:        e.resolver,
		Tracker:         e.tracker,
		Limiter:         e.limiter,
		Metrics:         reporting.NewMetrics(),
		MinPollInterval: 30 * time.Second,
		PollJitter:      0.1,
		Now:             func() time.Time { return e.clock },
		Random:          func() float64 { return 0.5 },
	}
	o.Features.Enable(feature.EnableBetaManagementPolicies)
	k := reconcile.Kind[*sample]{
		GVK:      samples.GVK,
		New:      func() *sample { return &sample{} },
		NewList:  func() resource.ManagedList { return &samples.SampleList{} },
		Region:   func(*sample) string { return "eu-west-1" },
		Reads:    func(*sample) []string { return []string{"Get"} },
		Observer: func(*sample, *session.Session) reconcile.Observer[*sample] { return e.cloud },
		Refs: func(mg *sample) []refs.ObjectRef {
			if mg.Spec.SecretName == "" {
				return nil
			}
			return []refs.ObjectRef{{Kind: refs.Secret, Namespace: mg.GetNamespace(), Name: mg.Spec.SecretName}}
		},
	}
	for _, f := range edit {
		f(&o, &k)
	}
	e.options, e.kind = o, k
	e.reconciler = newReconciler(&manager{c: e.server}, o, k.Untyped(), e.events)
	return e
}

// statusAlone updates only the status, like an API server; the fake client would also update
// the spec. It checks that no written status contradicts itself.
func statusAlone(
	t testing.TB,
) func(
	ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption,
) error {
	t.Helper()
	return func(
		ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption,
	) error {
		stored := &sample{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), stored); err != nil {
			return err
		}
		if mg, ok := obj.(*sample); ok {
			mg.Spec = stored.Spec
		}
		if err := samples.Contradiction(obj); err != nil {
			t.Error(err)
		}
		return c.SubResource(sub).Update(ctx, obj, opts...)
	}
}

// observedBy returns the env's kind with another observer.
func observedBy(e *env, o reconcile.Observer[*sample]) reconcile.UntypedKind {
	k := e.kind
	k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] { return o }
	return k.Untyped()
}

// reconcile reconciles once. It returns when the resource is reconciled next.
func (e *env) reconcile() time.Duration {
	e.t.Helper()
	res, err := e.reconciler.Reconcile(e.t.Context(), ctrl.Request{NamespacedName: cart})
	if err != nil {
		e.t.Fatalf("Reconcile returned an error, so that the queue would determine the delay: %v", err)
	}
	if res.Requeue { //nolint:staticcheck // It must not be used.
		e.t.Fatal("Reconcile must return a delay instead of Requeue")
	}
	return res.RequeueAfter
}

// converge reconciles until Observe is the only call.
func (e *env) converge() {
	e.t.Helper()
	for range 10 {
		e.cloud.calls = nil
		e.reconcile()
		if slices.Equal(e.cloud.calls, []string{"Get"}) &&
			e.stored().GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
			e.cloud.calls, e.events.all, e.changes.ops = nil, nil, nil
			e.limiter.requested, e.limiter.holders = nil, nil
			return
		}
	}
	e.t.Fatalf("does not converge: %+v", e.stored().Status)
}

func (e *env) stored() *sample {
	e.t.Helper()
	mg := &sample{}
	if err := e.server.Get(e.t.Context(), cart, mg); err != nil {
		e.t.Fatal(err)
	}
	return mg
}

// change changes the resource as a user does.
func (e *env) change(f func(*sample)) {
	e.t.Helper()
	mg := e.stored()
	f(mg)
	if err := e.server.Update(e.t.Context(), mg); err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) delete() {
	e.t.Helper()
	if err := e.server.Delete(e.t.Context(), e.stored()); err != nil {
		e.t.Fatal(err)
	}
}

// throttle returns AWS's error for throttled calls.
func throttle() error {
	return &smithy.GenericAPIError{Code: "TooManyRequestsException", Message: "Rate exceeded"}
}
