package importer

import (
	"strconv"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// shared returns the resources that functions share.
func (b *builder) shared() (out []entry) {
	for _, arn := range b.account.signing {
		out = append(out, entry{
			kind: v1beta1.CodeSigningConfigKind, id: arn, external: arn, file: sharedFile, policies: create,
			parts: []string{strings.TrimPrefix(lastPart(arn), "code-signing-config:")}, tagged: arn,
		})
	}
	for _, arn := range b.account.providers {
		out = append(out, entry{
			kind: v1beta1.CapacityProviderKind, id: lastPart(arn), external: lastPart(arn), file: sharedFile,
			parts: []string{lastPart(arn)}, policies: create, tagged: arn,
		})
	}
	for _, arn := range b.account.layers {
		out = append(out, b.layer(arn)...)
	}
	return out
}

// layer returns a version of a layer, and the statements of its policy.
func (b *builder) layer(arn string) []entry {
	layer, n := layerOf(arn)
	number := strconv.FormatInt(n, 10)
	out := []entry{{
		kind: v1beta1.LayerVersionKind, id: arn, external: arn, file: sharedFile, policies: observe,
		parts: []string{layer, number}, names: map[string]any{"layerName": layer},
		item: Item{Comments: []string{
			"A version of a layer never changes, so it is only observed. To publish versions with this manifest, set",
			"spec.forProvider.content, and managementPolicies to [Observe, Create, Update].",
		}},
	}}
	if why := b.account.unread[arn]; why != "" {
		out[0].item.Limits = []string{why}
	}
	for _, st := range statementsOf(b.account.layerPolicies[arn]) {
		at := layer + ":" + number
		g := policy.GrantOf(st, ":layer:"+at)
		e := entry{
			kind: v1beta1.LayerVersionPermissionKind, id: arn + ":" + st.Sid, external: at + ":" + st.Sid,
			file: sharedFile, parts: []string{layer, number, st.Sid},
			policies: create, settings: map[string]any{"principal": g.Principal},
			refs: map[string]any{"layerVersionArnRef": b.ref(v1beta1.LayerVersionKind, arn)},
		}
		if g.PrincipalOrgID != "" {
			e.settings["organizationId"] = g.PrincipalOrgID
		}
		out = append(out, e)
	}
	return out
}
