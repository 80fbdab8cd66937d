package objects

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
)

// index answers lists by the field index.
type index struct {
	client.Reader

	by  map[string][]string
	err error
}

func (i index) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if i.err != nil {
		return i.err
	}
	o := &client.ListOptions{}
	o.ApplyOptions(opts)
	l := list.(*metav1.PartialObjectMetadataList)
	for key, names := range i.by {
		if !o.FieldSelector.Matches(fields.Set{Index: key}) {
			continue
		}
		for _, n := range names {
			l.Items = append(l.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: n}})
		}
	}
	return nil
}

func changed(name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: version}}
}

func TestHandler(t *testing.T) {
	type want struct {
		enqueued  []string
		poked     []string
		forgotten []Ref
	}
	all := want{enqueued: []string{"cart", "pay"}, poked: []string{"cart by Secret db", "pay by Secret db"}, forgotten: []Ref{db}}
	cases := map[string]struct {
		reason string
		err    error
		handle func(context.Context, *Handler, queue)
		want   want
	}{
		"Created": {
			reason: "A Secret that resources waited for has come.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: changed("db", "1")}, q)
			},
			want: all,
		},
		"AtStart": {
			reason: "What is there when the watch starts is not new.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Create(ctx, event.CreateEvent{Object: changed("db", "1"), IsInInitialList: true}, q)
			},
		},
		"Changed": {
			reason: "A rotated Secret.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: changed("db", "1"), ObjectNew: changed("db", "2")}, q)
			},
			want: all,
		},
		"Resync": {
			reason: "A resync changes nothing.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: changed("db", "1"), ObjectNew: changed("db", "1")}, q)
			},
		},
		"Deleted": {
			reason: "Resources have to say that it is missing.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Delete(ctx, event.DeleteEvent{Object: changed("db", "1")}, q)
			},
			want: all,
		},
		"Unrelated": {
			reason: "A Secret that nobody refers to wakes nobody.",
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Update(ctx, event.UpdateEvent{ObjectOld: changed("tls", "1"), ObjectNew: changed("tls", "2")}, q)
			},
			want: want{forgotten: []Ref{{Kind: Secret, Namespace: "shop", Name: "tls"}}},
		},
		"CannotList": {
			reason: "An error wakes nobody and stops nothing.",
			err:    errors.New("boom"),
			handle: func(ctx context.Context, h *Handler, q queue) {
				h.Delete(ctx, event.DeleteEvent{Object: changed("db", "1")}, q)
			},
			want: want{forgotten: []Ref{db}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got want
			h := &Handler{
				Kind:      Secret,
				Resources: index{by: map[string][]string{db.String(): {"cart", "pay"}}, err: tc.err},
				NewList:   func() client.ObjectList { return &metav1.PartialObjectMetadataList{} },
				Changed:   func(k types.NamespacedName, by string) { got.poked = append(got.poked, k.Name+" by "+by) },
				Forget:    func(r Ref) { got.forgotten = append(got.forgotten, r) },
			}
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			tc.handle(t.Context(), h, q)
			for q.Len() > 0 {
				item, _ := q.Get()
				got.enqueued = append(got.enqueued, item.Name)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	got := Keys([]Ref{db, {Kind: ConfigMap, Namespace: "shop", Name: "db"}})
	if diff := cmp.Diff([]string{"Secret/shop/db", "ConfigMap/shop/db"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
