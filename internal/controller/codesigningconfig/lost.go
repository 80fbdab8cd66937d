package codesigningconfig

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// skew is by how much AWS's clock may be behind the provider's.
const skew = 10 * time.Minute

// lost returns the ARN of the configuration that this resource has created without
// recording the ARN, see tagging.Search. It is empty if there is none.
func (e *external) lost(
	ctx context.Context, f reconcile.Facts, c *v1beta1.CodeSigningConfig,
) (string, reconcile.Effects, error) {
	return tagging.Search{
		Facts: f, API: e.api, Cache: e.cache, Kind: "code signing configuration", Identifier: "ARN",
		InStatus: ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, ""),
		Tags: func(ctx context.Context, arn string) (map[string]string, error) {
			return e.tags.Read(ctx, c, arn, e.api)
		},
		List: e.candidates,
	}.FindLost(ctx, c)
}

// candidates returns the configurations that were not last changed before a create was
// recorded, or all of them if none was.
func (e *external) candidates(
	ctx context.Context, created time.Time, f readcache.Freshness,
) ([]tagging.Candidate, error) {
	all, err := readcache.Read(ctx, e.cache, listKey(), f, e.list)
	if err != nil {
		return nil, err
	}
	var out []tagging.Candidate
	for i := range all {
		at := lambdaapi.Modified(all[i].LastModified)
		earlier := !at.IsZero() && at.Before(created.Add(-skew))
		if arn := ptr.Deref(all[i].CodeSigningConfigArn, ""); isARN(arn) && !earlier {
			out = append(out, tagging.Candidate{Name: arn, ARN: arn, Likely: !created.IsZero()})
		}
	}
	return out, nil
}

// listKey returns the key of the list of all configurations in the read cache.
func listKey() readcache.Key { return readcache.Key{Operation: opList} }

// list reads all configurations with ListCodeSigningConfigs.
func (e *external) list(ctx context.Context) ([]types.CodeSigningConfig, error) {
	var all []types.CodeSigningConfig
	pages := lambda.NewListCodeSigningConfigsPaginator(e.api, &lambda.ListCodeSigningConfigsInput{})
	for page, err := range lambdaapi.Each(ctx, "code signing configurations", pages) {
		if err != nil {
			return nil, errors.Wrap(awserr.Sanitize(err),
				"cannot list code signing configurations to find one that this resource may have created")
		}
		all = append(all, page.CodeSigningConfigs...)
	}
	return all, nil
}
