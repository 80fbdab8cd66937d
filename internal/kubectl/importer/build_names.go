package importer

import (
	"maps"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// secretKind is the kind of the Secrets with environment variables.
const secretKind = "Secret"

// objectNames returns the names of the objects of all resources that become manifests, by kind and ID. Names of what
// belongs to a function begin with the name of its object.
func (a *account) objectNames() map[string]string {
	var all []named
	add := func(kind, id string, parts ...string) { all = append(all, named{Kind: kind, ID: id, Parts: parts}) }
	for _, f := range a.functions {
		add(v1beta1.FunctionKind, f.name, f.name)
	}
	out := assignNames(all)
	all = nil
	a.named(add)
	for _, f := range a.functions {
		f.named(out[v1beta1.FunctionKind+"/"+f.name], add)
	}
	maps.Copy(out, assignNames(all))
	return out
}

// named adds what functions share.
func (a *account) named(add func(kind, id string, parts ...string)) {
	for _, arn := range a.signing {
		add(v1beta1.CodeSigningConfigKind, arn, strings.TrimPrefix(lastPart(arn), "code-signing-config:"))
	}
	for _, arn := range a.providers {
		add(v1beta1.CapacityProviderKind, lastPart(arn), lastPart(arn))
	}
	for _, arn := range a.layers {
		layer, number := layerOf(arn)
		add(v1beta1.LayerVersionKind, arn, layer, strconv.FormatInt(number, 10))
		for _, st := range statementsOf(a.layerPolicies[arn]) {
			add(v1beta1.LayerVersionPermissionKind, arn+":"+st.Sid, layer, strconv.FormatInt(number, 10), st.Sid)
		}
	}
}

// named adds what belongs to a function, whose object has the given name.
func (f *function) named(object string, add func(kind, id string, parts ...string)) {
	add(secretKind, f.name, object, "environment")
	for _, v := range f.versions {
		add(v1beta1.VersionKind, f.qualified(v), object, "v"+v)
	}
	for _, a := range f.aliases {
		add(v1beta1.AliasKind, f.qualified(ptr.Deref(a.Name, "")), object, ptr.Deref(a.Name, ""))
	}
	of := func(kind string, arn *string) {
		q := qualifierOf(arn)
		add(kind, f.qualified(q), strings.TrimSuffix(object+"-"+q, "-"))
	}
	for _, u := range f.urls {
		of(v1beta1.FunctionURLKind, u.FunctionArn)
	}
	for _, e := range f.events {
		of(v1beta1.FunctionEventInvokeConfigKind, e.FunctionArn)
	}
	for _, p := range f.provisioned {
		of(v1beta1.ProvisionedConcurrencyConfigKind, p.FunctionArn)
	}
	for q := range f.runtimes {
		add(v1beta1.RuntimeManagementConfigKind, f.qualified(q),
			strings.TrimSuffix(object+"-"+strings.TrimPrefix(q, functionname.Latest), "-"))
	}
	for q, text := range f.policies {
		base := strings.TrimSuffix(object+"-"+q, "-")
		add(v1beta1.ResourcePolicyKind, f.qualified(q), base)
		for _, st := range statementsOf(text) {
			add(v1beta1.PermissionKind, f.qualified(q)+"/"+st.Sid, base, st.Sid)
		}
	}
	for _, m := range f.mappings {
		add(v1beta1.EventSourceMappingKind, ptr.Deref(m.UUID, ""),
			strings.TrimSuffix(object+"-"+qualifierOf(m.FunctionArn), "-"), sourceName(ptr.Deref(m.EventSourceArn, "")))
	}
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
