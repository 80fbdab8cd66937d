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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// The management policies of imported resources. None has Delete: who deletes a manifest does not delete what was there
// before it.
var (
	observe = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	update  = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionUpdate}
	create  = xpv2.ManagementPolicies{
		xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate,
	}
)

// sharedFile is the file of the resources that functions share.
const sharedFile = "shared"

// A builder makes manifests of an account.
type builder struct {
	o        Options
	session  *session.Session
	account  *account
	reader   *reader
	observer *plan.Planner
	names    map[string]string
	items    []*Item
}

func newBuilder(o Options, s *session.Session, a *account, r *reader) *builder {
	b := &builder{o: o, session: s, account: a, reader: r}
	b.observer = b.planner()
	b.assignNames()
	return b
}

// planner returns a planner that reads with the session, in which all that was read is remembered.
func (b *builder) planner() *plan.Planner {
	return plan.New(plan.Options{
		Scheme: b.o.Scheme, ClusterID: b.o.ClusterID, Now: b.o.Now,
		Resolver: plan.Through(b.session),
	})
}

// An entry is a resource of AWS that is to become a manifest.
type entry struct {
	// kind of the object, and id of the resource, which is unique in its kind.
	kind, id string

	// parts of the name of the object.
	parts []string

	// external is the external name.
	external string
	file     string
	policies xpv2.ManagementPolicies

	// names has the fields of spec by which the resource is observed, and refs those that the manifest has instead.
	names, refs map[string]any

	// settings are the settings of spec. Nil means those that the kind observes.
	settings map[string]any

	// tagged is the ARN by which the tags of the resource are read. It is empty if they are not.
	tagged string

	// complete adds to the settings what status does not show.
	complete func(settings map[string]any)

	// secret has the environment variables, nil if there are none.
	secret *Item

	item Item
}

// name returns the name of the object of a resource. It is empty if the resource is not imported.
func (b *builder) name(kind, id string) string { return b.names[kind+"/"+id] }

// ref returns a reference to the object of a resource.
func (b *builder) ref(kind, id string) map[string]any {
	return map[string]any{"name": b.name(kind, id)}
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

// secretKind is the kind of the Secrets with environment variables.
const secretKind = "Secret"

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

// nameOf returns the beginning of the names of what belongs to a qualifier of a function, whose object has a name.
func nameOf(object, qualifier string) string {
	return strings.TrimSuffix(object+"-"+strings.TrimPrefix(qualifier, functionname.Latest), "-")
}

// qualified returns the name of the function with a qualifier, if there is one.
func (f *function) qualified(qualifier string) string {
	return functionname.Name{Function: f.name, Qualifier: qualifier}.String()
}

// statementsOf returns the statements of a policy. A policy that cannot be parsed has none.
func statementsOf(text string) []policy.Statement {
	d, err := policy.Parse(text)
	if err != nil {
		return nil
	}
	return d.Statements
}

// sourceName returns a short name of an event source.
func sourceName(arn string) string {
	if arn == "" {
		return "kafka"
	}
	resource := lastPart(arn)
	if parts := strings.Split(arn, ":"); len(parts) > 5 { //nolint:mnd // The parts of an ARN before the resource.
		resource = strings.Join(parts[5:], ":")
	}
	// Such as table/orders/stream/2026-01-01, or cluster/orders/uuid.
	if parts := strings.Split(resource, "/"); len(parts) > 1 {
		return parts[1]
	}
	return lastPart(resource)
}
