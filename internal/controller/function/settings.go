package function

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// settings are all that can differ between what is wanted of a function and
// what AWS has, as one value: the desired and the observed state are both told
// in it, and package diff compares them. JSON names are the users' field names.
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

	// Publish is what was published last, where publish is true.
	Publish *string `json:"publish"`
}

// architectures is a list by its form and a scalar by its nature: it has one
// element, and AWS has no function without one. Not set, it is left to AWS.
type architectures *string

// environment has the variables of all three sources in one map. All values are
// secrets: who may tell whether a plain one isn't.
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

// code is what identifies a deployment package. Which of the fields are set
// depends on the source, and is the same for both sides of a comparison.
type code struct {
	// SHA256 is AWS's CodeSha256: base64 for .zip archives.
	SHA256 string `json:"sha256"`
	// ImageURI as deployed.
	ImageURI string `json:"imageUri"`
	// Source tells versions of an object apart, where its hash is not known.
	Source string `json:"source"`
	// SourceKMSKeyArn encrypts the archive.
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn"`
}

// fromParameters puts the user's settings in comparable form. References to
// fields of other objects have been resolved into p before.
func fromParameters(p v1beta1.FunctionSettings, variables map[string]string) settings {
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

// plainCapacityProvider writes numbers in their shortest form, and leaves out by which
// reference a capacity provider was found.
func plainCapacityProvider(in *v1beta1.CapacityProviderConfig) *v1beta1.CapacityProviderConfig {
	if in == nil {
		return nil
	}
	out := *in
	l := &out.LambdaManagedInstancesCapacityProviderConfig
	l.CapacityProviderArnRef, l.CapacityProviderArnSelector = nil, nil
	if g := l.ExecutionEnvironmentMemoryGiBPerVCPU; g != nil {
		if f, err := strconv.ParseFloat(*g, 64); err == nil {
			l.ExecutionEnvironmentMemoryGiBPerVCPU = ptr.To(answer.Decimal(f))
		}
	}
	return &out
}

// plainFileSystems drops S3 read modes that say no more than AWS's default.
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
