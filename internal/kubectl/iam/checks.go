package iam

import (
	"reflect"
	"slices"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
)

// A Check is a check that Lambda makes with the caller's permissions, besides the action of the operation, because of a
// field. Everything else that a field names, such as a queue or a topic, Lambda uses with the execution role of the
// function.
type Check struct {
	// Kinds are the kinds with the Field, which is a path below spec.forProvider.
	Kinds []string
	Field string

	// Actions are the actions of IAM.
	Actions []string

	// PassedTo is the service to which a role is passed. It is empty if the Field names no role.
	PassedTo string

	// Source is the page of AWS's documentation.
	Source string

	// on returns the patterns of the ARNs on which a call needs the actions. It returns none if the call does not set
	// the field.
	on func(n names, r dryrun.Request) []string
}

// A condition of a statement: values by operator and key.
type condition map[string]map[string][]string

// documentation is the start of the addresses of Lambda's developer guide.
const documentation = "https://docs.aws.amazon.com/lambda/latest/dg/"

// Checks has all that Lambda checks with the caller's permissions, as far as AWS documents it.
var Checks = []Check{
	{
		Kinds: []string{"Function"}, Field: "role", Actions: []string{"iam:PassRole"}, PassedTo: "lambda.amazonaws.com",
		Source: documentation + "lambda-intro-execution-role.html", on: members("", "Role"),
	},
	{
		Kinds: []string{"CapacityProvider"}, Field: "permissionsConfig", Actions: []string{"iam:PassRole"},
		PassedTo: "lambda.amazonaws.com",
		Source:   documentation + "lambda-managed-instances-operator-role.html",
		on:       members("", "PermissionsConfig", "CapacityProviderOperatorRoleArn"),
	},
	{
		Kinds: []string{"Function", "LayerVersion"}, Field: "code.s3Bucket", Actions: []string{"s3:GetObject"},
		Source: documentation + "configuration-function-zip.html", on: objects(false),
	},
	{
		Kinds: []string{"Function", "LayerVersion"}, Field: "code.s3ObjectVersion",
		Actions: []string{"s3:GetObjectVersion"},
		Source:  documentation + "configuration-function-zip.html", on: objects(true),
	},
	{ // The last two are for Lambda to add itself to the repository's policy.
		Kinds: []string{"Function"}, Field: "code.imageUri", Actions: []string{
			"ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer", "ecr:GetRepositoryPolicy", "ecr:SetRepositoryPolicy",
		},
		Source: documentation + "images-create.html#configuration-images-permissions", on: repositories,
	},
	{
		Kinds: []string{"Function"}, Field: "code.sourceKmsKeyArn",
		Actions: []string{"kms:Decrypt", "kms:GenerateDataKey"},
		Source:  documentation + "encrypt-zip-package.html", on: inCode("SourceKMSKeyArn"),
	},
	{
		Kinds: []string{"Function"}, Field: "layers", Actions: []string{"lambda:GetLayerVersion"},
		Source: documentation + "adding-layers.html", on: members("", "Layers"),
	},
	{
		Kinds: []string{"Function"}, Field: "vpcConfig",
		Actions: []string{"ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs"},
		Source:  documentation + "configuration-vpc.html#configuration-vpc-permissions",
		on:      anywhere(members("Function", "VpcConfig", "SubnetIds")),
	},
	{
		Kinds: []string{"Function"}, Field: "fileSystemConfigs",
		Actions: []string{"elasticfilesystem:DescribeMountTargets"},
		Source:  documentation + "configuration-filesystem.html", on: fileSystems,
	},
	{
		Kinds: []string{"Function"}, Field: "capacityProviderConfig", Actions: []string{"lambda:PassCapacityProvider"},
		Source: documentation + "lambda-managed-instances-security.html",
		on: members("", "CapacityProviderConfig", "LambdaManagedInstancesCapacityProviderConfig",
			"CapacityProviderArn"),
	},
	{
		Kinds: []string{"Function"}, Field: "kmsKeyArn",
		Actions: []string{"kms:CreateGrant", "kms:Decrypt", "kms:Encrypt"},
		Source:  documentation + "configuration-envvars-encryption.html", on: members("Function", "KMSKeyArn"),
	},
	{
		Kinds: []string{"Function"}, Field: "durableConfig.kmsKeyArn",
		Actions: []string{"kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"},
		Source:  documentation + "durable-encryption.html", on: members("Function", "DurableConfig", "KMSKeyArn"),
	},
	{
		Kinds: []string{"EventSourceMapping"}, Field: "kmsKeyArn", Actions: []string{"kms:Decrypt"},
		Source: documentation + "invocation-eventfiltering.html#filter-criteria-encryption",
		on:     members("EventSourceMapping", "KMSKeyArn"),
	},
	{
		Kinds: []string{"EventSourceMapping"}, Field: "eventSourceArn", Actions: []string{"kafka:ListVpcConnections"},
		Source: documentation + "with-msk-permissions.html", on: anywhere(vpcConnections),
	},
}

