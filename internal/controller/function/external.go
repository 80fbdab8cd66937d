package function

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// accountFigures returns the concurrency limits of the account. account.Account implements it.
type accountFigures interface {
	Remembered() (account.Figures, bool)
	Recent(ctx context.Context, age time.Duration) (account.Figures, bool)
}

// pruning is the result of checking the versions beyond the limit.
type pruning struct {
	// unused is a version that nothing uses.
	unused string
	// err is the error of that check. It does not block other changes.
	err error
}

// external is a function in AWS. It lives for one reconcile: each call uses what an earlier one found.
type external struct {
	api       *lambda.Client
	resolver  *resolver
	tags      tagging.Owner
	cache     *readcache.Cache
	memory    *records
	account   accountFigures
	resources client.Reader
	// limited says that resources are only those of some namespaces.
	limited bool

	// reachable reports whether AWS answers calls, as far as known.
	reachable bool

	// facts are the facts of the reconcile, from read on.
	facts reconcile.Facts

	// variables of the function in AWS, nil if it does not exist or AWS does not return them.
	variables *environment

	// owned is the result of owner.
	owned ownership.Ownership

	// preview is true if the result of compare is only displayed.
	preview bool

	// planned is the result of compare or prepareCreate.
	planned plan

	// recreates is true if the existing function is a failed creation, which Create deletes
	// first. repairs is true if a failed change is sent again unchanged.
	recreates, repairs bool

	// pruning is the result of readHistory.
	pruning pruning

	// unlisted is the error if plan could not list the versions before one is published.
	unlisted error

	// restored is true if status did not have a version of the history before this reconcile.
	restored bool
}

type (
	awsResource = reconcile.Resource[*v1beta1.Function, observed, settings]
	found       = reconcile.Observation[observed, settings]
	update      = reconcile.Update[settings]
)

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

// readFunction reads the function and the separate settings that spec declares.
func (e *external) readFunction(ctx context.Context, name string, f *v1beta1.Function) (observed, error) {
	o := observed{}
	var err error
	if o.function, err = e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name)}); err != nil {
		return o, errors.Wrapf(awserr.Sanitize(err), "cannot read function %s", name)
	}
	if o.function.Configuration == nil {
		return o, errors.Errorf("cannot read function %s: AWS answered without its configuration", name)
	}
	if got := ptr.Deref(o.config().FunctionName, ""); got != "" && functionname.Plain(got) != functionname.Plain(name) {
		return o, errors.Errorf("cannot read function %s: AWS answered with function %s", name, got)
	}
	if meta.WasDeleted(f) { // Nothing else matters to a deletion, and what cannot be read must not block it.
		return o, nil
	}
	if err := e.readPublishing(ctx, name, f, &o); err != nil {
		return o, err
	}
	if err := e.readVersions(ctx, name, f, &o); err != nil {
		return o, err
	}
	return o, e.readAuxiliary(ctx, name, f, &o)
}

// readPublishing reads the version that AWS was preparing, unless the function itself is still changing or was never
// active.
func (e *external) readPublishing(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	version, c := f.Status.AtProvider.PublishingVersion, o.config()
	if version == nil || c.State == types.StatePending || c.LastUpdateStatus == types.LastUpdateStatusInProgress ||
		neverActive(f, c.State) {
		return nil
	}
	out, err := e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name), Qualifier: version})
	switch {
	case awserr.IsNotFound(err):
		o.unpublished = true
	case err != nil:
		return errors.Wrapf(awserr.Sanitize(err), "cannot read version %s of function %s", *version, name)
	case out.Configuration.State == types.StateFailed && !creating(f).publish:
		o.unpublished = true // Spec does not ask for it any more.
	default:
		o.publishing = out.Configuration
	}
	return nil
}

// readVersions finds out whether a function that may be a failed creation has versions
// beyond the one that the creation itself publishes.
func (e *external) readVersions(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	if !neverActive(f, o.config().State) {
		return nil
	}
	version := "1"
	if creating(f).publish || f.Status.AtProvider.PublishedFingerprint != nil {
		version = "2"
	}
	_, err := e.api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(name), Qualifier: ptr.To(version)})
	switch {
	case awserr.IsNotFound(err):
		o.unversioned = true
		return nil
	case awserr.IsAccessDenied(err):
		return nil
	}
	return errors.Wrapf(awserr.Sanitize(err), "cannot read version %s of function %s", version, name)
}

func (e *external) readAuxiliary(ctx context.Context, name string, f *v1beta1.Function, o *observed) error {
	for _, op := range reads(f) {
		var err error
		switch op {
		case opGetCodeSigning:
			if o.config().PackageType == types.PackageTypeImage {
				// AWS does not sign images.
				continue
			}
			var out *lambda.GetFunctionCodeSigningConfigOutput
			if out, err = e.api.GetFunctionCodeSigningConfig(
				ctx, &lambda.GetFunctionCodeSigningConfigInput{FunctionName: ptr.To(name)},
			); err == nil {
				o.codeSigningConfigArn = out.CodeSigningConfigArn
			}
		case opGetRecursion:
			var out *lambda.GetFunctionRecursionConfigOutput
			if out, err = e.api.GetFunctionRecursionConfig(
				ctx, &lambda.GetFunctionRecursionConfigInput{FunctionName: ptr.To(name)},
			); err == nil {
				o.recursiveLoop = lambdaapi.Text(out.RecursiveLoop)
			}
		case opGetScaling:
			var out *lambda.GetFunctionScalingConfigOutput
			out, err = e.api.GetFunctionScalingConfig(ctx, &lambda.GetFunctionScalingConfigInput{
				FunctionName: ptr.To(name), Qualifier: ptr.To(functionname.LatestPublished),
			})
			if err == nil {
				// Once a configuration is applied, AWS may return only the applied one.
				o.scaling = cmp.Or(out.RequestedFunctionScalingConfig, out.AppliedFunctionScalingConfig)
			}
			if awserr.IsNotFound(err) {
				// No version is published yet.
				err = nil
			}
		}
		if err != nil {
			return errors.Wrapf(awserr.Sanitize(err), "cannot read settings of function %s (%s)", name, op)
		}
	}
	return nil
}
