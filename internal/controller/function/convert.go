package function

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// fromAWS returns the answers of AWS in comparable form. It treats an empty field like an absent one.
func fromAWS(o observed) settings {
	c := o.config()
	s := settings{
		Tags:                  o.function.Tags,
		CodeSigningConfigArn:  lambdaapi.NonEmpty(o.codeSigningConfigArn),
		RecursiveLoop:         o.recursiveLoop,
		FunctionScalingConfig: scaling(o.scaling),
	}
	answerToSettings.Copy(&s, c)
	s.Description = ptr.To(ptr.Deref(c.Description, ""))
	s.FileSystemConfigs, s.ImageConfig = plainFileSystems(s.FileSystemConfigs), plainImage(s.ImageConfig)
	if r := o.function.Concurrency; r != nil {
		s.ReservedConcurrentExecutions = r.ReservedConcurrentExecutions
	}
	return s
}

// createInput returns the input that creates the whole function in one call.
func createInput(name string, s settings, code *types.FunctionCode, p publish) *lambda.CreateFunctionInput {
	in := &lambda.CreateFunctionInput{
		FunctionName: ptr.To(name),
		Code:         code,
		Publish:      p.publish && !p.separate,
		PublishTo:    types.FunctionVersionLatestPublished(p.to),
	}
	s.LoggingConfig = plainLogging(s.LoggingConfig)
	settingsToCreate.Copy(in, &s)
	return in
}

// configurationInput returns an update with only the fields that changed, each of them complete: AWS keeps what is nil
// and clears what is empty. A changed runtimeConfig is sent with the runtime that it is for. The revision makes AWS
// reject the update if the function was changed since the observation.
func configurationInput(
	name string, t settings, changes diff.Changes, revision *string,
) *lambda.UpdateFunctionConfigurationInput {
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To(name), RevisionId: revision}
	settingsToUpdate.CopyIf(in, &t, func(path string) bool {
		return changes.Any(path) || path == environmentPath && encryptsAgain(t, changes) ||
			path == "runtime" && changes.Any("runtimeConfig")
	})
	return in
}

// codeInput returns the update that deploys the archive for the architecture that it was built for.
func codeInput(
	name string, t settings, c *types.FunctionCode, revision *string,
) *lambda.UpdateFunctionCodeInput {
	in := &lambda.UpdateFunctionCodeInput{
		FunctionName:        ptr.To(name),
		ImageUri:            c.ImageUri,
		S3Bucket:            c.S3Bucket,
		S3Key:               c.S3Key,
		S3ObjectVersion:     c.S3ObjectVersion,
		S3ObjectStorageMode: types.S3ObjectStorageMode(ptr.Deref(t.Code.S3ObjectStorageMode, "")),
		SourceKMSKeyArn:     t.Code.SourceKMSKeyArn,
		ZipFile:             c.ZipFile,
		RevisionId:          revision,
	}
	if t.Architectures != nil {
		in.Architectures = []types.Architecture{types.Architecture(*t.Architectures)}
	}
	return in
}

// scalingInput returns the scaling configuration. A nil configuration becomes the empty
// one, which restores AWS's defaults.
func scalingInput(name string, in *v1beta1.FunctionScalingConfig) *lambda.PutFunctionScalingConfigInput {
	out := &lambda.PutFunctionScalingConfigInput{
		FunctionName:          ptr.To(name),
		Qualifier:             ptr.To(functionname.LatestPublished),
		FunctionScalingConfig: &types.FunctionScalingConfig{},
	}
	if in != nil {
		out.FunctionScalingConfig.MinExecutionEnvironments = in.MinExecutionEnvironments
		out.FunctionScalingConfig.MaxExecutionEnvironments = in.MaxExecutionEnvironments
	}
	return out
}

// observation returns status.atProvider of a function. Fields that only the provider knows are copied from last.
func observation(o observed, s settings, last v1beta1.FunctionObservation) v1beta1.FunctionObservation {
	c := o.config()
	out := v1beta1.FunctionObservation{
		InvokeArn:             lambdaapi.Text(lambdaapi.InvokeARN(ptr.Deref(c.FunctionArn, ""))),
		TagKeys:               slices.Sorted(maps.Keys(o.function.Tags)),
		DeployedCode:          last.DeployedCode,
		FunctionScalingConfig: last.FunctionScalingConfig,
		Initialized:           last.Initialized,
		Activated:             last.Activated || serves(c) || c.State == types.StateInactive,
	}
	answerToStatus.Copy(&out, c)
	settingsToStatus.Copy(&out, &s)
	if k := o.function.Code; k != nil {
		out.ImageURI, out.ResolvedImageURI = k.ImageUri, k.ResolvedImageUri
		out.SourceKMSKeyArn = lambdaapi.NonEmpty(k.SourceKMSKeyArn)
	}
	publications(&out, o, last)
	return out
}

// details returns the name, the ARNs and the region of the function.
func details(f *v1beta1.Function) managed.ConnectionDetails {
	s := f.Status.AtProvider
	return managed.ConnectionDetails{
		"functionName": []byte(ptr.Deref(s.FunctionName, "")),
		"functionArn":  []byte(ptr.Deref(s.FunctionArn, "")),
		"invokeArn":    []byte(ptr.Deref(s.InvokeArn, "")),
		"region":       []byte(f.Spec.ForProvider.Region),
	}
}
