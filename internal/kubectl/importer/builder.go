package importer

import (
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
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

// secretKind is the kind of the Secrets with environment variables.
const secretKind = "Secret"

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

// planner returns a planner that reads with the session, in which all that was read is remembered.
func (b *builder) planner() *plan.Planner {
	return plan.New(plan.Options{
		Scheme: b.o.Scheme, ClusterID: b.o.ClusterID, Now: b.o.Now,
		Resolver: plan.Through(b.session),
	})
}

// name returns the name of the object of a resource. It is empty if the resource is not imported.
func (b *builder) name(kind, id string) string { return b.names[kind+"/"+id] }

// ref returns a reference to the object of a resource.
func (b *builder) ref(kind, id string) map[string]any {
	return map[string]any{"name": b.name(kind, id)}
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
