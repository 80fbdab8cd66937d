package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
)

var (
	limiterConfigs = []session.Ref{
		{Kind: v1beta1.ProviderConfigKind, Namespace: "shop", Name: "default", UID: "c1"},
		{Kind: v1beta1.ClusterProviderConfigKind, Name: "default", UID: "c2"},
	}
	limiterStart = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
)

// TestLedger checks that shards and restarted processes together keep to the limit of each config, with concurrent
// reconciles and outdated caches, and that a deletion that is sent again counts once.
func TestLedger(t *testing.T) {
	const limit, all = 20, 120
	server := configs(t)
	l := protection.Limit{Max: limit, Window: time.Hour}
	unchanged := configs(t)
	outdated := interceptor.NewClient(
		server,
		interceptor.Funcs{
			Get: func(
				ctx context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object,
				opts ...client.GetOption,
			) error {
				return unchanged.Get(ctx, key, o, opts...)
			},
		},
	)
	shards := []*DeletionLimiter{NewDeletionLimiter(server, server, l), NewDeletionLimiter(outdated, server, l)}
	for _, config := range limiterConfigs {
		t.Run(config.Kind, func(t *testing.T) {
			var admitted atomic.Int32
			round := func(at time.Time) {
				t.Helper()
				var g sync.WaitGroup
				for n := range all {
					g.Go(func() {
						for { // A conflict is retried by the next reconcile.
							ok, err := shards[n%2].Admit(t.Context(), config, "shop", types.UID(fmt.Sprint("u", n)), at)
							if err != nil {
								continue
							}
							if ok {
								admitted.Add(1)
							}
							return
						}
					})
				}
				g.Wait()
			}
			round(limiterStart)
			if n := admitted.Load(); n != limit {
				t.Errorf("%d deletions were admitted, want %d", n, limit)
			}
			shards[0] = NewDeletionLimiter(server, server, l) // It restarts.
			round(limiterStart.Add(59 * time.Minute))
			if n := admitted.Load(); n != 2*limit {
				t.Errorf("the same %d deletions may be sent again, and no others: %d", limit, n-limit)
			}
			if ok, err := shards[0].Admit(
				t.Context(),
				config,
				"blog",
				"theirs",
				limiterStart.Add(59*time.Minute),
			); !ok ||
				err != nil {
				t.Errorf("another namespace of the config has a limit of its own: %t, %v", ok, err)
			}
			ok, err := shards[0].Admit(t.Context(), config, "shop", "later", limiterStart.Add(time.Hour))
			if !ok || err != nil {
				t.Errorf("after the window: %t, %v", ok, err)
			}
		})
	}
}

// TestLedgerFailures checks that no deletion is admitted that could not be recorded.
func TestLedgerFailures(t *testing.T) {
	server := configs(t)
	fails, writes := true, 0
	kube := interceptor.NewClient(
		server,
		interceptor.Funcs{
			Patch: func(
				ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
			) error {
				if fails {
					return errors.New("no answer")
				}
				writes++
				return c.Patch(ctx, o, p, opts...)
			},
		},
	)
	l := NewDeletionLimiter(kube, server, protection.Limit{Max: 1, Window: time.Hour})
	if ok, err := l.Admit(t.Context(), limiterConfigs[0], "shop", "a", limiterStart); ok || err == nil {
		t.Errorf("admitted without a record: %v", err)
	}
	fails = false
	if ok, err := l.Admit(t.Context(), limiterConfigs[0], "shop", "a", limiterStart); !ok || err != nil {
		t.Errorf("within the limit: %t, %v", ok, err)
	}
	for range 100 {
		if ok, err := l.Admit(t.Context(), limiterConfigs[0], "shop", "b", limiterStart); ok || err != nil {
			t.Errorf("beyond the limit: %t, %v", ok, err)
		}
	}
	if writes != 1 {
		t.Errorf("%d writes, want one for each deletion that is admitted", writes)
	}
}
