package importer

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// An Item is a manifest that was written.
type Item struct {
	// Kind and Name of the object, and AWSName of what it describes in AWS.
	Kind, Name, AWSName string

	// File is the name of the manifest's file, without an ending.
	File string

	// Resource is the managed resource, or Secret the Secret. The other one is nil.
	Resource reconcile.Managed
	Secret   *corev1.Secret

	// Sensitive is whether the manifest has secrets.
	Sensitive bool

	// Comments explain the manifest.
	Comments []string

	// Limits are what the manifest cannot express, or what keeps it from being applied without a change.
	Limits []string

	// Warnings are what the user should know before applying the manifest, even if it is proven.
	Warnings []string

	// locked is whether the Limits allow only to observe.
	locked bool

	// Plan is what applying the manifest would do. It is empty for a Secret.
	Plan plan.Plan
}

// Proven reports whether the planner has proven that applying the manifest changes nothing but tags, and nothing is
// left out.
func (i *Item) Proven() bool { return len(i.Limits) == 0 }

// A Result is what an import has written.
type Result struct {
	// Items are sorted as they are written: what functions share, and then the functions by their names.
	Items []*Item

	// Functions is how many functions there are.
	Functions int

	// Managed has the functions that were left out, with the resource of the cluster that manages each.
	Managed map[string]string

	// Calls are how many calls of AWS were made, by operation.
	Calls map[string]int
}

// Unproven returns the items that are not proven.
func (r *Result) Unproven() []*Item {
	var out []*Item
	for _, i := range r.Items {
		if !i.Proven() {
			out = append(out, i)
		}
	}
	return out
}

// Resources returns how many managed resources there are.
func (r *Result) Resources() int {
	n := 0
	for _, i := range r.Items {
		if i.Resource != nil {
			n++
		}
	}
	return n
}
