package version

import (
	"cmp"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/publishedcode"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// pollAge is the age of an answer about a version that a poll accepts: only the state of a version ever changes.
const pollAge = 30 * time.Minute

func (e *external) version(ctx context.Context, name string) (*types.FunctionConfiguration, error) {
	if name == "" {
		return nil, nil
	}
	return readcache.Read(
		ctx, e.cache, e.key(name), e.facts.Fresh,
		func(ctx context.Context) (*types.FunctionConfiguration, error) { return e.get(ctx, name) },
	)
}

func (e *external) key(name string) readcache.Key {
	return readcache.Key{Operation: opGet, Of: e.function + ":" + name}
}

// active reports whether AWS had prepared the version at the last reconcile.
func active(v *v1beta1.Version) bool {
	s := v.Status.AtProvider.State
	return s != nil && prepared(types.State(*s))
}

// get reads $LATEST, or a version. It returns nil for one that does not exist.
func (e *external) get(ctx context.Context, name string) (*types.FunctionConfiguration, error) {
	out, err := e.api.GetFunction(
		ctx, &lambda.GetFunctionInput{FunctionName: ptr.To(e.function), Qualifier: lambdaapi.NonEmpty(ptr.To(name))},
	)
	if awserr.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read function %s", e.function)
	}
	c := out.Configuration
	if c == nil {
		return nil, errors.Errorf("cannot read function %s: AWS answered without its configuration", e.function)
	}
	return c, nil
}

// unready returns a message if the Function that spec refers to is not Ready.
func (e *external) unready(ctx context.Context, v *v1beta1.Version) (string, error) {
	ref := v.Spec.ForProvider.FunctionNameRef
	if ref == nil {
		return "", nil
	}
	key, f := client.ObjectKey{Namespace: cmp.Or(ref.Namespace, v.GetNamespace()), Name: ref.Name}, &v1beta1.Function{}
	err := e.functions.Get(ctx, key, f)
	if kerrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", errors.Wrapf(err, "cannot get Function %s", key)
	}
	if f.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue ||
		f.GetCondition(xpv2.TypeReady).ObservedGeneration != f.GetGeneration() {
		return "Function " + key.String() + " is not Ready yet", nil
	}
	return "", nil
}

// recordCode records the revision of a version's code, if the Function that spec refers to has deployed this code.
func (e *external) recordCode(ctx context.Context, v *v1beta1.Version, c *types.FunctionConfiguration) {
	if c == nil {
		return
	}
	s, f := &v.Status.AtProvider, &v1beta1.Function{}
	name, sum := ptr.Deref(c.Version, ""), ptr.Deref(c.CodeSha256, "")
	if _, known := publishedcode.Of(s.PublishedCode, name); known && ptr.Deref(s.CodeSHA256, "") == sum {
		return
	}
	var deployed *v1beta1.DeployedCode
	if publishedcode.Referenced(ctx, e.functions, v.GetNamespace(), v.Spec.ForProvider.FunctionNameRef, f) {
		deployed = f.Status.AtProvider.DeployedCode
	}
	s.PublishedCode = publishedcode.Record(s.PublishedCode, name, sum, deployed)
}

// pruner returns a Pruner, which deletes versions that nothing uses. arn is that of the function or of a version.
func (e *external) pruner(v *v1beta1.Version, arn *string) versions.Pruner {
	return versions.Pruner{
		Facts: e.facts, API: e.api, Cache: e.cache, Resources: e.functions, Version: v.GetUID(), Limited: e.limited,
		Function: versions.FunctionOf(e.function, ptr.Deref(arn, "")), History: &v.Status.AtProvider.VersionHistory,
	}
}

// unused returns a version beyond the limit that nothing uses, if there is one.
func (e *external) unused(ctx context.Context, v *v1beta1.Version, o observed) (string, reconcile.Effects, error) {
	if !reconcile.Allows(v, xpv2.ManagementActionUpdate) {
		return "", reconcile.Effects{}, nil
	}
	p := e.pruner(v, o.function.FunctionArn)
	excess := versions.Excess(
		p.History, v.Spec.ForProvider.HistoryLimit, wanted(v.Status.AtProvider, o.version)...,
	)
	return p.Unused(ctx, excess)
}

// readDeleted reads what is still to be deleted: with a history limit, the resource's
// earlier versions before the last one.
func (e *external) readDeleted(ctx context.Context, v *v1beta1.Version, name string) (found, error) {
	name, nothing, err := e.recover(ctx, v, name, &observed{})
	if err != nil || name == "" {
		return found{Annotate: nothing}, err
	}
	s := &v.Status.AtProvider
	if earlier := versions.Earlier(&s.VersionHistory, name); v.Spec.ForProvider.HistoryLimit != nil &&
		len(earlier) > 0 {
		oldest := earlier[len(earlier)-1]
		by, err := e.pruner(v, s.FunctionArn).UsedBy(ctx, oldest)
		return found{
			Annotate: nothing, Resource: observed{usedBy: by}, Exists: true, Name: oldest,
			Description: e.description(oldest),
		}, err
	}
	c, err := e.get(ctx, name)
	return found{
		Annotate: nothing, Resource: observed{version: c}, Exists: c != nil, Name: name,
		Description: e.description(name),
	}, err
}

// readAuxiliary reads what a call that is due needs.
func (e *external) readAuxiliary(ctx context.Context, v *v1beta1.Version, o *observed) (reconcile.Effects, error) {
	if o.function == nil {
		return reconcile.Effects{}, nil
	}
	var err error
	if o.version == nil || len(due(v, *o)) > 0 {
		if o.unready, err = e.unready(ctx, v); err != nil {
			return reconcile.Effects{}, err
		}
		if why, _ := hindrance(v.Spec.ForProvider, *o); why == "" && o.versions == nil {
			o.versions, err = e.list(ctx, v)
		}
		return reconcile.Effects{}, err
	}
	var effects reconcile.Effects
	o.unused, effects, o.unknown = e.unused(ctx, v, *o)
	return effects, nil
}
