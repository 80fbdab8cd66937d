package awsdouble

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

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
