package function

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// kind as tags tell it.
const kind = "function.lambda.aws.m.crossplane.io"

// Operations that this kind calls, by the names that quotas know.
const (
	callCreate       = "CreateFunction"
	opDelete         = "DeleteFunction"
	opGet            = "GetFunction"
	opGetCodeSigning = "GetFunctionCodeSigningConfig"
	opGetRecursion   = "GetFunctionRecursionConfig"
	opGetScaling     = "GetFunctionScalingConfig"
)

// reads are the calls that one observation makes: one for the function, and one for
// each setting beside it that spec declares.
func reads(f *v1beta1.Function) []string {
	p, i := f.Spec.ForProvider.FunctionSettings, v1beta1.FunctionSettings{}
	if f.Spec.InitProvider != nil && !f.Status.AtProvider.Initialized {
		i = *f.Spec.InitProvider
	}
	ops := []string{opGet}
	if p.CodeSigningConfigArn != nil || p.CodeSigningConfigArnRef != nil || p.CodeSigningConfigArnSelector != nil {
		ops = append(ops, opGetCodeSigning)
	}
	if p.RecursiveLoop != nil || i.RecursiveLoop != nil {
		ops = append(ops, opGetRecursion)
	}
	if p.FunctionScalingConfig != nil || i.FunctionScalingConfig != nil {
		ops = append(ops, opGetScaling)
	}
	if f.Status.AtProvider.PublishingVersion != nil || neverActive(f, types.State(ptr.Deref(f.Status.AtProvider.State, ""))) {
		ops = append(ops, opGet)
	}
	return ops
}

// afterCreation are the settings that CreateFunction doesn't take. What initProvider
// says of them is set right after it.
var afterCreation = []string{"reservedConcurrentExecutions", "recursiveLoop", "functionScalingConfig"}

// plan is what an observation found out, for the call that follows.
type plan struct {
	name         string
	observed     observed
	target, have settings
	archive      archive
	changes      diff.Changes
	// calls that bring the changes about, the one that is due first.
	calls []call
	// publishedSince says why a version is to be published, if one is.
	publishedSince string
	// fingerprints are those of the settings that AWS may not show.
	fingerprints map[string]string
}

// planned gathers all that is wanted and compares it with what was observed; with
// nothing observed, it is what to create.
func (t *thing) planned(ctx context.Context, f *v1beta1.Function, name string, o observed) (plan, error) {
	p := plan{name: name, observed: o}
	d, err := t.desired(ctx, f)
	if err != nil {
		return p, err
	}
	exists := o.function != nil
	c, left := codeOf(f)
	if c != nil && !(left && exists) {
		if p.archive, err = t.resolver.archive(ctx, f.GetNamespace(), *c, f.Status.AtProvider.DeployedCode); err != nil {
			return p, err
		}
	}
	if !exists {
		p.target = d.settings
		p.fingerprints = fingerprints(p.target, p.target.KMSKeyArn)
		return p, nil
	}
	p.have = fromObserved(o)
	if p.have.FunctionScalingConfig == nil && o.scaling == nil && f.Spec.ForProvider.FunctionScalingConfig == nil {
		// Not read, since spec no longer declares it: what was applied last stands.
		p.have.FunctionScalingConfig = f.Status.AtProvider.FunctionScalingConfig
	}
	if c != nil && !left {
		if d.settings.Code, p.have.Code, err = t.codes(ctx, f, &p); err != nil {
			return p, err
		}
	}
	if !f.Status.AtProvider.Initialized {
		d.left = slices.DeleteFunc(d.left, func(path string) bool { return slices.ContainsFunc(afterCreation, diff.Left{path}.Covers) })
	}
	p.target = target(d, p.have, name, t.owner)
	hide(&p, d.settings, func(path, fingerprint string) bool { return t.memory.owes(f, path, fingerprint, fresh(f)) })
	p.changes = diff.Compare(p.target, p.have)
	p = p.withPublication(f, d)
	mends := flow.Allows(f, xpv2.ManagementActionUpdate)
	if !mends && p.archive.bundle.Unidentified(f.Status.AtProvider.DeployedCode) {
		p.changes = p.changes.But("code.source") // Nobody knows whether it differs.
	}
	if fixed := immutable(p.changes, p.have); len(fixed) > 0 && mends {
		return p, errors.Errorf("function %s exists with settings that AWS can't change: %s; correct spec.forProvider, or create a new Function", name, fixed)
	}
	p.calls = t.memory.inTurn(f, due(p.changes, p.target, p.have), p.changes)
	return p, nil
}

// codes tells the code that is wanted and the one that AWS has. Code that another tool has
// deployed is recognised, so that taking a function over does not deploy it anew.
func (t *thing) codes(ctx context.Context, f *v1beta1.Function, p *plan) (want, have code, err error) {
	s := &f.Status.AtProvider
	if p.archive.bundle, err = t.resolver.bundles.Identify(ctx, p.archive.bundle, s.DeployedCode); err != nil {
		return want, have, err
	}
	want, have = codeStates(p.archive, p.observed.function, s.DeployedCode)
	s.DeployedCode = p.archive.bundle.RestoreIdentity(have.SHA256, s.DeployedCode)
	return want, have, nil
}

