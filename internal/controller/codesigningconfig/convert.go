package codesigningconfig

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
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

// fromSpec returns a block of spec in comparable form. The publishers are those that spec
// names or selects from fields of other objects.
func fromSpec(p v1beta1.CodeSigningConfigSettings, publisherArns []string) settings {
	s := settings{
		AllowedPublishers: publishers{SigningProfileVersionArns: publisherArns},
		Description:       p.Description,
		Tags:              p.Tags,
	}
	if c := p.CodeSigningPolicies; c != nil {
		s.CodeSigningPolicies = &policies{UntrustedArtifactOnDeployment: c.UntrustedArtifactOnDeployment}
	}
	return s
}

// defaultPolicies returns the policies of a configuration that sets none.
func defaultPolicies() *policies {
	return &policies{UntrustedArtifactOnDeployment: ptr.To(string(types.CodeSigningPolicyWarn))}
}

// fromAWS returns the AWS values in comparable form.
func fromAWS(o observed) settings {
	s := settings{
		Description: ptr.To(ptr.Deref(o.config.Description, "")), CodeSigningPolicies: defaultPolicies(),
		Tags: o.tags,
	}
	if p := o.config.AllowedPublishers; p != nil {
		s.AllowedPublishers.SigningProfileVersionArns = p.SigningProfileVersionArns
	}
	if p := o.config.CodeSigningPolicies; p != nil && p.UntrustedArtifactOnDeployment != "" {
		s.CodeSigningPolicies.UntrustedArtifactOnDeployment = ptr.To(string(p.UntrustedArtifactOnDeployment))
	}
	return s
}

func (s settings) publishers() *types.AllowedPublishers {
	return &types.AllowedPublishers{SigningProfileVersionArns: s.AllowedPublishers.SigningProfileVersionArns}
}

// policies returns the policies as AWS takes them. Nil leaves them to AWS.
func (s settings) policies() *types.CodeSigningPolicies {
	if s.CodeSigningPolicies == nil || s.CodeSigningPolicies.UntrustedArtifactOnDeployment == nil {
		return nil
	}
	return &types.CodeSigningPolicies{
		UntrustedArtifactOnDeployment: types.CodeSigningPolicy(*s.CodeSigningPolicies.UntrustedArtifactOnDeployment),
	}
}

// createInput returns the request that creates a configuration with all its settings.
func createInput(s settings) *lambda.CreateCodeSigningConfigInput {
	return &lambda.CreateCodeSigningConfigInput{
		AllowedPublishers: s.publishers(), CodeSigningPolicies: s.policies(), Description: s.Description, Tags: s.Tags,
	}
}

// updateInput returns the request with what changed. AWS keeps what is nil.
func updateInput(arn string, t settings, changes diff.Changes) *lambda.UpdateCodeSigningConfigInput {
	in := &lambda.UpdateCodeSigningConfigInput{CodeSigningConfigArn: ptr.To(arn)}
	if changes.Any("allowedPublishers") {
		in.AllowedPublishers = t.publishers()
	}
	if changes.Any("codeSigningPolicies") {
		in.CodeSigningPolicies = t.policies()
	}
	if changes.Any("description") {
		in.Description = ptr.To(ptr.Deref(t.Description, ""))
	}
	return in
}

// observation returns what status shows of a configuration.
func observation(o observed) v1beta1.CodeSigningConfigObservation {
	c, s := o.config, fromAWS(o)
	return v1beta1.CodeSigningConfigObservation{
		CodeSigningConfigArn:          c.CodeSigningConfigArn,
		CodeSigningConfigID:           c.CodeSigningConfigId,
		SigningProfileVersionArns:     s.AllowedPublishers.SigningProfileVersionArns,
		UntrustedArtifactOnDeployment: s.CodeSigningPolicies.UntrustedArtifactOnDeployment,
		Description:                   c.Description,
		LastModified:                  c.LastModified,
		TagKeys:                       slices.Sorted(maps.Keys(o.tags)),
	}
}
