package function

import (
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// afterCreation lists the settings that CreateFunction doesn't accept. Their values in
// initProvider are set right after the creation.
var afterCreation = diff.Left{"reservedConcurrentExecutions", "recursiveLoop", "functionScalingConfig"}

// plan carries the result of an observation to the call that follows it.
type plan struct {
	reconcile.Comparison[settings]

	name     string
	resource observed
	archive  deploymentPackage
	// unverified is the error if the code that AWS has is not verified now but has to be, or if that is unknown.
	unverified error
	// publishedSince is the reason for publishing a version, empty if none is to be published.
	publishedSince string
	// fingerprints has the fingerprints of the settings that AWS may not return.
	fingerprints map[string]string
}

// codes returns the desired and the observed code. It recognises code that another tool has
// deployed, so that importing a function does not deploy it again.
func (p plan) codes(f *v1beta1.Function) (want, have code) {
	s := &f.Status.AtProvider
	want, have = codeStates(p.archive, p.resource.function, s.DeployedCode)
	s.DeployedCode = p.archive.bundle.RestoreIdentity(have.SHA256, s.DeployedCode)
	return want, have
}

// followed returns the changes that did not come from spec: new code under the same S3 key or image tag, while AWS
// still has what was deployed last, and the version that is due for it.
func (p plan) followed(deployed *v1beta1.DeployedCode) diff.Changes {
	paths := []string{publishPath}
	moved := deployed != nil && deployed.CodeSHA256 == ptr.Deref(p.resource.config().CodeSha256, "")
	if moved || p.archive.digest != "" && p.Target.Code.ImageURI == p.Observed.Code.ImageURI {
		paths = append(paths, "code.sha256", "code.source", "code.revision")
	}
	if p.archive.indexed != "" && strings.HasPrefix(p.Observed.Code.ImageURI, p.archive.indexed) {
		paths = append(paths, "code.sha256", "code.imageUri")
	}
	return p.Changes.In(paths...)
}

// describe returns the text of the event for a call that is made for a cause.
func (p plan) describe(cause string, c call) string {
	applied := c.applies(p.Changes)
	switch {
	case c == opPublish:
		return p.publishedSince
	case len(applied) == 0:
		return "retried the failed change"
	}
	return cause + ": " + applied.String()
}
