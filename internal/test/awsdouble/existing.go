package awsdouble

import (
	"net/http"
	"slices"
	"strings"
)

// resources are the known resources of other services. If AddResources named none of a kind, all of that kind exist
// but those that RemoveResources named.
type resources struct {
	// exists is by identifier; kinds are those of which some were added.
	exists, kinds map[string]bool
}

func newResources() resources {
	return resources{exists: map[string]bool{}, kinds: map[string]bool{}}
}

// AddResources adds resources of other services that functions, mappings and permissions reference: security groups and
// subnets by ID, accounts by number, all others by ARN. Once one of a kind was added, only those that were added exist.
// Kinds are security groups, subnets, accounts, IAM's roles and its users, and what a service has, such as queues.
func (s *Server) AddResources(ids ...string) {
	defer s.lock()()
	for _, id := range ids {
		s.resources.exists[id], s.resources.kinds[kindOfResource(id)] = true, true
	}
}

// RemoveResources removes resources of other services, by the identifiers of AddResources.
func (s *Server) RemoveResources(ids ...string) {
	defer s.lock()()
	for _, id := range ids {
		s.resources.exists[id] = false
	}
}

// kindOfResource returns the kind of the resource that an identifier names.
func kindOfResource(id string) string {
	parts := strings.SplitN(id, ":", 6)
	switch {
	case accountID.MatchString(id):
		return "account"
	case len(parts) < 6:
		prefix, _, _ := strings.Cut(id, "-")
		return prefix
	case parts[2] == "iam":
		entity, _, _ := strings.Cut(parts[5], "/")
		return "iam:" + entity
	}
	return parts[2]
}

// have reports whether a resource exists.
func (r *resources) have(id string) bool {
	exists, told := r.exists[id]
	return exists || !told && !r.kinds[kindOfResource(id)]
}

// checkRole rejects roles that Lambda cannot assume: those that do not exist, and all until the time of
// RoleNotReadyUntil. Roles can only be passed within an account, which is checked once some are known.
func (s *Server) checkRole(r *request, role *string) {
	switch {
	case role == nil:
		return
	case s.resources.kinds["iam:role"] && accountOfArn(*role) != r.account:
		panic(apiError(http.StatusForbidden, "AccessDeniedException", "Cross-account pass role is not allowed."))
	case !s.resources.have(*role) || s.options.Now().Before(s.roleReady):
		panic(invalidParameter("The role defined for the function cannot be assumed by Lambda."))
	}
}

// checkNetwork rejects networks that do not exist in EC2.
func (s *Server) checkNetwork(subnets, groups []string) {
	absent := func(id string) bool { return !s.resources.have(id) }
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
	case s.resources.have(arn):
		return
	case strings.Contains(arn, ":sqs:"):
		panic(invalidParameter("Error occurred while ReceiveMessage. SQS Error Code: " +
			"AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not exist."))
	}
	panic(invalidParameter("Stream not found: %s", arn))
}
