package watch

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestJoined handles each kind of event once by each handler whose predicate selects it.
func TestJoined(t *testing.T) {
	only := func(p predicate.Funcs) predicate.Funcs {
		no := predicate.NewPredicateFuncs(func(client.Object) bool { return false })
		if p.CreateFunc == nil {
			p.CreateFunc = no.CreateFunc
		}
		if p.UpdateFunc == nil {
			p.UpdateFunc = no.UpdateFunc
		}
		if p.DeleteFunc == nil {
			p.DeleteFunc = no.DeleteFunc
		}
		return p
	}
	enqueues := func(name string) handler.EventHandler {
		return handler.EnqueueRequestsFromMapFunc(
			func(context.Context, client.Object) []ctrl.Request { return []ctrl.Request{request(name)} },
		)
	}
	h := joined{
		{predicate.Funcs{}, enqueues("any")},
		{only(predicate.Funcs{CreateFunc: func(event.CreateEvent) bool { return true }}), enqueues("create")},
		{only(predicate.Funcs{UpdateFunc: func(event.UpdateEvent) bool { return true }}), enqueues("update")},
		{only(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return true }}), enqueues("delete")},
	}
	o := samples.New()
	cases := map[string]func(q Queue){
		"create": func(q Queue) { h.Create(t.Context(), event.CreateEvent{Object: o}, q) },
		"update": func(q Queue) { h.Update(t.Context(), event.UpdateEvent{ObjectOld: o, ObjectNew: o}, q) },
		"delete": func(q Queue) { h.Delete(t.Context(), event.DeleteEvent{Object: o}, q) },
	}
	for name, handle := range cases {
		t.Run(name, func(t *testing.T) {
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
			defer q.ShutDown()
			handle(q)
			var got []string
			for q.Len() > 0 {
				item, _ := q.Get()
				got = append(got, item.Name)
			}
			if diff := cmp.Diff([]string{"any", name}, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
