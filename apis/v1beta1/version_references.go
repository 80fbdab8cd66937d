package v1beta1

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/reference"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// PreparedVersion extracts the version that a Version published last and that AWS is
// done preparing. It is empty while there is none.
func PreparedVersion() reference.ExtractValueFn {
	return func(mg resource.Managed) string {
		// An interface, since this has to compile before Version's methods are generated.
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

// Referred are the values that references to a Version may be resolved to, beside its
// external name.
func (v *Version) Referred() []string { return []string{v.prepared()} }
