package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"
	"github.com/crossplane/crossplane-runtime/v2/pkg/test"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// runtimeCalls records in which order the runtime's reconciler calls what it is given.
type runtimeCalls struct {
	names []string
}

func (c *runtimeCalls) add(name string) { c.names = append(c.names, name) }

// Event records the event.
func (c *runtimeCalls) Event(_ runtime.Object, e event.Event) { c.add("event " + string(e.Reason)) }

// WithAnnotations returns the recorder itself.
func (c *runtimeCalls) WithAnnotations(...string) event.Recorder { return c }

// reconciler returns the runtime's own reconciler of one resource, with none of this
// package's decorators.
func (c *runtimeCalls) reconciler(
	t *testing.T,
	mg *sample,
	e managed.TypedExternalClientFns[*sample],
) ctrlreconcile.Reconciler {
	t.Helper()
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	kube := &test.MockClient{
		MockGet: func(_ context.Context, _ client.ObjectKey, obj client.Object) error {
			*obj.(*sample) = *mg.DeepCopyObject().(*sample) //nolint:forcetypeassert // It is one.
			return nil
		},
		MockUpdate: func(_ context.Context, obj client.Object, _ ...client.UpdateOption) error {
			if meta.GetExternalCreatePending(obj).IsZero() {
				t.Error("the runtime updates an object that has no annotation external-create-pending")
			}
			c.add("update")
			return nil
		},
		MockStatusUpdate: func(context.Context, client.Object, ...client.SubResourceUpdateOption) error {
			c.add("update status")
			return nil
		},
	}
	return managed.NewReconciler(
		&fake.Manager{Client: kube, Scheme: s},
		resource.ManagedKind(samples.GVK),
		managed.WithManagementPolicies(),
		managed.WithInitializers(),
		managed.WithPollInterval(time.Minute),
		managed.WithDeterministicExternalName(true),
		managed.WithCreationGracePeriod(0),
		managed.WithRecorder(c),
		managed.WithFinalizer(resource.FinalizerFns{
			AddFinalizerFn:    func(context.Context, resource.Object) error { c.add("add finalizer"); return nil },
			RemoveFinalizerFn: func(context.Context, resource.Object) error { c.add("remove finalizer"); return nil },
		}),
		managed.WithCriticalAnnotationUpdater(
			managed.CriticalAnnotationUpdateFn(func(context.Context, client.Object) error {
				c.add("update annotations")
				return nil
			}),
		),
		managed.WithReferenceResolver(managed.ReferenceResolverFn(func(context.Context, resource.Managed) error {
			c.add("resolve references")
			return nil
		})),
		managed.WithTypedExternalConnector(
			managed.TypedExternalConnectorFn[*sample](
				func(context.Context, *sample) (managed.TypedExternalClient[*sample], error) {
					c.add("connect")
					e.DisconnectFn = func(context.Context) error { return nil }
					return e, nil
				},
			),
		),
	)
}

