package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// A lie is something that AWS does otherwise than the double, and the difference by which it must be found.
type lie struct {
	scenario, operation, member string
	fault                       awsdouble.Fault
	late                        bool
}

// told returns a fault of all answers to an operation.
func told(operation string, answer func(status int, body []byte) (int, []byte)) awsdouble.Fault {
	return awsdouble.Fault{Operation: operation, Times: -1, Answer: answer}
}

// edit edits the object at a path of a body of JSON.
func edit(path string, change func(in map[string]any, name string)) func(int, []byte) (int, []byte) {
	return func(status int, body []byte) (int, []byte) {
		var v any
		if status >= http.StatusMultipleChoices || json.Unmarshal(body, &v) != nil {
			return status, body
		}
		parents, name := "", path
		if i := strings.LastIndex(path, "."); i >= 0 {
			parents, name = path[:i], path[i+1:]
		}
		at := v
		if parents != "" {
			at = member(v, parents)
		}
		if m, ok := at.(map[string]any); ok {
			change(m, name)
		}
		return status, encoded(v)
	}
}

// set is a lie about the value of a member.
func set(scenario, operation, path string, value any) lie {
	return lie{scenario: scenario, operation: operation, member: path, fault: told(operation, edit(path,
		func(in map[string]any, name string) { in[name] = value }))}
}

// drop is a lie that leaves a member out.
func drop(scenario, operation, path string) lie {
	return lie{scenario: scenario, operation: operation, member: path, fault: told(operation, edit(path,
		func(in map[string]any, name string) { delete(in, name) }))}
}

// refuse is a lie that answers an error instead, or another error.
func refuse(scenario, operation string, status int, code string) lie {
	return lie{scenario: scenario, operation: operation, member: "outcome", fault: awsdouble.Fault{
		Operation: operation, Times: -1, Error: awsdouble.Error{Status: status, Code: code, Message: "No."},
	}}
}

// stale is a lie that answers what was true at the first read.
func stale(scenario, operation, path string) lie {
	var first []byte
	return lie{scenario: scenario, operation: operation, member: path, late: true, fault: told(operation,
		func(status int, body []byte) (int, []byte) {
			if first == nil && status < http.StatusMultipleChoices && !strings.Contains(string(body), "Pending") {
				first = body
			}
			if first == nil || status >= http.StatusMultipleChoices {
				return status, body
			}
			return status, first
		})}
}

