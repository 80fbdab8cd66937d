package function

import (
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

// The settings that AWS may have but not return.
const (
	environmentPath = "environment"
	imageConfigPath = "imageConfig"
	kmsKeyArnPath   = "kmsKeyArn"
)

// publishPath is the setting that changes if a version is due.
const publishPath = "publish"

// A field is a field of spec.forProvider that is compared with AWS. It has one name, but for case, in spec, in
// settings, in the SDK's inputs and outputs and in status. Where it is copied by that name, this file says what is
// different.
type field struct {
	// path is the field's name below spec.forProvider.
	path string

	// by has the calls that change the field. Without any, AWS cannot change it.
	by []call

	// cleared is true if the update needs an empty value to remove the field, since AWS keeps what is nil.
	cleared bool
}

// configuration is the call that changes most fields.
var configuration = []call{opUpdateConfiguration}

var fields = []field{
	{path: "packageType"},
	{path: "runtime", by: configuration},
	{path: "runtimeConfig", by: configuration},
	{path: "handler", by: configuration},
	{path: "role", by: configuration},
	{path: "architectures", by: []call{opUpdateCode}},
	{path: "description", by: configuration, cleared: true},
	{path: "memorySize", by: configuration},
	{path: "timeout", by: configuration},
	{path: "kmsKeyArn", by: configuration, cleared: true},
	{path: "environment", by: configuration},
	{path: "layers", by: configuration, cleared: true},
	{path: "vpcConfig", by: configuration, cleared: true},
	{path: "deadLetterConfig", by: configuration, cleared: true},
	{path: "ephemeralStorage", by: configuration},
	{path: "fileSystemConfigs", by: configuration, cleared: true},
	{path: "imageConfig", by: configuration, cleared: true},
	{path: "loggingConfig", by: configuration},
	{path: "tracingConfig", by: configuration},
	{path: "snapStart", by: configuration},
	{path: "durableConfig", by: configuration},
	{path: "tenancyConfig"},
	{path: "capacityProviderConfig", by: configuration},
	{path: "code", by: []call{opUpdateCode}},
	{path: "tags", by: []call{opTag, opUntag}},
	{path: "reservedConcurrentExecutions", by: []call{opPutConcurrency, opDeleteConcurrency}},
	{path: "codeSigningConfigArn", by: []call{opPutCodeSigning, opDeleteCodeSigning}},
	{path: "recursiveLoop", by: []call{opPutRecursion}},
	{path: "functionScalingConfig", by: []call{opPutScaling}},
	{path: publishPath, by: []call{opPublish}},
}

// appliedBy has the paths of the fields that each call changes. Those that no call changes count as part of the
// configuration, so that a difference in them is planned.
var appliedBy = func() map[call][]string {
	out := map[call][]string{}
	for _, f := range fields {
		for _, c := range f.by {
			out[c] = append(out[c], f.path)
		}
		if f.by == nil {
			out[opUpdateConfiguration] = append(out[opUpdateConfiguration], f.path)
		}
	}
	return out
}()

// applies returns the changes that the call makes.
func (c call) applies(changes diff.Changes) diff.Changes {
	if c == opTag || c == opUntag {
		return tagging.Applied(string(c), changes)
	}
	return changes.In(appliedBy[c]...)
}

// paths returns the paths of the fields that a function selects.
func paths(selected func(field) bool) []string {
	var out []string
	for _, f := range fields {
		if selected(f) {
			out = append(out, f.path)
		}
	}
	return out
}

// unchangeable has the paths of the fields that AWS cannot change.
var unchangeable = paths(func(f field) bool { return f.by == nil })

// The conversions that names do not describe, from spec to settings and on to the SDK's inputs.
var (
	specToSettings = samefields.MustNew[v1beta1.FunctionSettings, settings](
		samefields.Except("code", "environment", publishPath),
		samefields.EmptyIsAbsent("deadLetterConfig"),
		samefields.With(firstOf[string]),
	)

	settingsToCreate = samefields.MustNew[settings, lambda.CreateFunctionInput](append(inputs,
		samefields.Except("code", publishPath),
		samefields.EmptyIsAbsent("kmsKeyArn", "codeSigningConfigArn"),
		samefields.With(initialEnvironment),
	)...)

	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateFunctionConfigurationInput](append(inputs,
		samefields.Clears(paths(func(f field) bool { return f.cleared })...),
		samefields.With(changedEnvironment),
	)...)

	inputs = []samefields.Option{
		samefields.With(vpcInput),
		samefields.With(deadLetterInput),
		samefields.With(imageInput),
		samefields.With(
			func(a architectures) []types.Architecture { return []types.Architecture{types.Architecture(*a)} },
		),
		samefields.With(number),
	}
)

