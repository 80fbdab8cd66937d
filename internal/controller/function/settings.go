package function

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// settings has everything that can differ between the desired and the observed function in
// one value. Both states are expressed in it, and package diff compares them. JSON names
// are the users' field names.
type settings struct {
	PackageType            *string                         `json:"packageType"`
	Runtime                *string                         `json:"runtime"`
	Handler                *string                         `json:"handler"`
	Role                   *string                         `json:"role"`
	Architectures          architectures                   `json:"architectures"`
	Description            *string                         `json:"description"`
	MemorySize             *int32                          `json:"memorySize"`
	Timeout                *int32                          `json:"timeout"`
	KMSKeyArn              *string                         `json:"kmsKeyArn"`
	Environment            environment                     `json:"environment"`
	Layers                 []string                        `json:"layers"`
	VPCConfig              *vpcConfig                      `json:"vpcConfig"`
	DeadLetterConfig       *deadLetterConfig               `json:"deadLetterConfig"`
	EphemeralStorage       *v1beta1.EphemeralStorage       `json:"ephemeralStorage"`
	FileSystemConfigs      []v1beta1.FileSystemConfig      `json:"fileSystemConfigs"`
	ImageConfig            *v1beta1.ImageConfig            `json:"imageConfig"`
	LoggingConfig          *v1beta1.LoggingConfig          `json:"loggingConfig"`
	TracingConfig          *v1beta1.TracingConfig          `json:"tracingConfig"`
	SnapStart              *v1beta1.SnapStart              `json:"snapStart"`
	DurableConfig          *v1beta1.DurableConfig          `json:"durableConfig"`
	TenancyConfig          *v1beta1.TenancyConfig          `json:"tenancyConfig"`
	CapacityProviderConfig *v1beta1.CapacityProviderConfig `json:"capacityProviderConfig"`

	Code code `json:"code" diff:"atomic"`

	Tags                         map[string]string              `json:"tags"`
	ReservedConcurrentExecutions *int32                         `json:"reservedConcurrentExecutions"`
	CodeSigningConfigArn         *string                        `json:"codeSigningConfigArn"`
	RecursiveLoop                *string                        `json:"recursiveLoop"`
	FunctionScalingConfig        *v1beta1.FunctionScalingConfig `json:"functionScalingConfig"`

	// Publish is the version that was published last, if publish is true.
	Publish *string `json:"publish"`
}

// architectures holds the only element of a list: a function always has exactly one
// architecture. If it is nil, AWS decides.
type architectures *string

// environment has the variables of all three sources in one map. All values are treated as
// secrets, because even a plain one may be confidential.
type environment struct {
	Variables map[string]diff.Secret `json:"variables"`
}

type vpcConfig struct {
	SubnetIDs               diff.Set `json:"subnetIds"`
	SecurityGroupIDs        diff.Set `json:"securityGroupIds"`
	IPv6AllowedForDualStack *bool    `json:"ipv6AllowedForDualStack"`
}

type deadLetterConfig struct {
	TargetArn string `json:"targetArn"`
}

// code identifies a deployment package. Which fields are set depends on the source, and is
// the same for both sides of a comparison.
type code struct {
	// SHA256 is AWS's CodeSha256: base64 for .zip archives.
	SHA256 string `json:"sha256"`
	// ImageURI is the URI that was deployed.
	ImageURI string `json:"imageUri"`
	// Source identifies the version of an object if its hash is not known.
	Source string `json:"source"`
	// SourceKMSKeyArn is the key that encrypts the archive.
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn"`
}

