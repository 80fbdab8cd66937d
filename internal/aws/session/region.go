package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
)

// checkRegion returns an error if a field must not name a region, and says how to correct the field. The regions that a
// tenant may name are bounded, also those of the tenant's own configs.
func (s settings) checkRegion(region, field, correct string) error {
	switch {
	case region == "":
		return fmt.Errorf("no region is set: set %s", field)
	case regions.IsEndpoint(region):
		return fmt.Errorf("%q in %s names an endpoint, not a region: %s, such as us-east-1, and set useFIPSEndpoint "+
			"or useDualStackEndpoint in spec of %s", region, field, correct, s.ref)
	case regions.Known(region), slices.Contains(s.Regions, v1beta1.Region(region)), s.SkipRegionValidation &&
		!s.namespaced:
		return nil
	}
	return fmt.Errorf("%q in %s is not a region of AWS that this provider knows: %s, or add the region to "+
		"spec.regions of %s", region, field, correct, s.ref)
}

// partitions maps the prefixes of regions to partitions. The first one that fits counts.
var partitions = []struct{ prefix, partition string }{
	{"cn-", "aws-cn"},
	{"us-gov-", "aws-us-gov"},
	{"us-isob-", "aws-iso-b"},
	{"us-isof-", "aws-iso-f"},
	{"eu-isoe-", "aws-iso-e"},
	{"us-iso-", "aws-iso"},
	{"eusc-", "aws-eusc"},
}

// defaultPartition is the partition of all regions that partitions does not list.
const defaultPartition = "aws"

// PartitionOf returns the partition of a region.
func PartitionOf(region string) string {
	for _, p := range partitions {
		if strings.HasPrefix(region, p.prefix) {
			return p.partition
		}
	}
	return defaultPartition
}

// mainRegions has one region of each partition.
var mainRegions = map[string]string{
	defaultPartition: "us-east-1",
	"aws-cn":         "cn-north-1",
	"aws-us-gov":     "us-gov-west-1",
	"aws-iso":        "us-iso-east-1",
	"aws-iso-b":      "us-isob-east-1",
	"aws-iso-e":      "eu-isoe-west-1",
	"aws-iso-f":      "us-isof-south-1",
	"aws-eusc":       "eusc-de-east-1",
}
