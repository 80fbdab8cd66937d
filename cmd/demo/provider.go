package main

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

// startProvider runs the provider in this process, put together as the binary is.
func (w *world) startProvider(ctx context.Context) error {
	sectionf("Starting the provider")
	l := logr.Discard()
	if w.flags.Debug {
		l = zap.New(zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
	}
	log.SetLogger(l)
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	mgr, err := manager.New(ctx, w.cluster.Config, manager.Options{
		Options:         controller.Options{PollInterval: pollInterval, MaxConcurrentReconciles: 10, Features: features},
		Log:             l,
		MinPollInterval: time.Second,
		PollJitter:      0.1,
	})
	if err != nil {
		return err
	}
	ctx, w.cancel = context.WithCancel(ctx)
	w.done = make(chan struct{})
	go func() {
		defer close(w.done)
		if err := mgr.Start(ctx); err != nil {
			w.failed <- err
		}
	}()
	return nil
}
