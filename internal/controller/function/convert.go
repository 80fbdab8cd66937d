package function

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// createInput returns the input that creates the whole function in one call.
func createInput(name string, s settings, a deploymentPackage, p publish) *lambda.CreateFunctionInput {
	in := &lambda.CreateFunctionInput{
		FunctionName:           ptr.To(name),
		Code:                   a.functionCode(),
		PackageType:            types.PackageType(ptr.Deref(s.PackageType, "")),
		Runtime:                types.Runtime(ptr.Deref(s.Runtime, "")),
		Handler:                s.Handler,
		Role:                   s.Role,
		Description:            s.Description,
		MemorySize:             s.MemorySize,
		Timeout:                s.Timeout,
		KMSKeyArn:              lambdaapi.NonEmpty(s.KMSKeyArn),
		Layers:                 s.Layers,
		CodeSigningConfigArn:   lambdaapi.NonEmpty(s.CodeSigningConfigArn),
		DurableConfig:          durableInput(s.DurableConfig),
		CapacityProviderConfig: capacityProviderInput(s.CapacityProviderConfig),
		Publish:                p.along(),
		PublishTo:              types.FunctionVersionLatestPublished(p.to),
		Tags:                   s.Tags,
	}
	if s.Architectures != nil {
		in.Architectures = []types.Architecture{types.Architecture(*s.Architectures)}
	}
	if len(s.Environment.Variables) > 0 {
		in.Environment = environmentInput(s.Environment)
	}
	if s.VPCConfig != nil {
		in.VpcConfig = vpcInput(s.VPCConfig)
	}
	if s.DeadLetterConfig != nil {
		in.DeadLetterConfig = deadLetterInput(s.DeadLetterConfig)
	}
	if s.EphemeralStorage != nil {
		in.EphemeralStorage = &types.EphemeralStorage{Size: ptr.To(s.EphemeralStorage.Size)}
	}
	if len(s.FileSystemConfigs) > 0 {
		in.FileSystemConfigs = fileSystemsInput(s.FileSystemConfigs)
	}
	if s.ImageConfig != nil {
		in.ImageConfig = imageInput(s.ImageConfig)
	}
	if s.LoggingConfig != nil {
		in.LoggingConfig = loggingInput(s.LoggingConfig)
	}
	if s.TracingConfig != nil {
		in.TracingConfig = &types.TracingConfig{Mode: types.TracingMode(s.TracingConfig.Mode)}
	}
	if s.SnapStart != nil {
		in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOn(s.SnapStart.ApplyOn)}
	}
	if s.TenancyConfig != nil {
		in.TenancyConfig = &types.TenancyConfig{TenantIsolationMode: types.TenantIsolationMode(s.TenancyConfig.TenantIsolationMode)}
	}
	return in
}

// configurationInput returns an update with only the fields that changed, each of them
// complete: AWS keeps what is nil and clears what is empty. The revision makes AWS reject
// the update if the function was changed since the observation.
func configurationInput(name string, t settings, changes diff.Changes, revision *string) *lambda.UpdateFunctionConfigurationInput {
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(name), RevisionId: revision}
	for path, set := range map[string]func(){
		"runtime":                func() { in.Runtime = types.Runtime(ptr.Deref(t.Runtime, "")) },
		"handler":                func() { in.Handler = t.Handler },
		"role":                   func() { in.Role = t.Role },
		"description":            func() { in.Description = ptr.To(ptr.Deref(t.Description, "")) },
		"memorySize":             func() { in.MemorySize = t.MemorySize },
		"timeout":                func() { in.Timeout = t.Timeout },
		"kmsKeyArn":              func() { in.KMSKeyArn = ptr.To(ptr.Deref(t.KMSKeyArn, "")) },
		"environment":            func() { in.Environment = environmentInput(t.Environment) },
		"layers":                 func() { in.Layers = append([]string{}, t.Layers...) },
		"vpcConfig":              func() { in.VpcConfig = vpcInput(t.VPCConfig) },
		"deadLetterConfig":       func() { in.DeadLetterConfig = deadLetterInput(t.DeadLetterConfig) },
		"ephemeralStorage":       func() { in.EphemeralStorage = &types.EphemeralStorage{Size: ptr.To(t.EphemeralStorage.Size)} },
		"fileSystemConfigs":      func() { in.FileSystemConfigs = fileSystemsInput(t.FileSystemConfigs) },
		"imageConfig":            func() { in.ImageConfig = imageInput(t.ImageConfig) },
		"loggingConfig":          func() { in.LoggingConfig = loggingInput(t.LoggingConfig) },
		"tracingConfig":          func() { in.TracingConfig = &types.TracingConfig{Mode: types.TracingMode(t.TracingConfig.Mode)} },
		"snapStart":              func() { in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOn(t.SnapStart.ApplyOn)} },
		"durableConfig":          func() { in.DurableConfig = durableInput(t.DurableConfig) },
		"capacityProviderConfig": func() { in.CapacityProviderConfig = capacityProviderInput(t.CapacityProviderConfig) },
	} {
		if changes.Any(path) {
			set()
		}
	}
	if in.KMSKeyArn != nil && len(t.Environment.Variables) > 0 {
		// AWS encrypts variables when it receives them: without them, the variables would
		// stay encrypted with the old key.
		in.Environment = environmentInput(t.Environment)
	}
	return in
}

