package providerconfig

import (
	"context"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
)

// showUsage of the account in the regions that a config is used in, and return when it
// is next due. Of a config that nothing uses, nothing is read.
func (r *Reconciler) showUsage(ctx context.Context, c providerConfig, u usages) time.Duration {
	status := c.GetConfigStatus()
	status.AccountUsage = nil
	if r.accounts == nil || u.count == 0 {
		return 0
	}
	known, again := r.accounts.Look(ctx, c.GetUID())
	for _, k := range known {
		status.AccountUsage = append(status.AccountUsage, accountUsage(k))
	}
	return again
}

func (r *Reconciler) forgetUsage(c providerConfig) {
	if r.accounts != nil {
		r.accounts.Forget(c.GetUID())
	}
}

// accountUsage as status has it.
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
