package function

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/invoke"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// observed is everything that one reconcile read of a function, gathered before
// anything is decided.
type observed struct {
	// function is GetFunction's answer.
	function *lambda.GetFunctionOutput
	// codeSigningConfigArn, recursiveLoop and scaling are read only where the
	// spec declares them.
	codeSigningConfigArn *string
	recursiveLoop        *string
	scaling              *types.FunctionScalingConfig
	// publishing is the version that AWS was preparing when last looked at, read until
	// it is done. unpublished says that it is gone.
	publishing  *types.FunctionConfiguration
	unpublished bool
	// unversioned says of a function that may be a failed creation that it has no version
	// beyond the one that its creation publishes.
	unversioned bool
}

func (o observed) config() *types.FunctionConfiguration { return o.function.Configuration }

// fromObserved puts AWS's answers in comparable form. Fields that AWS leaves out
// or empty are as good as absent.
func fromObserved(o observed) settings {
	c := o.config()
	s := settings{
		PackageType:            answer.Text(c.PackageType),
		Runtime:                answer.Text(c.Runtime),
		Handler:                c.Handler,
		Role:                   c.Role,
		Description:            ptr.To(ptr.Deref(c.Description, "")),
		MemorySize:             c.MemorySize,
		Timeout:                c.Timeout,
		KMSKeyArn:              answer.NonEmpty(c.KMSKeyArn),
		Layers:                 layers(c.Layers),
		VPCConfig:              vpc(c.VpcConfig),
		FileSystemConfigs:      fileSystems(c.FileSystemConfigs),
		LoggingConfig:          logging(c.LoggingConfig),
		DurableConfig:          durable(c.DurableConfig),
		CapacityProviderConfig: capacityProvider(c.CapacityProviderConfig),
		Tags:                   o.function.Tags,
		CodeSigningConfigArn:   answer.NonEmpty(o.codeSigningConfigArn),
		RecursiveLoop:          o.recursiveLoop,
		FunctionScalingConfig:  scaling(o.scaling),
	}
	if len(c.Architectures) > 0 {
		s.Architectures = answer.Text(c.Architectures[0])
	}
	if c.Environment != nil {
		s.Environment.Variables = diff.Secrets(c.Environment.Variables)
	}
	if d := c.DeadLetterConfig; d != nil && ptr.Deref(d.TargetArn, "") != "" {
		s.DeadLetterConfig = &deadLetterConfig{TargetArn: *d.TargetArn}
	}
	if e := c.EphemeralStorage; e != nil {
		s.EphemeralStorage = &v1beta1.EphemeralStorage{Size: ptr.Deref(e.Size, ephemeralStorageDefault)}
	}
	if i := c.ImageConfigResponse; i != nil && i.ImageConfig != nil {
		s.ImageConfig = plainImage(&v1beta1.ImageConfig{Command: i.ImageConfig.Command, EntryPoint: i.ImageConfig.EntryPoint, WorkingDirectory: i.ImageConfig.WorkingDirectory})
	}
	if t := c.TracingConfig; t != nil && t.Mode != "" {
		s.TracingConfig = &v1beta1.TracingConfig{Mode: string(t.Mode)}
	}
	if x := c.SnapStart; x != nil && x.ApplyOn != "" {
		s.SnapStart = &v1beta1.SnapStart{ApplyOn: string(x.ApplyOn)}
	}
	if t := c.TenancyConfig; t != nil {
		s.TenancyConfig = &v1beta1.TenancyConfig{TenantIsolationMode: string(t.TenantIsolationMode)}
	}
	if r := o.function.Concurrency; r != nil {
		s.ReservedConcurrentExecutions = r.ReservedConcurrentExecutions
	}
	return s
}

func layers(in []types.Layer) []string {
	out := make([]string, 0, len(in))
	for _, l := range in {
		out = append(out, ptr.Deref(l.Arn, ""))
	}
	return out
}

// vpc is nil for the empty configuration that AWS shows after a function left
// its VPC.
func vpc(in *types.VpcConfigResponse) *vpcConfig {
	if in == nil || len(in.SubnetIds)+len(in.SecurityGroupIds) == 0 {
		return nil
	}
	return &vpcConfig{SubnetIDs: in.SubnetIds, SecurityGroupIDs: in.SecurityGroupIds, IPv6AllowedForDualStack: ptr.To(ptr.Deref(in.Ipv6AllowedForDualStack, false))}
}

func fileSystems(in []types.FileSystemConfig) []v1beta1.FileSystemConfig {
	out := make([]v1beta1.FileSystemConfig, 0, len(in))
	for _, f := range in {
		o := v1beta1.FileSystemConfig{Arn: ptr.Deref(f.Arn, ""), LocalMountPath: ptr.Deref(f.LocalMountPath, "")}
		if f.S3FilesConfig != nil {
			o.S3FilesConfig = &v1beta1.S3FilesConfig{DirectS3Read: answer.Text(f.S3FilesConfig.DirectS3Read)}
		}
		out = append(out, o)
	}
	return plainFileSystems(out)
}

