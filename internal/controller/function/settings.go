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

// directS3ReadDefault is AWS's default for S3 read modes.
const directS3ReadDefault = string(types.DirectS3ReadAuto)

// settings has everything that can differ between the desired and the observed function in one value. Both states are
// expressed in it, and package diff compares them. JSON names are the users' field names.
type settings struct {
	PackageType            *string                         `json:"packageType"`
	Runtime                *string                         `json:"runtime"`
	RuntimeConfig          *v1beta1.RuntimeConfig          `json:"runtimeConfig,omitempty"`
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
	// Revision is the revision of an artifact, if another one was deployed last.
	Revision string `json:"revision,omitempty"`
	// SourceKMSKeyArn is the key that encrypts the archive.
	SourceKMSKeyArn *string `json:"sourceKmsKeyArn"`
	// S3ObjectStorageMode is REFERENCE if AWS has no copy of the archive, and S3Object is the object that it uses then.
	S3ObjectStorageMode *string `json:"s3ObjectStorageMode,omitempty"`
	S3Object            string  `json:"s3Object,omitempty"`
}

// observed is everything that one reconcile read of a function.
type observed struct {
	// function is GetFunction's answer.
	function *lambda.GetFunctionOutput
	// codeSigningConfigArn, recursiveLoop and scaling are read only if the spec declares them.
	codeSigningConfigArn *string
	recursiveLoop        *string
	scaling              *types.FunctionScalingConfig
	// publishing is the version that AWS was preparing at the last reconcile. It is read
	// until it is prepared. unpublished is true if it no longer exists, or has failed and spec does not publish.
	publishing  *types.FunctionConfiguration
	unpublished bool
	// unversioned is true if a function that may be a failed creation has no version beyond
	// the one that its creation publishes.
	unversioned bool
}

func (o observed) config() *types.FunctionConfiguration { return o.function.Configuration }

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

// plainImage returns nil for an image configuration without overrides, as AWS does.
func plainImage(in *v1beta1.ImageConfig) *v1beta1.ImageConfig {
	if in == nil {
		return nil
	}
	out := &v1beta1.ImageConfig{
		Command: in.Command, EntryPoint: in.EntryPoint, WorkingDirectory: lambdaapi.NonEmpty(in.WorkingDirectory),
	}
	if len(out.Command)+len(out.EntryPoint) == 0 && out.WorkingDirectory == nil {
		return nil
	}
	return out
}

// plainLogging removes log levels with the text format, with which AWS rejects them.
func plainLogging(in *v1beta1.LoggingConfig) *v1beta1.LoggingConfig {
	if in == nil || ptr.Deref(in.LogFormat, "") != string(types.LogFormatText) {
		return in
	}
	return &v1beta1.LoggingConfig{LogFormat: in.LogFormat, LogGroup: in.LogGroup}
}

// vpc returns nil for the empty configuration that AWS returns after a function left its VPC.
func vpc(in *types.VpcConfigResponse) *vpcConfig {
	if in == nil || len(in.SubnetIds)+len(in.SecurityGroupIds) == 0 {
		return nil
	}
	return &vpcConfig{SubnetIDs: in.SubnetIds, SecurityGroupIDs: in.SecurityGroupIds, IPv6AllowedForDualStack: ptr.To(
		ptr.Deref(in.Ipv6AllowedForDualStack, false),
	)}
}

func scaling(in *types.FunctionScalingConfig) *v1beta1.FunctionScalingConfig {
	if in == nil || (in.MinExecutionEnvironments == nil && in.MaxExecutionEnvironments == nil) {
		return nil
	}
	return &v1beta1.FunctionScalingConfig{
		MinExecutionEnvironments: in.MinExecutionEnvironments, MaxExecutionEnvironments: in.MaxExecutionEnvironments,
	}
}
