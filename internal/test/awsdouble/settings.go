package awsdouble

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"
)

// settings are the members that CreateFunction and UpdateFunctionConfiguration share. Nil keeps a setting; empty
// clears it.
type settings struct {
	Description, Handler, KMSKeyArn, Role, Runtime *string

	MemorySize, Timeout    *int32
	Environment            *Environment
	EphemeralStorage       *Ephemeral
	DeadLetterConfig       *DeadLetter
	FileSystemConfigs      []FileSystem
	ImageConfig            *ImageConfig
	Layers                 []string
	LoggingConfig          *Logging
	SnapStart              *SnapStart
	TracingConfig          *Tracing
	VpcConfig              *VPC
	DurableConfig          json.RawMessage
	CapacityProviderConfig json.RawMessage
}

// defaults sets AWS's defaults of a new function.
func defaults(c *Configuration, region string) {
	c.MemorySize, c.Timeout = 128, 3
	c.EphemeralStorage = &Ephemeral{Size: 512}
	c.TracingConfig = &Tracing{Mode: "PassThrough"}
	c.SnapStart = &SnapStart{ApplyOn: "None", OptimizationStatus: "Off"}
	c.LoggingConfig = &Logging{LogFormat: "Text", LogGroup: "/aws/lambda/" + c.FunctionName}
	if c.Runtime != "" {
		c.setRuntime(c.Runtime, region)
	}
}

// apply writes settings into a configuration.
func (c *settings) apply(to *Configuration, h *home) {
	set(c.Description, &to.Description)
	set(c.Handler, &to.Handler)
	set(c.KMSKeyArn, &to.KMSKeyArn)
	set(c.Role, &to.Role)
	set(c.MemorySize, &to.MemorySize)
	set(c.Timeout, &to.Timeout)
	if c.Runtime != nil && *c.Runtime != "" {
		to.setRuntime(*c.Runtime, h.region)
	}
	if c.EphemeralStorage != nil {
		to.EphemeralStorage = c.EphemeralStorage
	}
	if c.TracingConfig != nil && c.TracingConfig.Mode != "" {
		to.TracingConfig = c.TracingConfig
	}
	if c.SnapStart != nil {
		to.SnapStart = &SnapStart{ApplyOn: c.SnapStart.ApplyOn, OptimizationStatus: "Off"}
	}
	if c.DurableConfig != nil {
		to.DurableConfig = durableFrom(to.DurableConfig, c.DurableConfig)
	}
	if c.CapacityProviderConfig != nil {
		to.CapacityProviderConfig = onInstances(c.CapacityProviderConfig)
	}
	c.applyClearable(to, h)
	c.applyLogging(to)
}

// applyClearable writes the settings that an empty value removes.
func (c *settings) applyClearable(to *Configuration, h *home) {
	if c.Environment != nil {
		to.Environment = &Environment{Variables: map[string]string{}}
		maps.Copy(to.Environment.Variables, c.Environment.Variables)
	}
	if c.DeadLetterConfig != nil {
		to.DeadLetterConfig = nil
		if c.DeadLetterConfig.TargetArn != "" {
			to.DeadLetterConfig = c.DeadLetterConfig
		}
	}
	if c.FileSystemConfigs != nil {
		to.FileSystemConfigs = c.FileSystemConfigs
	}
	if c.Layers != nil {
		to.Layers = nil
		for _, arn := range c.Layers {
			to.Layers = append(to.Layers, Layer{Arn: arn, CodeSize: h.layerSize(arn)})
		}
	}
	if c.ImageConfig != nil {
		to.ImageConfigResponse = nil
		if len(c.ImageConfig.Command)+len(c.ImageConfig.EntryPoint) > 0 || c.ImageConfig.WorkingDirectory != "" {
			to.ImageConfigResponse = &ImageResponse{ImageConfig: *c.ImageConfig}
		}
	}
	if c.VpcConfig != nil {
		to.VpcConfig = vpc(c.VpcConfig)
	}
}

// vpc returns a network as responses show it: once attached, an empty one stays visible.
func vpc(in *VPC) *VPC {
	out := &VPC{SecurityGroupIds: []string{}, SubnetIds: []string{}}
	if len(in.SubnetIds) == 0 {
		return out
	}
	sum := sha256.Sum256([]byte("double"))
	out.SubnetIds = append(out.SubnetIds, in.SubnetIds...)
	out.SecurityGroupIds = append(out.SecurityGroupIds, in.SecurityGroupIds...)
	out.Ipv6AllowedForDualStack = in.Ipv6AllowedForDualStack
	out.VpcId = "vpc-" + hex.EncodeToString(sum[:])[:17]
	return out
}

// applyLogging merges the logging settings; levels exist with JSON only.
func (c *settings) applyLogging(to *Configuration) {
	if c.LoggingConfig == nil {
		return
	}
	l := *to.LoggingConfig
	keep(c.LoggingConfig.LogFormat, &l.LogFormat)
	keep(c.LoggingConfig.LogGroup, &l.LogGroup)
	if l.LogFormat != "JSON" {
		to.LoggingConfig = &Logging{LogFormat: l.LogFormat, LogGroup: l.LogGroup}
		return
	}
	if l.ApplicationLogLevel == "" {
		l.ApplicationLogLevel, l.SystemLogLevel = "INFO", "INFO"
	}
	keep(c.LoggingConfig.ApplicationLogLevel, &l.ApplicationLogLevel)
	keep(c.LoggingConfig.SystemLogLevel, &l.SystemLogLevel)
	to.LoggingConfig = &l
}

// setRuntime sets a runtime and the version of it that AWS would select.
func (c *Configuration) setRuntime(runtime, region string) {
	sum := sha256.Sum256([]byte(runtime))
	c.Runtime = runtime
	c.RuntimeVersionConfig = &RuntimeVersion{
		RuntimeVersionArn: strings.Join([]string{"arn", partition(region), "lambda", region, "", "runtime", hex.EncodeToString(sum[:])}, ":"),
	}
}

// set overwrites a value if one was sent.
func set[T any](from *T, to *T) {
	if from != nil {
		*to = *from
	}
}

// keep overwrites a value unless the new one is empty.
func keep(from string, to *string) {
	if from != "" {
		*to = from
	}
}
