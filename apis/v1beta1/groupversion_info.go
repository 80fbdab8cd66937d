// Package v1beta1 holds the API of provider-lambda: the config kinds, which configure access to AWS, and a managed
// resource for each kind of AWS Lambda resource.
//
// +kubebuilder:object:generate=true
// +groupName=lambda.aws.m.crossplane.io
// +versionName=v1beta1
package v1beta1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// The group and version of every kind in this package.
const (
	Group      = "lambda.aws.m.crossplane.io"
	APIVersion = "v1beta1"
)

var (
	// SchemeGroupVersion is the group and version of every kind in this package.
	SchemeGroupVersion = schema.GroupVersion{Group: Group, Version: APIVersion}

	// SchemeBuilder collects the kinds: each types file registers its own.
	SchemeBuilder = &scheme.Builder{GroupVersion: SchemeGroupVersion}

	// AddToScheme adds every kind of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
