package v1beta1

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// PreparedVersion returns an extractor of the version that a Version published last and that AWS has finished
// preparing. The value is empty if there is none.
func PreparedVersion() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this must compile before Version's methods are generated.
		v, ok := mg.(interface{ prepared() string })
		if !ok {
			return ""
		}
		return v.prepared()
	}
}

func (v *Version) prepared() string {
	if v.Status.AtProvider.PreparedVersion == nil {
		return ""
	}
	return *v.Status.AtProvider.PreparedVersion
}

// ReferenceValues returns the values to which references to a Version can resolve, besides its external name.
func (v *Version) ReferenceValues() []string { return []string{v.prepared()} }
