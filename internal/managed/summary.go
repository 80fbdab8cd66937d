package managed

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

// phases of resources that do not fail, by the reason of their Ready condition.
var phases = map[xpv2.ConditionReason]string{
	xpv2.ReasonCreating:      v1beta1.PhaseCreating,
	xpv2.ReasonAvailable:     v1beta1.PhaseAvailable,
	xpv2.ReasonUnavailable:   v1beta1.PhaseError,
	xpv2.ReasonDeleting:      v1beta1.PhaseDeleting,
	condition.ReasonUpdating: v1beta1.PhaseUpdating,
	xpv2.ConditionReason(""): v1beta1.PhasePending,
}

// summarize what the conditions of a resource come to.
func summarize(mg resource.Managed) v1beta1.Summary {
	ready, synced := mg.GetCondition(xpv2.TypeReady), mg.GetCondition(xpv2.TypeSynced)
	s := v1beta1.Summary{Phase: phases[ready.Reason]}
	if ready.Reason == xpv2.ReasonUnavailable {
		s.Message = ready.Message
	}
	if synced.Reason == xpv2.ReasonReconcileError {
		s.Phase, s.Message = v1beta1.PhaseError, synced.Message
		if waits(ready, synced) {
			s.Phase = v1beta1.PhasePending
		}
	}
	if meta.WasDeleted(mg) {
		s.Phase = v1beta1.PhaseDeleting
	}
	return s
}

// Await says of a resource which is not there yet that it waits for something, such as
// what it refers to. That is no failure: most likely both were applied together. The
// error says what it waits for; the reconcile has to end with it.
func Await(mg resource.Managed, err error) {
	ready := mg.GetCondition(xpv2.TypeReady)
	if ready.Status == corev1.ConditionUnknown || ready.Reason == xpv2.ReasonCreating {
		mg.SetConditions(condition.Creating(mg.GetGeneration(), err.Error()))
	}
}

// waits tells an error that Await was told of from others.
func waits(ready, synced xpv2.Condition) bool {
	return ready.Reason == xpv2.ReasonCreating && ready.Message != "" && strings.HasSuffix(synced.Message, ready.Message)
}
