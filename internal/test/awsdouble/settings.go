package awsdouble

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// settings are the members that CreateFunction and UpdateFunctionConfiguration share. Nil keeps a setting; empty
// clears it.
type settings lambda.UpdateFunctionConfigurationInput

// defaults sets AWS's defaults of a new function.
func defaults(c *Configuration, region string) {
	c.MemorySize, c.Timeout = 128, 3
	c.EphemeralStorage = &types.EphemeralStorage{Size: aws.Int32(512)}
	c.TracingConfig = &types.TracingConfigResponse{Mode: types.TracingModePassThrough}
	c.SnapStart = snapStart(types.SnapStartApplyOnNone, types.SnapStartOptimizationStatusOff)
	c.LoggingConfig = &types.LoggingConfig{
		LogFormat: types.LogFormatText, LogGroup: aws.String("/aws/lambda/" + c.FunctionName),
	}
	if c.Runtime != "" {
		c.setRuntime(c.Runtime, region)
	}
}

// apply writes settings into a configuration.
func (c *settings) apply(to *Configuration, h *home) {
	sent, was := *c, *to
	sent.FunctionName, sent.RevisionId = nil, nil
	overlay(to, &sent)
	if d := to.DeadLetterConfig; d != nil && some(d.TargetArn) == nil {
		to.DeadLetterConfig = nil
	}
	if len(to.FileSystemConfigs) == 0 {
		to.FileSystemConfigs = nil
	}
	if c.TracingConfig != nil && c.TracingConfig.Mode != "" {
		to.TracingConfig = &types.TracingConfigResponse{Mode: c.TracingConfig.Mode}
	}
	if c.Runtime != "" {
		to.setRuntime(string(c.Runtime), h.region)
	}
	if c.SnapStart != nil {
		to.SnapStart = snapStart(c.SnapStart.ApplyOn, types.SnapStartOptimizationStatusOff)
	}
	if c.DurableConfig != nil {
		to.DurableConfig = durableFrom(was.DurableConfig, c.DurableConfig)
	}
	if c.CapacityProviderConfig != nil {
		to.CapacityProviderConfig = onInstances(c.CapacityProviderConfig)
	}
	if c.Environment != nil {
		to.Environment = &types.EnvironmentResponse{Variables: map[string]string{}}
		maps.Copy(to.Environment.Variables, c.Environment.Variables)
	}
	if c.Layers != nil {
		to.Layers = nil
		for _, arn := range c.Layers {
			to.Layers = append(to.Layers, types.Layer{Arn: &arn, CodeSize: h.layerSize(arn)})
		}
	}
	if c.ImageConfig != nil {
		image := types.ImageConfig{ // Without what is empty.
			Command:          append([]string(nil), c.ImageConfig.Command...),
			EntryPoint:       append([]string(nil), c.ImageConfig.EntryPoint...),
			WorkingDirectory: some(c.ImageConfig.WorkingDirectory),
		}
		to.ImageConfigResponse = nil
		if !blank(reflect.ValueOf(image)) {
			to.ImageConfigResponse = &types.ImageConfigResponse{ImageConfig: &image}
		}
	}
	if c.VpcConfig != nil {
		to.VpcConfig = vpc(c.VpcConfig)
	}
	if c.LoggingConfig != nil {
		to.LoggingConfig = logging(*cmp.Or(to.LoggingConfig, was.LoggingConfig)) // An empty one changes nothing.
	}
}

func snapStart(on types.SnapStartApplyOn, status types.SnapStartOptimizationStatus) *types.SnapStartResponse {
	return &types.SnapStartResponse{ApplyOn: on, OptimizationStatus: status}
}

// vpc returns a network as responses show it: once attached, an empty one stays visible.
func vpc(in *types.VpcConfig) *types.VpcConfigResponse {
	out := &types.VpcConfigResponse{
		Ipv6AllowedForDualStack: aws.Bool(false), VpcId: aws.String(""),
		SecurityGroupIds: []string{}, SubnetIds: []string{},
	}
	if len(in.SubnetIds) == 0 {
		return out
	}
	sum := sha256.Sum256([]byte("double"))
	out.SubnetIds = append(out.SubnetIds, in.SubnetIds...)
	out.SecurityGroupIds = append(out.SecurityGroupIds, in.SecurityGroupIds...)
	set(in.Ipv6AllowedForDualStack, out.Ipv6AllowedForDualStack)
	*out.VpcId = "vpc-" + hex.EncodeToString(sum[:])[:17]
	return out
}

