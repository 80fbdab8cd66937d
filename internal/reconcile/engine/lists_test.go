package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// fixed resolves every config to one session.
type fixed struct{ session *session.Session }

func (f fixed) Resolve(context.Context, resource.ModernManaged, string) (*session.Session, error) {
	return f.session, nil
}

// listedEnv is an env whose kind has a list. The list shows the value of the cloud as revision, and 99
// other items.
type listedEnv struct {
	*env

	poller  *listpoll.Poller
	session *session.Session
	err     error

	// unlisted reports whether what the list does not show is still the same.
	unlisted func() bool
}

func newListed(t *testing.T, mg *sample) *listedEnv {
	t.Helper()
	l := &listedEnv{session: &session.Session{}, unlisted: func() bool { return true }}
	list := &listpoll.List{Operation: "List", PageSize: 50}
	list.Read = func(context.Context, *session.Session, string) (listpoll.Page, error) {
		page := listpoll.Page{Items: []listpoll.Item{{ID: "cart", Revision: l.cloud.value}}}
		for i := range 99 {
			page.Items = append(page.Items, listpoll.Item{ID: fmt.Sprint(i), Revision: "r"})
		}
		return page, l.err
	}
	l.env = newEnv(t, mg, func(o *Options, k *reconcile.Kind[*sample]) {
		l.poller = listpoll.New(listpoll.Options{Interval: o.PollInterval, FullReadSpacing: time.Hour, Now: o.Now})
		o.Lists, o.Resolver = l.poller, fixed{session: l.session}
		k.Listed = func(mg *sample) *listpoll.Ref {
			return &listpoll.Ref{
				List:     list,
				ID:       "cart",
				Revision: mg.Status.Value,
				Unlisted: func(context.Context, *session.Session, readcache.Freshness) bool {
					return l.unlisted()
				},
			}
		}
	})
	for i := range 99 {
		l.poller.Watch(
			types.UID(fmt.Sprint(i)),
			l.session,
			&listpoll.Ref{List: list, ID: fmt.Sprint(i), Revision: "r"},
			l.clock,
			func() {},
		)
	}
	return l
}

// pass lets one poll interval pass, reads the list, and reconciles once.
func (l *listedEnv) pass() time.Duration {
	l.t.Helper()
	for range 20 {
		l.clock = l.clock.Add(30 * time.Second)
		l.poller.Poll(l.t.Context())
	}
	l.cloud.calls = nil
	return l.reconcile()
}

func TestPolledByList(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(l *listedEnv)
		read   bool
	}{
		"Unchanged": {reason: "What the list shows as it was is not read.", change: func(*listedEnv) {}},
		"InAWS": {
			reason: "A revision that differs is read.",
			change: func(l *listedEnv) { l.cloud.value = "by hand" },
			read:   true,
		},
		"Unlisted": {
			reason: "So is a resource whose code has changed.",
			change: func(l *listedEnv) { l.unlisted = func() bool { return false } },
			read:   true,
		},
		"ListFails": {
			reason: "Without the list, each resource is read.",
			change: func(l *listedEnv) { l.err = errors.New("no answer") },
			read:   true,
		},
		"Spec": {
			reason: "A change of spec is compared at once.",
			change: func(l *listedEnv) { l.env.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 }) },
			read:   true,
		},
		"Annotation": {reason: "So is a change of an annotation.", change: func(l *listedEnv) {
			l.env.change(func(mg *sample) { meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationAdopt: "true"}) })
		}, read: true},
		"AnotherTool": {reason: "Annotations of other tools change nothing.", change: func(l *listedEnv) {
			l.env.change(func(mg *sample) { meta.AddAnnotations(mg, map[string]string{"example.org/checked-at": "1"}) })
		}},
		"Requested": {reason: "A user who asks for a reconcile gets it.", change: func(l *listedEnv) {
			l.env.change(func(mg *sample) {
				meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconcileRequestedAt: "1"})
			})
		}, read: true},
		"PollInterval": {
			reason: "A resource that is to be polled more often than the list is read by itself.",
			change: func(l *listedEnv) {
				l.env.change(
					func(mg *sample) { meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyPollInterval: "1m"}) },
				)
			},
			read: true,
		},
		"Reference": {
			reason: "What it refers to has changed.",
			change: func(l *listedEnv) { l.reconciler.states.MarkChanged(cart, "Secret db") },
			read:   true,
		},
		"Config": {
			reason: "Its config has changed.",
			change: func(l *listedEnv) { l.reconciler.states.ResetBackoff(cart) },
			read:   true,
		},
		"Credentials": {
			reason: "A list goes on with other credentials of its config.",
			change: func(l *listedEnv) { l.reconciler.Resolver = fixed{session: &session.Session{}} },
		},
		"OtherConfig": {reason: "What another config has read does not count.", change: func(l *listedEnv) {
			l.reconciler.Resolver = fixed{session: &session.Session{Ref: session.Ref{UID: "other"}}}
		}, read: true},
		"Deleted": {
			reason: "A deletion is never held up.",
			change: func(l *listedEnv) { l.env.delete() },
			read:   true,
		},
		"RefusedUpdate": {
			reason: "A change that AWS has refused is retried.",
			change: func(l *listedEnv) { l.reconciler.states.CountRefusal(cart) },
			read:   true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := newListed(t, samples.New())
			l.converge()
			l.pass()
			tc.change(l)
			before := l.stored().ResourceVersion
			next := l.pass()
			if got := len(l.cloud.calls) > 0; got != tc.read {
				t.Errorf("%s\ncalls: %v, want any: %t", tc.reason, l.cloud.calls, tc.read)
			}
			if !tc.read && (next != 10*time.Minute || l.stored().ResourceVersion != before) {
				t.Errorf(
					"%s\npolled after %s and written: %t, want 10m0s and not",
					tc.reason,
					next,
					l.stored().ResourceVersion != before,
				)
			}
		})
	}
}

