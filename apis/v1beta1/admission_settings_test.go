package v1beta1

import (
	"strings"
	"testing"
)

func TestSettingsRefused(t *testing.T) {
	testRefusals(t, zipFunction, map[string]refusal{
		"NoForProvider": {
			reason: "There is nothing to make.",
			change: `spec: {forProvider: null}`,
			want:   "spec.forProvider: Required value",
		},
		"NoRegion": {
			reason: "A function lies in a region.",
			change: forProvider(`region: null`),
			want:   "spec.forProvider.region: Required value",
		},
		"RegionZone": {
			reason: "A zone is no region.",
			change: forProvider(`region: eu-central-1a`),
			want:   `spec.forProvider.region: Invalid value: "eu-central-1a": region is not an AWS region name: use one such as eu-central-1`,
		},
		"RegionName": {
			reason: "A region goes by its code.",
			change: forProvider(`region: Frankfurt`),
			want:   `spec.forProvider.region: Invalid value: "Frankfurt": region is not an AWS region name: use one such as eu-central-1`,
		},
		"NoRole": {
			reason: "A function acts as a role.",
			change: forProvider(`role: null`),
			want:   "spec.forProvider.role: Required value: set role to the ARN of the function's execution role, or set roleFrom",
		},
		"RoleName": {
			reason: "AWS takes the ARN.",
			change: forProvider(`role: hello`),
			want:   `spec.forProvider.role: Invalid value: "hello": role is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name`,
		},
		"RoleUser": {
			reason: "A user is no role.",
			change: forProvider(`role: "arn:aws:iam::123456789012:user/hello"`),
			want:   `spec.forProvider.role: Invalid value: "arn:aws:iam::123456789012:user/hello": role is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name`,
		},
		"RoleAccount": {
			reason: "An account has 12 digits.",
			change: forProvider(`role: "arn:aws:iam::12345:role/hello"`),
			want:   `spec.forProvider.role: Invalid value: "arn:aws:iam::12345:role/hello": role is not an IAM role ARN: use the form arn:aws:iam::123456789012:role/name`,
		},
		"RoleTwice": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: hello, fieldPath: status.atProvider.arn}`,
			),
			want: "spec.forProvider.roleFrom: Forbidden: role is also set: set only one of role and roleFrom",
		},
		"RoleFromHalf": {
			reason: "A field is found by all four.",
			change: forProvider(`role: null, roleFrom: {kind: Role, name: hello}`),
			want: "spec.forProvider.roleFrom.apiVersion: Required value" + "\n" +
				"spec.forProvider.roleFrom.fieldPath: Required value",
		},
		"RoleFromEmpty": {
			reason: "A field is found by all four.",
			change: forProvider(`role: null, roleFrom: {apiVersion: v1, kind: "", name: hello, fieldPath: ""}`),
			want: `spec.forProvider.roleFrom.fieldPath: Invalid value: "": spec.forProvider.roleFrom.fieldPath in body should be at least 1 chars long` + "\n" +
				`spec.forProvider.roleFrom.kind: Invalid value: "": spec.forProvider.roleFrom.kind in body should be at least 1 chars long`,
		},
		"RoleFromSecret": {
			reason: "AWS shows roles.",
			change: forProvider(
				`role: null, roleFrom: {apiVersion: v1, kind: Secret, name: hello, fieldPath: data.role}`,
			),
			want: "spec.forProvider.roleFrom: Forbidden: this field can't be read from a Secret, since its value is not secret in AWS: read it from another object",
		},
		"RoleFromSecretInLowerCase": {
			reason: "The API server serves Secrets by this kind, too.",
			change: forProvider(
				`role: null, roleFrom: {apiVersion: v1, kind: secret, name: hello, fieldPath: data.role}`,
			),
			want: "spec.forProvider.roleFrom: Forbidden: this field can't be read from a Secret, since its value is not secret in AWS: read it from another object",
		},
		"RoleFromSecretOfSlash": {
			reason: "The core group has no name.",
			change: forProvider(
				`role: null, roleFrom: {apiVersion: /v1, kind: sEcReT, name: hello, fieldPath: data.role}`,
			),
			want: "spec.forProvider.roleFrom: Forbidden: this field can't be read from a Secret, since its value is not secret in AWS: read it from another object",
		},
		"NoHandler": {
			reason: "A zip does not say what to call.",
			change: forProvider(`handler: null`),
			want:   "spec.forProvider.handler: Required value: packageType Zip, the default, needs a handler: set handler, for example to index.handler",
		},
		"HandlerSpace": {
			reason: "AWS takes no white space.",
			change: forProvider(`handler: index handler`),
			want:   `spec.forProvider.handler: Invalid value: "index handler": handler must not be empty or contain white space: use the form file.function, such as index.handler`,
		},
		"HandlerTab": {
			reason: "AWS takes no white space.",
			change: forProvider(`handler: "index\thandler"`),
			want:   `spec.forProvider.handler: Invalid value: "index\thandler": handler must not be empty or contain white space: use the form file.function, such as index.handler`,
		},
		"HandlerEmpty": {
			reason: "Empty is none.",
			change: forProvider(`handler: ""`),
			want:   `spec.forProvider.handler: Invalid value: "": handler must not be empty or contain white space: use the form file.function, such as index.handler`,
		},
		"HandlerTooLong": {
			reason: "AWS takes 128 characters.",
			change: forProvider(`handler: ` + strings.Repeat("h", 129)),
			want:   "spec.forProvider.handler: Too long: may not be more than 128 bytes",
		},
		"NoRuntime": {
			reason: "A zip does not say what runs it.",
			change: forProvider(`runtime: null`),
			want:   "spec.forProvider.runtime: Required value: packageType Zip, the default, needs a runtime: set runtime, for example to python3.13",
		},
		"RuntimeOfNoFamily": {
			reason: "Lambda has no such family.",
			change: forProvider(`runtime: php8.3`),
			want:   `spec.forProvider.runtime: Invalid value: "php8.3": runtime is not a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023, or custom with runtimeConfig`,
		},
		"RuntimeSpelling": {
			reason: "Users write it as they speak.",
			change: forProvider(`runtime: Python 3.13`),
			want:   `spec.forProvider.runtime: Invalid value: "Python 3.13": runtime is not a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023, or custom with runtimeConfig`,
		},
		"RuntimeWithoutVersion": {
			reason: "A family is no runtime.",
			change: forProvider(`runtime: python`),
			want:   `spec.forProvider.runtime: Invalid value: "python": runtime is not a Lambda runtime identifier: use one such as nodejs22.x, python3.13, java21, dotnet8, ruby3.4 or provided.al2023, or custom with runtimeConfig`,
		},
		"PackageTypeUnknown": {
			reason: "AWS has two.",
			change: forProvider(`packageType: zip`),
			want:   `spec.forProvider.packageType: Unsupported value: "zip": supported values: "Zip", "Image"`,
		},
		"ImageConfigOfZip": {
			reason: "Only an image has an entry point.",
			change: forProvider(`imageConfig: {command: [app.handler]}`),
			want:   "spec: Invalid value: imageConfig is for container images: remove it, or set packageType: Image",
		},
		"MemoryTooSmall": {
			reason: "The least is 128 MB.",
			change: forProvider(`memorySize: 127`),
			want:   "spec.forProvider.memorySize: Invalid value: 127: spec.forProvider.memorySize in body should be greater than or equal to 128",
		},
		"MemoryTooLarge": {
			reason: "The most is 10240 MB.",
			change: forProvider(`memorySize: 10241`),
			want:   "spec: Invalid value: memorySize must be at most 10240 MB (32768 with capacityProviderConfig)",
		},
		"MemoryText": {
			reason: "A number is a number.",
			change: forProvider(`memorySize: "128"`),
			want:   `spec.forProvider.memorySize: Invalid value: "string": spec.forProvider.memorySize in body must be of type integer: "string"`,
		},
		"TimeoutZero": {
			reason: "The least is 1 s.",
			change: forProvider(`timeout: 0`),
			want:   "spec.forProvider.timeout: Invalid value: 0: spec.forProvider.timeout in body should be greater than or equal to 1",
		},
		"TimeoutTooLong": {
			reason: "The most is 900 s.",
			change: forProvider(`timeout: 901`),
			want:   "spec: Invalid value: timeout must be at most 900 seconds (5400 with capacityProviderConfig)",
		},
		"TimeoutTooLongAtCreation": {
			reason: "initProvider's has to fit, too.",
			change: `spec: {initProvider: {timeout: 901}}`,
			want:   "spec: Invalid value: timeout must be at most 900 seconds (5400 with capacityProviderConfig)",
		},
		"ArchitectureUnknown": {
			reason: "AWS has two.",
			change: forProvider(`architectures: [amd64]`),
			want:   `spec.forProvider.architectures[0]: Unsupported value: "amd64": supported values: "x86_64", "arm64"`,
		},
		"ArchitecturesTwo": {
			reason: "A function runs on one.",
			change: forProvider(`architectures: [x86_64, arm64]`),
			want:   "spec.forProvider.architectures: Too many: 2: must have at most 1 item",
		},
		"ArchitecturesNone": {
			reason: "An empty list says nothing.",
			change: forProvider(`architectures: []`),
			want:   "spec.forProvider.architectures: Invalid value: 0: spec.forProvider.architectures in body should have at least 1 items",
		},
		"DescriptionTooLong": {
			reason: "AWS takes 256 characters.",
			change: forProvider(`description: ` + strings.Repeat("d", 257)),
			want:   "spec.forProvider.description: Too long: may not be more than 256 bytes",
		},
		"KMSKeyAlias": {
			reason: "AWS takes the key's ARN.",
			change: forProvider(`kmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:alias/app"`),
			want:   `spec.forProvider.kmsKeyArn: Invalid value: "arn:aws:kms:eu-central-1:123456789012:alias/app": kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id, or an empty string for AWS's own key`,
		},
		"KMSKeyTwice": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`kmsKeyArn: "arn:aws:kms:eu-central-1:123456789012:key/1234", kmsKeyArnFrom: {apiVersion: v1, kind: ConfigMap, name: k, fieldPath: data.arn}`,
			),
			want: "spec.forProvider.kmsKeyArnFrom: Forbidden: kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom",
		},
		"LayersSix": {
			reason: "AWS takes five.",
			change: forProvider(
				`layers: [` + numbered(6, `"arn:aws:lambda:eu-central-1:123456789012:layer:l%d:1"`) + `]`,
			),
			want: "spec.forProvider.layers: Too many: 6: must have at most 5 items",
		},
		"LayerWithoutVersion": {
			reason: "A layer is attached by its version.",
			change: forProvider(`layers: ["arn:aws:lambda:eu-central-1:123456789012:layer:l"]`),
			want:   "spec.forProvider.layers: Invalid value: a layer must be the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version",
		},
		"LayerName": {
			reason: "AWS takes the ARN.",
			change: forProvider(`layers: ["l:1"]`),
			want:   "spec.forProvider.layers: Invalid value: a layer must be the ARN of a layer version: use the form arn:aws:lambda:region:123456789012:layer:name:version",
		},
		"LayerTwice": {
			reason: "AWS refuses two versions of one layer.",
			change: forProvider(
				`layers: ["arn:aws:lambda:eu-central-1:123456789012:layer:l:1", "arn:aws:lambda:eu-central-1:123456789012:layer:l:2"]`,
			),
			want: "spec.forProvider.layers: Invalid value: a layer is listed twice: remove all but one version of it",
		},
		"ConcurrencyNegative": {
			reason: "-1 removes the reservation, less means nothing.",
			change: forProvider(`reservedConcurrentExecutions: -2`),
			want:   "spec.forProvider.reservedConcurrentExecutions: Invalid value: -2: spec.forProvider.reservedConcurrentExecutions in body should be greater than or equal to -1",
		},
		"CodeSigningNoARN": {
			reason: "AWS takes the ARN.",
			change: forProvider(`codeSigningConfigArn: csc-0123456789abcdef0`),
			want:   `spec.forProvider.codeSigningConfigArn: Invalid value: "csc-0123456789abcdef0": codeSigningConfigArn is not a code signing config ARN: use the form arn:aws:lambda:region:123456789012:code-signing-config:csc-0123456789abcdef0, or an empty string for none`,
		},
		"RecursiveLoopUnknown": {
			reason: "AWS has two.",
			change: forProvider(`recursiveLoop: Deny`),
			want:   `spec.forProvider.recursiveLoop: Unsupported value: "Deny": supported values: "Allow", "Terminate"`,
		},
		"PublishToUnknown": {
			reason: "AWS has one.",
			change: forProvider(`publishTo: LATEST`),
			want:   `spec.forProvider.publishTo: Unsupported value: "LATEST": supported values: "LATEST_PUBLISHED"`,
		},
		"PublishToAlone": {
			reason: "Nothing is published.",
			change: forProvider(`publishTo: LATEST_PUBLISHED`),
			want:   "spec.forProvider.publishTo: Forbidden: publishTo needs publish: set publish to true, or remove publishTo",
		},
		"ScalingWithoutCapacityProvider": {
			reason: "Other functions scale by themselves.",
			change: forProvider(`functionScalingConfig: {minExecutionEnvironments: 1}`),
			want:   "spec: Invalid value: functionScalingConfig is for functions on Lambda Managed Instances: remove it, or set capacityProviderConfig",
		},
		"TagAWS": {
			reason: "AWS keeps this prefix.",
			change: forProvider(`tags: {"aws:team": a}`),
			want:   "spec.forProvider.tags: Invalid value: tag keys that start with aws: are reserved by AWS: remove them",
		},
		"TagAWSUpperCase": {
			reason: "AWS keeps this prefix in any case.",
			change: forProvider(`tags: {"AWS:team": a}`),
			want:   "spec.forProvider.tags: Invalid value: tag keys that start with aws: are reserved by AWS: remove them",
		},
		"TagOurs": {
			reason: "The provider keeps this prefix.",
			change: forProvider(`tags: {crossplane-name: a}`),
			want:   "spec.forProvider.tags: Invalid value: tag keys that start with crossplane- are reserved by the provider: remove them",
		},
		"TagKeyEmpty": {
			reason: "A tag has a key.",
			change: forProvider(`tags: {"": a}`),
			want:   "spec.forProvider.tags: Invalid value: a tag key must have 1 to 128 characters",
		},
		"TagKeyTooLong": {
			reason: "AWS takes 128 characters.",
			change: forProvider(`tags: {` + strings.Repeat("k", 129) + `: a}`),
			want:   "spec.forProvider.tags: Invalid value: a tag key must have 1 to 128 characters",
		},
		"TagValueTooLong": {
			reason: "AWS takes 256 characters.",
			change: forProvider(`tags: {team: ` + strings.Repeat("v", 257) + `}`),
			want:   "spec.forProvider.tags: Invalid value: a tag value must have at most 256 characters",
		},
		"TagsTooMany": {
			reason: "AWS takes 50, six of which are the provider's.",
			change: forProvider(`tags: {` + numbered(45, `k%d: v`) + `}`),
			want:   "spec.forProvider.tags: Too many: 45: must have at most 44 items",
		},
		"HistoryLimitNegative": {
			reason: "Fewer than none cannot be kept.",
			change: forProvider(`publish: true, historyLimit: -1`),
			want:   "spec.forProvider.historyLimit: Invalid value: -1: spec.forProvider.historyLimit in body should be greater than or equal to 0",
		},
		"HistoryLimitTooHigh": {
			reason: "Status remembers no more.",
			change: forProvider(`publish: true, historyLimit: 101`),
			want:   "spec.forProvider.historyLimit: Invalid value: 101: spec.forProvider.historyLimit in body should be less than or equal to 100",
		},
		"HistoryLimitAlone": {
			reason: "Nothing is published that could be pruned.",
			change: forProvider(`historyLimit: 3`),
			want:   "spec.forProvider.historyLimit: Forbidden: historyLimit needs publish: set publish to true, or remove historyLimit",
		},
		"HistoryLimitWithoutPublish": {
			reason: "Nor is there anything without publish.",
			change: forProvider(`publish: false, historyLimit: 3`),
			want:   "spec.forProvider.historyLimit: Forbidden: historyLimit needs publish: set publish to true, or remove historyLimit",
		},
		"HistoryLimitOfOneVersion": {
			reason: "One version has no earlier ones.",
			change: forProvider(`publish: true, publishTo: LATEST_PUBLISHED, historyLimit: 3`),
			want:   "spec.forProvider.historyLimit: Forbidden: publishTo publishes the same version again and leaves no earlier ones to delete: remove historyLimit",
		},
		"UnknownField": {
			reason: "A slip of the pen does not go unseen.",
			change: forProvider(`memroySize: 128`),
			want:   `Function in version "v1beta1" cannot be handled as a Function: strict decoding error: unknown field "spec.forProvider.memroySize"`,
		},
		"NameWithDot": {
			reason: "AWS takes no dots.",
			change: `metadata: {name: my.function}`,
			want:   "metadata: Invalid value: metadata.name is the function's name in AWS, which cannot contain dots: use hyphens",
		},
		"NameTooLong": {
			reason: "AWS takes 64 characters.",
			change: `metadata: {name: ` + strings.Repeat("n", 65) + `}`,
			want:   "metadata: Invalid value: metadata.name is the function's name in AWS, which has at most 64 characters: shorten it",
		},
		"ProviderConfigWithoutName": {
			reason: "A reference has a name.",
			change: `spec: {providerConfigRef: {kind: ProviderConfig}}`,
			want:   "spec.providerConfigRef.name: Required value",
		},
		"ManagementPolicyUnknown": {
			reason: "Crossplane has its own list.",
			change: `spec: {managementPolicies: [Read]}`,
			want:   `spec.managementPolicies[0]: Unsupported value: "Read": supported values: "Observe", "Create", "Update", "Delete", "LateInitialize", "*"`,
		},
	})
}
