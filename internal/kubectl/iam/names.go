package iam

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/imageuri"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
)

// names writes the ARNs of resources in a region.
type names struct {
	// account and region of ARNs, which may be "*", and partition of the resources' region.
	account, region, partition string
}

// newNames returns the names of a region. account and region replace those of the resources, if they are not empty.
func newNames(account, region, of string) names {
	return names{account: cmp.Or(account, "*"), region: cmp.Or(region, of), partition: session.PartitionOf(of)}
}

// placeholder is the pattern of an ARN of which nothing is known.
const placeholder = "*"

// pattern returns an ARN as a pattern, without what is not known.
func (n names) pattern(arn string) string {
	arn = plan.Pattern(arn)
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 {
		return placeholder
	}
	if parts[4] == plan.OfflineAccount {
		parts[4] = n.account
		if parts[3] != "" { // IAM has no regions.
			parts[3] = n.region
		}
	}
	return strings.Join(parts, ":")
}

// lambda returns the ARN of a resource of Lambda.
func (n names) lambda(resource string) string {
	return strings.Join([]string{"arn", n.partition, "lambda", n.region, n.account, resource}, ":")
}

// digits matches the number of a version.
var digits = regexp.MustCompile(`^[0-9]+$`)

// function returns the ARNs of a function, and of what a qualifier names. Versions have numbers that AWS makes up, so
// one of them means all.
func (n names) function(name, qualifier string) []string {
	owner, parts := n, strings.Split(plan.Pattern(name), ":")
	if i := slices.Index(parts, "function"); i > 0 && i < len(parts)-1 { // It begins with an account, or with more.
		if parts[i-1] != plan.OfflineAccount {
			owner.account = parts[i-1]
			if parts[0] == "arn" {
				owner.partition, owner.region = parts[1], parts[3]
			}
		}
		parts = parts[i+1:]
	}
	if len(parts) > 1 && qualifier == "" {
		qualifier = parts[1]
	}
	if qualifier = plan.Pattern(qualifier); digits.MatchString(qualifier) || qualifier == "$LATEST" {
		qualifier = "*"
	}
	out := []string{owner.lambda("function:" + parts[0])}
	if qualifier != "" {
		out = append(out, owner.lambda("function:"+parts[0]+":"+qualifier))
	}
	return out
}

// resources returns the patterns of the ARNs that a call of an action with resources is about.
func (n names) resources(r dryrun.Request) []string {
	var out []string
	if config := member(r.Input, "CodeSigningConfigArn"); config != "" && r.Operation != "CreateFunction" {
		out = append(out, n.pattern(config))
	}
	switch in := r.Input; {
	case r.Service == "s3":
		return []string{n.object(member(in, "Bucket"), member(in, "Key"))}
	case member(in, "UUID") != "":
		return []string{n.lambda("event-source-mapping:" + plan.Pattern(member(in, "UUID")))}
	case member(in, "FunctionName") != "":
		return append(out, n.function(member(in, "FunctionName"), member(in, "Qualifier"))...)
	case member(in, "LayerName") != "":
		return []string{n.layer(member(in, "LayerName"), r.Operation != "PublishLayerVersion")}
	case member(in, "CapacityProviderName") != "":
		name := plan.Pattern(member(in, "CapacityProviderName"))
		return []string{n.lambda("capacity-provider:" + name[strings.LastIndex(name, ":")+1:])}
	}
	for _, arn := range []string{member(r.Input, "Resource"), member(r.Input, "ResourceArn")} {
		if arn != "" {
			out = append(out, n.pattern(arn))
		}
	}
	if len(out) == 0 {
		return []string{placeholder}
	}
	return out
}

// created returns the patterns of the ARNs that a call creates.
func (n names) created(r dryrun.Request) []string {
	switch r.Operation {
	case "CreateEventSourceMapping":
		return []string{n.lambda("event-source-mapping:*")}
	case "CreateCodeSigningConfig":
		return []string{n.lambda("code-signing-config:*")}
	}
	return n.resources(r)
}

// layer returns the ARN of a layer, or of its versions.
func (n names) layer(name string, versions bool) string {
	name = plan.Pattern(name)
	arn := n.lambda("layer:" + name)
	if strings.HasPrefix(name, "arn:") {
		arn = n.pattern(name)
	}
	if versions {
		return arn + ":*"
	}
	return arn
}

// object returns the ARN of an object in S3, or of its bucket. It is empty without a bucket.
func (n names) object(bucket, key string) string {
	if bucket == "" {
		return ""
	}
	return "arn:" + n.partition + ":s3:::" + plan.Pattern(bucket) + "/" + plan.Pattern(key)
}

// repository returns the ARN of an image's repository.
func (n names) repository(uri string) string {
	i, ok := imageuri.Parse(uri)
	if !ok || i.Region == "" {
		return "arn:" + n.partition + ":ecr:" + n.region + ":" + n.account + ":repository/*"
	}
	return "arn:" + n.partition + ":ecr:" + i.Region + ":" + i.Registry + ":repository/" + i.Repository
}

// hasItems reports whether a map or slice is set and has items.
func hasItems(v reflect.Value) bool { return v.IsValid() && v.Len() > 0 }

// value returns a member of an input, by its path. It is not valid if it is not set.
func value(in any, path ...string) reflect.Value {
	v := reflect.Indirect(reflect.ValueOf(in))
	for _, name := range path {
		if v.Kind() != reflect.Struct {
			return reflect.Value{}
		}
		v = reflect.Indirect(v.FieldByName(name))
	}
	return v
}

// member returns a text of an input, by its path, or an empty one.
func member(in any, path ...string) string {
	if v := value(in, path...); v.Kind() == reflect.String {
		return v.String()
	}
	return ""
}
