package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/protection"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// loopback is the host of the demo's registry.
const loopback = "127.0.0.1"

// startProvider runs the provider in this process, assembled as in the binary.
func (e *env) startProvider(ctx context.Context) error {
	sectionf("Starting the provider")
	l := logr.Discard()
	if e.flags.Debug {
		l = zap.New(zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
	}
	log.SetLogger(l)
	limit, err := protection.ParseLimit(e.flags.DeletionLimit)
	if err != nil {
		return fmt.Errorf("DELETION_LIMIT is %q: %w", e.flags.DeletionLimit, err)
	}
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	if e.metrics, err = process.FreeAddress(); err != nil {
		return err
	}
	mgr, err := manager.New(ctx, e.cluster.Config, manager.Options{
		Options: controller.Options{
			PollInterval: pollInterval, MaxConcurrentReconciles: 10,
			Features: features,
		},
		Log:             l,
		MetricsAddress:  e.metrics,
		MinPollInterval: time.Second,
		ListPolls:       true,
		PollJitter:      0.1,
		SourceHosts:     []string{loopback},
		SourceLoopback:  true,
		DeletionPolicy:  protection.Policy{Limit: limit, InvokedWithin: e.flags.DeletionProtectionInvokedWithin},
	})
	if err != nil {
		return err
	}
	e.background(ctx, func(ctx context.Context) {
		if err := mgr.Start(ctx); err != nil {
			e.failed <- err
		}
	})
	fmt.Printf("    its metrics are at http://%s/metrics\n", e.metrics)
	return nil
}
