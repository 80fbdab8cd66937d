package lambdaapi

import "strings"

// InvokeARN returns the URI with which an integration of API Gateway invokes a function, version or alias
// of the given ARN. It is empty if the ARN is malformed.
func InvokeARN(of string) string {
	parts := strings.SplitN(of, ":", 5)
	if len(parts) < 5 {
		return ""
	}
	return "arn:" + parts[1] + ":apigateway:" + parts[3] + ":lambda:path/2015-03-31/functions/" + of + "/invocations"
}
