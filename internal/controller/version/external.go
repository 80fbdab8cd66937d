package version

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The AWS operations that this kind calls.
const (
	opGet     = "GetFunction"
	opList    = versions.CallList
	opPublish = "PublishVersion"
	opDelete  = versions.CallDelete
)

// calls names the operations that create, update and delete a version.
var calls = reconcile.Calls{Create: opPublish, Update: opPublish, Delete: opDelete, Immutable: true}

// external manages the versions of a function in AWS. It lives for one reconcile.
type external struct {
	api   *lambda.Client
	cache *readcache.Cache
	// functions reads the Function that spec refers to before a version is published.
	functions client.Reader
	// limited says that functions reads some namespaces only.
	limited bool

	// facts are the facts of the reconcile, function is the name of the function, and found the result of the read.
	facts    reconcile.Facts
	function string
	found    observed

	// restored is true if status did not have the version before this reconcile.
	restored bool
}

type (
	awsResource = reconcile.Resource[*v1beta1.Version, observed, settings]
	found       = reconcile.Observation[observed, settings]
	update      = reconcile.Update[settings]
)

func (e *external) description(name string) string {
	return "version " + name + " of function " + e.function
}

func (e *external) key(name string) readcache.Key {
	return readcache.Key{Operation: opGet, Of: e.function + ":" + name}
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

func (e *external) version(ctx context.Context, name string) (*types.FunctionConfiguration, error) {
	if name == "" {
		return nil, nil
	}
	return readcache.Read(
		ctx, e.cache, e.key(name), e.facts.Fresh,
		func(ctx context.Context) (*types.FunctionConfiguration, error) { return e.get(ctx, name) },
	)
}

// pruner returns a Pruner, which deletes versions that nothing uses. arn is that of the function or of a version.
func (e *external) pruner(v *v1beta1.Version, arn *string) versions.Pruner {
	return versions.Pruner{
		Facts: e.facts, API: e.api, Cache: e.cache, Resources: e.functions, Version: v.GetUID(), Limited: e.limited,
		Function: versions.FunctionOf(e.function, ptr.Deref(arn, "")), History: &v.Status.AtProvider.VersionHistory,
	}
}

// list lists the versions of the function.
func (e *external) list(ctx context.Context, v *v1beta1.Version) ([]types.FunctionConfiguration, error) {
	kept := lambdaapi.KeptList{Cache: e.cache, Now: e.facts.Now(), For: string(v.GetUID())}
	return versions.List(ctx, e.api, kept, e.function)
}
