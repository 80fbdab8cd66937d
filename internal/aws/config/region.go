package config

import (
	"fmt"
	"regexp"
	"strings"
)

var regionPattern = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$`)

// checkRegion refuses what cannot be a region of AWS.
func checkRegion(region string, skip bool) error {
	if region == "" {
		return fmt.Errorf("no region is set: set spec.forProvider.region")
	}
	if skip || regionPattern.MatchString(region) {
		return nil
	}
	return fmt.Errorf("%q is not an AWS region such as eu-west-1: correct spec.forProvider.region, or set skip_region_validation", region)
}

// partitions by the beginnings of their regions' names.
var partitions = []struct{ prefix, partition string }{
	{"cn-", "aws-cn"},
	{"us-gov-", "aws-us-gov"},
	{"us-isob-", "aws-iso-b"},
	{"us-isof-", "aws-iso-f"},
	{"eu-isoe-", "aws-iso-e"},
	{"us-iso-", "aws-iso"},
	{"eusc-", "aws-eusc"},
}

// partitionOf a region.
func partitionOf(region string) string {
	for _, p := range partitions {
		if strings.HasPrefix(region, p.prefix) {
			return p.partition
		}
	}
	return "aws"
}

// accountOf an ARN, or nothing.
func accountOf(arn string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 {
		return ""
	}
	return parts[4]
}
