package importer

import (
	corev1 "k8s.io/api/core/v1"

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

	// Sensitive reports whether the manifest has secrets.
	Sensitive bool

	// Comments explain the manifest.
	Comments []string

	// Limits name settings that the manifest cannot express, and the reasons why applying it would change something.
	Limits []string

	// Warnings are for the user before applying the manifest, even if it is proven.
	Warnings []string

	// locked reports whether the Limits allow only to observe.
	locked bool
}

// A Result has the manifests of an import.
type Result struct {
	// Items are sorted as they are written: what functions share, and then the functions by their names.
	Items []*Item

	// Functions is the number of functions.
	Functions int

	// Managed has the functions that were left out, with the resource of the cluster that manages each.
	Managed map[string]string

	// Calls is the number of calls of AWS.
	Calls int
}

// Unproven returns the items for which the planner has not proven that applying the manifest changes nothing but tags,
// or from which something is left out.
func (r *Result) Unproven() []*Item {
	var out []*Item
	for _, i := range r.Items {
		if len(i.Limits) > 0 {
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
