package awsdouble

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// A CapacityProvider is a capacity provider.
type CapacityProvider struct {
	types.CapacityProvider

	// Tags are its tags, which its responses do not show.
	Tags map[string]string
}

// capacity is a capacity provider with the state to which it changes next.
type capacity struct {
	types.CapacityProvider
	transition
}

// change moves a capacity provider through a state of transition into another.
func (s *Server) change(c *capacity, via, next types.CapacityProviderState, d time.Duration) {
	c.State, c.LastModified = via, aws.String(s.lastModified())
	c.transition = transition{busy: true, next: string(next), at: s.options.Now().Add(d)}
}

// completeCapacity completes the state changes of capacity providers whose time has passed.
func (s *Server) completeCapacity(h *home) {
	for name, c := range h.capacity {
		switch {
		case !c.ends(s.options.Now()):
		case c.next == "":
			delete(h.capacity, name)
			delete(h.tags, *c.CapacityProviderArn)
		default:
			c.State = types.CapacityProviderState(c.next)
		}
	}
}

// capacityName returns the plain name from a name or an ARN.
func capacityName(nameOrArn string) string { return nameOrArn[strings.LastIndex(nameOrArn, ":")+1:] }

// capacity returns the capacity provider that a request names.
func (s *Server) capacity(r *request) *capacity {
	s.completeCapacity(r.home)
	name := capacityName(r.vars["CapacityProviderName"])
	c := r.home.capacity[name]
	if c == nil {
		panic(noCapacity(r.home.arn("capacity-provider:" + name)))
	}
	return c
}

// idleCapacity returns the capacity provider that a request changes. It rejects the change of one whose state changes.
func (s *Server) idleCapacity(r *request) *capacity {
	c := s.capacity(r)
	if c.busy {
		panic(inProgress(*c.CapacityProviderArn))
	}
	return c
}

func noCapacity(arn string) *Error { return notFound("Capacity provider not found: %s", arn) }

func (c *capacity) answer() any { return map[string]any{"CapacityProvider": c.CapacityProvider} }

func createCapacity(s *Server, r *request) any {
	in := decoded[lambda.CreateCapacityProviderInput](r)
	s.completeCapacity(r.home)
	name := capacityName(*in.CapacityProviderName)
	if r.home.capacity[name] != nil {
		panic(conflict("Capacity provider already exists: %s", name))
	}
	s.checkNetwork(in.VpcConfig.SubnetIds, in.VpcConfig.SecurityGroupIds)
	checkTags(nil, in.Tags)
	c := &capacity{}
	c.CapacityProviderArn = aws.String(r.home.arn("capacity-provider:" + name))
	overlay(&c.CapacityProvider, &in)
	c.fill(name)
	next := types.CapacityProviderStateActive
	if s.take(capacityChange, name) != nil {
		next = types.CapacityProviderStateFailed
	}
	s.change(c, types.CapacityProviderStatePending, next, s.options.CreateDuration)
	r.home.capacity[name], r.home.tags[*c.CapacityProviderArn] = c, in.Tags
	return c.answer()
}

// fill sets the defaults of what is not set.
func (c *capacity) fill(name string) {
	if c.CapacityProviderScalingConfig == nil {
		c.CapacityProviderScalingConfig = &types.CapacityProviderScalingConfig{}
	}
	c.CapacityProviderScalingConfig.ScalingMode = cmp.Or(c.CapacityProviderScalingConfig.ScalingMode,
		types.CapacityProviderScalingModeAuto)
	if c.InstanceRequirements == nil {
		c.InstanceRequirements = &types.InstanceRequirements{}
	}
	if len(c.InstanceRequirements.Architectures) == 0 {
		c.InstanceRequirements.Architectures = []types.Architecture{types.ArchitectureX8664}
	}
	logging := &types.CapacityProviderLoggingConfig{
		LogGroup: aws.String("/aws/lambda/capacity-provider/" + name), SystemLogLevel: types.SystemLogLevelInfo,
	}
	if c.TelemetryConfig != nil && c.TelemetryConfig.LoggingConfig != nil {
		overlay(logging, c.TelemetryConfig.LoggingConfig)
	}
	c.TelemetryConfig = &types.CapacityProviderTelemetryConfig{LoggingConfig: logging}
}

func getCapacity(s *Server, r *request) any { return s.capacity(r).answer() }

func listCapacity(s *Server, r *request) any {
	s.completeCapacity(r.home)
	all := []types.CapacityProvider{}
	for _, name := range slices.Sorted(maps.Keys(r.home.capacity)) {
		if c := r.home.capacity[name]; r.query("State") == "" || r.query("State") == string(c.State) {
			all = append(all, c.CapacityProvider)
		}
	}
	return paged("CapacityProviders", all, r)
}

func updateCapacity(s *Server, r *request) any {
	in := decoded[lambda.UpdateCapacityProviderInput](r)
	c := s.idleCapacity(r)
	if n := in.CapacityProviderScalingConfig; n != nil {
		if n.MaxVCpuCount == nil {
			n.MaxVCpuCount = c.CapacityProviderScalingConfig.MaxVCpuCount
		}
		c.CapacityProviderScalingConfig = n
	}
	c.PropagateTags, c.TelemetryConfig = cmp.Or(in.PropagateTags, c.PropagateTags), cmp.Or(in.TelemetryConfig,
		c.TelemetryConfig)
	c.fill(capacityName(*c.CapacityProviderArn))
	s.change(c, types.CapacityProviderStatePending, types.CapacityProviderStateActive, s.options.UpdateDuration)
	return c.answer()
}

func deleteCapacity(s *Server, r *request) any {
	c := s.idleCapacity(r)
	if r.home.runsOn(*c.CapacityProviderArn) {
		panic(conflict("The capacity provider %s is used by functions.", *c.CapacityProviderArn))
	}
	s.change(c, types.CapacityProviderStateDeleting, "", s.options.UpdateDuration)
	return c.answer()
}

// runsOn reports whether a version of a function runs on a capacity provider.
func (h *home) runsOn(arn string) bool {
	for _, f := range h.functions {
		if slices.ContainsFunc(append([]*instance{f.latest}, f.versions...),
			func(i *instance) bool { return i.runsOn() == arn }) {
			return true
		}
	}
	return false
}

// runsOn returns the ARN of an instance's capacity provider, empty if it has none.
func (i *instance) runsOn() string {
	c := i.CapacityProviderConfig
	if c == nil || c.LambdaManagedInstancesCapacityProviderConfig == nil {
		return ""
	}
	return aws.ToString(c.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn)
}

// CapacityProvider returns a copy of a capacity provider in a region of DefaultAccount, by name.
func (s *Server) CapacityProvider(region, name string) (CapacityProvider, bool) {
	defer s.lock()()
	h := s.home(DefaultAccount, region)
	s.completeCapacity(h)
	c := h.capacity[name]
	if c == nil {
		return CapacityProvider{}, false
	}
	return CapacityProvider{c.CapacityProvider, h.tagsOf(*c.CapacityProviderArn)}, true
}

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