// The conversions that names do not describe, from AWS's answer to settings, and from both to status.
var (
	answerToSettings = samefields.MustNew[types.FunctionConfiguration, settings](
		samefields.EmptyIsAbsent("kmsKeyArn", "deadLetterConfig", "durableConfig.kmsKeyArn", "loggingConfig",
			"loggingConfig.logGroup", "tracingConfig", "snapStart", "capacityProviderConfig"),
		samefields.From("imageConfig", "imageConfigResponse.imageConfig"),
		samefields.Clears("ephemeralStorage.size"),
		samefields.With(func(size *int32) int32 { return ptr.Deref(size, defaultStorage.Size) }),
		samefields.With(firstOf[types.Architecture]),
		samefields.With(func(l types.Layer) string { return ptr.Deref(l.Arn, "") }),
		samefields.With(vpc),
		samefields.With(
			func(e *types.EnvironmentResponse) environment { return environment{diff.Secrets(e.Variables)} },
		),
		samefields.With(func(f *float64) *string { return ptr.To(lambdaapi.Decimal(*f)) }),
	)

	settingsToStatus = samefields.MustNew[settings, v1beta1.FunctionObservation](
		samefields.Except("architectures", "description", "fileSystemConfigs"),
		samefields.From("environmentVariableNames", "environment.variables"),
		samefields.From("ephemeralStorageSize", "ephemeralStorage.size"),
		samefields.From("logGroup", "loggingConfig.logGroup"),
		samefields.With(func(v map[string]diff.Secret) []string { return slices.Sorted(maps.Keys(v)) }),
	)

	answerToStatus = samefields.MustNew[types.FunctionConfiguration, v1beta1.FunctionObservation](
		samefields.Except(settingsToStatus.Names()...),
		samefields.EmptyIsAbsent("description", "vpcId"),
		samefields.From("vpcId", "vpcConfig.vpcId"),
		samefields.From("runtimeVersionArn", "runtimeVersionConfig.runtimeVersionArn"),
		samefields.From("snapStartOptimizationStatus", "snapStart.optimizationStatus"),
	)
)

// firstOf returns the only element of a list of architectures.
func firstOf[T ~string](of []T) architectures {
	if len(of) == 0 {
		return nil
	}
	return lambdaapi.Text(of[0])
}

// number returns the number that a text of digits stands for, or nil if it stands for none.
func number(text *string) *float64 {
	f, err := strconv.ParseFloat(*text, 64)
	if err != nil {
		return nil
	}
	return &f
}

// vpcInput returns the VPC configuration. A nil configuration becomes the empty one, which
// detaches the function from its VPC.
func vpcInput(in *vpcConfig) *types.VpcConfig {
	out := &types.VpcConfig{SubnetIds: []string{}, SecurityGroupIds: []string{}, Ipv6AllowedForDualStack: ptr.To(false)}
	if in != nil {
		out.SubnetIds = append(out.SubnetIds, in.SubnetIDs...)
		out.SecurityGroupIds = append(out.SecurityGroupIds, in.SecurityGroupIDs...)
		out.Ipv6AllowedForDualStack = in.IPv6AllowedForDualStack
	}
	return out
}

func deadLetterInput(in *deadLetterConfig) *types.DeadLetterConfig {
	if in == nil {
		return &types.DeadLetterConfig{TargetArn: ptr.To("")}
	}
	return &types.DeadLetterConfig{TargetArn: ptr.To(in.TargetArn)}
}

func imageInput(in *v1beta1.ImageConfig) *types.ImageConfig {
	out := &types.ImageConfig{Command: []string{}, EntryPoint: []string{}, WorkingDirectory: ptr.To("")}
	if in != nil {
		out.Command = append(out.Command, in.Command...)
		out.EntryPoint = append(out.EntryPoint, in.EntryPoint...)
		out.WorkingDirectory = ptr.To(ptr.Deref(in.WorkingDirectory, ""))
	}
	return out
}

// initialEnvironment returns the variables of a creation, nil if there are none.
func initialEnvironment(e environment) *types.Environment {
	if len(e.Variables) == 0 {
		return nil
	}
	return changedEnvironment(e)
}

// changedEnvironment returns the variables of an update. Without any, AWS removes those that the function has.
func changedEnvironment(e environment) *types.Environment {
	return &types.Environment{Variables: diff.Reveal(e.Variables)}
}

// encryptsAgain reports whether an update sends the variables even if they are the same: AWS encrypts them when it
// receives them, so that they would stay encrypted with the old key.
func encryptsAgain(s settings, changes diff.Changes) bool {
	return changes.Any(kmsKeyArnPath) && len(s.Environment.Variables) > 0
}
