package function

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

const (
	// newVersion is the desired value of publishPath if the function was changed since the last version.
	newVersion = "a new version"

	// onAnyChange is the value of publishOn that also publishes changes made outside of the manifest.
	onAnyChange = "AnyChange"

	// maxDescription is the length of a description that AWS accepts.
	maxDescription = 256
)

// publish configures whether and where versions are published.
type publish struct {
	publish bool
	to      string

	// separate is true if also the first version is published by PublishVersion instead of by the creation, so that the
	// versions that belong to the function are known, or have a description of their own.
	separate bool
}

// publishing returns the publish settings of spec.forProvider.
func publishing(f *v1beta1.Function) publish {
	p := f.Spec.ForProvider
	return publish{
		publish: ptr.Deref(p.Publish, false), to: ptr.Deref(p.PublishTo, ""),
		separate: (p.HistoryLimit != nil || ptr.Deref(p.PublishRevision, false)) &&
			reconcile.Allows(f, xpv2.ManagementActionUpdate), // Without it, only the creation publishes.
	}
}

// creating returns the publish settings at creation, which include those of initProvider.
func creating(f *v1beta1.Function) publish {
	p := publishing(f)
	if i := f.Spec.InitProvider; i != nil && f.Spec.ForProvider.Publish == nil {
		p.publish = ptr.Deref(i.Publish, false)
		if p.to == "" {
			p.to = ptr.Deref(i.PublishTo, "")
		}
	}
	return p
}

// withPublication returns the plan with the change that publishes a version, if one is due:
// if code or configuration differ from what was published last. Changes that others made to
// settings that the manifest leaves open are published only with publishOn AnyChange.
func (p plan) withPublication(f *v1beta1.Function, d reconcile.Desired[settings]) plan {
	if !publishing(f).publish {
		return p
	}
	s := &f.Status.AtProvider
	if s.Fingerprint == nil {
		s.Fingerprint = ptr.To(fingerprint.Read(p.resource.config()).Fingerprint())
	}
	elsewhere := publishedElsewhere(f)
	if s.PublishedFingerprint != nil && *s.PublishedFingerprint == *s.Fingerprint && !elsewhere {
		served := !p.Changes.Any(appliedBy[opUpdateConfiguration]...) && !p.Changes.Any(appliedBy[opUpdateCode]...)
		if served && (s.PublishedSpecFingerprint == nil || !reconcile.IsReconciled(f)) {
			s.PublishedSpecFingerprint = ptr.To(p.specFingerprint(d))
		}
		return p
	}
	// If what spec asks for is already published, someone else has changed the rest.
	byHand := !elsewhere && s.PublishedSpecFingerprint != nil && *s.PublishedSpecFingerprint == p.specFingerprint(d)
	if byHand && ptr.Deref(f.Spec.ForProvider.PublishOn, "") != onAnyChange {
		return p
	}
	p.publishedSince = publishedSince(s.LatestPublishedVersion, byHand)
	p.Target.Publish, p.Observed.Publish = ptr.To(newVersion), s.LatestPublishedVersion
	p.Comparison = reconcile.Compare(p.Target, p.Observed)
	return p
}

// publishedElsewhere reports whether publishTo has changed since the last version was published.
func publishedElsewhere(f *v1beta1.Function) bool {
	s := f.Status.AtProvider
	last := ptr.Deref(cmp.Or(s.PublishingVersion, s.LatestPublishedVersion), "")
	return last != "" && (last == functionname.LatestPublished) != (publishing(f).to != "")
}

// specFingerprint returns a fingerprint of the parts of a version that the manifest and its references determine.
// Settings that are left to AWS or to others do not count. Variables and code are taken from the observation, because
// they differ from the manifest only until the pending change is made.
func (p plan) specFingerprint(d reconcile.Desired[settings]) string {
	s := diff.Fill(withDefaults(d.Settings, p.Observed, p.name), settings{}, d.Left)
	c := fingerprint.Content{FunctionName: ptr.To(p.name)}
	p.observeVariables(d, &s, &c)
	if s.Code != (code{}) {
		c.CodeSha256 = p.resource.config().CodeSha256
	}
	s.Code, s.Tags, s.Publish = code{}, nil, nil
	s.ReservedConcurrentExecutions, s.CodeSigningConfigArn = nil, nil
	s.RecursiveLoop, s.FunctionScalingConfig = nil, nil
	return c.FingerprintWith(s)
}

// publishedSince returns the text of the event for a version: why it is published after the last one.
func publishedSince(last *string, byHand bool) string {
	switch {
	case last == nil:
		return "published a version: spec.forProvider.publish is true"
	case byHand:
		return "published a version: the function was changed in AWS since version " + *last +
			", and publishOn is AnyChange"
	}
	return "published a version: spec, or what it refers to, changed since version " + *last
}

// publications copies the state of publishing from the last status, and updates it if AWS has finished preparing a
// version. The fingerprint of the function is kept as long as its revision is the same.
func publications(out *v1beta1.FunctionObservation, o observed, last v1beta1.FunctionObservation) {
	if last.RevisionID != nil && *last.RevisionID == ptr.Deref(out.RevisionID, "") {
		out.Fingerprint = last.Fingerprint
	}
	out.VersionHistory, out.PublishedCode = last.VersionHistory, last.PublishedCode
	out.LatestPublishedVersion, out.PublishingVersion = last.LatestPublishedVersion, last.PublishingVersion
	out.PublishedFingerprint, out.PublishedSpecFingerprint = last.PublishedFingerprint, last.PublishedSpecFingerprint
	switch {
	case o.unpublished:
		out.PublishingVersion, out.PublishedFingerprint, out.PublishedSpecFingerprint = nil, nil, nil
	case o.publishing != nil && prepared(o.publishing.State):
		out.LatestPublishedVersion, out.PublishingVersion = last.PublishingVersion, nil
	}
}

// published records the version that a call returned, if it published one.
func published(s *v1beta1.FunctionObservation, version *string, state types.State, c fingerprint.Content) {
	if v := ptr.Deref(version, ""); v == "" || v == functionname.Latest {
		return
	}
	// If AWS returns a version that exists, the revision stays, and so would the fingerprint of an unreadable function.
	s.Fingerprint = ptr.To(c.Fingerprint())
	s.PublishedFingerprint, s.PublishedSpecFingerprint = s.Fingerprint, nil
	s.PublishedCode = publishedcode.Record(s.PublishedCode, *version, ptr.Deref(c.CodeSha256, ""), s.DeployedCode)
	if !prepared(state) {
		s.PublishingVersion = version
		return
	}
	s.LatestPublishedVersion, s.PublishingVersion = version, nil
}

// versionDescription returns the revision of the code that is published, if that is to be the version's description. It
// returns nil otherwise: the version then has the description of the function.
func versionDescription(f *v1beta1.Function, c *types.FunctionConfiguration) *string {
	d := f.Status.AtProvider.DeployedCode
	if !ptr.Deref(f.Spec.ForProvider.PublishRevision, false) || d == nil || d.Revision == "" ||
		d.CodeSHA256 != ptr.Deref(c.CodeSha256, "") {
		return nil
	}
	return ptr.To(d.Revision[:min(len(d.Revision), maxDescription)])
}
