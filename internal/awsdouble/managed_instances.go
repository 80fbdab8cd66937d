package awsdouble

import (
	"encoding/json"
	"net/http"
)

// minManagedMemory is the least memory of a function on Lambda Managed Instances, in MB.
const minManagedMemory = 2048

// managed reports that a version runs on Lambda Managed Instances.
func (c *Configuration) managed() bool { return c.CapacityProviderConfig != nil }

// good is the state that a version settles in. On managed instances only published
// versions run, so $LATEST is there but takes no calls.
func (i *instance) good() string {
	if i.managed() && i.Version == latestVersion {
		return "ActiveNonInvocable"
	}
	return "Active"
}

// checkManaged refuses settings that do not go with managed instances. What was set
// before is empty for a function that is created.
func (c *settings) checkManaged(was *Configuration) error {
	creates := was.FunctionArn == ""
	switch {
	case c.CapacityProviderConfig != nil && !creates && !was.managed():
		return invalidParameter("CapacityProviderConfig isn't supported for Lambda Default functions.")
	case c.CapacityProviderConfig == nil && !was.managed():
		return nil
	case c.LoggingConfig != nil && c.LoggingConfig.LogFormat == "Text":
		return invalidParameter("LogFormat Text isn't supported for Lambda Managed Instance functions. Use JSON.")
	case c.VpcConfig != nil && len(c.VpcConfig.SubnetIds) > 0:
		return invalidParameter("You can't use Lambda Managed Instance functions with VPC configurations.")
	case c.MemorySize == nil && creates, c.MemorySize != nil && *c.MemorySize < minManagedMemory:
		return &Error{
			Status: http.StatusBadRequest, Code: "ValidationException",
			Message: "Lambda Managed Instance functions must have memory size greater than or equal to 2048",
		}
	}
	return nil
}

// logJSON sets the format that functions on managed instances log in.
func (c *Configuration) logJSON() {
	c.LoggingConfig = &Logging{LogFormat: "JSON", LogGroup: c.LoggingConfig.LogGroup, ApplicationLogLevel: "INFO", SystemLogLevel: "INFO"}
}

// onInstances is a CapacityProviderConfig with what AWS sets where nothing was sent.
func onInstances(sent json.RawMessage) json.RawMessage {
	var in struct {
		LambdaManagedInstancesCapacityProviderConfig map[string]any `json:"LambdaManagedInstancesCapacityProviderConfig"`
	}
	if json.Unmarshal(sent, &in) != nil || in.LambdaManagedInstancesCapacityProviderConfig == nil {
		return sent
	}
	c := in.LambdaManagedInstancesCapacityProviderConfig
	for name, value := range map[string]any{"ExecutionEnvironmentMemoryGiBPerVCpu": 2.0, "PerExecutionEnvironmentMaxConcurrency": 16} {
		if c[name] == nil {
			c[name] = value
		}
	}
	return json.RawMessage(text(map[string]any{"LambdaManagedInstancesCapacityProviderConfig": c}))
}

// reached is the version that an invocation runs: without a qualifier that is
// $LATEST, but on managed instances it is $LATEST.PUBLISHED. Durable functions take
// none without a qualifier.
func (s *Server) reached(f *function, t target, r *request) (instance, error) {
	switch {
	case t.qualifier != "":
	case f.latest.DurableConfig != nil:
		return instance{}, invalidParameter("You cannot invoke a durable function using an unqualified ARN.")
	case f.latest.managed():
		t.qualifier = publishedVersion
	}
	return s.pick(f, t, r)
}
