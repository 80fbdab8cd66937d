package importer

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// addShared adds what functions share.
func (b *builder) addShared(ctx context.Context) error {
	for _, arn := range b.account.signing {
		tags := b.tags(ctx, arn)
		if err := b.add(ctx, entry{
			kind: v1beta1.CodeSigningConfigKind, id: arn, external: arn, file: shared, policies: create,
			complete: func(s map[string]any) { withTags(s, tags) },
		}); err != nil {
			return err
		}
	}
	for _, name := range b.account.providers {
		tags := b.tags(ctx, b.capacityProviderARN(name))
		if err := b.add(ctx, entry{
			kind: v1beta1.CapacityProviderKind, id: name, external: name, file: shared, policies: create,
			complete: func(s map[string]any) { withTags(s, tags) },
		}); err != nil {
			return err
		}
	}
	for _, arn := range b.account.layers {
		if err := b.addLayer(ctx, arn); err != nil {
			return err
		}
	}
	return nil
}

// tags returns the tags of a resource. They are empty if they cannot be read, which the planner reports.
func (b *builder) tags(ctx context.Context, arn string) map[string]string {
	out, err := b.reader.api.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	if err != nil {
		return nil
	}
	return out.Tags
}

// capacityProviderARN returns the ARN of a capacity provider that functions use.
func (b *builder) capacityProviderARN(name string) string {
	for _, f := range b.account.functions {
		if capacityProviderOf(f.config()) == name {
			return capacityProviderARN(f.config())
		}
	}
	return ""
}

// addLayer adds a version of a layer, and the statements of its policy.
func (b *builder) addLayer(ctx context.Context, arn string) error {
	layer, number := layerOf(arn)
	if err := b.add(ctx, entry{
		kind: v1beta1.LayerVersionKind, id: arn, external: arn, file: shared, policies: observe,
		names: map[string]any{"layerName": layer},
		item: Item{Comments: []string{
			"A version of a layer never changes, so it is only observed. To publish versions with this manifest, set",
			"spec.forProvider.content, and managementPolicies to [Observe, Create, Update].",
		}},
	}); err != nil {
		return err
	}
	for _, st := range statementsOf(b.account.layerPolicies[arn]) {
		at := layer + ":" + strconv.FormatInt(number, 10)
		g := policy.GrantOf(st, ":layer:"+at)
		e := entry{
			kind: v1beta1.LayerVersionPermissionKind, id: arn + ":" + st.Sid, external: at + ":" + st.Sid, file: shared, policies: create,
			settings: map[string]any{"principal": g.Principal},
			refs:     map[string]any{"layerVersionArnRef": b.ref(v1beta1.LayerVersionKind, arn)},
		}
		if g.PrincipalOrgID != "" {
			e.settings["organizationId"] = g.PrincipalOrgID
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
