package awsdouble

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
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
	sent, was := *c, *to
	if c.TracingConfig != nil && c.TracingConfig.Mode == "" {
		sent.TracingConfig = nil
	}
	sent.Runtime, sent.VpcConfig = nil, nil
	overlay(to, &sent)
	if c.Runtime != nil && *c.Runtime != "" {
		to.setRuntime(*c.Runtime, h.region)
	}
	if c.SnapStart != nil {
		to.SnapStart = &SnapStart{ApplyOn: c.SnapStart.ApplyOn, OptimizationStatus: "Off"}
	}
	if c.DurableConfig != nil {
		to.DurableConfig = durableFrom(was.DurableConfig, c.DurableConfig)
	}
	if c.CapacityProviderConfig != nil {
		to.CapacityProviderConfig = onInstances(c.CapacityProviderConfig)
	}
	if c.Environment != nil {
		to.Environment = &Environment{Variables: map[string]string{}}
		maps.Copy(to.Environment.Variables, c.Environment.Variables)
	}
	if c.Layers != nil {
		to.Layers = nil
		for _, arn := range c.Layers {
			to.Layers = append(to.Layers, Layer{Arn: arn, CodeSize: h.layerSize(arn)})
		}
	}
	if c.ImageConfig != nil {
		to.ImageConfigResponse = nil
		if !blank(reflect.ValueOf(*c.ImageConfig)) {
			to.ImageConfigResponse = &ImageResponse{ImageConfig: *c.ImageConfig}
		}
	}
	if c.VpcConfig != nil {
		to.VpcConfig = vpc(c.VpcConfig)
	}
	if c.LoggingConfig != nil {
		to.LoggingConfig = to.LoggingConfig.filled()
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

// filled returns logging settings with the levels of JSON, which other formats do not have.
func (l *Logging) filled() *Logging {
	if l.LogFormat != "JSON" {
		return &Logging{LogFormat: l.LogFormat, LogGroup: l.LogGroup}
	}
	out := *l
	out.ApplicationLogLevel, out.SystemLogLevel = cmp.Or(out.ApplicationLogLevel, "INFO"), cmp.Or(out.SystemLogLevel,
		"INFO")
	return &out
}

// setRuntime sets a runtime and the version of it that AWS would select.
func (c *Configuration) setRuntime(runtime, region string) {
	sum := sha256.Sum256([]byte(runtime))
	c.Runtime = runtime
	c.RuntimeVersionConfig = &RuntimeVersion{
		RuntimeVersionArn: strings.Join([]string{
			"arn", partition(region), "lambda", region, "", "runtime",
			hex.EncodeToString(sum[:]),
		}, ":"),
	}
}

// set overwrites a value if one was sent.
func set[T any](from *T, to *T) {
	if from != nil {
		*to = *from
	}
}
