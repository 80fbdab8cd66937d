package awsdouble

import (
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
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

// checkDestinations rejects destinations of asynchronous invocation: services that accept no records, the function
// itself, and resources that do not exist.
func (s *Server) checkDestinations(h *home, f *function, to *types.DestinationConfig) {
	var failure, success string
	if to != nil && to.OnFailure != nil {
		failure = aws.ToString(to.OnFailure.Destination)
	}
	if to != nil && to.OnSuccess != nil {
		success = aws.ToString(to.OnSuccess.Destination)
	}
	if !takesRecords(failure, true) || !takesRecords(success, false) {
		panic(invalidParameter(
			"The provided destination config DestinationConfig(onSuccess=%s, onFailure=%s) is invalid.",
			printedDestination("OnSuccess", success), printedDestination("OnFailure", failure),
		))
	}
	for _, to := range []string{failure, success} {
		switch {
		case to == "":
		case to == f.latest.FunctionArn || strings.HasPrefix(to, f.latest.FunctionArn+":"):
			panic(invalidParameter("You can't specify the function as a destination for itself."))
		case !s.destined(h, to):
			panic(invalidParameter("The destination ARN %s is invalid.", to))
		}
	}
}

// takesRecords reports whether a service accepts records of invocations. A bucket accepts only those of failures.
func takesRecords(destination string, failures bool) bool {
	if destination == "" {
		return true
	}
	parsed, _ := arn.Parse(destination) // What is no ARN has no service.
	switch parsed.Service {
	case "lambda", "sqs", "sns", "events":
		return true
	case "s3":
		return failures
	}
	return false
}

// destined reports whether a destination exists. Of functions, those of the account and region are known.
func (s *Server) destined(h *home, arn string) bool {
	if !strings.HasPrefix(arn, h.arn("function:")) {
		return !s.removed[arn]
	}
	t := parseTarget(arn)
	f := h.functions[t.name]
	return f != nil && f.versionOf(t.qualifier) != nil
}

// printedDestination returns a destination as AWS prints it in a message.
func printedDestination(name, arn string) string {
	if arn == "" {
		return "null"
	}
	return name + "(destination=" + arn + ")"
}