// codeInput returns the update that deploys the archive for the architecture that it was
// built for.
func codeInput(name string, t settings, a deploymentPackage, p publish, revision *string) *lambda.UpdateFunctionCodeInput {
	c := a.functionCode()
	in := &lambda.UpdateFunctionCodeInput{
		FunctionName:        ptr.To(name),
		ImageUri:            c.ImageUri,
		S3Bucket:            c.S3Bucket,
		S3Key:               c.S3Key,
		S3ObjectVersion:     c.S3ObjectVersion,
		S3ObjectStorageMode: c.S3ObjectStorageMode,
		SourceKMSKeyArn:     c.SourceKMSKeyArn,
		ZipFile:             c.ZipFile,
		Publish:             p.along(),
		PublishTo:           types.FunctionVersionLatestPublished(p.to),
		RevisionId:          revision,
	}
	if t.Architectures != nil {
		in.Architectures = []types.Architecture{types.Architecture(*t.Architectures)}
	}
	return in
}

func environmentInput(e environment) *types.Environment {
	return &types.Environment{Variables: diff.Reveal(e.Variables)}
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

func fileSystemsInput(in []v1beta1.FileSystemConfig) []types.FileSystemConfig {
	out := make([]types.FileSystemConfig, 0, len(in))
	for _, f := range in {
		o := types.FileSystemConfig{Arn: ptr.To(f.Arn), LocalMountPath: ptr.To(f.LocalMountPath)}
		if f.S3FilesConfig != nil {
			o.S3FilesConfig = &types.S3FilesConfig{DirectS3Read: types.DirectS3Read(ptr.Deref(f.S3FilesConfig.DirectS3Read, ""))}
		}
		out = append(out, o)
	}
	return out
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

func loggingInput(in *v1beta1.LoggingConfig) *types.LoggingConfig {
	return &types.LoggingConfig{
		LogFormat:           types.LogFormat(ptr.Deref(in.LogFormat, "")),
		LogGroup:            in.LogGroup,
		ApplicationLogLevel: types.ApplicationLogLevel(ptr.Deref(in.ApplicationLogLevel, "")),
		SystemLogLevel:      types.SystemLogLevel(ptr.Deref(in.SystemLogLevel, "")),
	}
}

func durableInput(in *v1beta1.DurableConfig) *types.DurableConfig {
	if in == nil {
		return nil
	}
	return &types.DurableConfig{ExecutionTimeout: in.ExecutionTimeout, RetentionPeriodInDays: in.RetentionPeriodInDays, KMSKeyArn: in.KMSKeyArn}
}

func capacityProviderInput(in *v1beta1.CapacityProviderConfig) *types.CapacityProviderConfig {
	if in == nil {
		return nil
	}
	l := in.LambdaManagedInstancesCapacityProviderConfig
	out := &types.LambdaManagedInstancesCapacityProviderConfig{
		CapacityProviderArn:                   l.CapacityProviderArn,
		PerExecutionEnvironmentMaxConcurrency: l.PerExecutionEnvironmentMaxConcurrency,
	}
	if g := l.ExecutionEnvironmentMemoryGiBPerVCPU; g != nil {
		if f, err := strconv.ParseFloat(*g, 64); err == nil {
			out.ExecutionEnvironmentMemoryGiBPerVCpu = ptr.To(f)
		}
	}
	return &types.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: out}
}

// scalingInput returns the scaling configuration. A nil configuration becomes the empty
// one, which restores AWS's defaults.
func scalingInput(name string, in *v1beta1.FunctionScalingConfig) *lambda.PutFunctionScalingConfigInput {
	out := &lambda.PutFunctionScalingConfigInput{
		FunctionName:          ptr.To(name),
		Qualifier:             ptr.To(latestPublished),
		FunctionScalingConfig: &types.FunctionScalingConfig{},
	}
	if in != nil {
		out.FunctionScalingConfig.MinExecutionEnvironments = in.MinExecutionEnvironments
		out.FunctionScalingConfig.MaxExecutionEnvironments = in.MaxExecutionEnvironments
	}
	return out
}
