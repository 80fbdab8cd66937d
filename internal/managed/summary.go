package managed

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

// ReportWaiting says of a resource which is not there yet that it waits for something, such as
// what it refers to. That is no failure: most likely both were applied together. The
// error says what it waits for; the reconcile has to end with it.
func ReportWaiting(ctx context.Context, mg resource.Managed, err error) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	a.waitsForReference = true
	a.mu.Unlock()
	ready := mg.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionUnknown || ready.Reason == xpv2.ReasonCreating {
		mg.SetConditions(condition.Creating(mg.GetGeneration(), err.Error()))
	}
}

// ReportDifferences tells in which fields AWS differs from spec, and by which message Ready says so
// where nothing may change them. The message is empty where something may.
func ReportDifferences(ctx context.Context, message string, ds []v1beta1.Difference) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.differsMessage, a.differences, a.hasDifferences = message, ds, true
}

// Differences are what Differ was told, if it was.
func (a *Attempt) Differences() (message string, ds []v1beta1.Difference, told bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.differsMessage, a.differences, a.hasDifferences
}
