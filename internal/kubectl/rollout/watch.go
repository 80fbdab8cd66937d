package rollout

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// An update is a state of an alias, or news about the connection to the API server.
type update struct {
	// alias is nil if only the connection has changed.
	alias *v1beta1.Alias

	// lost is the error of the connection to the API server. It is empty while that works.
	lost string

	// err ends the watch.
	err error
}

// A watcher watches one alias. It reconnects for as long as its context lasts, less and less often up to every half
// minute, and reads the alias again when the API server has forgotten what it has sent.
type watcher struct {
	client dynamic.ResourceInterface
	name   string
	uid    types.UID

	updates chan update
}

// follow begins to watch an alias, and returns the channel of its updates, which ends with the context.
func follow(ctx context.Context, client dynamic.ResourceInterface, a *v1beta1.Alias) (<-chan update, error) {
	w := &watcher{client: client, name: a.Name, uid: a.UID, updates: make(chan update)}
	informer := cache.NewSharedIndexInformer(w.source(), &unstructured.Unstructured{}, 0, nil)
	failed := func(ctx context.Context, _ *cache.Reflector, err error) { w.connected(ctx, err) }
	if err := informer.SetWatchErrorHandlerWithContext(failed); err != nil {
		return nil, err
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { w.seen(ctx, obj) },
		UpdateFunc: func(_, obj any) { w.seen(ctx, obj) },
		DeleteFunc: func(any) { w.send(ctx, update{err: w.deleted()}) },
	}); err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	running.Go(func() {
		if cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) && len(informer.GetStore().ListKeys()) == 0 {
			w.send(ctx, update{err: w.deleted()})
		}
	})
	go func() {
		defer close(w.updates)
		running.Wait()
	}()
	return w.updates, nil
}

// source returns the list and the watch of the one alias.
func (w *watcher) source() *cache.ListWatch {
	only := fields.OneTermEqualSelector("metadata.name", w.name).String()
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = only
			o.ResourceVersion = "" // The latest state: an older one may not have the alias yet.
			list, err := w.client.List(ctx, o)
			w.connected(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			stream, err := w.client.Watch(ctx, o)
			w.connected(ctx, err)
			return stream, err
		},
	}
}

// seen sends a state of the alias.
func (w *watcher) seen(ctx context.Context, obj any) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if u.GetUID() != w.uid { // It was deleted and created again.
		w.send(ctx, update{err: w.deleted()})
		return
	}
	a, err := decode(u)
	w.send(ctx, update{alias: a, err: err})
}

// connected sends whether the API server can be reached, and if not, why. The informer does not report all errors, so
// the requests do. An error that trying again does not mend ends the watch.
func (w *watcher) connected(ctx context.Context, err error) {
	var request *url.Error
	switch {
	case err == nil:
		w.send(ctx, update{})
	case kerrors.IsForbidden(err), kerrors.IsUnauthorized(err), kerrors.IsNotFound(err):
		w.send(ctx, update{err: err})
	case kerrors.IsResourceExpired(err), kerrors.IsGone(err), errors.Is(err, context.Canceled):
	case kerrors.IsInvalid(err): // An API server that can't begin a watch with what there is: the informer lists it.
	case errors.As(err, &request):
		w.send(ctx, update{lost: kubectl.OneLine(request.Err.Error())})
	default:
		w.send(ctx, update{lost: kubectl.OneLine(err.Error())})
	}
}

func (w *watcher) deleted() error {
	return fmt.Errorf("%s was deleted", kubectl.Aliases.Full(w.name))
}

// send sends an update, unless nobody receives it any more.
func (w *watcher) send(ctx context.Context, u update) {
	select {
	case w.updates <- u:
	case <-ctx.Done():
	}
}
