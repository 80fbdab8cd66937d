// Package invoke names what API Gateway invokes.
package invoke

import "strings"

// ARN is what an integration of API Gateway names to invoke a function, a version or
// an alias of the given ARN. It is empty where that is none.
func ARN(of string) string {
	parts := strings.SplitN(of, ":", 5)
	if len(parts) < 5 {
		return ""
	}
	return "arn:" + parts[1] + ":apigateway:" + parts[3] + ":lambda:path/2015-03-31/functions/" + of + "/invocations"
}
