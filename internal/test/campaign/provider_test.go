package campaign

import (
	"context"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

// A Provider is a process of the provider.
type Provider struct {
	// Network of the process.
	*Network

	cancel context.CancelFunc
	done   chan error
	ended  atomic.Bool
	filled chan struct{}
	once   sync.Once
	err    error
}

// Start starts a process of the provider with its own network.
func (s *Simulation) Start(n *Network, change ...func(*manager.Options)) *Provider {
	s.Helper()
	l := zap.New(zap.WriteTo(s.Logs), zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := manager.Options{
		Options: controller.Options{
			PollInterval:            10 * time.Minute, //nolint:mnd // The default of --poll.
			MaxConcurrentReconciles: 4,
			Features:                features,
		},
		Log:             l,
		MinPollInterval: time.Second,
		PollJitter:      0.1, //nolint:mnd // The default of --poll-jitter-percentage.
		ListPolls:       true,
		ClusterID:       "simulated",
	}
	o.ChangeLogOptions = &controller.ChangeLogOptions{ChangeLogger: changeLog{s.Changes}}
	o.Config.HTTPClient = s.httpClient(n)
	o.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans)).Tracer("campaign")
	for _, f := range change {
		f(&o)
	}
	ctx, cancel := context.WithCancel(s.Context())
	cfg := s.Cluster.Config()
	cfg.Transport = &transport{RoundTripper: s.Cluster, network: n}
	if n.Wrap != nil {
		cfg.Wrap(n.Wrap)
	}
	mgr, err := manager.New(ctx, cfg, o)
	if err != nil {
		cancel()
		s.Fatalf("cannot start the provider: %v", err)
	}
	p := &Provider{Network: n, cancel: cancel, done: make(chan error, 1), filled: make(chan struct{})}
	if err := mgr.Add(p); err != nil {
		cancel()
		s.Fatalf("cannot start the provider: %v", err)
	}
	if s.assembled != nil {
		s.assembled(mgr)
	}
	go func() {
		err := mgr.Start(ctx)
		p.ended.Store(true)
		p.done <- err
	}()
	s.Cleanup(func() { _ = p.Stop() })
	return p
}

// Start is called by the manager once its caches are filled.
func (p *Provider) Start(context.Context) error {
	close(p.filled)
	return nil
}

// NeedLeaderElection returns false: a standby fills its caches, too.
func (p *Provider) NeedLeaderElection() bool { return false }

// Ended reports whether the process has ended, such as a leader that could not renew its
// lease.
func (p *Provider) Ended() bool { return p.ended.Load() }

// Stop stops the process and returns the error that it ended with. It first waits until
// the caches are filled: controller-runtime never ends, and uses up a processor, if it is
// stopped before.
func (p *Provider) Stop() error {
	p.once.Do(func() {
		select {
		case <-p.filled:
			p.Silence() // apimachinery's watch.Filter never ends if it is stopped while it passes an event on.
			synctest.Wait()
			p.cancel()
			p.err = <-p.done
		case p.err = <-p.done:
			p.cancel()
		}
	})
	return p.err
}

// Kill kills the process: none of its further calls has any effect.
func (p *Provider) Kill() {
	p.Cut()
	_ = p.Stop()
}
