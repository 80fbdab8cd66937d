package awsdouble

import (
	"net/http"
	"slices"
	"strings"
)

// RemoveResources removes resources of other services that functions, mappings and permissions reference: security
// groups and subnets by ID, accounts by number, all others by ARN. All others exist.
func (s *Server) RemoveResources(ids ...string) {
	defer s.lock()()
	for _, id := range ids {
		s.removed[id] = true
	}
}

// checkRole rejects roles that Lambda cannot assume: those of other accounts, those that do not exist, and all until the
// time of RoleNotReadyUntil.
func (s *Server) checkRole(r *request, role *string) {
	switch {
	case role == nil:
		return
	case accountOfArn(*role) != r.account:
		panic(apiError(http.StatusForbidden, "AccessDeniedException", "Cross-account pass role is not allowed."))
	case s.removed[*role] || s.options.Now().Before(s.roleReady):
		panic(invalidParameter("The role defined for the function cannot be assumed by Lambda."))
	}
}

// checkNetwork rejects networks that do not exist in EC2.
func (s *Server) checkNetwork(subnets, groups []string) {
	absent := func(id string) bool { return s.removed[id] }
	if i := slices.IndexFunc(subnets, absent); i >= 0 {
		panic(invalidParameter("Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 "+
			"Error Message: The subnet ID '%s' does not exist", subnets[i]))
	}
	if i := slices.IndexFunc(groups, absent); i >= 0 {
		panic(invalidParameter("Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. "+
			"EC2 Error Message: The security group '%s' does not exist", groups[i]))
	}
}

// checkSource rejects an event source that does not exist.
func (s *Server) checkSource(arn string) {
	switch {
	case !s.removed[arn]:
		return
	case strings.Contains(arn, ":sqs:"):
		panic(invalidParameter("Error occurred while ReceiveMessage. SQS Error Code: " +
			"AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not exist."))
	}
	panic(invalidParameter("Stream not found: %s", arn))
}
