package capacityprovider

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// failed is the message of Ready for a capacity provider that failed without a reason from AWS.
const failed = "AWS reports the capacity provider as Failed without a reason: check the operator role, subnets and " +
	"security groups; if they cannot be changed, delete and recreate the resource"

// ready returns the Ready condition from the state in AWS alone. active says that it was Active before.
func ready(generation int64, s types.CapacityProviderState, active bool) xpv2.Condition {
	switch s {
	case types.CapacityProviderStateActive:
		return reconcile.Available(generation)
	case types.CapacityProviderStatePending:
		if active {
			return reconcile.Updating(generation, "the capacity provider is pending")
		}
		return reconcile.Creating(generation, "the capacity provider is pending")
	case types.CapacityProviderStateDeleting:
		return reconcile.Unavailable(generation, "AWS is deleting the capacity provider")
	case types.CapacityProviderStateFailed:
		return reconcile.Unavailable(generation, failed)
	}
	if s == "" {
		return reconcile.Unavailable(generation, "AWS does not return a state")
	}
	return reconcile.Unavailable(generation, "AWS reports the state "+string(s))
}

// busy reports whether AWS accepts no changes in this state.
func busy(s types.CapacityProviderState) bool {
	return s == types.CapacityProviderStatePending || s == types.CapacityProviderStateDeleting
}
