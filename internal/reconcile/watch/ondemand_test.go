package watch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// unsynced are informers that are never synced.
type unsynced struct{ cache.Informers }

// GetInformer waits until the context is done.
func (unsynced) GetInformer(
	ctx context.Context,
	_ client.Object,
	_ ...cache.InformerGetOption,
) (cache.Informer, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestOnDemand checks when a controller starts, and that it ends with its context.
func TestOnDemand(t *testing.T) {
	s := runtime.NewScheme()
	if err := v1beta1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	cases := map[string]struct {
		reason  string
		from    func(*informertest.FakeInformers) cache.Informers
		after   time.Duration
		fails   error
		started bool
		err     string
	}{
		"Unused":  {reason: "There is no resource."},
		"Used":    {reason: "There is a resource after an hour.", after: time.Hour, started: true},
		"Failing": {reason: "The controller fails.", after: time.Second, fails: broken, started: true, err: "broken"},
		"Unlisted": {
			reason: "The API server does not answer.",
			from:   func(*informertest.FakeInformers) cache.Informers { return unsynced{} },
			err:    "cannot list",
		},
		"Refused": {
			reason: "The API server does not know the kind.",
			from:   func(f *informertest.FakeInformers) cache.Informers { f.Error = broken; return f },
			err:    "broken",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &informertest.FakeInformers{Scheme: s}
				informer, err := f.FakeInformerFor(t.Context(), &v1beta1.Function{})
				if err != nil {
					t.Fatal(err)
				}
				d := &onDemand{cache: f, resource: &v1beta1.Function{}, timeout: syncTimeout}
				if tc.from != nil {
					d.cache = tc.from(f)
				}
				begun, started := time.Now(), time.Duration(-1)
				d.Runnable = ctrlmanager.RunnableFunc(func(ctx context.Context) error {
					started = time.Since(begun)
					if tc.fails == nil {
						<-ctx.Done()
					}
					return tc.fails
				})
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- d.Start(ctx) }()
				if tc.after > 0 {
					time.Sleep(tc.after)
					synctest.Wait()
					if started >= 0 {
						t.Errorf("%s\nit started without a resource", tc.reason)
					}
					informer.Add(&v1beta1.Function{})
					informer.Add(&v1beta1.Function{})
				}
				time.Sleep(time.Hour)
				cancel()
				err = <-done
				if (started >= 0) != tc.started || tc.started && started != tc.after {
					t.Errorf("%s\nit started after %s", tc.reason, started)
				}
				if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\ngot error %v, want %q", tc.reason, err, tc.err)
				}
			})
		})
	}
}
