package codesigningconfig

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// skew is by how much AWS's clock may be behind ours.
const skew = 10 * time.Minute

// modified is the form of LastModified.
const modified = "2006-01-02T15:04:05.999-0700"

// lost finds the configuration that a create may have made whose answer never came, or
// whose ARN was not kept because the process ended: the one that carries this
// resource's UID. It is empty where none has made anything. Where several carry it, only
// the user can tell which one is meant, unless all are to go.
func (e *external) lost(ctx context.Context, c *v1beta1.CodeSigningConfig) (string, error) {
	at := meta.GetExternalCreatePending(c)
	if at.IsZero() {
		if arn, err := e.shown(ctx, c); arn != "" || err != nil {
			return arn, err
		}
		return e.unrecorded(ctx, c)
	}
	candidates, err := e.candidates(ctx, at.Add(-skew))
	if err != nil || len(candidates) == 0 {
		return "", err
	}
	if !managed.Reserve(ctx, slices.Repeat([]string{opTags}, len(candidates))...) {
		return "", nil
	}
	found := ownership.Recovery{Kind: "code signing configuration", Identifier: "ARN"}
	for i := range candidates {
		arn := ptr.Deref(candidates[i].CodeSigningConfigArn, "")
		out, err := e.api.ListTags(ctx, &lambda.ListTagsInput{Resource: ptr.To(arn)})
		if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
			found.Doubtful = arn
			continue
		}
		if err != nil {
			return "", errors.Wrapf(awserr.Clean(err), "cannot read the tags of %s to check whether this resource created it", what(arn))
		}
		if out.Tags[ownership.TagUID] == string(c.GetUID()) {
			found.Ours = append(found.Ours, arn)
		}
	}
	return found.Name(c)
}

// shown is the configuration that status shows, if it carries this resource's UID: someone
// has removed the annotations that keep its ARN.
func (e *external) shown(ctx context.Context, c *v1beta1.CodeSigningConfig) (string, error) {
	arn := ptr.Deref(c.Status.AtProvider.CodeSigningConfigArn, "")
	if arn == "" || !managed.Reserve(ctx, opTags) {
		return "", nil
	}
	tags, err := e.tags.Read(ctx, c, arn, e.api)
	if err != nil || tags[ownership.TagUID] != string(c.GetUID()) {
		return "", err
	}
	return arn, nil
}

// unrecorded returns the ARN of the configuration that carries this resource's UID although
// nothing in the object says that one was created. It is empty if there is none.
func (e *external) unrecorded(ctx context.Context, c *v1beta1.CodeSigningConfig) (string, error) {
	if !tagging.MayHaveCreated(c, managed.Freshness(ctx).Now) {
		return "", nil
	}
	s := tagging.Search{API: e.api, Cache: e.cache, Kind: "code signing configuration", Identifier: "ARN"}
	all, err := inventory.Read(ctx, e.cache, listKey(), s.Fresh(ctx), e.list)
	if awserr.IsUnsupported(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	candidates := make([]tagging.Candidate, len(all))
	for i := range all {
		arn := ptr.Deref(all[i].CodeSigningConfigArn, "")
		candidates[i] = tagging.Candidate{Name: arn, ARN: arn}
	}
	return s.Find(ctx, c, candidates)
}

// listKey names the list of all configurations in the read cache.
func listKey() inventory.Key { return inventory.Key{Operation: opList} }

// candidates are the configurations that were created or changed since a time.
func (e *external) candidates(ctx context.Context, since time.Time) ([]types.CodeSigningConfig, error) {
	all, err := e.list(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(c types.CodeSigningConfig) bool {
		at, err := time.Parse(modified, ptr.Deref(c.LastModified, ""))
		return c.CodeSigningConfigArn == nil || err == nil && at.Before(since)
	}), nil
}

// list reads all configurations with ListCodeSigningConfigs.
func (e *external) list(ctx context.Context) ([]types.CodeSigningConfig, error) {
	var all []types.CodeSigningConfig
	pages := lambda.NewListCodeSigningConfigsPaginator(e.api, &lambda.ListCodeSigningConfigsInput{})
	var read answer.Pages
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
