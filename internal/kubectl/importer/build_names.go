package importer

import (
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

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
