package function

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/versions"
)

const (
	// latestPublished is the version that functions on Lambda Managed Instances run.
	latestPublished = versions.LatestPublished

	// latestVersion is what AWS calls the function itself among its versions.
	latestVersion = "$LATEST"

	// publishPath is the setting that says that a version is due.
	publishPath = "publish"

	// newVersion is what is wanted if something was changed since the last one.
	newVersion = "a new version"

	// onAnyChange is the publishOn that publishes changes by hand, too.
	onAnyChange = "AnyChange"
)

// publish says whether and where versions are published.
type publish struct {
	publish bool
	to      string

	// apart says that a version is published by a call of its own, so that it is known
	// which versions are the function's own.
	apart bool
}

// along says that a version is published along with the code.
func (p publish) along() bool { return p.publish && !p.apart }

func publishing(f *v1beta1.Function) publish {
	p := f.Spec.ForProvider
	return publish{publish: ptr.Deref(p.Publish, false), to: ptr.Deref(p.PublishTo, ""), apart: p.HistoryLimit != nil}
}

// creating is publishing at creation, where initProvider has a say too.
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

// withPublication is the plan with the change that a version is due, if it is: if code or
// configuration are not those that were published last, unless only what the manifest
// leaves open was changed, and by others: that is published with publishOn AnyChange
// alone.
func (p plan) withPublication(f *v1beta1.Function, d reconciler.Desired[settings]) plan {
	if !publishing(f).publish {
		return p
	}
	s := &f.Status.AtProvider
	if s.Fingerprint == nil {
		s.Fingerprint = ptr.To(fingerprint.Read(p.resource.config()).Fingerprint())
	}
	if s.PublishedFingerprint != nil && *s.PublishedFingerprint == *s.Fingerprint {
		served := len(configuration(p.Changes)) == 0 && !p.Changes.Any(codePaths...)
		if served && (s.PublishedSpecFingerprint == nil || !reconciler.Settled(f)) {
			s.PublishedSpecFingerprint = ptr.To(p.specFingerprint(d))
		}
		return p
	}
	// What spec asks for is what was published, so that someone else has changed the rest.
	byHand := s.PublishedSpecFingerprint != nil && *s.PublishedSpecFingerprint == p.specFingerprint(d)
	if byHand && ptr.Deref(f.Spec.ForProvider.PublishOn, "") != onAnyChange {
		return p
	}
	p.publishedSince = publishedSince(s.LatestPublishedVersion, byHand)
	p.Target.Publish, p.Observed.Publish = ptr.To(newVersion), s.LatestPublishedVersion
	p.Comparison = reconciler.Compare(p.Target, p.Observed)
	return p
}

// specFingerprint stands for what the manifest, and all that it refers to, asks for in a
// version. What the manifest leaves to AWS or to others does not count. It takes the
// variables and the code from what was observed, since they differ from the manifest's
// only as long as they are about to be changed.
func (p plan) specFingerprint(d reconciler.Desired[settings]) string {
	s := diff.Fill(withDefaults(d.Settings, p.Observed, p.name), settings{}, d.Left)
	c := fingerprint.Content{FunctionName: ptr.To(p.name), Environment: p.managedVariables(d)}
	if s.Code != (code{}) {
		c.CodeSha256 = p.resource.config().CodeSha256
	}
	s.Environment, s.Code, s.Tags, s.Publish = environment{}, code{}, nil, nil
	s.ReservedConcurrentExecutions, s.CodeSigningConfigArn, s.RecursiveLoop, s.FunctionScalingConfig = nil, nil, nil, nil
	return c.FingerprintWith(s)
}