// logging returns logging settings with the levels of JSON, which other formats do not have.
func logging(l types.LoggingConfig) *types.LoggingConfig {
	if l.LogFormat != types.LogFormatJson {
		return &types.LoggingConfig{LogFormat: l.LogFormat, LogGroup: l.LogGroup}
	}
	l.ApplicationLogLevel = cmp.Or(l.ApplicationLogLevel, types.ApplicationLogLevelInfo)
	l.SystemLogLevel = cmp.Or(l.SystemLogLevel, types.SystemLogLevelInfo)
	return &l
}

// setRuntime sets a runtime and the version of it that AWS would select.
func (c *Configuration) setRuntime(runtime, region string) {
	sum := sha256.Sum256([]byte(runtime))
	c.Runtime = runtime
	if runtime != customRuntime {
		c.RuntimeConfig = nil
	}
	c.RuntimeVersionConfig = &types.RuntimeVersionConfig{RuntimeVersionArn: aws.String(strings.Join(
		[]string{"arn", partition(region), "lambda", region, "", "runtime", hex.EncodeToString(sum[:])}, ":"))}
}

// some returns a text, nil if it is empty.
func some(s *string) *string {
	if aws.ToString(s) == "" {
		return nil
	}
	return s
}

// set overwrites a value if one was sent.
func set[T any](from *T, to *T) {
	if from != nil {
		*to = *from
	}
}

// Configuration is a function's or a version's configuration as Lambda returns it. Members that Lambda omits when
// unset are pointers, or are empty.
type Configuration struct {
	Architectures              []types.Architecture          `json:",omitempty"`
	CapacityProviderConfig     *types.CapacityProviderConfig `json:",omitempty"`
	CodeSha256                 string                        `json:",omitempty"`
	CodeSize                   int64                         `json:""`
	DeadLetterConfig           *types.DeadLetterConfig       `json:",omitempty"`
	Description                string                        `json:""`
	DurableConfig              *types.DurableConfig          `json:",omitempty"`
	Environment                *types.EnvironmentResponse    `json:",omitempty"`
	EphemeralStorage           *types.EphemeralStorage       `json:",omitempty"`
	FileSystemConfigs          []types.FileSystemConfig      `json:",omitempty"`
	FunctionArn                string                        `json:",omitempty"`
	FunctionName               string                        `json:",omitempty"`
	Handler                    string                        `json:",omitempty"`
	ImageConfigResponse        *types.ImageConfigResponse    `json:",omitempty"`
	KMSKeyArn                  string                        `json:",omitempty"`
	LastModified               string                        `json:",omitempty"`
	LastUpdateStatus           string                        `json:",omitempty"`
	LastUpdateStatusReason     string                        `json:",omitempty"`
	LastUpdateStatusReasonCode string                        `json:",omitempty"`
	Layers                     []types.Layer                 `json:",omitempty"`
	LoggingConfig              *types.LoggingConfig          `json:",omitempty"`
	MemorySize                 int32                         `json:""`
	PackageType                string                        `json:",omitempty"`
	RevisionId                 string                        `json:",omitempty"` //nolint:revive // Lambda's spelling
	Role                       string                        `json:",omitempty"`
	Runtime                    string                        `json:",omitempty"`
	RuntimeConfig              *types.FunctionRuntimeConfig  `json:",omitempty"`
	RuntimeVersionConfig       *types.RuntimeVersionConfig   `json:",omitempty"`
	SnapStart                  *types.SnapStartResponse      `json:",omitempty"`
	State                      string                        `json:",omitempty"`
	StateReason                string                        `json:",omitempty"`
	StateReasonCode            string                        `json:",omitempty"`
	TenancyConfig              *types.TenancyConfig          `json:",omitempty"`
	Timeout                    int32                         `json:""`
	TracingConfig              *types.TracingConfigResponse  `json:",omitempty"`
	Version                    string                        `json:",omitempty"`
	VpcConfig                  *types.VpcConfigResponse      `json:",omitempty"`
}
