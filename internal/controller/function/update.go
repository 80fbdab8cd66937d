package function

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// errArchitectureAlone is returned if the architecture is to change but another tool
// deploys the code: AWS accepts an architecture only together with code.
var errArchitectureAlone = reconcile.Invalid(errors.New(
	"spec.forProvider.architectures can be changed only along with the code, which initProvider leaves to another " +
		"tool: let that tool deploy for the new architecture, or set spec.forProvider.code",
))

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

// publish publishes exactly what was observed: AWS rejects the call if the function was changed since. If nothing was
// changed since the last version, for example because the answer of an earlier call was lost, AWS returns that version.
func (e *external) publish(ctx context.Context, f *v1beta1.Function, p plan) error {
	if e.unlisted != nil {
		return e.unlisted
	}
	out, err := e.api.PublishVersion(ctx, &lambda.PublishVersionInput{
		FunctionName: ptr.To(p.name),
		RevisionId:   p.resource.config().RevisionId,
		Description:  versionDescription(f, p.resource.config()),
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

// accepted records that AWS accepted a call. If it has sent settings that AWS does not return, no fingerprint shows
// that a version is due.
func (e *external) accepted(f *v1beta1.Function, c call) {
	sent := e.planned.sent(c)
	e.memory.of(f).accept(c, sent)
	_, variables := sent[environmentPath]
	_, image := sent[imageConfigPath]
	if (variables || image) && unreadable(e.planned.resource.config()) != "" {
		f.Status.AtProvider.PublishedFingerprint, f.Status.AtProvider.PublishedSpecFingerprint = nil, nil
	}
}

// refuses reports whether AWS rejects a call for its content, rather than because of
// throttling or a change in progress, or would reject one that was not made.
func refuses(err error) bool {
	return reconcile.IsInvalid(err) || awserr.IsRefused(err) && !awserr.IsThrottled(err) &&
		!awserr.IsInProgress(err) && !awserr.IsPreconditionFailed(err)
}