// managedVariables are the variables that the manifest names, as observed.
func (p plan) managedVariables(d reconciler.Desired[settings]) *types.EnvironmentResponse {
	out := map[string]string{}
	if e := p.resource.config().Environment; e != nil {
		for name, value := range e.Variables {
			if _, named := d.Settings.Environment.Variables[name]; named && !d.Left.Covers("environment.variables["+name+"]") {
				out[name] = value
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return &types.EnvironmentResponse{Variables: out}
}

// publishedSince says why a version is published after the last one, for its event.
func publishedSince(last *string, byHand bool) string {
	switch {
	case last == nil:
		return "published a version: spec.forProvider.publish is true"
	case byHand:
		return "published a version: the function was changed in AWS since version " + *last + ", and publishOn is AnyChange"
	}
	return "published a version: spec, or what it refers to, changed since version " + *last
}

// publications carries over what was published, and notes what AWS has finished. What
// the function's content is stands as long as its revision does.
func publications(out *v1beta1.FunctionObservation, o observed, last v1beta1.FunctionObservation) {
	if last.RevisionID != nil && *last.RevisionID == ptr.Deref(out.RevisionID, "") {
		out.Fingerprint = last.Fingerprint
	}
	out.VersionHistory = last.VersionHistory
	out.LatestPublishedVersion, out.PublishingVersion = last.LatestPublishedVersion, last.PublishingVersion
	out.PublishedFingerprint, out.PublishedSpecFingerprint = last.PublishedFingerprint, last.PublishedSpecFingerprint
	switch {
	case o.unpublished:
		out.PublishingVersion, out.PublishedFingerprint, out.PublishedSpecFingerprint = nil, nil, nil
	case o.publishing != nil && prepared(o.publishing):
		out.LatestPublishedVersion, out.PublishingVersion = last.PublishingVersion, nil
	}
}

// published notes the version that a call answered, if it published one.
func published(s *v1beta1.FunctionObservation, version *string, state types.State, c fingerprint.Content) {
	if v := ptr.Deref(version, latestVersion); v == latestVersion {
		return
	}
	s.PublishedFingerprint, s.PublishedSpecFingerprint = ptr.To(c.Fingerprint()), nil
	if state == types.StatePending {
		s.PublishingVersion = version
		return
	}
	s.LatestPublishedVersion, s.PublishingVersion = version, nil
}

// prepared says that AWS would run the version.
func prepared(c *types.FunctionConfiguration) bool {
	return c.State != types.StatePending && c.State != types.StateFailed
}

func publishingCondition(c *types.FunctionConfiguration, f facts) xpv2.Condition {
	version := ptr.Deref(c.Version, "")
	if c.State == types.StateFailed {
		return reconciler.Unavailable(f.generation, "version "+version+" failed: "+reason(c))
	}
	return reconciler.Updating(f.generation, "AWS is preparing version "+version)
}

// publish what was observed, and nothing else: AWS refuses it if the function was
// changed since. Where nothing was changed since the last version, such as after an
// answer that was lost, AWS answers with that one.
func (e *external) publish(ctx context.Context, f *v1beta1.Function, p plan) error {
	if err := e.intend(ctx, f, p.resource.config()); err != nil {
		return err
	}
	out, err := e.api.PublishVersion(ctx, &lambda.PublishVersionInput{
		FunctionName: ptr.To(p.name),
		RevisionId:   p.resource.config().RevisionId,
		PublishTo:    types.FunctionVersionLatestPublished(publishing(f).to),
	})
	if err != nil {
		return err
	}
	content := fingerprint.Read(p.resource.config())
	published(&f.Status.AtProvider, out.Version, out.State, content)
	remember(f, out.Version, content.Fingerprint())
	return nil
}

// readPublishing reads the version that AWS was preparing, once the function itself
// has settled.
func (e *external) readPublishing(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	version, c := f.Status.AtProvider.PublishingVersion, o.config()
	if version == nil || c.State == types.StatePending || c.LastUpdateStatus == types.LastUpdateStatusInProgress {
		return nil
	}
	out, err := e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name), Qualifier: version})
	if awserr.IsNotFound(err) {
		o.unpublished = true
		return nil
	}
	if err != nil {
		return errors.Wrapf(awserr.Clean(err), "cannot read version %s of function %s", *version, name)
	}
	o.publishing = out.Configuration
	return nil
}
