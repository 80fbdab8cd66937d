package provisionedconcurrencyconfig

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// retryAfter is the interval after a failure until the same request is repeated: its
// cause, such as an error in the function's initialisation, may have been fixed.
const retryAfter = 5 * time.Minute

// modifiedLayout is the layout of LastModified.
const modifiedLayout = "2006-01-02T15:04:05-0700"

// state returns the Ready condition from the status in AWS. was is the previous condition:
// what has never been ready is being created.
func state(p *answer, was xpv2.Condition, generation int64) xpv2.Condition {
	switch p.Status {
	case types.ProvisionedConcurrencyStatusEnumReady:
		return reconcile.Available(generation)
	case types.ProvisionedConcurrencyStatusEnumFailed:
		return reconcile.Unavailable(generation, reason(p))
	case types.ProvisionedConcurrencyStatusEnumInProgress:
	case "":
		return untold(p, generation)
	}
	if was.Status == corev1.ConditionUnknown || was.Reason == xpv2.ReasonCreating {
		return reconcile.Creating(generation, reason(p))
	}
	return reconcile.Updating(generation, reason(p))
}

// untold returns the Ready condition if AWS returns no status, from the numbers alone.
func untold(p *answer, generation int64) xpv2.Condition {
	if n := ptr.Deref(p.RequestedProvisionedConcurrentExecutions, 0); n > 0 &&
		ptr.Deref(p.AllocatedProvisionedConcurrentExecutions, 0) >= n {
		return reconcile.Available(generation)
	}
	return reconcile.Unavailable(generation, "AWS does not return a status")
}

// reason returns AWS's reason for the status.
func reason(p *answer) string {
	return strings.TrimSuffix(string(p.Status)+": "+ptr.Deref(p.StatusReason, ""), ": ")
}

// since returns the time since the last request, by AWS's record. An unreadable time counts as long ago.
func since(p *answer, now time.Time) time.Duration {
	t, err := time.Parse(modifiedLayout, ptr.Deref(p.LastModified, ""))
	if err != nil {
		return retryAfter
	}
	return max(now.Sub(t), 0)
}
