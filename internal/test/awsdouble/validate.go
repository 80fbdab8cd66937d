package awsdouble

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// runtimes are the runtimes that AWS accepts, in the order of its message.
var runtimes = strings.Split("nodejs20.x, python3.14, provided.al2023, python3.12, python3.13, nodejs24.x, "+
	"nodejs22.x, java25, python3.10, python3.11, java21, ruby3.3, ruby3.4, ruby3.2, python3.8, python3.9, java17, "+
	"nodejs16.x, dotnet10, dotnet8, java11, dotnet6, nodejs18.x, provided.al2, java8.al2", ", ")

// retired are runtimes that AWS no longer accepts for functions.
var retired = []string{
	"go1.x", "ruby2.7", "dotnetcore3.1", "nodejs12.x", "nodejs14.x", "python3.6", "python3.7",
	"java8", "provided", "nodejs10.x", "dotnetcore2.1", "ruby2.5",
}

// customRuntime is the runtime of functions whose RuntimeConfig names a customer-managed runtime.
const customRuntime = "custom"

// snapshotted are the runtimes that support SnapStart.
var snapshotted = strings.Split("java11, java17, java21, java25, python3.12, python3.13, python3.14, dotnet8, dotnet10",
	", ")

// anyRuntime is the rule for a layer's compatible runtimes, which include retired ones.
var anyRuntime = oneOf(slices.Concat(runtimes, retired, strings.Split("nodejs, nodejs4.3, nodejs6.10, nodejs8.10, "+
	"python2.7, dotnetcore1.0, dotnetcore2.0, nodejs4.3-edge, ruby4.0, nodejs26.x, python3.15, java8.al2023, "+
	"java11.al2023, java17.al2023, custom", ", "))...)

// checkRuntime rejects a runtime that is unknown, and a customer-managed one that is not named, or not used.
func (c *settings) checkRuntime(to *Configuration) {
	runtime, config := to.Runtime, cmp.Or(c.RuntimeConfig, to.RuntimeConfig)
	if c.Runtime != "" && string(c.Runtime) != runtime {
		runtime, config = string(c.Runtime), c.RuntimeConfig
		checkKnown(runtime)
	}
	if (runtime == customRuntime) != (config != nil) {
		panic(invalidParameter("RuntimeConfig must be provided if and only if Runtime is custom."))
	}
}

func checkKnown(runtime string) {
	switch {
	case slices.Contains(runtimes, runtime), runtime == customRuntime:
		return
	case slices.Contains(retired, runtime):
		panic(invalidParameter("The runtime parameter of %s is no longer supported for creating or updating AWS "+
			"Lambda functions. We recommend you use a supported runtime while creating or updating functions.",
			runtime))
	}
	panic(invalidParameter("Value %s at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: "+
		"[%s] or be a valid ARN", runtime, strings.Join(runtimes, ", ")))
}

// maxEnvironment is the maximum size of all variables as JSON, in bytes.
const maxEnvironment = 4096

// check rejects settings that Lambda rejects after the model's checks. The configuration is the one to which they
// will be applied.
func (c *settings) check(r *request, to *Configuration) {
	c.checkRuntime(to)
	c.checkSnapStart(to)
	c.checkLogging(to)
	checkLayers(c.Layers, r.region)
	checkEnvironment(r)
}

// checkSnapStart rejects snapshots of runtimes that do not support them.
func (c *settings) checkSnapStart(to *Configuration) {
	on, runtime := types.SnapStartApplyOnNone, cmp.Or(string(c.Runtime), to.Runtime)
	switch {
	case c.SnapStart != nil:
		on = c.SnapStart.ApplyOn
	case to.SnapStart != nil:
		on = to.SnapStart.ApplyOn
	}
	if on != types.SnapStartApplyOnPublishedVersions || runtime == "" || slices.Contains(snapshotted, runtime) {
		return
	}
	panic(invalidParameter("%s is not supported for SnapStart enabled functions.", runtime))
}

// checkLogging rejects log levels with a format that has none.
func (c *settings) checkLogging(to *Configuration) {
	if c.LoggingConfig == nil || c.LoggingConfig.ApplicationLogLevel == "" && c.LoggingConfig.SystemLogLevel == "" {
		return
	}
	format := c.LoggingConfig.LogFormat
	if format == "" && to.LoggingConfig != nil {
		format = to.LoggingConfig.LogFormat
	}
	if format == types.LogFormatJson {
		return
	}
	panic(invalidParameter("LogLevel is not supported when LogFormat is set to \"Text\". Remove LogLevel from your " +
		"request or change the LogFormat to \"Json\" and try again."))
}

// checkNetwork rejects a network to which functions cannot be attached.
func (c *settings) checkNetwork(s *Server) {
	if c.VpcConfig == nil {
		return
	}
	if (len(c.VpcConfig.SubnetIds) == 0) != (len(c.VpcConfig.SecurityGroupIds) == 0) {
		panic(invalidParameter("SubnetIds and SecurityIds must coexist or be both empty list."))
	}
	s.checkNetwork(c.VpcConfig.SubnetIds, c.VpcConfig.SecurityGroupIds)
}

// checkEnvironment measures the variables as they were sent: in the order of the request, without the white space.
func checkEnvironment(r *request) {
	var in struct {
		Environment struct{ Variables json.RawMessage }
	}
	r.decode(&in)
	var measured bytes.Buffer
	if err := json.Compact(&measured, in.Environment.Variables); err != nil && len(in.Environment.Variables) > 0 {
		panic(err)
	}
	if measured.Len() > maxEnvironment {
		panic(invalidParameter("Lambda was unable to configure your environment variables because the environment "+
			"variables you have provided exceeded the 4KB limit. String measured: %s", &measured))
	}
}

func checkLayers(layers []string, region string) {
	if len(layers) > 5 {
		panic(invalidParameter("Cannot reference more than 5 layers."))
	}
	seen := map[string]string{}
	for _, arn := range layers {
		parts := strings.Split(arn, ":")
		if parts[3] != region && parts[3] != "" {
			panic(invalidParameter("Layers are not in the same region as the function. Layers are expected to be in "+
				"region %s.", region))
		}
		name := arn[:strings.LastIndex(arn, ":")]
		if other, ok := seen[name]; ok {
			panic(invalidParameter("Two different versions of the same layer are not allowed to be referenced in the "+
				"same function. %s and %s are versions of the same layer.", other, arn))
		}
		seen[name] = arn
	}
}

// RemoveResources removes resources of other services that functions, mappings and permissions reference: security
// groups and subnets by ID, accounts by number, all others by ARN. All others exist.
func (s *Server) RemoveResources(ids ...string) {
	defer s.lock()()
	for _, id := range ids {
		s.removed[id] = true
	}
}

// checkRole rejects roles that Lambda cannot assume: those that do not exist, and all until the time of
// RoleNotReadyUntil. Roles of other accounts, which Lambda rejects too, are accepted: tests create functions in several
// accounts from the same manifests.
func (s *Server) checkRole(role *string) {
	if role != nil && (s.removed[*role] || s.options.Now().Before(s.roleReady)) {
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
