// Package regions lists the regions of AWS. Anyone who may create a resource can make up names of regions: each would
// have sessions, circuit breakers and time series of its own.
package regions

import (
	"slices"
	"strings"
)

// Other is the label of regions that are not known.
const Other = "other"

// all lists the regions of AWS, by partition, as the SDK has them. A test compares both.
const all = `
af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2
ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7
ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3
il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1 sa-west-1
us-east-1 us-east-2 us-west-1 us-west-2
cn-north-1 cn-northwest-1
eusc-de-east-1
us-iso-east-1 us-iso-west-1
us-isob-east-1 us-isob-west-1
eu-isoe-west-1
us-isof-east-1 us-isof-south-1
us-gov-east-1 us-gov-west-1
`

var known = strings.Fields(all)

// Known reports whether a region is one of AWS.
func Known(region string) bool { return slices.Contains(known, region) }

// IsEndpoint reports whether a name is that of a kind of endpoint of a region, such as fips-us-east-1, instead of a
// region. The SDK takes such names for the endpoint, so that each is another spelling of the region.
func IsEndpoint(name string) bool {
	for part := range strings.SplitSeq(name, "-") {
		if part == "fips" || part == "dualstack" {
			return true
		}
	}
	return false
}

// Label returns the value of a region in the labels of metrics. Unknown regions share one value.
func Label(region string) string {
	if Known(region) {
		return region
	}
	return Other
}
