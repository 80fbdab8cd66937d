package importer

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// of returns the entry of what belongs to a function, and to one of its qualifiers if that is not empty. to is the kind
// that a reference of the qualifier has.
func (b *builder) of(f *function, kind, qualifier, to string) entry {
	file := b.name(v1beta1.FunctionKind, f.name)
	e := entry{
		kind: kind, id: f.qualified(qualifier), external: f.qualified(qualifier), policies: create, file: file,
		parts: []string{nameOf(file, qualifier)},
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

// versions returns the versions that something uses.
func (b *builder) versions(f *function) (out []entry) {
	for _, v := range f.versions {
		e := b.of(f, v1beta1.VersionKind, "", "")
		e.id, e.external, e.policies = f.qualified(v), v, observe
		e.parts, e.item.AWSName = append(e.parts, "v"+v), f.qualified(v)
		e.item.Comments = []string{
			"A version never changes, so it is only observed. To publish new versions, set publish: true in the " +
				"Function. Aliases",
			"follow it if you remove their functionVersionRef.",
		}
		out = append(out, e)
	}
	return out
}

func (b *builder) aliases(f *function) (out []entry) {
	for _, a := range f.aliases {
		name, version := ptr.Deref(a.Name, ""), f.qualified(ptr.Deref(a.FunctionVersion, ""))
		e := b.of(f, v1beta1.AliasKind, "", "")
		e.id, e.external, e.item.AWSName = f.qualified(name), name, f.qualified(name)
		e.parts, e.complete = append(e.parts, name), withoutMove
		if b.name(v1beta1.VersionKind, version) != "" {
			e.complete = func(s map[string]any) { withoutMove(s); delete(s, "functionVersion") }
			e.refs["functionVersionRef"] = b.ref(v1beta1.VersionKind, version)
		}
		out = append(out, e)
	}
	return out
}

// withoutMove removes the weight of 1 that AWS itself gives a version while it moves the provisioned concurrency of an
// alias to another one. A manifest cannot have it.
func withoutMove(settings map[string]any) {
	weights, _, _ := unstructured.NestedMap(settings, "routingConfig", "additionalVersionWeights")
	maps.DeleteFunc(weights, func(_ string, weight any) bool { return weight == "1" })
	if len(weights) == 0 {
		delete(settings, "routingConfig")
	}
}

// configs returns the provisioned concurrency, URLs, event invoke configs and runtime management of a function.
func (b *builder) configs(f *function) (out []entry) {
	of := func(kind string, arn *string) entry { return b.of(f, kind, qualifierOf(arn), v1beta1.AliasKind) }
	for _, p := range f.provisioned {
		out = append(out, of(v1beta1.ProvisionedConcurrencyConfigKind, p.FunctionArn))
	}
	for _, u := range f.urls {
		out = append(out, of(v1beta1.FunctionURLKind, u.FunctionArn))
	}
	for _, v := range f.events {
		e := of(v1beta1.FunctionEventInvokeConfigKind, v.FunctionArn)
		name := functionname.Name{Function: f.name, Qualifier: qualifierOf(v.FunctionArn)}
		e.external, e.complete = name.Or(functionname.Latest).String(), b.referDestinations
		out = append(out, e)
	}
	for _, q := range slices.SortedFunc(maps.Keys(f.runtimes), byNumber) {
		e := b.of(f, v1beta1.RuntimeManagementConfigKind, q, v1beta1.VersionKind)
		if f.runtimes[q].UpdateRuntimeOn != types.UpdateRuntimeOnManual {
			e.complete = func(s map[string]any) { delete(s, "runtimeVersionArn") }
		}
		out = append(out, e)
	}
	return out
}

// referDestinations replaces ARNs of functions by references.
func (b *builder) referDestinations(s map[string]any) {
	c, _ := s["destinationConfig"].(map[string]any)
	for _, v := range c {
		d, _ := v.(map[string]any)
		arn, _ := d["destination"].(string)
		n := functionname.OfARN(arn)
		if n.Function == "" || n.Qualifier != "" || !b.account.owns(arn) ||
			b.name(v1beta1.FunctionKind, n.Function) == "" {
			continue
		}
		delete(d, "destination")
		d["destinationRef"] = b.ref(v1beta1.FunctionKind, n.Function)
	}
}

// mappings returns the event source mappings of a function.
func (b *builder) mappings(f *function) (out []entry) {
	for _, m := range f.mappings {
		uuid, state, qualifier := ptr.Deref(m.UUID, ""), ptr.Deref(m.State, ""), qualifierOf(m.FunctionArn)
		e := b.of(f, v1beta1.EventSourceMappingKind, qualifier, v1beta1.AliasKind)
		e.id, e.external, e.item.AWSName = uuid, uuid, f.qualified(qualifier)+" "+uuid
		e.parts = append(e.parts, sourceName(ptr.Deref(m.EventSourceArn, "")))
		e.tagged = ptr.Deref(m.EventSourceMappingArn, "")
		e.complete = func(s map[string]any) {
			switch state {
			case "Enabled", "Enabling":
				s["enabled"] = true
			case "Disabled", "Disabling":
				s["enabled"] = false
			}
		}
		if m.FilterCriteriaError != nil {
			e.item.locked = true
			e.item.Limits = append(e.item.Limits,
				"AWS does not return its filter criteria: make its KMS key usable, and import it again")
		}
		if state == "Creating" || state == "Updating" || state == "Deleting" {
			e.item.Warnings = append(e.item.Warnings,
				"its state was "+state+", so the manifest does not say whether it is enabled")
		}
		out = append(out, e)
	}
	return out
}
