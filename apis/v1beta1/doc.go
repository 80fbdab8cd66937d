// Package v1beta1 holds the API of provider-lambda: the configuration kinds that
// say how to reach AWS, and a managed resource for each thing of AWS Lambda.
//
// +kubebuilder:object:generate=true
// +groupName=lambda.aws.m.crossplane.io
// +versionName=v1beta1
package v1beta1