// lies are what is planted, with where it must be found.
func lies() []lie {
	return []lie{
		set("function", "GetFunctionConfiguration", "MemorySize", 129),
		set("function", "GetFunctionConfiguration", "Timeout", 9),
		set("function", "GetFunctionConfiguration", "Description", "nothing"),
		set("function", "GetFunctionConfiguration", "TracingConfig.Mode", "Active"),
		set("function", "GetFunction", "Configuration.LoggingConfig.LogFormat", "Text"),
		set("function", "GetFunction", "Configuration.EphemeralStorage.Size", 513),
		set("function", "GetFunction", "Configuration.Handler", "index.Handler"),
		set("function", "GetFunction", "Configuration.PackageType", "Image"),
		set("function", "CreateFunction", "State", "Active"),
		set("function", "CreateFunction", "Version", "1"),
		set("function", "UpdateFunctionConfiguration", "LastUpdateStatus", "Successful"),
		set("function", "GetFunctionConcurrency", "ReservedConcurrentExecutions", 1),
		set("function", "PutFunctionConcurrency", "ReservedConcurrentExecutions", 7),
		set("function", "GetFunctionRecursionConfig", "RecursiveLoop", "Never"),
		set("version", "GetAlias", "FunctionVersion", "3"),
		set("version", "UpdateAlias", "Description", "Second"),
		set("version", "PublishVersion", "Version", "12"),
		set("version", "GetProvisionedConcurrencyConfig", "RequestedProvisionedConcurrentExecutions", 3),
		set("functionurl", "GetFunctionUrlConfig", "AuthType", "NONE"),
		set("functionurl", "GetFunctionUrlConfig", "Cors.MaxAge", 61),
		set("functionurl", "UpdateFunctionUrlConfig", "InvokeMode", "BUFFERED"),
		set("functioneventinvokeconfig", "GetFunctionEventInvokeConfig", "MaximumRetryAttempts", 2),
		set("eventsourcemapping", "GetEventSourceMapping", "BatchSize", 100),
		set("eventsourcemapping", "CreateEventSourceMapping", "State", "Enabled"),
		set(
			"codesigningconfig",
			"GetCodeSigningConfig",
			"CodeSigningConfig.CodeSigningPolicies.UntrustedArtifactOnDeployment",
			"Enforce",
		),
		set("runtimemanagementconfig", "GetRuntimeManagementConfig", "UpdateRuntimeOn", "Manual"),
		set("layerversion", "GetLayerVersion", "LicenseInfo", "MIT"),
		set("capacityprovider", "GetCapacityProvider", "CapacityProvider.State", "Failed"),
		drop("function", "GetFunctionConfiguration", "LoggingConfig"),
		drop("function", "GetFunction", "Configuration.Role"),
		drop("function", "GetFunction", "Code.RepositoryType"),
		drop("function", "UpdateFunctionCode", "CodeSha256"),
		drop("version", "CreateAlias", "AliasArn"),
		drop("functionurl", "CreateFunctionUrlConfig", "Cors"),
		drop("eventsourcemapping", "GetEventSourceMapping", "EventSourceMappingArn"),
		drop("permission", "AddPermission", "Statement"),
		drop("function", "ListTags", "Tags.team"),
		drop("codesigningconfig", "ListTags", "Tags.crossplane-uid"),
		drop("eventsourcemapping", "ListTags", "Tags.team"),
		refuse("function", "UpdateFunctionCode", http.StatusConflict, "ResourceConflictException"),
		refuse("function", "TagResource", http.StatusForbidden, "AccessDeniedException"),
		refuse("version", "UpdateAlias", http.StatusPreconditionFailed, "PreconditionFailedException"),
		refuse("layerversion", "PublishLayerVersion", http.StatusBadRequest, "InvalidParameterValueException"),
		refuse("deletion", "DeleteFunction", http.StatusConflict, "ResourceConflictException"),
		refuse("rejection", "CreateFunction", http.StatusBadRequest, "ValidationException"),
		refuse("invocation", "Invoke", http.StatusTooManyRequests, "EC2ThrottledException"),
		refuse("resourcepolicy", "GetResourcePolicy", http.StatusInternalServerError, "ServiceException"),
		stale("function", "GetFunctionConfiguration", "MemorySize"),
		stale("version", "GetAlias", "FunctionVersion"),
		stale("functionurl", "GetFunctionUrlConfig", "InvokeMode"),
		stale("eventsourcemapping", "ListTags", "Tags.team"),
	}
}

// lived returns a recording of the same calls at a double that lies.
func lived(recording []Exchange, f awsdouble.Fault) []Exchange {
	c := newComparison("", func(s *awsdouble.Server) { s.Fail(f) })
	out := make([]Exchange, len(recording))
	for i := range recording {
		e := recording[i]
		if e.Service == serviceLambda {
			got := c.replay(i+1, &e)
			e.Path, e.Status, e.Error, e.Answer = c.known(e.Path), got.status, got.err, got.body
			_ = json.Unmarshal([]byte(c.known(string(encoded(e.Body)))), &e.Body)
		}
		out[i] = e
	}
	return out
}

// TestLiesAreFound plants lies in the double in AWS's place, and looks for each in the comparison with the double.
func TestLiesAreFound(t *testing.T) {
	recordings := fullRun(t).exchanges(t)
	planted := lies()
	if len(planted) < 50 {
		t.Errorf("only %d lies are planted", len(planted))
	}
	for _, l := range planted {
		t.Run(l.scenario+" "+l.operation+" "+l.member, func(t *testing.T) {
			found := Compare(l.scenario, lived(recordings[l.scenario], l.fault))
			named := func(d Difference) bool {
				return d.Operation == l.operation && d.Member == l.member && (d.Late || !l.late)
			}
			if !slices.ContainsFunc(found, named) {
				t.Errorf("it is not found among %d differences: %v", len(found), found)
			}
		})
	}
}
