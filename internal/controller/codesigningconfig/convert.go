package codesigningconfig

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

// settings are all that can differ between the desired and the observed configuration.
// JSON names are the users' field names.
type settings struct {
	AllowedPublishers   publishers        `json:"allowedPublishers"`
	CodeSigningPolicies *policies         `json:"codeSigningPolicies"`
	Description         *string           `json:"description"`
	Tags                map[string]string `json:"tags"`
}

type publishers struct {
	SigningProfileVersionArns diff.Set `json:"signingProfileVersionArns"`
}

type policies struct {
	UntrustedArtifactOnDeployment *string `json:"untrustedArtifactOnDeployment"`
}

// observed is the result of one observation.
type observed struct {
	config *types.CodeSigningConfig
	tags   map[string]string
}

var (
	specToSettings = samefields.MustNew[v1beta1.CodeSigningConfigSettings, settings]()

	settingsToCreate = samefields.MustNew[settings, lambda.CreateCodeSigningConfigInput](
		samefields.EmptyIsAbsent("codeSigningPolicies"),
	)

	settingsToUpdate = samefields.MustNew[settings, lambda.UpdateCodeSigningConfigInput]()

	answerToSettings = samefields.MustNew[types.CodeSigningConfig, settings](
		samefields.Except("codeSigningPolicies"), // They have a default.
		samefields.Clears("description"),
	)

	answerToStatus = samefields.MustNew[types.CodeSigningConfig, v1beta1.CodeSigningConfigObservation](
		samefields.From("signingProfileVersionArns", "allowedPublishers.signingProfileVersionArns"),
	)
)

// defaultPolicies returns the policies of a configuration that sets none.
func defaultPolicies() *policies {
	return &policies{UntrustedArtifactOnDeployment: ptr.To(string(types.CodeSigningPolicyWarn))}
}

// fromAWS returns the AWS values in comparable form.
func fromAWS(o observed) settings {
	s := settings{CodeSigningPolicies: defaultPolicies(), Tags: o.tags}
	answerToSettings.Copy(&s, o.config)
	if p := o.config.CodeSigningPolicies; p != nil && p.UntrustedArtifactOnDeployment != "" {
		s.CodeSigningPolicies.UntrustedArtifactOnDeployment = ptr.To(string(p.UntrustedArtifactOnDeployment))
	}
	return s
}

// createInput returns the request that creates a configuration with all its settings.
func createInput(s settings) *lambda.CreateCodeSigningConfigInput {
	in := &lambda.CreateCodeSigningConfigInput{}
	settingsToCreate.Copy(in, &s)
	return in
}

// updateInput returns the request with what changed. AWS keeps what is nil.
func updateInput(arn string, t settings, changes diff.Changes) *lambda.UpdateCodeSigningConfigInput {
	in := &lambda.UpdateCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(arn)}
	settingsToUpdate.CopyIf(in, &t, func(path string) bool { return changes.Any(path) })
	return in
}

// observation returns what status shows of a configuration.
func observation(o observed) v1beta1.CodeSigningConfigObservation {
	out := v1beta1.CodeSigningConfigObservation{
		UntrustedArtifactOnDeployment: fromAWS(o).CodeSigningPolicies.UntrustedArtifactOnDeployment,
		TagKeys:                       slices.Sorted(maps.Keys(o.tags)),
	}
	answerToStatus.Copy(&out, o.config)
	return out
}
