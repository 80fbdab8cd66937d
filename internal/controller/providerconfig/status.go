package providerconfig

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
)

// showBreakers sets the condition Reachable, and returns when to check again, 0 if that is not necessary.
func (r *Reconciler) showBreakers(c providerConfig) time.Duration {
	open := r.breakers.Open(c.GetUID())
	was := c.GetCondition(v1beta1.TypeReachable).Status
	if len(open) == 0 && was != corev1.ConditionFalse {
		return 0
	}
	is := xpv2.Condition{
		Type: v1beta1.TypeReachable, Status: corev1.ConditionTrue, Reason: v1beta1.ReasonAnswering,
		LastTransitionTime: metav1.NewTime(r.now()),
	}
	if len(open) > 0 {
		is.Status, is.Reason = corev1.ConditionFalse, v1beta1.ReasonCircuitBreakerOpen
		is.Message = unreachable(open)
	}
	c.SetConditions(is.WithObservedGeneration(c.GetGeneration()))
	if len(open) == 0 {
		return 0
	}
	return retryEvery
}

// unreachable returns the message of the condition, with a few regions.
func unreachable(regions []string) string {
	in := strings.Join(regions[:min(named, len(regions))], ", ")
	if len(regions) > named {
		in += " and others"
	}
	return fmt.Sprintf("AWS does not answer in %s, so calls are paused and retried at intervals: check the endpoint, "+
		"and the network", in)
}

// showUsage shows the usage of the account in the regions in which a config is used, and returns
// when to read it again. It reads nothing for a config that nothing uses.
func (r *Reconciler) showUsage(ctx context.Context, c providerConfig, u usages) time.Duration {
	status := c.GetConfigStatus()
	status.AccountUsage = nil
	if u.count == 0 {
		return 0
	}
	known, again := r.accounts.Usages(ctx, c.GetUID())
	for _, k := range known {
		status.AccountUsage = append(status.AccountUsage, accountUsage(k))
	}
	return again
}

// accountUsage returns a usage in the form of status.
func accountUsage(u account.Usage) v1beta1.AccountUsage {
	if u.Unknown != nil {
		return v1beta1.AccountUsage{Region: u.Region, Unknown: u.Unknown.Error()}
	}
	f := u.Figures
	return v1beta1.AccountUsage{
		Region:                         u.Region,
		ConcurrentExecutions:           ptr.To(f.ConcurrentExecutions),
		ReservedConcurrentExecutions:   ptr.To(f.ConcurrentExecutions - f.UnreservedConcurrentExecutions),
		UnreservedConcurrentExecutions: ptr.To(f.UnreservedConcurrentExecutions),
		CodeStorageLimit:               ptr.To(f.CodeStorageLimit),
		CodeStorageUsed:                ptr.To(f.CodeStorageUsed),
		CodeStorageLeft:                ptr.To(f.CodeStorageLimit - f.CodeStorageUsed),
		FunctionCount:                  ptr.To(f.Functions),
	}
}
