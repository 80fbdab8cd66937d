package capacityprovider

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/condition"
)

// failed is what is told of a capacity provider that failed, of which AWS says no more.
const failed = "AWS reports the capacity provider as Failed, and tells no reason: check the operator role, subnets and security groups; delete and create it again where they can't be changed"

// ready is the Ready condition by what AWS says alone. active says that it was Active
// before.
func ready(generation int64, s types.CapacityProviderState, active bool) xpv2.Condition {
	switch s {
	case types.CapacityProviderStateActive:
		return condition.Available(generation)
	case types.CapacityProviderStatePending:
		if active {
			return condition.Updating(generation, "AWS says that it is pending")
		}
		return condition.Creating(generation, "AWS says that it is pending")
	case types.CapacityProviderStateDeleting:
		return condition.Deleting(generation, "AWS says that it is being deleted")
	case types.CapacityProviderStateFailed:
		return condition.Unavailable(generation, failed)
	}
	if s == "" {
		return condition.Unavailable(generation, "AWS does not tell its state")
	}
	return condition.Unavailable(generation, "AWS says that it is "+string(s))
}

// busy says that AWS takes no change just now.
func busy(s types.CapacityProviderState) bool {
	return s == types.CapacityProviderStatePending || s == types.CapacityProviderStateDeleting
}