// fromSpec returns a block of spec in comparable form. The caller has resolved references
// into p.
func fromSpec(p v1beta1.FunctionSettings, variables map[string]string) settings {
	s := settings{
		PackageType:                  p.PackageType,
		Runtime:                      p.Runtime,
		Handler:                      p.Handler,
		Role:                         p.Role,
		Description:                  p.Description,
		MemorySize:                   p.MemorySize,
		Timeout:                      p.Timeout,
		KMSKeyArn:                    p.KMSKeyArn,
		Environment:                  environment{Variables: diff.Secrets(variables)},
		Layers:                       slices.Concat(p.Layers, p.ReferredLayers),
		EphemeralStorage:             p.EphemeralStorage,
		FileSystemConfigs:            plainFileSystems(p.FileSystemConfigs),
		ImageConfig:                  p.ImageConfig,
		LoggingConfig:                p.LoggingConfig,
		TracingConfig:                p.TracingConfig,
		SnapStart:                    p.SnapStart,
		DurableConfig:                p.DurableConfig,
		TenancyConfig:                p.TenancyConfig,
		CapacityProviderConfig:       plainCapacityProvider(p.CapacityProviderConfig),
		Tags:                         p.Tags,
		ReservedConcurrentExecutions: p.ReservedConcurrentExecutions,
		CodeSigningConfigArn:         cmp.Or(p.CodeSigningConfigArn, p.ReferredCodeSigningConfigArn),
		RecursiveLoop:                p.RecursiveLoop,
		FunctionScalingConfig:        p.FunctionScalingConfig,
	}
	if len(p.Architectures) > 0 {
		s.Architectures = &p.Architectures[0]
	}
	if v := p.VPCConfig; v != nil {
		s.VPCConfig = &vpcConfig{SubnetIDs: v.SubnetIDs, SecurityGroupIDs: v.SecurityGroupIDs, IPv6AllowedForDualStack: v.IPv6AllowedForDualStack}
	}
	if d := p.DeadLetterConfig; d != nil && d.TargetArn != nil {
		s.DeadLetterConfig = &deadLetterConfig{TargetArn: *d.TargetArn}
	}
	return s
}

// plainCapacityProvider formats numbers in their shortest form, and removes the reference
// by which a capacity provider was found.
func plainCapacityProvider(in *v1beta1.CapacityProviderConfig) *v1beta1.CapacityProviderConfig {
	if in == nil {
		return nil
	}
	out := *in
	l := &out.LambdaManagedInstancesCapacityProviderConfig
	l.CapacityProviderArnRef, l.CapacityProviderArnSelector = nil, nil
	if g := l.ExecutionEnvironmentMemoryGiBPerVCPU; g != nil {
		if f, err := strconv.ParseFloat(*g, 64); err == nil {
			l.ExecutionEnvironmentMemoryGiBPerVCPU = ptr.To(lambdaapi.Decimal(f))
		}
	}
	return &out
}

// plainFileSystems removes S3 read modes that are AWS's default.
func plainFileSystems(in []v1beta1.FileSystemConfig) []v1beta1.FileSystemConfig {
	var out []v1beta1.FileSystemConfig
	for _, f := range in {
		if s := f.S3FilesConfig; s != nil && (s.DirectS3Read == nil || *s.DirectS3Read == directS3ReadDefault) {
			f.S3FilesConfig = nil
		}
		out = append(out, f)
	}
	return out
}

// observed is everything that one reconcile read of a function.
type observed struct {
	// function is GetFunction's answer.
	function *lambda.GetFunctionOutput
	// codeSigningConfigArn, recursiveLoop and scaling are read only if the spec declares
	// them.
	codeSigningConfigArn *string
	recursiveLoop        *string
	scaling              *types.FunctionScalingConfig
	// publishing is the version that AWS was preparing at the last reconcile. It is read
	// until it is prepared. unpublished is true if it no longer exists.
	publishing  *types.FunctionConfiguration
	unpublished bool
	// unversioned is true if a function that may be a failed creation has no version beyond
	// the one that its creation publishes.
	unversioned bool
}

func (o observed) config() *types.FunctionConfiguration { return o.function.Configuration }