func logging(in *types.LoggingConfig) *v1beta1.LoggingConfig {
	if in == nil {
		return nil
	}
	out := v1beta1.LoggingConfig{
		LogFormat:           answer.Text(in.LogFormat),
		LogGroup:            answer.NonEmpty(in.LogGroup),
		ApplicationLogLevel: answer.Text(in.ApplicationLogLevel),
		SystemLogLevel:      answer.Text(in.SystemLogLevel),
	}
	if out == (v1beta1.LoggingConfig{}) {
		return nil
	}
	return &out
}

func durable(in *types.DurableConfig) *v1beta1.DurableConfig {
	if in == nil {
		return nil
	}
	return &v1beta1.DurableConfig{ExecutionTimeout: in.ExecutionTimeout, RetentionPeriodInDays: in.RetentionPeriodInDays, KMSKeyArn: answer.NonEmpty(in.KMSKeyArn)}
}

func capacityProvider(in *types.CapacityProviderConfig) *v1beta1.CapacityProviderConfig {
	if in == nil || in.LambdaManagedInstancesCapacityProviderConfig == nil {
		return nil
	}
	l := in.LambdaManagedInstancesCapacityProviderConfig
	out := v1beta1.LambdaManagedInstancesCapacityProviderConfig{
		CapacityProviderArn:                   l.CapacityProviderArn,
		PerExecutionEnvironmentMaxConcurrency: l.PerExecutionEnvironmentMaxConcurrency,
	}
	if g := l.ExecutionEnvironmentMemoryGiBPerVCpu; g != nil {
		out.ExecutionEnvironmentMemoryGiBPerVCPU = ptr.To(answer.Decimal(*g))
	}
	return &v1beta1.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: out}
}

func scaling(in *types.FunctionScalingConfig) *v1beta1.FunctionScalingConfig {
	if in == nil || (in.MinExecutionEnvironments == nil && in.MaxExecutionEnvironments == nil) {
		return nil
	}
	return &v1beta1.FunctionScalingConfig{MinExecutionEnvironments: in.MinExecutionEnvironments, MaxExecutionEnvironments: in.MaxExecutionEnvironments}
}

// status is what users see of an observation. last carries over what the
// provider itself remembers.
func status(o observed, last v1beta1.FunctionObservation) v1beta1.FunctionObservation {
	c := o.config()
	s := fromObserved(o)
	out := v1beta1.FunctionObservation{
		FunctionName:                 c.FunctionName,
		FunctionArn:                  c.FunctionArn,
		InvokeArn:                    answer.NonEmpty(ptr.To(invoke.ARN(ptr.Deref(c.FunctionArn, "")))),
		State:                        answer.Text(c.State),
		StateReason:                  c.StateReason,
		StateReasonCode:              answer.Text(c.StateReasonCode),
		LastUpdateStatus:             answer.Text(c.LastUpdateStatus),
		LastUpdateStatusReason:       c.LastUpdateStatusReason,
		LastUpdateStatusReasonCode:   answer.Text(c.LastUpdateStatusReasonCode),
		LastModified:                 c.LastModified,
		Version:                      c.Version,
		RevisionID:                   c.RevisionId,
		CodeSHA256:                   c.CodeSha256,
		CodeSize:                     ptr.To(c.CodeSize),
		PackageType:                  s.PackageType,
		Runtime:                      s.Runtime,
		Handler:                      s.Handler,
		Role:                         s.Role,
		MemorySize:                   s.MemorySize,
		Timeout:                      s.Timeout,
		KMSKeyArn:                    s.KMSKeyArn,
		Layers:                       s.Layers,
		SigningJobArn:                c.SigningJobArn,
		SigningProfileVersionArn:     c.SigningProfileVersionArn,
		MasterArn:                    c.MasterArn,
		ReservedConcurrentExecutions: s.ReservedConcurrentExecutions,
		EnvironmentVariableNames:     slices.Sorted(maps.Keys(s.Environment.Variables)),
		DeployedCode:                 last.DeployedCode,
		FunctionScalingConfig:        last.FunctionScalingConfig,
		Initialized:                  last.Initialized,
		Activated:                    last.Activated || serves(c) || c.State == types.StateInactive,
	}
	showBlocks(&out, o, s)
	publications(&out, o, last)
	for _, a := range c.Architectures {
		out.Architectures = append(out.Architectures, string(a))
	}
	if e := s.EphemeralStorage; e != nil {
		out.EphemeralStorageSize = ptr.To(e.Size)
	}
	if v := c.VpcConfig; v != nil {
		out.VPCID = answer.NonEmpty(v.VpcId)
	}
	if l := s.LoggingConfig; l != nil {
		out.LogGroup = l.LogGroup
	}
	if r := c.RuntimeVersionConfig; r != nil {
		out.RuntimeVersionArn = r.RuntimeVersionArn
	}
	if x := c.SnapStart; x != nil {
		out.SnapStartOptimizationStatus = answer.Text(x.OptimizationStatus)
	}
	if k := o.function.Code; k != nil {
		out.ImageURI, out.ResolvedImageURI = k.ImageUri, k.ResolvedImageUri
	}
	if s.FunctionScalingConfig != nil {
		out.FunctionScalingConfig = s.FunctionScalingConfig
	}
	return out
}
