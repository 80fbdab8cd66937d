package session

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)

// checkRegion returns an error if a region cannot be one of AWS.
func checkRegion(region string, skip bool) error {
	if region == "" {
		return fmt.Errorf("no region is set: set spec.forProvider.region")
	}
	if skip || regionPattern.MatchString(region) {
		return nil
	}
	return fmt.Errorf("%q is not an AWS region such as eu-west-1: correct spec.forProvider.region, or set skip_region_validation", region)
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

// stsRegion returns the region in which STS is called for a resource: the provider's own region,
// which it certainly reaches, or the one of the resource if that is in another partition.
func (r *Resolver) stsRegion(region string) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if own, ok := r.options.LookupEnv(name); ok && own != "" {
			if PartitionOf(own) == PartitionOf(region) {
				return own
			}
			break
		}
	}
	return region
}

// homeRegion returns the region in which STS is called for a config that no resource has used: the
// provider's own region, or the main one of the config's partition.
func (r *Resolver) homeRegion(s settings) string {
	partition := defaultPartition
	if s.Endpoint != nil && s.Endpoint.PartitionID != nil {
		partition = *s.Endpoint.PartitionID
	}
	for _, role := range s.AssumeRoleChain {
		if a, err := arn.Parse(aws.ToString(role.RoleARN)); err == nil {
			partition = a.Partition
		}
	}
	region, ok := mainRegions[partition]
	if !ok {
		region = mainRegions[defaultPartition]
	}
	return r.stsRegion(region)
}
