package awsdouble

import (
	"cmp"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

const (
	// minManagedMemory is the minimum memory of a function on Lambda Managed Instances, in MB.
	minManagedMemory = 2048

	// maxTimeout is the maximum timeout of other functions, in seconds.
	maxTimeout = 900
)

// managed reports whether a version runs on Lambda Managed Instances.
func (c *Configuration) managed() bool { return c.CapacityProviderConfig != nil }

// good returns the state in which a version ends. On managed instances only published versions run, so $LATEST
// exists but cannot be invoked.
func (i *instance) good() string {
	if i.managed() && i.Version == latestVersion {
		return "ActiveNonInvocable"
	}
	return "Active"
}

// checkManaged rejects settings that cannot be combined with managed instances, or only with them. The previous
// configuration is empty for a function that is created.
func (c *settings) checkManaged(was *Configuration) {
	creates := was.FunctionArn == ""
	switch {
	case c.CapacityProviderConfig != nil && !creates && !was.managed():
		panic(invalidParameter("CapacityProviderConfig isn't supported for Lambda Default functions."))
	case c.CapacityProviderConfig == nil && !was.managed():
		if c.Timeout != nil && *c.Timeout > maxTimeout {
			panic(apiError(http.StatusBadRequest, "ValidationException", "1 validation error detected: Value '%d' at "+
				"'timeout' failed to satisfy constraint: Member must have value less than or equal to %d",
				*c.Timeout, maxTimeout))
		}
		return
	case c.LoggingConfig != nil && c.LoggingConfig.LogFormat == types.LogFormatText:
		panic(invalidParameter("LogFormat Text isn't supported for Lambda Managed Instance functions. Use JSON."))
	case c.VpcConfig != nil && len(c.VpcConfig.SubnetIds) > 0:
		panic(invalidParameter("You can't use Lambda Managed Instance functions with VPC configurations."))
	case c.MemorySize == nil && creates, c.MemorySize != nil && *c.MemorySize < minManagedMemory:
		panic(apiError(http.StatusBadRequest, "ValidationException",
			"Lambda Managed Instance functions must have memory size greater than or equal to 2048"))
	}
}

// logJSON sets the log format of functions on managed instances.
func (c *Configuration) logJSON() {
	c.LoggingConfig = logging(types.LoggingConfig{LogFormat: types.LogFormatJson, LogGroup: c.LoggingConfig.LogGroup})
}

// onInstances returns a CapacityProviderConfig with AWS's defaults for what was not sent.
func onInstances(sent *types.CapacityProviderConfig) *types.CapacityProviderConfig {
	if sent.LambdaManagedInstancesCapacityProviderConfig == nil {
		return sent
	}
	c := *sent.LambdaManagedInstancesCapacityProviderConfig
	c.ExecutionEnvironmentMemoryGiBPerVCpu = cmp.Or(c.ExecutionEnvironmentMemoryGiBPerVCpu, aws.Float64(2))
	c.PerExecutionEnvironmentMaxConcurrency = cmp.Or(c.PerExecutionEnvironmentMaxConcurrency, aws.Int32(16))
	return &types.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: &c}
}

// reached returns the version that an invocation runs: without a qualifier $LATEST, or on managed instances
// $LATEST.PUBLISHED. Durable functions cannot be invoked without a qualifier.
func (s *Server) reached(f *function, t target, r *request) instance {
	switch {
	case t.qualifier != "":
	case f.latest.DurableConfig != nil:
		panic(invalidParameter("You cannot invoke a durable function using an unqualified ARN."))
	case f.latest.managed():
		t.qualifier = publishedVersion
	}
	i := s.pick(f, t, r)
	if a := f.aliases[t.qualifier]; a != nil {
		if v := f.version(f.routes(a)); v != nil {
			i = *v
			i.FunctionArn = a.AliasArn
		}
	}
	return i
}