// TestFieldThatIsNotWatched checks that a field of another provider's object that the provider may only get is read at
// each poll, although the list shows that nothing has changed in AWS.
func TestFieldThatIsNotWatched(t *testing.T) {
	l := newListed(t, samples.New())
	role := &unstructured.Unstructured{}
	role.SetGroupVersionKind(schema.GroupVersionKind{Group: "iam.example.org", Version: "v1", Kind: "Role"})
	role.SetNamespace(cart.Namespace)
	role.SetName("r")
	role.Object["arn"] = "one"
	c := fake.NewClientBuilder().WithObjects(role).Build()
	mapper := kmeta.NewDefaultRESTMapper(nil)
	mapper.Add(role.GroupVersionKind(), kmeta.RESTScopeNamespace)
	r := refs.NewFieldReader(refs.FieldReaderOptions{Live: c, Mapper: mapper, Clock: clock.RealClock{}})
	kind := &l.reconciler.kind
	selector := v1beta1.FieldSelector{APIVersion: "iam.example.org/v1", Kind: "Role", Name: "r", FieldPath: "arn"}
	enqueued := 0
	r.Subscribe(kind.GVK.Kind, func(name types.NamespacedName, by string) {
		l.reconciler.states.MarkChanged(name, by)
		enqueued++
	})
	l.reconciler.Fields = r
	kind.Fields = func(reconcile.Managed) []v1beta1.FieldSelector { return []v1beta1.FieldSelector{selector} }
	kind.Observer = func(reconcile.Managed, *session.Session) reconcile.UntypedObserver {
		return reconcile.Untyped(reconcile.ObserverFunc[*sample](
			func(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
				if _, err := r.Get(ctx, cart.Namespace, selector); err != nil {
					return reconcile.Outcome{}, err
				}
				return l.cloud.Observe(ctx, f, mg)
			},
		))
	}
	l.converge()
	l.pass()
	if l.pass(); len(l.cloud.calls) > 0 || enqueued > 0 {
		t.Errorf("nothing has changed, got calls %v, enqueued %d times", l.cloud.calls, enqueued)
	}
	role.Object["arn"] = "two"
	if err := c.Update(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	if l.pass(); enqueued != 1 {
		t.Errorf("a changed field is to enqueue the resource, got %d times", enqueued)
	}
	if l.reconcile(); len(l.cloud.calls) == 0 {
		t.Error("a resource that refers to a changed field is read")
	}
}

// TestOpenCircuitByList has AWS not answer for a moment: what the list has shown before does not depend on that, so
// that a resource reports nothing. Its second item is looked up when the circuit breaker admits calls again.
func TestOpenCircuitByList(t *testing.T) {
	l := newListed(t, samples.New())
	l.converge()
	l.pass()
	b, looked := breaker.New(l.reconciler.Now, func() float64 { return 0 }), 0
	l.reconciler.Breakers = b
	before := l.stored().ResourceVersion
	for range 12 {
		l.clock = l.clock.Add(30 * time.Second)
		l.poller.Poll(t.Context())
	}
	for range 5 {
		b.Report(l.session.BreakerKey(), context.DeadlineExceeded)
	}
	l.unlisted = func() bool { looked++; return true }
	l.cloud.calls = nil
	wait := l.reconcile()
	if len(l.cloud.calls) > 0 || looked > 0 || wait > time.Minute || l.stored().ResourceVersion != before {
		t.Errorf("calls %v, %d lookups, reconciled again after %s, and written: %t, want nothing but to wait shortly",
			l.cloud.calls, looked, wait, l.stored().ResourceVersion != before)
	}
	b.Report(l.session.BreakerKey(), nil)
	if wait = l.reconcile(); len(l.cloud.calls) > 0 || looked != 1 || wait != 10*time.Minute {
		t.Errorf("with answers again, calls %v, %d lookups, reconciled again after %s, want one lookup and 10m0s",
			l.cloud.calls, looked, wait)
	}
}

// TestProbeByList checks that the resource that an open circuit breaker admits is read, although the list shows it
// unchanged: without a call, nobody would find out that AWS answers again.
func TestProbeByList(t *testing.T) {
	l := newListed(t, samples.New())
	l.converge()
	l.pass()
	b := breaker.New(l.reconciler.Now, func() float64 { return 0 })
	l.reconciler.Breakers = b
	for range 5 {
		b.Report(l.session.BreakerKey(), context.DeadlineExceeded)
	}
	for range 20 {
		l.clock = l.clock.Add(30 * time.Second)
		b.Probe(l.session.BreakerKey().Config)
		l.poller.Poll(t.Context())
	}
	l.cloud.calls = nil
	if l.reconcile(); len(l.cloud.calls) == 0 {
		t.Error("the probe has made no call")
	}
}

// TestDriftByList checks that the list enqueues a resource, and that what was changed in AWS is
// reported as drift.
func TestDriftByList(t *testing.T) {
	l := newListed(t, samples.New())
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
	defer q.ShutDown()
	if err := l.reconciler.queue.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	l.converge()
	l.pass()
	l.pass()
	if q.Len() != 0 {
		t.Error("enqueued although nothing has changed")
	}
	l.cloud.value = "by hand"
	for range 21 {
		l.clock = l.clock.Add(30 * time.Second)
		l.poller.Poll(t.Context())
	}
	if q.Len() != 1 {
		t.Fatalf("%d resources are enqueued, want 1", q.Len())
	}
	l.reconcile()
	if l.cloud.value != "a" || l.cloud.cause != "changed in AWS by hand" {
		t.Errorf("value %q, corrected because it %q; want a, changed in AWS by hand", l.cloud.value, l.cloud.cause)
	}
}

// TestRestartByList checks that a converged resource is not read after a start if the list shows the
// revision in its status.
func TestRestartByList(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(l *listedEnv)
		read   bool
	}{
		"Unchanged": {reason: "Status says what was found up to date.", change: func(*listedEnv) {}},
		"Changed": {
			reason: "Someone has changed it meanwhile.",
			change: func(l *listedEnv) { l.cloud.value = "by hand" },
			read:   true,
		},
		"Planned": {
			reason: "It was only planned, and the user has asked for more meanwhile.",
			change: func(l *listedEnv) {
				mg := l.stored()
				mg.SetConditions(
					reconcile.NewCondition(
						v1beta1.TypePlanned,
						corev1.ConditionTrue,
						v1beta1.ReasonChangesPlanned,
						mg.Generation,
						"adopt: TagResource cart",
					),
				)
				if err := l.server.Status().Update(l.t.Context(), mg); err != nil {
					l.t.Fatal(err)
				}
			},
			read: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			first := newListed(t, samples.New())
			first.converge()
			mg := first.stored()
			mg.ResourceVersion = ""
			l := newListed(t, mg)
			l.cloud.value, l.cloud.there = "a", true
			tc.change(l)
			l.reconcile()
			if len(l.cloud.calls) > 0 {
				t.Errorf("%s\ncalls at the first reconcile: %v, want none", tc.reason, l.cloud.calls)
			}
			read := len(l.cloud.calls) > 0
			for range 2 {
				l.pass()
				read = read || len(l.cloud.calls) > 0
			}
			if read != tc.read {
				t.Errorf("%s\nread: %t, want %t", tc.reason, read, tc.read)
			}
		})
	}
}

