package function

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// kind is the kind of resource that the ownership tags record.
const kind = "function.lambda.aws.m.crossplane.io"

// reads returns the calls that one observation makes: one for the function, and one for
// each separate setting that spec declares.
func reads(f *v1beta1.Function) []string {
	if meta.WasDeleted(f) {
		return []string{opGet}
	}
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
	if f.Status.AtProvider.PublishingVersion != nil ||
		neverActive(f, types.State(ptr.Deref(f.Status.AtProvider.State, ""))) {
		ops = append(ops, opGet)
	}
	return ops
}

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

// newPlan resolves what spec refers to, and compares it with the observation.
func (e *external) newPlan(
	ctx context.Context, f *v1beta1.Function, d reconcile.Desired[settings], o found,
) (plan, error) {
	p := plan{name: o.Name, resource: o.Resource}
	p.Observed = o.Settings
	if p.Observed.FunctionScalingConfig == nil && o.Resource.scaling == nil &&
		f.Spec.ForProvider.FunctionScalingConfig == nil {
		// It was not read, because spec no longer declares it: use what was applied last.
		p.Observed.FunctionScalingConfig = f.Status.AtProvider.FunctionScalingConfig
	}
	var err error
	if c, left := codeOf(f); c != nil && !left {
		deployed := f.Status.AtProvider.DeployedCode
		if p.archive, err = e.resolver.archive(
			ctx, f.GetNamespace(), *c, diff.Fill(d.Settings, p.Observed, d.Left).Architectures, deployed,
		); err != nil {
			return p, err
		}
		if p.archive.bundle, err = e.resolver.bundles.Identify(ctx, p.archive.bundle, deployed); err != nil {
			return p, err
		}
		d.Settings.Code, p.Observed.Code = p.codes(f)
	}
	if !f.Status.AtProvider.Initialized {
		d.Left = slices.DeleteFunc(d.Left, afterCreation.Covers)
	}
	p.Target = target(d, p.Observed, p.name, e.tags)
	hide(&p, d.Settings, e.memory.of(f))
	p.Comparison = reconcile.Compare(p.Target, p.Observed)
	mayUpdate := reconcile.Allows(f, xpv2.ManagementActionUpdate)
	switch s := &f.Status.AtProvider; {
	case !mayUpdate, d.Preview:
	case p.Changes.Any(appliedBy[opUpdateCode]...):
		if err := e.load(ctx, f, &p); err != nil {
			return p, err
		}
	default:
		s.DeployedCode, p.unverified = e.resolver.bundles.Recheck(ctx, p.archive.bundle, s.DeployedCode)
	}
	p = p.withPublication(f, d)
	if !mayUpdate && p.archive.bundle.Unidentified(f.Status.AtProvider.DeployedCode) {
		p.Changes = p.Changes.But("code.source", "code.revision") // Whether it differs is unknown.
	}
	if fixed := immutable(p.Changes, p.Observed); len(fixed) > 0 && mayUpdate {
		return p, reconcile.Unchangeable("function "+p.name, v1beta1.FunctionKind, fixed)
	}
	return p, nil
}

// decisionInput returns the inputs of decide besides the observation.
func (e *external) decisionInput(f *v1beta1.Function, o observed) decisionInput {
	past := e.memory.of(f)
	return decisionInput{
		generation: f.GetGeneration(),
		fresh:      past.fresh,
		activated:  f.Status.AtProvider.Activated,
		ours:       createdJustNow(f, e.owned, o, e.facts.Now()),
		updatable:  reconcile.Allows(f, xpv2.ManagementActionUpdate),
		recreatable: reconcile.Allows(f, xpv2.ManagementActionDelete) &&
			reconcile.Allows(f, xpv2.ManagementActionCreate),
		repairs:  past.repairs,
		repaired: past.repaired,
		now:      e.facts.Now(),
	}
}

// load makes the code that is due ready to be deployed. If AWS has the same code from an earlier artifact, it is not
// due.
func (e *external) load(ctx context.Context, f *v1beta1.Function, p *plan) error {
	var err error
	if p.archive, err = e.resolver.load(ctx, p.archive); err != nil || p.archive.bundle.Artifact == nil {
		return err
	}
	p.Target.Code, p.Observed.Code = p.codes(f)
	p.Target.Code = diff.Fill(p.Target.Code, p.Observed.Code, nil)
	p.Comparison = reconcile.Compare(p.Target, p.Observed)
	return nil
}

