package importer

import (
	"context"
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// of returns the entry of what belongs to a function, and to one of its qualifiers if that is not empty. to is the kind
// that a reference of the qualifier has.
func (b *builder) of(f *function, kind, qualifier, to string) entry {
	e := entry{
		kind: kind, id: f.qualified(qualifier), external: f.qualified(qualifier), file: b.name(v1beta1.FunctionKind, f.name), policies: create,
		names: map[string]any{"functionName": f.name},
		refs:  map[string]any{"functionNameRef": b.ref(v1beta1.FunctionKind, f.name)},
	}
	switch {
	case qualifier == "" || qualifier == functionname.Latest:
	case b.name(to, f.qualified(qualifier)) != "":
		e.names["qualifier"] = qualifier
		e.refs["qualifierRef"] = b.ref(to, f.qualified(qualifier))
	default:
		e.names["qualifier"], e.refs["qualifier"] = qualifier, qualifier
	}
	return e
}

// addVersions adds the versions that something uses.
func (b *builder) addVersions(ctx context.Context, f *function) error {
	for _, v := range f.versions {
		e := b.of(f, v1beta1.VersionKind, "", "")
		e.id, e.external, e.policies = f.qualified(v), v, observe
		e.item.AWSName = f.qualified(v)
		e.item.Comments = []string{
			"A version never changes, so it is only observed. To publish new versions, set publish: true in the Function. Aliases",
			"follow it if you remove their functionVersionRef.",
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addAliases(ctx context.Context, f *function) error {
	for _, a := range f.aliases {
		name, version := ptr.Deref(a.Name, ""), ptr.Deref(a.FunctionVersion, "")
		e := b.of(f, v1beta1.AliasKind, "", "")
		e.id, e.external, e.item.AWSName = f.qualified(name), name, f.qualified(name)
		if b.name(v1beta1.VersionKind, f.qualified(version)) != "" {
			e.complete = func(s map[string]any) { delete(s, "functionVersion") }
			e.refs["functionVersionRef"] = b.ref(v1beta1.VersionKind, f.qualified(version))
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addProvisioned(ctx context.Context, f *function) error {
	for _, p := range f.provisioned {
		if err := b.add(ctx, b.of(f, v1beta1.ProvisionedConcurrencyConfigKind, qualifierOf(p.FunctionArn), v1beta1.AliasKind)); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addURLs(ctx context.Context, f *function) error {
	for _, u := range f.urls {
		if err := b.add(ctx, b.of(f, v1beta1.FunctionURLKind, qualifierOf(u.FunctionArn), v1beta1.AliasKind)); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addEvents(ctx context.Context, f *function) error {
	for _, v := range f.events {
		e := b.of(f, v1beta1.FunctionEventInvokeConfigKind, qualifierOf(v.FunctionArn), v1beta1.AliasKind)
		e.external = functionname.Name{Function: f.name, Qualifier: qualifierOf(v.FunctionArn)}.Or(functionname.Latest).String()
		e.complete = b.referDestinations
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// referDestinations replaces ARNs of functions by references.
func (b *builder) referDestinations(s map[string]any) {
	c, _ := s["destinationConfig"].(map[string]any)
	for _, v := range c {
		d, _ := v.(map[string]any)
		arn, _ := d["destination"].(string)
		n := functionname.OfARN(arn)
		if n.Function == "" || n.Qualifier != "" || !b.account.owns(arn) || b.name(v1beta1.FunctionKind, n.Function) == "" {
			continue
		}
		delete(d, "destination")
		d["destinationRef"] = b.ref(v1beta1.FunctionKind, n.Function)
	}
}

func (b *builder) addRuntimes(ctx context.Context, f *function) error {
	for _, q := range slices.SortedFunc(maps.Keys(f.runtimes), byNumber) {
		e := b.of(f, v1beta1.RuntimeManagementConfigKind, q, v1beta1.VersionKind)
		manual := f.runtimes[q].UpdateRuntimeOn == "Manual"
		e.complete = func(s map[string]any) {
			if !manual {
				delete(s, "runtimeVersionArn")
			}
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// addMappings adds the event source mappings of a function.
func (b *builder) addMappings(ctx context.Context, f *function) error {
	for _, m := range f.mappings {
		uuid, state := ptr.Deref(m.UUID, ""), ptr.Deref(m.State, "")
		tags := b.tags(ctx, ptr.Deref(m.EventSourceMappingArn, ""))
		e := b.of(f, v1beta1.EventSourceMappingKind, qualifierOf(m.FunctionArn), v1beta1.AliasKind)
		e.id, e.external, e.item.AWSName = uuid, uuid, f.qualified(qualifierOf(m.FunctionArn))+" "+uuid
		e.complete = func(s map[string]any) {
			withTags(s, tags)
			switch state {
			case "Enabled", "Enabling":
				s["enabled"] = true
			case "Disabled", "Disabling":
				s["enabled"] = false
			}
		}
		if m.FilterCriteriaError != nil {
			e.item.locked = true
			e.item.Limits = append(e.item.Limits, "AWS does not return its filter criteria: make its KMS key usable, and import it again")
		}
		if state == "Creating" || state == "Updating" || state == "Deleting" {
			e.item.Warnings = append(e.item.Warnings, "its state was "+state+", so the manifest does not say whether it is enabled")
		}
		if err := b.add(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
