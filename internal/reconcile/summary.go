package reconcile

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// ReportWaiting reports that a resource which does not exist in AWS yet waits for something,
// such as a resource that it refers to. It is not treated as a failure, because both were
// probably applied together. err is what the resource waits for; the reconcile has to return
// it.
func ReportWaiting(ctx context.Context, mg resource.Managed, err error) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	a.waitsForReference = true
	a.mu.Unlock()
	ready := mg.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionUnknown || ready.Reason == xpv2.ReasonCreating {
		mg.SetConditions(Creating(mg.GetGeneration(), err.Error()))
	}
}

// ReportDifferences reports the fields in which AWS differs from spec. message is the message
// of Ready if the resource may not correct them, and empty if it may.
func ReportDifferences(ctx context.Context, message string, ds []v1beta1.Difference) {
	a := attemptFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.differsMessage, a.differences, a.hasDifferences = message, ds, true
}

// Differences returns what was reported with ReportDifferences, and whether anything was.
func (a *Attempt) Differences() (message string, ds []v1beta1.Difference, reported bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.differsMessage, a.differences, a.hasDifferences
}
