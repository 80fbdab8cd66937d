package main

import (
	"context"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// resources are resources of the kinds that the demo applies.
type resources []resource.Managed

// resources returns the resources in the cluster.
func (e *env) resources(ctx context.Context) (resources, error) {
	var all resources
	for _, list := range []resource.ManagedList{
		&v1beta1.FunctionList{}, &v1beta1.LayerVersionList{}, &v1beta1.AliasList{},
		&v1beta1.FunctionURLList{}, &v1beta1.PermissionList{}, &v1beta1.EventSourceMappingList{},
	} {
		if err := e.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("cannot list %T: %w", list, err)
		}
		all = append(all, list.GetItems()...)
	}
	return all, nil
}

// ready reports whether all of them are Ready.
func (all resources) ready() bool {
	for _, mg := range all {
		if !ready(mg) {
			return false
		}
	}
	return true
}

// find returns the resource of a kind and name, or nil if it does not exist.
func find[T resource.Managed](all resources, name string) (found T) {
	for _, mg := range all {
		if t, ok := mg.(T); ok && mg.GetName() == name {
			return t
		}
	}
	return found
}

func ready(mg resource.Managed) bool {
	c := mg.GetCondition("Ready")
	return c.Status == corev1.ConditionTrue && c.ObservedGeneration == mg.GetGeneration()
}

func kindOf(mg resource.Managed) string { return reflect.TypeOf(mg).Elem().Name() }

// phaseOf returns a resource's phase, which kubectl shows in the column STATE.
func phaseOf(mg resource.Managed) string {
	s, ok := mg.(interface{ GetSummary() v1beta1.Summary })
	if !ok {
		return ""
	}
	return s.GetSummary().Phase
}
