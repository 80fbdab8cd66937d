package v1beta1

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// FunctionARN returns an extractor of the ARN of a Function, for fields that require one. The value is empty until
// AWS has returned the ARN.
func FunctionARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this must compile before Function's methods are generated.
		f, ok := mg.(interface{ arn() string })
		if !ok {
			return ""
		}
		return f.arn()
	}
}

func (f *Function) arn() string {
	if f.Status.AtProvider.FunctionArn == nil {
		return ""
	}
	return *f.Status.AtProvider.FunctionArn
}

// ReferenceValues returns the values to which references to a Function can resolve, besides its external name: its ARN,
// and the version that it published last.
func (f *Function) ReferenceValues() []string { return []string{f.arn(), f.latestPublished()} }

func (f *Function) latestPublished() string {
	if f.Status.AtProvider.LatestPublishedVersion == nil {
		return ""
	}
	return *f.Status.AtProvider.LatestPublishedVersion
}
