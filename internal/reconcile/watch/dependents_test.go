package watch

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// index lists by the field index.
type indexed struct {
	client.Reader

	by  map[string][]string
	err error
}

func (i indexed) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if i.err != nil {
		return i.err
	}
	o := &client.ListOptions{}
	o.ApplyOptions(opts)
	l := list.(*metav1.PartialObjectMetadataList)
	for key, names := range i.by {
		if !o.FieldSelector.Matches(fields.Set{objectIndex: key}) {
			continue
		}
		for _, n := range names {
			l.Items = append(l.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: "shop",
				Name:      n,
			}})
		}
	}
	return nil
}

func changed(name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name,
		ResourceVersion: version,
	}}
}

func TestObjectRequests(t *testing.T) {
	type want struct {
		enqueued  []string
		marked    []string
		forgotten []refs.ObjectRef
	}
	db := refs.SecretOf("shop", "db")
	all := want{
		enqueued: []string{"cart", "pay"}, marked: []string{"cart by Secret db", "pay by Secret db"},
		forgotten: []refs.ObjectRef{db},
	}
	cases := map[string]struct {
		reason string
		err    error
		event  any
		want   want
	}{
		"Created": {
			reason: "A Secret that resources waited for has come.",
			event:  event.CreateEvent{Object: changed("db", "1")},
			want:   all,
		},
		"AtStart": {
			reason: "What is there when the watch starts is not new.",
			event:  event.CreateEvent{Object: changed("db", "1"), IsInInitialList: true},
		},
		"Changed": {
			reason: "A rotated Secret.",
			event:  event.UpdateEvent{ObjectOld: changed("db", "1"), ObjectNew: changed("db", "2")},
			want:   all,
		},
		"Resync": {
			reason: "A resync changes nothing.",
			event:  event.UpdateEvent{ObjectOld: changed("db", "1"), ObjectNew: changed("db", "1")},
		},
		"Deleted": {
			reason: "Resources have to say that it is missing.",
			event:  event.DeleteEvent{Object: changed("db", "1")},
			want:   all,
		},
		"Unrelated": {
			reason: "A Secret without references requeues nothing.",
			event:  event.UpdateEvent{ObjectOld: changed("tls", "1"), ObjectNew: changed("tls", "2")},
			want:   want{forgotten: []refs.ObjectRef{{Kind: refs.Secret, Namespace: "shop", Name: "tls"}}},
		},
		"CannotList": {
			reason: "An error requeues nothing and stops nothing.",
			err:    errors.New("boom"),
			event:  event.DeleteEvent{Object: changed("db", "1")},
			want:   want{forgotten: []refs.ObjectRef{db}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got want
			r := Dependents{
				Resources: indexed{by: map[string][]string{db.String(): {"cart", "pay"}}, err: tc.err},
				NewList:   func() client.ObjectList { return &metav1.PartialObjectMetadataList{} },
				Index:     objectIndex,
				Changed: func(k types.NamespacedName, by string) {
					got.marked = append(got.marked,
						k.Name+" by "+by)
				},
			}
			forget := func(r refs.ObjectRef) { got.forgotten = append(got.forgotten, r) }
			got.enqueued = samples.Enqueued(t.Context(), objectChanged(),
				handler.EnqueueRequestsFromMapFunc(objectRequests(r, refs.Secret, forget)), tc.event)
			// Both the old and the new object of an update are mapped.
			slices.Sort(got.marked)
			got.marked, got.forgotten = slices.Compact(got.marked), slices.Compact(got.forgotten)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