// fromAWS returns the answers of AWS in comparable form. It treats an empty field like an
// absent one.
func fromAWS(o observed) settings {
	c := o.config()
	s := settings{
		PackageType:            lambdaapi.Text(c.PackageType),
		Runtime:                lambdaapi.Text(c.Runtime),
		Handler:                c.Handler,
		Role:                   c.Role,
		Description:            ptr.To(ptr.Deref(c.Description, "")),
		MemorySize:             c.MemorySize,
		Timeout:                c.Timeout,
		KMSKeyArn:              lambdaapi.NonEmpty(c.KMSKeyArn),
		Layers:                 layers(c.Layers),
		VPCConfig:              vpc(c.VpcConfig),
		FileSystemConfigs:      fileSystems(c.FileSystemConfigs),
		LoggingConfig:          logging(c.LoggingConfig),
		DurableConfig:          durable(c.DurableConfig),
		CapacityProviderConfig: capacityProvider(c.CapacityProviderConfig),
		Tags:                   o.function.Tags,
		CodeSigningConfigArn:   lambdaapi.NonEmpty(o.codeSigningConfigArn),
		RecursiveLoop:          o.recursiveLoop,
		FunctionScalingConfig:  scaling(o.scaling),
	}
	if len(c.Architectures) > 0 {
		s.Architectures = lambdaapi.Text(c.Architectures[0])
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

// vpc returns nil for the empty configuration that AWS returns after a function left its
// VPC.
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
			o.S3FilesConfig = &v1beta1.S3FilesConfig{DirectS3Read: lambdaapi.Text(f.S3FilesConfig.DirectS3Read)}
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
		LogFormat:           lambdaapi.Text(in.LogFormat),
		LogGroup:            lambdaapi.NonEmpty(in.LogGroup),
		ApplicationLogLevel: lambdaapi.Text(in.ApplicationLogLevel),
		SystemLogLevel:      lambdaapi.Text(in.SystemLogLevel),
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
	return &v1beta1.DurableConfig{ExecutionTimeout: in.ExecutionTimeout, RetentionPeriodInDays: in.RetentionPeriodInDays, KMSKeyArn: lambdaapi.NonEmpty(in.KMSKeyArn)}
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
		out.ExecutionEnvironmentMemoryGiBPerVCPU = ptr.To(lambdaapi.Decimal(*g))
	}
	return &v1beta1.CapacityProviderConfig{LambdaManagedInstancesCapacityProviderConfig: out}
}

func scaling(in *types.FunctionScalingConfig) *v1beta1.FunctionScalingConfig {
	if in == nil || (in.MinExecutionEnvironments == nil && in.MaxExecutionEnvironments == nil) {
		return nil
	}
	return &v1beta1.FunctionScalingConfig{MinExecutionEnvironments: in.MinExecutionEnvironments, MaxExecutionEnvironments: in.MaxExecutionEnvironments}
}

// observation returns status.atProvider of a function. Fields that only the provider knows
// are copied from last.
func observation(o observed, last v1beta1.FunctionObservation) v1beta1.FunctionObservation {
	c := o.config()
	s := fromAWS(o)
	out := v1beta1.FunctionObservation{
		FunctionName:                 c.FunctionName,
		FunctionArn:                  c.FunctionArn,
		InvokeArn:                    lambdaapi.NonEmpty(ptr.To(lambdaapi.InvokeARN(ptr.Deref(c.FunctionArn, "")))),
		State:                        lambdaapi.Text(c.State),
		StateReason:                  c.StateReason,
		StateReasonCode:              lambdaapi.Text(c.StateReasonCode),
		LastUpdateStatus:             lambdaapi.Text(c.LastUpdateStatus),
		LastUpdateStatusReason:       c.LastUpdateStatusReason,
		LastUpdateStatusReasonCode:   lambdaapi.Text(c.LastUpdateStatusReasonCode),
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
		out.VPCID = lambdaapi.NonEmpty(v.VpcId)
	}
	if l := s.LoggingConfig; l != nil {
		out.LogGroup = l.LogGroup
	}
	if r := c.RuntimeVersionConfig; r != nil {
		out.RuntimeVersionArn = r.RuntimeVersionArn
	}
	if x := c.SnapStart; x != nil {
		out.SnapStartOptimizationStatus = lambdaapi.Text(x.OptimizationStatus)
	}
	if k := o.function.Code; k != nil {
		out.ImageURI, out.ResolvedImageURI = k.ImageUri, k.ResolvedImageUri
	}
	if s.FunctionScalingConfig != nil {
		out.FunctionScalingConfig = s.FunctionScalingConfig
	}
	return out
}