// TestRuntimeContract pins what this package relies on in crossplane-runtime beyond its
// documented interfaces. docs/design/crossplane-runtime.md says what breaks if one of
// these cases changes.
func TestRuntimeContract(t *testing.T) {
	var calls *runtimeCalls
	conflict := kerrors.NewConflict(schema.GroupResource{}, "", nil)
	observe := func(
		o managed.ExternalObservation, err error,
	) func(context.Context, *sample) (managed.ExternalObservation, error) {
		return func(context.Context, *sample) (managed.ExternalObservation, error) {
			calls.add("observe")
			return o, err
		}
	}
	create := func(err error) func(context.Context, *sample) (managed.ExternalCreation, error) {
		return func(context.Context, *sample) (managed.ExternalCreation, error) {
			calls.add("create")
			return managed.ExternalCreation{}, err
		}
	}
	update := func(err error) func(context.Context, *sample) (managed.ExternalUpdate, error) {
		return func(context.Context, *sample) (managed.ExternalUpdate, error) {
			calls.add("call update")
			return managed.ExternalUpdate{}, err
		}
	}
	remove := func(err error) func(context.Context, *sample) (managed.ExternalDelete, error) {
		return func(context.Context, *sample) (managed.ExternalDelete, error) {
			calls.add("delete")
			return managed.ExternalDelete{}, err
		}
	}
	deleted := func(mg *sample) {
		mg.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
		mg.SetFinalizers([]string{managed.FinalizerName})
	}
	type fns = managed.TypedExternalClientFns[*sample]
	absent, present := managed.ExternalObservation{}, managed.ExternalObservation{ResourceExists: true}
	connected := []string{"resolve references", "connect", "observe"}
	ready := slices.Concat(connected, []string{"add finalizer"})
	requeue := ctrl.Result{Requeue: true}
	poll := ctrl.Result{RequeueAfter: time.Minute}

	cases := map[string]struct {
		reason string
		edit   func(*sample)
		client fns
		calls  []string
		result ctrl.Result
	}{
		"ConflictInObserve": {
			reason: "An aborted reconcile returns a conflict: it writes no status and emits no event.",
			client: fns{ObserveFn: observe(absent, conflict)},
			calls:  connected, result: requeue,
		},
		"ErrorInObserve": {
			reason: "Any other error is reported, and only Requeue tells of it.",
			client: fns{ObserveFn: observe(absent, errors.New("boom"))},
			calls:  append(connected[:3:3], "event CannotObserveExternalResource", "update status"), result: requeue,
		},
		"Create": {
			reason: "Update is called for the pending annotation alone, after the finalizer and before Create.",
			client: fns{ObserveFn: observe(absent, nil), CreateFn: create(nil)},
			calls: append(
				ready[:4:4],
				"update",
				"create",
				"update annotations",
				"event CreatedExternalResource",
				"update status",
			),
			result: requeue,
		},
		"ConflictInCreate": {
			reason: "A create that is aborted is annotated as failed. Status is updated, which the decorated client drops.",
			client: fns{ObserveFn: observe(absent, nil), CreateFn: create(conflict)},
			calls:  append(ready[:4:4], "update", "create", "update annotations", "update status"),
			result: requeue,
		},
		"ConflictInUpdate": {
			reason: "An update that is aborted emits an event and updates status, which the decorated recorder and client drop.",
			client: fns{ObserveFn: observe(present, nil), UpdateFn: update(conflict)},
			calls: append(
				ready[:4:4],
				"call update",
				"event CannotUpdateExternalResource",
				"update status",
			),
			result: requeue,
		},
		"Update": {
			reason: "A successful update is polled, so the reconciler asks for an earlier look itself.",
			client: fns{ObserveFn: observe(present, nil), UpdateFn: update(nil)},
			calls:  append(ready[:4:4], "call update", "event UpdatedExternalResource", "update status"), result: poll,
		},
		"UpToDate": {
			reason: "Nothing but status is written.",
			client: fns{
				ObserveFn: observe(managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil),
			},
			calls:  append(ready[:4:4], "update status"),
			result: poll,
		},
		"AbsentAndUpToDate": {
			reason: "An absent resource that may not be created is reported as up to date, and then left alone.",
			edit: func(mg *sample) {
				mg.SetManagementPolicies(
					xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate},
				)
			},
			client: fns{ObserveFn: observe(managed.ExternalObservation{ResourceUpToDate: true}, nil)},
			calls:  append(ready[:4:4], "update status"), result: poll,
		},
		"CreateIncomplete": {
			reason: "A create whose answer was lost is observed again, because names are said to be deterministic.",
			edit:   func(mg *sample) { meta.SetExternalCreatePending(mg, time.Unix(1, 0)) },
			client: fns{
				ObserveFn: observe(managed.ExternalObservation{ResourceExists: true, ResourceUpToDate: true}, nil),
			},
			calls:  append(ready[:4:4], "update status"),
			result: poll,
		},
		"Delete": {
			reason: "References are not resolved, and the finalizer stays until the resource is observed to be absent.",
			edit:   deleted,
			client: fns{ObserveFn: observe(present, nil), DeleteFn: remove(nil)},
			calls: []string{
				"connect",
				"observe",
				"delete",
				"event DeletedExternalResource",
				"update status",
			},
			result: requeue,
		},
		"Deleted": {
			reason: "An absent resource is released. The zero Result says that nothing is left to do.",
			edit:   deleted,
			client: fns{ObserveFn: observe(absent, nil)},
			calls:  []string{"connect", "observe", "remove finalizer"},
		},
		"Paused": {
			reason: "A paused resource is not connected. The zero Result says that nothing is left to do.",
			edit: func(mg *sample) {
				meta.AddAnnotations(mg, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
			},
			calls: []string{"event ReconciliationPaused", "update status"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls = &runtimeCalls{}
			mg := samples.New()
			mg.SetAnnotations(nil)
			mg.SetManagementPolicies(xpv2.ManagementPolicies{xpv2.ManagementActionAll})
			if tc.edit != nil {
				tc.edit(mg)
			}
			result, err := calls.reconciler(t, mg, tc.client).Reconcile(t.Context(), ctrl.Request{NamespacedName: cart})
			if err != nil {
				t.Errorf("%s\nReconcile: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.calls, calls.names); diff != "" {
				t.Errorf("%s\ncalls: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.result, result); diff != "" {
				t.Errorf("%s\nresult: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
