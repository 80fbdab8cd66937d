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

// startProvider runs the provider in this process, assembled as in the binary.
func (e *env) startProvider(ctx context.Context) error {
	sectionf("Starting the provider")
	l := logr.Discard()
	if e.flags.Debug {
		l = zap.New(zap.UseDevMode(true), zap.Level(zapcore.DebugLevel))
	}
	log.SetLogger(l)
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	mgr, err := manager.New(ctx, e.cluster.Config, manager.Options{
		Options: controller.Options{
			PollInterval: pollInterval, MaxConcurrentReconciles: 10,
			Features: features,
		},
		Log:             l,
		MinPollInterval: time.Second,
		ListPolls:       true,
		PollJitter:      0.1,
	})
	if err != nil {
		return err
	}
	ctx, e.cancel = context.WithCancel(ctx)
	e.done = make(chan struct{})
	go func() {
		defer close(e.done)
		if err := mgr.Start(ctx); err != nil {
			e.failed <- err
		}
	}()
	return nil
}
