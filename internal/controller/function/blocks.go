package function

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
)

// showBlocks sets the fields of status for the nested blocks of spec, and for settings that
// AWS stores outside the configuration.
func showBlocks(out *v1beta1.FunctionObservation, o observed, s settings) {
	c := o.config()
	out.Description = lambdaapi.NonEmpty(c.Description)
	out.CodeSigningConfigArn, out.RecursiveLoop = s.CodeSigningConfigArn, s.RecursiveLoop
	out.TagKeys = slices.Sorted(maps.Keys(o.function.Tags))
	if k := o.function.Code; k != nil {
		out.SourceKMSKeyArn = lambdaapi.NonEmpty(k.SourceKMSKeyArn)
	}
	if v := s.VPCConfig; v != nil {
		out.VPCConfig = &v1beta1.VPCConfigObservation{SubnetIDs: v.SubnetIDs, SecurityGroupIDs: v.SecurityGroupIDs, IPv6AllowedForDualStack: v.IPv6AllowedForDualStack}
	}
	if d := s.DeadLetterConfig; d != nil {
		out.DeadLetterConfig = &v1beta1.DeadLetterConfigObservation{TargetArn: &d.TargetArn}
	}
	if i := s.ImageConfig; i != nil {
		out.ImageConfig = &v1beta1.ImageConfigObservation{Command: i.Command, EntryPoint: i.EntryPoint, WorkingDirectory: i.WorkingDirectory}
	}
	if l := s.LoggingConfig; l != nil {
		out.LoggingConfig = &v1beta1.LoggingConfigObservation{LogFormat: l.LogFormat, LogGroup: l.LogGroup, ApplicationLogLevel: l.ApplicationLogLevel, SystemLogLevel: l.SystemLogLevel}
	}
	if t := s.TracingConfig; t != nil {
		out.TracingConfig = &v1beta1.TracingConfigObservation{Mode: &t.Mode}
	}
	if x := s.SnapStart; x != nil {
		out.SnapStart = &v1beta1.SnapStartObservation{ApplyOn: &x.ApplyOn}
	}
	if d := s.DurableConfig; d != nil {
		out.DurableConfig = &v1beta1.DurableConfigObservation{ExecutionTimeout: d.ExecutionTimeout, RetentionPeriodInDays: d.RetentionPeriodInDays, KMSKeyArn: d.KMSKeyArn}
	}
	if t := s.TenancyConfig; t != nil {
		out.TenancyConfig = &v1beta1.TenancyConfigObservation{TenantIsolationMode: lambdaapi.NonEmpty(&t.TenantIsolationMode)}
	}
	if p := s.CapacityProviderConfig; p != nil {
		l := p.LambdaManagedInstancesCapacityProviderConfig
		out.CapacityProviderConfig = &v1beta1.CapacityProviderConfigObservation{LambdaManagedInstancesCapacityProviderConfig: &v1beta1.LambdaManagedInstancesObservation{
			CapacityProviderArn:                   l.CapacityProviderArn,
			ExecutionEnvironmentMemoryGiBPerVCPU:  l.ExecutionEnvironmentMemoryGiBPerVCPU,
			PerExecutionEnvironmentMaxConcurrency: l.PerExecutionEnvironmentMaxConcurrency,
		}}
	}
	out.FileSystemConfigs = showFileSystems(c.FileSystemConfigs)
}

func showFileSystems(in []types.FileSystemConfig) []v1beta1.FileSystemConfigObservation {
	var out []v1beta1.FileSystemConfigObservation
	for _, f := range in {
		o := v1beta1.FileSystemConfigObservation{Arn: f.Arn, LocalMountPath: f.LocalMountPath}
		if f.S3FilesConfig != nil {
			o.S3FilesConfig = &v1beta1.S3FilesConfigObservation{DirectS3Read: lambdaapi.Text(f.S3FilesConfig.DirectS3Read)}
		}
		out = append(out, o)
	}
	return out
}