// condition returns the condition of the statement that allows the actions. It is nil if there is none.
func (c Check) condition() condition {
	if c.PassedTo == "" {
		return nil
	}
	return condition{"StringEquals": {"iam:PassedToService": {c.PassedTo}}}
}

// members returns the texts of a member of an input, by its path, of an operation whose name has a part.
func members(operation string, path ...string) func(names, dryrun.Request) []string {
	return func(_ names, r dryrun.Request) []string {
		if !strings.Contains(r.Operation, operation) {
			return nil
		}
		return texts(value(r.Input, path...))
	}
}

// texts returns a text, or the texts of a list. It leaves out empty ones.
func texts(v reflect.Value) []string {
	var out []string
	switch v.Kind() {
	case reflect.String:
		out = []string{v.String()}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, texts(reflect.Indirect(v.Index(i)))...)
		}
	default:
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// anywhere returns "*" if there is something.
func anywhere(on func(names, dryrun.Request) []string) func(names, dryrun.Request) []string {
	return func(n names, r dryrun.Request) []string {
		if len(on(n, r)) == 0 {
			return nil
		}
		return []string{placeholder}
	}
}

// places are the members of inputs that have code, or a layer's content.
var places = [][]string{{"Code"}, {"Content"}, nil}

// inCode returns the texts of a member of the code.
func inCode(name string) func(names, dryrun.Request) []string {
	return func(_ names, r dryrun.Request) []string {
		var out []string
		for _, in := range places {
			out = append(out, texts(value(r.Input, append(slices.Clone(in), name)...))...)
		}
		return out
	}
}

// objects returns the objects in S3 with the code that have a version, or that have none.
func objects(versioned bool) func(names, dryrun.Request) []string {
	return func(n names, r dryrun.Request) []string {
		var out []string
		for _, in := range places {
			of := func(name string) string { return member(r.Input, append(slices.Clone(in), name)...) }
			if arn := n.object(of("S3Bucket"), of("S3Key")); arn != "" && (of("S3ObjectVersion") != "") == versioned {
				out = append(out, arn)
			}
		}
		return out
	}
}

// repositories returns the repositories of images.
func repositories(n names, r dryrun.Request) []string {
	out := inCode("ImageUri")(n, r)
	for i, uri := range out {
		out[i] = n.repository(uri)
	}
	return out
}

// fileSystems returns the access points of EFS, and their file systems, which the names of the access points do not
// tell. For S3 Files, AWS documents no permission of the caller.
func fileSystems(_ names, r dryrun.Request) []string {
	configs := value(r.Input, "FileSystemConfigs")
	if configs.Kind() != reflect.Slice {
		return nil
	}
	var out []string
	for i := range configs.Len() {
		arn := member(configs.Index(i).Addr().Interface(), "Arn")
		if before, _, ok := strings.Cut(arn, ":access-point/"); ok && strings.Contains(arn, ":elasticfilesystem:") {
			out = append(out, arn, before+":file-system/*")
		}
	}
	return out
}

// vpcConnections returns the sources that are clusters of Amazon MSK in other accounts.
func vpcConnections(n names, r dryrun.Request) []string {
	return slices.DeleteFunc(members("EventSourceMapping", "EventSourceArn")(n, r), func(arn string) bool {
		return !strings.Contains(arn, ":vpc-connection/")
	})
}
