package config

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

const (
	// defaultSessionName of roles that the provider assumes.
	defaultSessionName = "provider-lambda"
	// defaultDuration of their credentials, which AWS allows for any role.
	defaultDuration = time.Hour
)

// sessionTags say which resource a role is assumed for. Those that no role of the
// config asks for are empty, so that one session serves all.
type sessionTags struct {
	namespace, kind, name string
}

// tagsFor a resource of a kind, as far as the config's roles ask for them.
func (s settings) tagsFor(mg metav1.Object, kind string) sessionTags {
	t := sessionTags{}
	for _, role := range s.AssumeRoleChain {
		for _, tag := range role.ResourceTags {
			switch tag {
			case v1beta1.ResourceTagNamespace:
				t.namespace = mg.GetNamespace()
			case v1beta1.ResourceTagKind:
				t.kind = kind
			case v1beta1.ResourceTagName:
				t.name = mg.GetName()
			}
		}
	}
	return t
}

// withoutResourceTags ends the chain before the first role that depends on the
// resource.
func (s settings) withoutResourceTags() settings {
	i := slices.IndexFunc(s.AssumeRoleChain, func(o v1beta1.AssumeRoleOptions) bool { return len(o.ResourceTags) > 0 })
	if i >= 0 {
		s.AssumeRoleChain = s.AssumeRoleChain[:i]
	}
	return s
}

// assumeRole with the credentials of cfg.
func assumeRole(cfg aws.Config, role v1beta1.AssumeRoleOptions, tags sessionTags) aws.CredentialsProvider {
	return stscreds.NewAssumeRoleProvider(stsClient(cfg), valueOf(role.RoleARN), func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = nameOr(valueOf(role.RoleSessionName))
		o.Duration = defaultDuration
		if role.DurationSeconds != nil {
			o.Duration = time.Duration(*role.DurationSeconds) * time.Second
		}
		o.ExternalID = role.ExternalID
		o.Policy = role.Policy
		for _, arn := range role.PolicyARNs {
			o.PolicyARNs = append(o.PolicyARNs, types.PolicyDescriptorType{Arn: aws.String(arn)})
		}
		for _, t := range role.Tags {
			o.Tags = append(o.Tags, types.Tag{Key: aws.String(t.Key), Value: aws.String(t.Value)})
		}
		o.Tags = append(o.Tags, resourceTags(role.ResourceTags, tags)...)
		o.TransitiveTagKeys = role.TransitiveTagKeys
	})
}

// resourceTags that a role asks for.
func resourceTags(wanted []string, t sessionTags) []types.Tag {
	tags := []types.Tag{}
	for _, w := range wanted {
		switch w {
		case v1beta1.ResourceTagNamespace:
			tags = append(tags, types.Tag{Key: aws.String(v1beta1.SessionTagKeyNamespace), Value: aws.String(t.namespace)})
		case v1beta1.ResourceTagKind:
			tags = append(tags, types.Tag{Key: aws.String(v1beta1.SessionTagKeyKind), Value: aws.String(t.kind)})
		case v1beta1.ResourceTagName:
			tags = append(tags, types.Tag{Key: aws.String(v1beta1.SessionTagKeyName), Value: aws.String(t.name)})
		}
	}
	return tags
}
