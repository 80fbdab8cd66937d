package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func newBuilder(o Options, s *session.Session, a *account, r *reader) *builder {
	b := &builder{o: o, session: s, account: a, reader: r}
	b.observer = b.planner()
	b.assignNames()
	return b
}

// entries returns the resources that functions share, and each function and what belongs to it.
func (b *builder) entries() []entry {
	entries := b.shared()
	for _, f := range b.account.functions {
		entries = slices.Concat(entries, []entry{b.function(f)}, b.versions(f), b.aliases(f), b.configs(f),
			b.policies(f), b.mappings(f))
	}
	return entries
}

func (b *builder) build(ctx context.Context) error {
	for _, e := range b.entries() {
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// tags returns the tags of a resource. They are empty if they cannot be read, which the planner reports.
func (b *builder) tags(ctx context.Context, arn string) map[string]string {
	if arn == "" {
		return nil
	}
	out, err := b.reader.api.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	if err != nil {
		return nil
	}
	return out.Tags
}

// add makes a manifest. A resource that cannot be observed becomes one that is only observed, which says why.
func (b *builder) add(ctx context.Context, e entry) error {
	i := e.item
	i.Kind, i.Name, i.File = e.kind, b.name(e.kind, e.id), e.file
	if i.AWSName == "" {
		i.AWSName = e.external
	}
	if e.settings == nil {
		seen, err := b.observe(ctx, e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			e.settings, err = settingsOf(e.kind, seen)
		}
		if err != nil {
			e.settings, e.policies = map[string]any{}, observe
			i.Limits = append(i.Limits, "it could not be observed: "+kubectl.OneLine(err.Error()))
		}
	}
	if e.complete != nil {
		e.complete(e.settings)
	}
	withTags(e.settings, b.tags(ctx, e.tagged))
	maps.Copy(e.settings, e.refs)
	prune(e.settings)
	if len(i.Limits) > 0 && i.locked {
		e.policies = observe
	}
	var err error
	if i.Resource, err = b.object(e, e.settings); err != nil {
		return err
	}
	if e.secret != nil {
		b.items = append(b.items, e.secret)
	}
	b.items = append(b.items, &i)
	return nil
}

// observe returns the resource with the status that its kind gives it.
func (b *builder) observe(ctx context.Context, e entry) (reconcile.Managed, error) {
	mg, err := b.object(e, maps.Clone(e.names))
	if err != nil {
		return nil, err
	}
	return b.observer.Observe(ctx, mg)
}

// object returns an object of a kind with the given spec.forProvider, to which it adds the region.
func (b *builder) object(e entry, forProvider map[string]any) (reconcile.Managed, error) {
	gvk := v1beta1.SchemeGroupVersion.WithKind(e.kind)
	obj, err := b.o.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	if forProvider == nil {
		forProvider = map[string]any{}
	}
	forProvider["region"] = b.account.region
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": forProvider}}}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(b.o.Namespace)
	u.SetName(b.name(e.kind, e.id))
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, obj, true); err != nil {
		return nil, fmt.Errorf("cannot write the manifest of %s %s: %w", e.kind, e.external, err)
	}
	mg, ok := obj.(reconcile.Managed)
	if !ok {
		return nil, fmt.Errorf("%s is no managed kind", e.kind)
	}
	meta.SetExternalName(mg, e.external)
	if b.o.Adopt {
		meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationAdopt: "true"})
	}
	mg.SetManagementPolicies(e.policies)
	if b.o.Config != nil {
		mg.SetProviderConfigReference(b.o.Config)
	}
	return mg, nil
}

// prune removes empty blocks, which AWS returns for what is not set.
func prune(m map[string]any) {
	for k, v := range m {
		inner, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if prune(inner); len(inner) == 0 {
			delete(m, k)
		}
	}
}

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

// assignNames gives the objects of all resources their names, by kind and ID. Names of what belongs to a function begin
// with the name of its object, so functions are named first, and then what their entries describe. The references in
// these entries are still empty, so the manifests are made from entries built again.
func (b *builder) assignNames() {
	var all []entry
	for _, f := range b.account.functions {
		all = append(all, b.function(f))
	}
	b.names = assignNames(all)
	all = b.entries()
	for _, e := range all {
		if e.secret != nil {
			all = append(all, entry{kind: secretKind, id: e.id, parts: []string{e.file, "environment"}})
		}
	}
	b.names = assignNames(all)
}
