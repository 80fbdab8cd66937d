package version

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/invoke"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// latestPublished is the version without a number of its own.
const latestPublished = "$LATEST.PUBLISHED"

// published is what a version may be called that this kind reads and deletes. It is
// never empty, $LATEST or an alias, by which AWS would understand something else.
var published = regexp.MustCompile(`^([1-9][0-9]*|[$]LATEST[.]PUBLISHED)$`)

// nameOf is the version that was published last, "" if there is none yet.
func nameOf(v *v1beta1.Version) (string, error) {
	name := flow.Name(v)
	if name != "" && !published.MatchString(name) {
		return "", errors.Errorf("%q is no published version: set the annotation %s to a version's number", name, meta.AnnotationKeyExternalName)
	}
	return name, nil
}

// functionOf is the function whose versions are published. While a resource is deleted,
// it is the one that has the version, whatever spec says now; otherwise an error says
// that the two are not the same, since the version would be left behind.
func functionOf(v *v1beta1.Version) (string, error) {
	is, was := ptr.Deref(v.Spec.ForProvider.FunctionName, ""), ptr.Deref(v.Status.AtProvider.FunctionName, "")
	if was == "" && (meta.WasDeleted(v) || ownership.WrittenName(v) != "") {
		was = ownership.Parent(v)
	}
	switch {
	case meta.WasDeleted(v):
		return cmp.Or(was, is), nil
	case was != "" && was != is:
		return is, errors.Errorf("spec now means function %s, but the version is one of function %s, where it would be left behind: create another Version, or change spec back", is, was)
	}
	return is, nil
}

func publishInput(function string, fp v1beta1.VersionParameters, revision *string) *lambda.PublishVersionInput {
	return &lambda.PublishVersionInput{
		FunctionName: ptr.To(function),
		CodeSha256:   fp.CodeSHA256,
		Description:  fp.Description,
		PublishTo:    types.FunctionVersionLatestPublished(ptr.Deref(fp.PublishTo, "")),
		RevisionId:   revision,
	}
}

// contentOf is what is published of a function: all but the description, which a
// version may have of its own.
func contentOf(c *types.FunctionConfiguration) fingerprint.Content {
	return fingerprint.Read(c).WithoutDescription()
}

// observation is what status shows of a version. last carries over what the provider
// itself remembers.
func observation(c *types.FunctionConfiguration, last v1beta1.VersionObservation) v1beta1.VersionObservation {
	out := v1beta1.VersionObservation{
		FunctionName:             c.FunctionName,
		FunctionArn:              c.FunctionArn,
		InvokeArn:                answer.NonEmpty(ptr.To(invoke.ARN(ptr.Deref(c.FunctionArn, "")))),
		Version:                  c.Version,
		State:                    answer.Text(c.State),
		StateReason:              c.StateReason,
		StateReasonCode:          answer.Text(c.StateReasonCode),
		Description:              answer.NonEmpty(c.Description),
		LastModified:             c.LastModified,
		RevisionID:               c.RevisionId,
		CodeSHA256:               c.CodeSha256,
		CodeSize:                 ptr.To(c.CodeSize),
		ConfigSHA256:             answer.NonEmpty(c.ConfigSha256),
		PackageType:              answer.Text(c.PackageType),
		Runtime:                  answer.Text(c.Runtime),
		Handler:                  answer.NonEmpty(c.Handler),
		Role:                     c.Role,
		MemorySize:               c.MemorySize,
		Timeout:                  c.Timeout,
		SigningJobArn:            c.SigningJobArn,
		SigningProfileVersionArn: c.SigningProfileVersionArn,
		PreparedVersion:          last.PreparedVersion,
		PublishTrigger:           last.PublishTrigger,
		PublishedFingerprint:     last.PublishedFingerprint,
		History:                  last.History,
		Fingerprint:              last.Fingerprint,
	}
	if last.Fingerprint == nil || ptr.Deref(last.RevisionID, "") != ptr.Deref(c.RevisionId, "") {
		out.Fingerprint = ptr.To(contentOf(c).Fingerprint())
	}
	if c.State == types.StateActive {
		out.PreparedVersion = c.Version
	}
	for _, a := range c.Architectures {
		out.Architectures = append(out.Architectures, string(a))
	}
	for _, l := range c.Layers {
		out.Layers = append(out.Layers, ptr.Deref(l.Arn, ""))
	}
	if c.Environment != nil {
		out.EnvironmentVariableNames = slices.Sorted(maps.Keys(c.Environment.Variables))
	}
	if r := c.RuntimeVersionConfig; r != nil {
		out.RuntimeVersionArn = r.RuntimeVersionArn
	}
	if s := c.SnapStart; s != nil {
		out.SnapStartOptimizationStatus = answer.Text(s.OptimizationStatus)
	}
	return out
}

// maxHistory is how many versions status remembers.
const maxHistory = 101

// remember a version that was published by this resource.
func remember(s *v1beta1.VersionObservation, version, content string) {
	if slices.ContainsFunc(s.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version }) {
		return
	}
	s.History = append([]v1beta1.PublishedVersion{{Version: version, Fingerprint: content}}, s.History...)
	s.History = s.History[:min(len(s.History), maxHistory)]
}

// forget a version that is gone, or is left to others.
func forget(s *v1beta1.VersionObservation, version string) {
	s.History = slices.DeleteFunc(s.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version })
}
