// Package v1beta1 holds the API of provider-lambda: the config kinds, which configure access to AWS, and a managed
// resource for each kind of AWS Lambda resource.
//
// +kubebuilder:object:generate=true
// +groupName=lambda.aws.m.crossplane.io
// +versionName=v1beta1
package v1beta1
