package awsdouble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// validation collects what a request's model forbids, as AWS reports it.
type validation struct{ found []string }

func (v *validation) add(value any, field, constraint string) {
	v.found = append(v.found, fmt.Sprintf("Value '%v' at '%s' failed to satisfy constraint: %s", value, field, constraint))
}

func (v *validation) pattern(value, field, pattern string) {
	v.add(value, field, "Member must satisfy regular expression pattern: "+pattern)
}

// enum checks an optional value against AWS's set, in AWS's order.
func (v *validation) enum(value, field string, set ...string) {
	if value != "" && !slices.Contains(set, value) {
		v.add(value, field, "Member must satisfy enum value set: ["+strings.Join(set, ", ")+"]")
	}
}

func (v *validation) between(value *int32, field string, low, high int32) {
	switch {
	case value == nil:
	case *value < low:
		v.add(*value, field, fmt.Sprintf("Member must have value greater than or equal to %d", low))
	case *value > high:
		v.add(*value, field, fmt.Sprintf("Member must have value less than or equal to %d", high))
	}
}

func (v *validation) err() error {
	if len(v.found) == 0 {
		return nil
	}
	return &Error{Status: http.StatusBadRequest, Code: "ValidationException", Message: v.message()}
}

func (v *validation) message() string {
	noun := "errors"
	if len(v.found) == 1 {
		noun = "error"
	}
	return fmt.Sprintf("%d validation %s detected: %s", len(v.found), noun, strings.Join(v.found, "; "))
}

const (
	rolePattern   = `arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+`
	layerPattern  = `(arn:(aws[a-zA-Z-]*)?:lambda:(eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:layer:[a-zA-Z0-9-_]+:[0-9]+)|(arn:[a-zA-Z0-9-]+:lambda:::awslayer:[a-zA-Z0-9-_]+)`
	subnetPattern = `subnet-[0-9a-z]*`
)

var (
	roleArn  = whole(rolePattern)
	layerArn = whole(layerPattern)
	subnet   = whole(subnetPattern)
)

// validate checks settings against the model, before anything is looked up.
func (c *settings) validate() error {
	v := validation{}
	if c.Role != nil && !roleArn.MatchString(*c.Role) {
		v.pattern(*c.Role, "role", rolePattern)
	}
	v.between(c.MemorySize, "memorySize", 128, 32768)
	v.between(c.Timeout, "timeout", 1, 900)
	if c.EphemeralStorage != nil {
		v.between(&c.EphemeralStorage.Size, "ephemeralStorage.size", 512, 10240)
	}
	if c.TracingConfig != nil {
		v.enum(c.TracingConfig.Mode, "tracingConfig.mode", "Active", "PassThrough")
	}
	if c.SnapStart != nil {
		v.enum(c.SnapStart.ApplyOn, "snapStart.applyOn", "PublishedVersions", "None")
	}
	if c.LoggingConfig != nil {
		v.enum(c.LoggingConfig.LogFormat, "loggingConfig.logFormat", "JSON", "Text")
		v.enum(c.LoggingConfig.ApplicationLogLevel, "loggingConfig.applicationLogLevel", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
		v.enum(c.LoggingConfig.SystemLogLevel, "loggingConfig.systemLogLevel", "DEBUG", "INFO", "WARN")
	}
	v.layers(c.Layers)
	if c.VpcConfig != nil {
		v.members(c.VpcConfig.SubnetIds, "vpcConfig.subnetIds", subnet, "Member must have length less than or equal to 1024, Member must have length greater than or equal to 0, Member must satisfy regular expression pattern: "+subnetPattern)
	}
	return v.err()
}

func (v *validation) layers(layers []string) {
	v.members(layers, "layers", layerArn, "Member must have length less than or equal to 2048, Member must have length greater than or equal to 1, Member must satisfy regular expression pattern: "+layerPattern+", Member must not be null")
}

// members checks a list of strings, which AWS reports as a whole.
func (v *validation) members(values []string, field string, each *regexp.Regexp, constraints string) {
	for _, s := range values {
		if !each.MatchString(s) {
			v.add("["+strings.Join(values, ", ")+"]", field, "Member must satisfy constraint: ["+constraints+"]")
			return
		}
	}
}

// architectures checks the instruction sets.
func architectures(values []string) error {
	v := validation{}
	known := regexp.MustCompile(`^(x86_64|arm64)$`)
	v.members(values, "architectures", known, "Member must satisfy enum value set: [x86_64, arm64], Member must not be null")
	return v.err()
}

// runtimes are the runtimes that AWS accepts, in the order of its message.
var runtimes = strings.Split("nodejs20.x, python3.14, provided.al2023, python3.12, python3.13, nodejs24.x, nodejs22.x, java25, python3.10, python3.11, java21, ruby3.3, ruby3.4, ruby3.2, python3.8, python3.9, java17, nodejs16.x, dotnet10, dotnet8, java11, dotnet6, nodejs18.x, provided.al2, java8.al2", ", ")

// retired are runtimes that AWS knows and no longer takes.
var retired = []string{"go1.x", "ruby2.7", "dotnetcore3.1", "nodejs12.x", "nodejs14.x", "python3.6", "python3.7", "java8", "provided", "nodejs10.x", "dotnetcore2.1", "ruby2.5"}

func checkRuntime(runtime string) error {
	switch {
	case slices.Contains(runtimes, runtime):
		return nil
	case slices.Contains(retired, runtime):
		return invalidParameter("The runtime parameter of %s is no longer supported for creating or updating AWS Lambda functions. We recommend you use a supported runtime while creating or updating functions.", runtime)
	}
	return invalidParameter("Value %s at 'runtime' failed to satisfy constraint: Member must satisfy enum value set: [%s] or be a valid ARN", runtime, strings.Join(runtimes, ", "))
}

// maxEnvironment is how long all variables may be as JSON, in bytes.
const maxEnvironment = 4096

// check refuses settings that Lambda refuses after the model's checks.
func (c *settings) check(region string) error {
	if c.Runtime != nil && *c.Runtime != "" {
		if err := checkRuntime(*c.Runtime); err != nil {
			return err
		}
	}
	if err := checkLayers(c.Layers, region); err != nil {
		return err
	}
	return checkEnvironment(c.Environment)
}

func checkEnvironment(e *Environment) error {
	if e == nil {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e.Variables); err != nil {
		return err
	}
	measured := strings.TrimSpace(b.String())
	if len(measured) > maxEnvironment {
		return invalidParameter("Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit. String measured: %s", measured)
	}
	return nil
}

func checkLayers(layers []string, region string) error {
	if len(layers) > 5 {
		return invalidParameter("Cannot reference more than 5 layers.")
	}
	seen := map[string]string{}
	for _, arn := range layers {
		parts := strings.Split(arn, ":")
		if parts[3] != region && parts[3] != "" {
			return invalidParameter("Layers are not in the same region as the function. Layers are expected to be in region %s.", region)
		}
		name := arn[:strings.LastIndex(arn, ":")]
		if other, ok := seen[name]; ok {
			return invalidParameter("Two different versions of the same layer are not allowed to be referenced in the same function. %s and %s are versions of the same layer.", other, arn)
		}
		seen[name] = arn
	}
	return nil
}
