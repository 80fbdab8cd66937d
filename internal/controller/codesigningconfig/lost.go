package codesigningconfig

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/tagging"
)

// skew is by how much AWS's clock may be behind the provider's.
const skew = 10 * time.Minute

// modified is the layout of LastModified.
const modified = "2006-01-02T15:04:05.999-0700"

// lost returns the ARN of the configuration that carries this resource's UID in its tags,
// if a create may have made one with an ARN that was not recorded: its response was lost,
// the process ended, or someone has removed the resource's annotations since. It is empty
// if there is none. It returns an error if several carry the UID, so that only the user
// can decide, unless all are to be deleted, or if the tags of a likely one cannot be read.
func (e *external) lost(ctx context.Context, c *v1beta1.CodeSigningConfig) (string, error) {
	pending := meta.GetExternalCreatePending(c)
	if pending.IsZero() {
		if arn, err := e.nameInStatus(ctx, c); arn != "" || err != nil {
			return arn, err
		}
		if !tagging.MayHaveCreated(c, reconciler.Freshness(ctx).Now) {
			return "", nil
		}
	}
	search := tagging.Search{API: e.api, Cache: e.cache, Kind: "code signing configuration", Identifier: "ARN"}
	all, err := readcache.Read(ctx, e.cache, listKey(), search.Freshness(ctx, pending), e.list)
	if pending.IsZero() && awserr.IsUnsupported(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var candidates []tagging.Candidate
	for i := range all {
		if arn := ptr.Deref(all[i].CodeSigningConfigArn, ""); arn != "" && !modifiedBefore(all[i], pending.Add(-skew)) {
			candidates = append(candidates, tagging.Candidate{Name: arn, ARN: arn, Likely: !pending.IsZero()})
		}
	}
	return search.Find(ctx, c, candidates)
}

// nameInStatus returns the ARN in status, if that configuration carries this resource's UID:
// someone may have removed the annotations that record the ARN.
func (e *external) nameInStatus(ctx context.Context, c *v1beta1.CodeSigningConfig) (string, error) {
	arn := ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, "")
	if arn == "" || !reconciler.Reserve(ctx, opTags) {
		return "", nil
	}
	tags, err := e.tags.Read(ctx, c, arn, e.api)
	if err != nil || tags[ownership.TagUID] != string(c.GetUID()) {
		return "", err
	}
	return arn, nil
}

// listKey returns the key of the list of all configurations in the read cache.
func listKey() readcache.Key { return readcache.Key{Operation: opList} }

// modifiedBefore returns whether a configuration was created or last changed before a
// time.
func modifiedBefore(c types.CodeSigningConfig, t time.Time) bool {
	at, err := time.Parse(modified, ptr.Deref(c.LastModified, ""))
	return err == nil && at.Before(t)
}

// list reads all configurations with ListCodeSigningConfigs.
func (e *external) list(ctx context.Context) ([]types.CodeSigningConfig, error) {
	var all []types.CodeSigningConfig
	pages := lambda.NewListCodeSigningConfigsPaginator(e.api, &lambda.ListCodeSigningConfigsInput{})
	var read lambdaapi.Pages
	for pages.HasMorePages() {
		if err := read.Next("code signing configurations"); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, errors.Wrap(awserr.Clean(err), "cannot list code signing configurations to find one that this resource may have created")
		}
		all = append(all, page.CodeSigningConfigs...)
	}
	return all, nil
}
