package v1beta1

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// FunctionARN extracts the ARN of a Function, for fields that take one. It is empty
// while AWS has not told it.
func FunctionARN() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this has to compile before Function's methods are generated.
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

// Referred are the values that references to a Function may be resolved to, beside its
// external name: its ARN, and what it published last.
func (f *Function) Referred() []string { return []string{f.arn(), f.latestPublished()} }

func (f *Function) latestPublished() string {
	if f.Status.AtProvider.LatestPublishedVersion == nil {
		return ""
	}
	return *f.Status.AtProvider.LatestPublishedVersion
}
