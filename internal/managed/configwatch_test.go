package managed

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// indexed answers lists by the index of configurations.
type indexed struct {
	client.Reader

	by  map[string][]string
	err error
}

func (i indexed) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	o := &client.ListOptions{}
	o.ApplyOptions(opts)
	l := list.(*metav1.PartialObjectMetadataList)
	for key, names := range i.by {
		if o.FieldSelector.Matches(fields.Set{configIndex: key}) {
			for _, n := range names {
				l.Items = append(l.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: n}})
			}
		}
	}
	return i.err
}

func TestConfigHandler(t *testing.T) {
	namespaced := &v1beta1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default"}}
	clusterWide := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	by := map[string][]string{"ProviderConfig/shop/default": {"cart"}, "ClusterProviderConfig//default": {"pay"}}
	cases := map[string]struct {
		reason string
		kind   string
		err    error
		handle func(context.Context, *configHandler, queue)
		want   []string
	}{
		"Created": {
			reason: "A config that was applied after the resource.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: namespaced}, q)
			},
			want: []string{"cart"},
		},
		"Changed": {
			reason: "A config of the whole cluster has no namespace.",
			kind:   v1beta1.ClusterProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: clusterWide, ObjectNew: clusterWide}, q)
			},
			want: []string{"pay"},
		},
		"AtStart": {
			reason: "What is there when the watch starts is not new.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: namespaced, IsInInitialList: true}, q)
			},
		},
		"Deleted": {
			reason: "Nobody uses a config that could go.",
			kind:   v1beta1.ProviderConfigKind,
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Delete(ctx, event.DeleteEvent{Object: namespaced}, q)
			},
		},
		"CannotList": {
			reason: "An error wakes nobody and stops nothing.",
			kind:   v1beta1.ProviderConfigKind,
			err:    errors.New("boom"),
			handle: func(ctx context.Context, h *configHandler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: namespaced}, q)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got, renewed []string
			h := &configHandler{
				kind:      tc.kind,
				resources: indexed{by: by, err: tc.err},
				newList:   func() client.ObjectList { return &metav1.PartialObjectMetadataList{} },
				renew:     func(k types.NamespacedName) { renewed = append(renewed, k.Name) },
			}
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			tc.handle(t.Context(), h, q)
			for q.Len() > 0 {
				item, _ := q.Get()
				got = append(got, item.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: enqueued: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, renewed); diff != "" {
				t.Errorf("%s: renewed: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