// loadAgain makes code ready to be deployed that has not changed, and is sent again because AWS has refused it.
func (e *external) loadAgain(ctx context.Context, due []call) (err error) {
	if !e.preview && slices.Contains(due, opUpdateCode) && !e.planned.Changes.Any(appliedBy[opUpdateCode]...) {
		e.planned.archive, err = e.resolver.load(ctx, e.planned.archive)
	}
	return err
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

// codeOf returns the code to deploy, and whether it is left to other tools after the creation.
func codeOf(f *v1beta1.Function) (c *v1beta1.FunctionCode, left bool) {
	if c := f.Spec.ForProvider.Code; c != nil {
		return c, false
	}
	if i := f.Spec.InitProvider; i != nil {
		return i.Code, true
	}
	return nil, true
}

// asynchronous reports whether AWS applies the call asynchronously and rejects other calls until it is done.
func (c call) asynchronous() bool { return c == opUpdateConfiguration || c == opUpdateCode }

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

func (e *external) send(ctx context.Context, f *v1beta1.Function, p plan, c call) error {
	var err error
	arn, name, revision := p.resource.config().FunctionArn, ptr.To(p.name), p.resource.config().RevisionId
	switch c {
	case opUpdateConfiguration:
		in := configurationInput(p.name, p.Target, p.Changes, revision)
		if len(opUpdateConfiguration.applies(p.Changes)) == 0 {
			in.Role = p.Target.Role
		}
		_, err = e.api.UpdateFunctionConfiguration(ctx, in)
	case opUpdateCode:
		err = e.updateCode(ctx, f, p, revision)
	case opTag, opUntag:
		err = tagging.Apply(ctx, e.api, ptr.Deref(arn, ""), p.Target.Tags, p.Observed.Tags)
	case opPublish:
		err = e.publish(ctx, f, p)
	case opPutConcurrency:
		if err = e.checkReservation(ctx, p); err != nil {
			break
		}
		_, err = e.api.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{
			FunctionName: name, ReservedConcurrentExecutions: p.Target.ReservedConcurrentExecutions,
		})
	case opDeleteConcurrency:
		_, err = e.api.DeleteFunctionConcurrency(ctx, &lambda.DeleteFunctionConcurrencyInput{FunctionName: name})
	case opPutCodeSigning:
		_, err = e.api.PutFunctionCodeSigningConfig(ctx, &lambda.PutFunctionCodeSigningConfigInput{
			FunctionName: name, CodeSigningConfigArn: p.Target.CodeSigningConfigArn,
		})
	case opDeleteCodeSigning:
		_, err = e.api.DeleteFunctionCodeSigningConfig(
			ctx, &lambda.DeleteFunctionCodeSigningConfigInput{FunctionName: name},
		)
	case opPutRecursion:
		_, err = e.api.PutFunctionRecursionConfig(ctx, &lambda.PutFunctionRecursionConfigInput{
			FunctionName: name, RecursiveLoop: types.RecursiveLoop(ptr.Deref(p.Target.RecursiveLoop, "")),
		})
	case opPutScaling:
		s := p.Target.FunctionScalingConfig
		_, err = e.api.PutFunctionScalingConfig(ctx, scalingInput(p.name, s))
		if err == nil || s != nil && !refuses(err) { // AWS may have what it did not confirm.
			f.Status.AtProvider.FunctionScalingConfig = s
		}
	case opNone:
	}
	return err
}

// errArchitectureAlone is returned if the architecture is to change but another tool
// deploys the code: AWS accepts an architecture only together with code.
var errArchitectureAlone = reconcile.Invalid(errors.New(
	"spec.forProvider.architectures can be changed only along with the code, which initProvider leaves to another " +
		"tool: let that tool deploy for the new architecture, or set spec.forProvider.code",
))

// updateCode deploys the code. It does not publish it: AWS takes each update as a change, so that a call that is
// repeated because its answer was lost would publish another version.
func (e *external) updateCode(ctx context.Context, f *v1beta1.Function, p plan, revision *string) error {
	if p.archive.none() {
		return errArchitectureAlone
	}
	code, err := e.resolver.input(ctx, p.archive)
	if err != nil {
		return err
	}
	out, err := e.api.UpdateFunctionCode(ctx, codeInput(p.name, p.Target, code, revision))
	if err != nil {
		return err
	}
	f.Status.AtProvider.DeployedCode = p.archive.bundle.Remember(out.CodeSha256)
	return nil
}
