package version

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// observed is everything that one reconcile read.
type observed struct {
	// function is $LATEST. It is not read for a resource that is being deleted or only observed.
	function *types.FunctionConfiguration
	// version is the version that was published last, nil if there is none. It is also nil while an earlier version is
	// to be deleted.
	version *types.FunctionConfiguration
	// versions are the numbered versions of the function. They are read only if one is to be published.
	versions []types.FunctionConfiguration
	// unused is a version beyond the limit that nothing uses. unknown is why that check
	// failed, which does not block other changes.
	unused  string
	unknown error
	// usedBy names what uses an earlier version that is to be deleted with the resource.
	usedBy string
	// unready is set if the Function is not Ready when a version is to be published: a
	// version published now could include one of its changes without the other.
	unready string
}

// settings is empty: a version is compared with its function as a whole.
type settings struct{}

// nameOf returns the version that was published last, or "" if there is none yet.
func nameOf(v *v1beta1.Version) (string, error) {
	name := reconcile.ExternalName(v)
	if name != "" && !versions.IsPublished(name) {
		return "", reconcile.Invalid(errors.Errorf("%q is not a published version: set the annotation %s to a "+
			"version's number", name, meta.AnnotationKeyExternalName))
	}
	return name, nil
}

// functionOf returns the function to publish: the one that has the version, or the one in spec.
func functionOf(v *v1beta1.Version) (string, error) {
	return ownership.ParentOf(
		v, ptr.Deref(v.Status.AtProvider.FunctionName, ""), ptr.Deref(v.Spec.ForProvider.FunctionName, ""),
	)
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

// contentOf returns what a version includes of a function, except for the description,
// which a version may have of its own.
func contentOf(c *types.FunctionConfiguration) fingerprint.Content {
	return fingerprint.Read(c).WithoutDescription()
}

// fingerprintOf returns the fingerprint of a version. While its variables can't be read it
// returns the last one, because a numbered version never changes.
func fingerprintOf(c *types.FunctionConfiguration, last v1beta1.VersionObservation) *string {
	name := ptr.Deref(c.Version, "")
	sameRevision := last.Fingerprint != nil && ptr.Deref(last.RevisionID, "") == ptr.Deref(c.RevisionId, "")
	switch {
	case sameRevision:
		return last.Fingerprint
	case versions.Unreadable(c) == "":
		return ptr.To(contentOf(c).Fingerprint())
	case versions.Number(name) > 0 && ptr.Deref(last.Version, "") == name:
		return last.Fingerprint
	}
	return nil
}

// prepared reports whether AWS has finished preparing a version in this state. AWS
// documents only Active for published versions. ActiveNonInvocable is the state of $LATEST
// of a function on Lambda Managed Instances, which waiting would not change. Some emulators omit the state.
func prepared(s types.State) bool {
	return s == types.StateActive || s == types.StateActiveNonInvocable || s == ""
}

// answerToStatus copies the fields of AWS's answer that status has by the same names.
var answerToStatus = samefields.MustNew[types.FunctionConfiguration, v1beta1.VersionObservation](
	samefields.EmptyIsAbsent("description", "configSha256", "handler"),
	samefields.From("runtimeVersionArn", "runtimeVersionConfig.runtimeVersionArn"),
	samefields.From("snapStartOptimizationStatus", "snapStart.optimizationStatus"),
	samefields.With(func(l types.Layer) string { return ptr.Deref(l.Arn, "") }),
)

// observation returns status.atProvider of a version. Fields that only the provider knows are copied from last.
func observation(c *types.FunctionConfiguration, last v1beta1.VersionObservation) v1beta1.VersionObservation {
	out := v1beta1.VersionObservation{
		InvokeArn:            lambdaapi.Text(lambdaapi.InvokeARN(ptr.Deref(c.FunctionArn, ""))),
		PreparedVersion:      last.PreparedVersion,
		PublishTrigger:       last.PublishTrigger,
		PublishedFingerprint: last.PublishedFingerprint,
		PublishedCode:        last.PublishedCode,
		VersionHistory:       last.VersionHistory,
		Fingerprint:          fingerprintOf(c, last),
	}
	answerToStatus.Copy(&out, c)
	if prepared(c.State) {
		out.PreparedVersion = c.Version
	}
	if c.Environment != nil {
		out.EnvironmentVariableNames = slices.Sorted(maps.Keys(c.Environment.Variables))
	}
	return out
}

// details returns the ARNs and the number of the version.
func details(v *v1beta1.Version) managed.ConnectionDetails {
	s := v.Status.AtProvider
	return managed.ConnectionDetails{
		"functionArn": []byte(ptr.Deref(s.FunctionArn, "")),
		"invokeArn":   []byte(ptr.Deref(s.InvokeArn, "")),
		"version":     []byte(ptr.Deref(s.Version, "")),
	}
}