// followed are the changes that come of where the code lies, or of other changes: new
// code under the same key or tag, while AWS still has what was deployed last, and the
// version that is due for it.
func (p plan) followed(deployed *v1beta1.DeployedCode) diff.Changes {
	paths := []string{publishPath}
	moved := deployed != nil && deployed.CodeSHA256 == ptr.Deref(p.observed.config().CodeSha256, "")
	if moved || p.archive.digest != "" && p.target.Code.ImageURI == p.have.Code.ImageURI {
		paths = append(paths, "code.sha256", "code.source")
	}
	return p.changes.In(paths...)
}

// desired resolves forProvider and initProvider, with the tags that say whose the
// function is.
func (t *thing) desired(ctx context.Context, f *v1beta1.Function) (desired, error) {
	forProvider, err := t.resolver.parameters(ctx, f.GetNamespace(), "spec.forProvider", f.Spec.ForProvider.FunctionSettings)
	if err != nil {
		return desired{}, err
	}
	initProvider := settings{}
	if f.Spec.InitProvider != nil {
		if initProvider, err = t.resolver.parameters(ctx, f.GetNamespace(), "spec.initProvider", *f.Spec.InitProvider); err != nil {
			return desired{}, err
		}
	}
	forProvider.Tags = t.owner.Desired(f, forProvider.Tags)
	return want(forProvider, initProvider), nil
}

// codeOf is the code to deploy, and whether it is left alone once deployed.
func codeOf(f *v1beta1.Function) (c *v1beta1.FunctionCode, left bool) {
	if c := f.Spec.ForProvider.Code; c != nil {
		return c, false
	}
	if i := f.Spec.InitProvider; i != nil {
		return i.Code, true
	}
	return nil, true
}

// settles says that AWS takes a while over the call, during which it takes no
// other.
func (c call) settles() bool { return c == callUpdateConfiguration || c == callUpdateCode }

// describe a call for the event that tells users of it.
func (p plan) describe(ctx context.Context, f *v1beta1.Function, c call) string {
	carried := c.carried(p.changes)
	switch {
	case c == callPublish:
		return p.publishedSince
	case len(carried) == 0:
		return "retried the failed change"
	}
	return managed.Cause(ctx, f) + ": " + carried.String()
}

// make a call.
func (t *thing) make(ctx context.Context, f *v1beta1.Function, p plan, c call) error {
	var err error
	arn, name, revision := p.observed.config().FunctionArn, ptr.To(p.name), p.observed.config().RevisionId
	switch c {
	case callUpdateConfiguration:
		in := configurationInput(p.name, p.target, p.changes, revision)
		if len(configuration(p.changes)) == 0 {
			in.Role = p.target.Role
		}
		_, err = t.api.UpdateFunctionConfiguration(ctx, in)
	case callUpdateCode:
		err = t.updateCode(ctx, f, p, revision)
	case callTag, callUntag:
		err = tagging.Apply(ctx, t.api, ptr.Deref(arn, ""), p.target.Tags, p.have.Tags)
	case callPublish:
		err = t.publish(ctx, f, p)
	case callPutConcurrency:
		if err = t.checkReservation(ctx, p); err != nil {
			break
		}
		_, err = t.api.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{FunctionName: name, ReservedConcurrentExecutions: p.target.ReservedConcurrentExecutions})
	case callDeleteConcurrency:
		_, err = t.api.DeleteFunctionConcurrency(ctx, &lambda.DeleteFunctionConcurrencyInput{FunctionName: name})
	case callPutCodeSigning:
		_, err = t.api.PutFunctionCodeSigningConfig(ctx, &lambda.PutFunctionCodeSigningConfigInput{FunctionName: name, CodeSigningConfigArn: p.target.CodeSigningConfigArn})
	case callDeleteCodeSigning:
		_, err = t.api.DeleteFunctionCodeSigningConfig(ctx, &lambda.DeleteFunctionCodeSigningConfigInput{FunctionName: name})
	case callPutRecursion:
		_, err = t.api.PutFunctionRecursionConfig(ctx, &lambda.PutFunctionRecursionConfigInput{FunctionName: name, RecursiveLoop: types.RecursiveLoop(ptr.Deref(p.target.RecursiveLoop, ""))})
	case callPutScaling:
		if _, err = t.api.PutFunctionScalingConfig(ctx, scalingInput(p.name, p.target.FunctionScalingConfig)); err == nil {
			f.Status.AtProvider.FunctionScalingConfig = p.target.FunctionScalingConfig
		}
	case callNone:
	}
	return err
}

// errArchitectureAlone is told where the code is another tool's: AWS takes an
// architecture only along with code.
var errArchitectureAlone = errors.New("spec.forProvider.architectures can be changed only along with the code, which initProvider leaves to another tool: let that tool deploy for the new architecture, or set spec.forProvider.code")

func (t *thing) updateCode(ctx context.Context, f *v1beta1.Function, p plan, revision *string) error {
	if p.archive.none() {
		return errArchitectureAlone
	}
	to := publishing(f)
	if len(configuration(p.changes)) > 0 {
		// A version has both: this one would lack the configuration, which AWS refuses.
		to = publish{}
	}
	out, err := t.api.UpdateFunctionCode(ctx, codeInput(p.name, p.target, p.archive, to, revision))
	if err != nil {
		return err
	}
	f.Status.AtProvider.DeployedCode = p.archive.bundle.Remember(out.CodeSha256)
	published(&f.Status.AtProvider, out.Version, out.State, fingerprint.Read(out))
	return nil
}