// TestRecreatedUnderItsName has a resource that is deleted without its finalizer, and made again, before a reconcile
// has seen that it was gone.
func TestRecreatedUnderItsName(t *testing.T) {
	l := newListed(t, samples.New())
	l.converge()
	var forgotten []types.UID
	l.reconciler.kind.Forget = func(uid types.UID) { forgotten = append(forgotten, uid) }
	earlier := l.stored()
	if got := l.poller.Check(earlier.GetUID(), l.session).State; got != listpoll.Pending {
		t.Fatalf("the resource is not watched: %v", got)
	}
	l.reconciler.states.MarkChanged(cart, "Secret db")
	l.cloud.fail = map[string]error{"Get": errors.New("broken")}
	l.reconcile()
	l.change(func(mg *sample) { mg.Finalizers = nil })
	if err := l.server.Delete(t.Context(), earlier); err != nil {
		t.Fatal(err)
	}
	again := samples.New()
	again.UID, again.Spec.Value = "u2", "b"
	if err := l.server.Create(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	l.reconcile()
	if got := l.events.count("CannotObserveExternalResource"); got != 2 {
		t.Errorf("an event of the earlier resource is none of this one: %v", l.events.all)
	}
	l.cloud.fail = nil
	l.reconcile()
	l.reconcile()
	if l.cloud.value != "b" || l.cloud.cause != "differed from spec" {
		t.Errorf("the first change of the resource has another cause: %q, AWS has %q", l.cloud.cause, l.cloud.value)
	}
	uids := []types.UID{earlier.GetUID()}
	if diff := cmp.Diff(uids, forgotten); diff != "" {
		t.Errorf("the kind forgets the earlier resource once: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{string(earlier.GetUID())}, l.limiter.gone); diff != "" {
		t.Errorf("the earlier resource holds a place in the limiter: -want, +got:\n%s", diff)
	}
	if got := l.poller.Check(earlier.GetUID(), l.session).State; got != listpoll.Unknown {
		t.Errorf("the earlier resource is still watched: %v", got)
	}
}
