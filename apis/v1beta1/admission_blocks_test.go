package v1beta1

import "testing"

func TestBlocksRefused(t *testing.T) {
	testRefusals(t, zipFunction, map[string]refusal{
		"VPCEmpty": {
			reason: "To leave the VPC is to remove the block.",
			change: forProvider(`vpcConfig: {}`),
			want: "spec.forProvider.vpcConfig: Invalid value: vpcConfig needs security groups: set securityGroupIds or securityGroupIdsFrom, or remove vpcConfig to take the function out of the VPC" + "\n" +
				"spec.forProvider.vpcConfig: Invalid value: vpcConfig needs subnets: set subnetIds or subnetIdsFrom, or remove vpcConfig to take the function out of the VPC",
		},
		"VPCWithoutSecurityGroups": {
			reason: "AWS needs both.",
			change: forProvider(`vpcConfig: {subnetIds: [subnet-0123456789abcdef0]}`),
			want:   "spec.forProvider.vpcConfig: Invalid value: vpcConfig needs security groups: set securityGroupIds or securityGroupIdsFrom, or remove vpcConfig to take the function out of the VPC",
		},
		"VPCWithoutSubnets": {
			reason: "AWS needs both.",
			change: forProvider(`vpcConfig: {securityGroupIds: [sg-0123456789abcdef0]}`),
			want:   "spec.forProvider.vpcConfig: Invalid value: vpcConfig needs subnets: set subnetIds or subnetIdsFrom, or remove vpcConfig to take the function out of the VPC",
		},
		"VPCSubnetsEmpty": {
			reason: "To leave the VPC is to remove the block.",
			change: forProvider(`vpcConfig: {subnetIds: [], securityGroupIds: [sg-0123456789abcdef0]}`),
			want:   "spec.forProvider.vpcConfig.subnetIds: Invalid value: 0: spec.forProvider.vpcConfig.subnetIds in body should have at least 1 items",
		},
		"VPCSubnetName": {
			reason: "AWS takes IDs.",
			change: forProvider(`vpcConfig: {subnetIds: [private-a], securityGroupIds: [sg-0123456789abcdef0]}`),
			want:   "spec.forProvider.vpcConfig.subnetIds: Invalid value: a subnet must be an ID: use the form subnet-0123456789abcdef0",
		},
		"VPCSecurityGroupName": {
			reason: "AWS takes IDs.",
			change: forProvider(`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [default]}`),
			want:   "spec.forProvider.vpcConfig.securityGroupIds: Invalid value: a security group must be an ID: use the form sg-0123456789abcdef0",
		},
		"VPCSubnetTwice": {
			reason: "A set has each once.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0, subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}`,
			),
			want: `spec.forProvider.vpcConfig.subnetIds[1]: Duplicate value: "subnet-0123456789abcdef0"`,
		},
		"VPCSubnetsTooMany": {
			reason: "AWS takes 16.",
			change: forProvider(
				`vpcConfig: {subnetIds: [` + numbered(
					17,
					`subnet-%017d`,
				) + `], securityGroupIds: [sg-0123456789abcdef0]}`,
			),
			want: "spec.forProvider.vpcConfig.subnetIds: Too many: 17: must have at most 16 items",
		},
		"VPCSecurityGroupsTooMany": {
			reason: "AWS takes 5.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [` + numbered(
					6,
					`sg-%017d`,
				) + `]}`,
			),
			want: "spec.forProvider.vpcConfig.securityGroupIds: Too many: 6: must have at most 5 items",
		},
		"VPCSubnetsTwoWays": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0], subnetIdsFrom: [{apiVersion: v1, kind: ConfigMap, name: net, fieldPath: data.id}]}`,
			),
			want: "spec.forProvider.vpcConfig: Invalid value: set only one of subnetIds and subnetIdsFrom",
		},
		"VPCSecurityGroupsTwoWays": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0], securityGroupIdsFrom: [{apiVersion: v1, kind: ConfigMap, name: net, fieldPath: data.id}]}`,
			),
			want: "spec.forProvider.vpcConfig: Invalid value: set only one of securityGroupIds and securityGroupIdsFrom",
		},
		"ReplaceByNothing": {
			reason: "The provider does not look for the VPC's default group.",
			change: forProvider(`replaceSecurityGroupsOnDestroy: true`),
			want:   "spec.forProvider.replacementSecurityGroupIds: Required value: replaceSecurityGroupsOnDestroy needs replacement security groups: set replacementSecurityGroupIds, for example to the VPC's default security group, or set replacementSecurityGroupIdsFrom",
		},
		"ReplacementUnused": {
			reason: "It would not be used.",
			change: forProvider(`replacementSecurityGroupIds: [sg-0123456789abcdef0]`),
			want:   "spec.forProvider.replaceSecurityGroupsOnDestroy: Required value: set replaceSecurityGroupsOnDestroy to true: otherwise, the replacement security groups are not used",
		},
		"ReplacementTwoWays": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIds: [sg-0123456789abcdef0], replacementSecurityGroupIdsFrom: [{apiVersion: v1, kind: ConfigMap, name: net, fieldPath: data.id}]`,
			),
			want: "spec.forProvider.replacementSecurityGroupIdsFrom: Forbidden: replacementSecurityGroupIds is also set: set only one of replacementSecurityGroupIds and replacementSecurityGroupIdsFrom",
		},
		"ReplacementName": {
			reason: "AWS takes IDs.",
			change: forProvider(`replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIds: [default]`),
			want:   "spec.forProvider.replacementSecurityGroupIds: Invalid value: a security group must be an ID: use the form sg-0123456789abcdef0",
		},
		"ReplacementsTooMany": {
			reason: "AWS takes 5.",
			change: forProvider(
				`replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIds: [` + numbered(6, `sg-%017d`) + `]`,
			),
			want: "spec.forProvider.replacementSecurityGroupIds: Too many: 6: must have at most 5 items",
		},
		"DetachAndReplace": {
			reason: "What is replaced must stay.",
			change: forProvider(
				`detachFromVpcOnDestroy: true, replaceSecurityGroupsOnDestroy: true, replacementSecurityGroupIds: [sg-0123456789abcdef0]`,
			),
			want: "spec.forProvider.detachFromVpcOnDestroy: Forbidden: replaceSecurityGroupsOnDestroy is also true: set only one of them, since a function without a VPC has no security groups to replace",
		},
		"DeadLetterNothing": {
			reason: "To remove the queue is to remove the block.",
			change: forProvider(`deadLetterConfig: {}`),
			want:   "spec.forProvider.deadLetterConfig: Invalid value: set exactly one of targetArn and targetArnFrom in deadLetterConfig",
		},
		"DeadLetterTwoWays": {
			reason: "One of them would be ignored.",
			change: forProvider(
				`deadLetterConfig: {targetArn: "arn:aws:sqs:eu-central-1:123456789012:q", targetArnFrom: {apiVersion: v1, kind: ConfigMap, name: net, fieldPath: data.id}}`,
			),
			want: "spec.forProvider.deadLetterConfig: Invalid value: set exactly one of targetArn and targetArnFrom in deadLetterConfig",
		},
		"DeadLetterURL": {
			reason: "AWS takes the ARN.",
			change: forProvider(
				`deadLetterConfig: {targetArn: "https://sqs.eu-central-1.amazonaws.com/123456789012/q"}`,
			),
			want: `spec.forProvider.deadLetterConfig.targetArn: Invalid value: "https://sqs.eu-central-1.amazonaws.com/123456789012/q": deadLetterConfig.targetArn must be the ARN of an SQS queue or SNS topic: use the form arn:aws:sqs:region:123456789012:queue`,
		},
		"DeadLetterBucket": {
			reason: "Events go to a queue or a topic.",
			change: forProvider(`deadLetterConfig: {targetArn: "arn:aws:s3:::my-events"}`),
			want:   `spec.forProvider.deadLetterConfig.targetArn: Invalid value: "arn:aws:s3:::my-events": deadLetterConfig.targetArn must be the ARN of an SQS queue or SNS topic: use the form arn:aws:sqs:region:123456789012:queue`,
		},
		"EphemeralStorageTooSmall": {
			reason: "The least is 512 MB.",
			change: forProvider(`ephemeralStorage: {size: 511}`),
			want:   "spec.forProvider.ephemeralStorage.size: Invalid value: 511: spec.forProvider.ephemeralStorage.size in body should be greater than or equal to 512",
		},
		"EphemeralStorageTooLarge": {
			reason: "The most is 10240 MB.",
			change: forProvider(`ephemeralStorage: {size: 10241}`),
			want:   "spec.forProvider.ephemeralStorage.size: Invalid value: 10241: spec.forProvider.ephemeralStorage.size in body should be less than or equal to 10240",
		},
		"EphemeralStorageEmpty": {
			reason: "The block is its size.",
			change: forProvider(`ephemeralStorage: {}`),
			want:   "spec.forProvider.ephemeralStorage.size: Required value",
		},
		"FileSystemWithoutVPC": {
			reason: "A mount goes through the VPC.",
			change: forProvider(
				`fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/data}]`,
			),
			want: "spec: Invalid value: fileSystemConfigs needs vpcConfig, since a file system is mounted from within a VPC: set vpcConfig",
		},
		"FileSystemItself": {
			reason: "AWS mounts access points.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:file-system/fs-0123456789abcdef0", localMountPath: /mnt/data}]`,
			),
			want: `spec.forProvider.fileSystemConfigs[0].arn: Invalid value: "arn:aws:elasticfilesystem:eu-central-1:123456789012:file-system/fs-0123456789abcdef0": arn is not the ARN of an access point: use the form arn:aws:elasticfilesystem:region:123456789012:access-point/fsap-0123456789abcdef0, or for S3 Files arn:aws:s3files:region:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0`,
		},
		"FileSystemPath": {
			reason: "AWS mounts below /mnt.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /data}]`,
			),
			want: `spec.forProvider.fileSystemConfigs[0].localMountPath: Invalid value: "/data": localMountPath must have the form /mnt/name: use letters, digits and . _ - for the name`,
		},
		"FileSystemsOfBothKinds": {
			reason: "AWS mounts Amazon EFS or Amazon S3 Files.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/a}, {arn: "arn:aws:s3files:eu-central-1:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0", localMountPath: /mnt/b}]`,
			),
			want: "spec.forProvider.fileSystemConfigs: Invalid value: a function can't mount both Amazon EFS and Amazon S3 Files: remove the access points of one of them",
		},
		"S3FilesConfigOfEFS": {
			reason: "AWS refuses it for Amazon EFS.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0", localMountPath: /mnt/a, s3FilesConfig: {directS3Read: AUTO}}]`,
			),
			want: "spec.forProvider.fileSystemConfigs[0].s3FilesConfig: Forbidden: s3FilesConfig is for access points of Amazon S3 Files only: remove it",
		},
		"FileSystemWithoutPath": {
			reason: "A mount has a place.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef0"}]`,
			),
			want: "spec.forProvider.fileSystemConfigs[0].localMountPath: Required value",
		},
		"DirectReadUnknown": {
			reason: "AWS has three.",
			change: forProvider(
				`vpcConfig: {subnetIds: [subnet-0123456789abcdef0], securityGroupIds: [sg-0123456789abcdef0]}, fileSystemConfigs: [{arn: "arn:aws:s3files:eu-central-1:123456789012:file-system/fs-0123456789abcdef0/access-point/fsap-0123456789abcdef0", localMountPath: /mnt/data, s3FilesConfig: {directS3Read: "ON"}}]`,
			),
			want: `spec.forProvider.fileSystemConfigs[0].s3FilesConfig.directS3Read: Unsupported value: "ON": supported values: "AUTO", "ENABLED", "DISABLED"`,
		},
		"LogFormatUnknown": {
			reason: "AWS has two.",
			change: forProvider(`loggingConfig: {logFormat: json}`),
			want:   `spec.forProvider.loggingConfig.logFormat: Unsupported value: "json": supported values: "Text", "JSON"`,
		},
		"LogLevelOfText": {
			reason: "AWS filters JSON alone.",
			change: forProvider(`loggingConfig: {logFormat: Text, applicationLogLevel: INFO}`),
			want:   "spec.forProvider.loggingConfig: Invalid value: applicationLogLevel and systemLogLevel are for JSON logs only: set logFormat: JSON",
		},
		"LogLevelOfDefault": {
			reason: "The default is text.",
			change: forProvider(`loggingConfig: {systemLogLevel: INFO}`),
			want:   "spec.forProvider.loggingConfig: Invalid value: applicationLogLevel and systemLogLevel are for JSON logs only: set logFormat: JSON",
		},
		"ApplicationLogLevelUnknown": {
			reason: "AWS has six.",
			change: forProvider(`loggingConfig: {logFormat: JSON, applicationLogLevel: WARNING}`),
			want:   `spec.forProvider.loggingConfig.applicationLogLevel: Unsupported value: "WARNING": supported values: "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"`,
		},
		"SystemLogLevelUnknown": {
			reason: "AWS has three.",
			change: forProvider(`loggingConfig: {logFormat: JSON, systemLogLevel: ERROR}`),
			want:   `spec.forProvider.loggingConfig.systemLogLevel: Unsupported value: "ERROR": supported values: "DEBUG", "INFO", "WARN"`,
		},
		"LogGroupCharacters": {
			reason: "AWS takes few.",
			change: forProvider(`loggingConfig: {logGroup: "my logs"}`),
			want:   `spec.forProvider.loggingConfig.logGroup: Invalid value: "my logs": logGroup must be the name of a log group: use 1 to 512 letters, digits and . # / _ -`,
		},
		"LogGroupEmpty": {
			reason: "A group has a name.",
			change: forProvider(`loggingConfig: {logGroup: ""}`),
			want:   `spec.forProvider.loggingConfig.logGroup: Invalid value: "": logGroup must be the name of a log group: use 1 to 512 letters, digits and . # / _ -`,
		},
		"LogGroupARN": {
			reason: "AWS takes the name.",
			change: forProvider(`loggingConfig: {logGroup: "arn:aws:logs:eu-central-1:123456789012:log-group:a"}`),
			want:   `spec.forProvider.loggingConfig.logGroup: Invalid value: "arn:aws:logs:eu-central-1:123456789012:log-group:a": logGroup must be the name of a log group: use 1 to 512 letters, digits and . # / _ -`,
		},
		"TracingUnknown": {
			reason: "AWS has two.",
			change: forProvider(`tracingConfig: {mode: "On"}`),
			want:   `spec.forProvider.tracingConfig.mode: Unsupported value: "On": supported values: "Active", "PassThrough"`,
		},
		"TracingEmpty": {
			reason: "The block is its mode.",
			change: forProvider(`tracingConfig: {}`),
			want:   "spec.forProvider.tracingConfig.mode: Required value",
		},
		"SnapStartUnknown": {
			reason: "AWS has two.",
			change: forProvider(`snapStart: {applyOn: Latest}`),
			want:   `spec.forProvider.snapStart.applyOn: Unsupported value: "Latest": supported values: "PublishedVersions", "None"`,
		},
		"DurableTimeoutTooLong": {
			reason: "The most is 366 days.",
			change: forProvider(`durableConfig: {executionTimeout: 31622401}`),
			want:   "spec.forProvider.durableConfig.executionTimeout: Invalid value: 31622401: spec.forProvider.durableConfig.executionTimeout in body should be less than or equal to 31622400",
		},
		"DurableTimeoutZero": {
			reason: "The least is 1 s.",
			change: forProvider(`durableConfig: {executionTimeout: 0}`),
			want:   "spec.forProvider.durableConfig.executionTimeout: Invalid value: 0: spec.forProvider.durableConfig.executionTimeout in body should be greater than or equal to 1",
		},
		"DurableRetentionTooLong": {
			reason: "The most is 90 days.",
			change: forProvider(`durableConfig: {retentionPeriodInDays: 91}`),
			want:   "spec.forProvider.durableConfig.retentionPeriodInDays: Invalid value: 91: spec.forProvider.durableConfig.retentionPeriodInDays in body should be less than or equal to 90",
		},
		"DurableKeyNoARN": {
			reason: "AWS takes the ARN.",
			change: forProvider(`durableConfig: {kmsKeyArn: 1234abcd}`),
			want:   `spec.forProvider.durableConfig.kmsKeyArn: Invalid value: "1234abcd": durableConfig.kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id`,
		},
		"RuntimeConfigMissing": {
			reason: "custom names no runtime.",
			change: forProvider(`runtime: custom`),
			want:   "spec.forProvider.runtimeConfig: Invalid value: runtimeConfig names the runtime of a function with runtime custom: set both, or neither",
		},
		"RuntimeConfigOfManagedRuntime": {
			reason: "AWS's own runtimes have no configuration.",
			change: forProvider(customRuntime),
			want:   "spec.forProvider.runtimeConfig: Invalid value: runtimeConfig names the runtime of a function with runtime custom: set both, or neither",
		},
		"RuntimeConfigOfInitProvider": {
			reason: "It counts in either block.",
			change: `spec: {initProvider: {` + customRuntime + `}}`,
			want:   "spec.forProvider.runtimeConfig: Invalid value: runtimeConfig names the runtime of a function with runtime custom: set both, or neither",
		},
		"RuntimeConfigWithARNOfAlias": {
			reason: "The alias has a field of its own.",
			change: forProvider(
				`runtime: custom, runtimeConfig: {runtimeArn: "arn:aws:lambda:eu-central-1:123456789012:runtime/php/alias/prod", runtimeAlias: prod}`,
			),
			want: `spec.forProvider.runtimeConfig.runtimeArn: Invalid value: "arn:aws:lambda:eu-central-1:123456789012:runtime/php/alias/prod": runtimeConfig.runtimeArn is not the ARN of a customer-managed runtime: use the form arn:aws:lambda:region:123456789012:runtime/name, and name the alias in runtimeAlias`,
		},
		"TenancyUnknown": {
			reason: "AWS has one.",
			change: forProvider(`tenancyConfig: {tenantIsolationMode: SHARED}`),
			want:   `spec.forProvider.tenancyConfig.tenantIsolationMode: Unsupported value: "SHARED": supported values: "PER_TENANT"`,
		},
		"TenancyEmpty": {
			reason: "The block is its mode.",
			change: forProvider(`tenancyConfig: {}`),
			want:   "spec.forProvider.tenancyConfig.tenantIsolationMode: Required value",
		},
	})
}

func TestManagedInstancesRefused(t *testing.T) {
	testRefusals(t, managedInstancesFunction, map[string]refusal{
		"TextLogs": {
			reason: "AWS takes JSON only.",
			change: forProvider(`loggingConfig: {logFormat: Text}`),
			want:   "spec.forProvider.loggingConfig: Invalid value: loggingConfig.logFormat must be JSON with capacityProviderConfig: set JSON, or remove logFormat",
		},
		"TextLogsAtCreation": {
			reason: "In initProvider too, unless forProvider has the last word.",
			change: `spec: {initProvider: {loggingConfig: {logFormat: Text}}}`,
			want:   "spec.forProvider.loggingConfig: Invalid value: loggingConfig.logFormat must be JSON with capacityProviderConfig: set JSON, or remove logFormat",
		},
		"NoARN": {
			reason: "AWS takes the ARN.",
			change: managedInstances(`capacityProviderArn: web`),
			want:   `spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn: Invalid value: "web": capacityProviderArn is not a capacity provider ARN: use the form arn:aws:lambda:region:123456789012:capacity-provider:name`,
		},
		"WithoutARN": {
			reason: "The block is its ARN.",
			change: managedInstances(`capacityProviderArn: null`),
			want:   "spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.capacityProviderArn: Required value: set capacityProviderArn, or set capacityProviderArnRef or capacityProviderArnSelector to a CapacityProvider",
		},
		"MemoryPerVCPUTooSmall": {
			reason: "The least is 2 GiB.",
			change: managedInstances(`executionEnvironmentMemoryGiBPerVCpu: "1.5"`),
			want:   `spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu: Invalid value: "1.5": executionEnvironmentMemoryGiBPerVCpu must be a decimal number from 2 to 8, in quotes`,
		},
		"MemoryPerVCPUTooLarge": {
			reason: "The most is 8 GiB.",
			change: managedInstances(`executionEnvironmentMemoryGiBPerVCpu: "8.1"`),
			want:   `spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu: Invalid value: "8.1": executionEnvironmentMemoryGiBPerVCpu must be a decimal number from 2 to 8, in quotes`,
		},
		"MemoryPerVCPUText": {
			reason: "It is a number.",
			change: managedInstances(`executionEnvironmentMemoryGiBPerVCpu: four`),
			want:   `spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu: Invalid value: "four": executionEnvironmentMemoryGiBPerVCpu must be a decimal number from 2 to 8, in quotes`,
		},
		"MemoryPerVCPUNumber": {
			reason: "Decimals differ between languages, so it is in quotes.",
			change: managedInstances(`executionEnvironmentMemoryGiBPerVCpu: 4`),
			want:   `spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu: Invalid value: "integer": spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.executionEnvironmentMemoryGiBPerVCpu in body must be of type string: "integer"`,
		},
		"ConcurrencyZero": {
			reason: "The least is 1.",
			change: managedInstances(`perExecutionEnvironmentMaxConcurrency: 0`),
			want:   "spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.perExecutionEnvironmentMaxConcurrency: Invalid value: 0: spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.perExecutionEnvironmentMaxConcurrency in body should be greater than or equal to 1",
		},
		"ConcurrencyTooHigh": {
			reason: "The most is 1600.",
			change: managedInstances(`perExecutionEnvironmentMaxConcurrency: 1601`),
			want:   "spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.perExecutionEnvironmentMaxConcurrency: Invalid value: 1601: spec.forProvider.capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig.perExecutionEnvironmentMaxConcurrency in body should be less than or equal to 1600",
		},
		"MinAboveMax": {
			reason: "There is no number in between.",
			change: forProvider(`functionScalingConfig: {minExecutionEnvironments: 3, maxExecutionEnvironments: 2}`),
			want:   "spec.forProvider.functionScalingConfig: Invalid value: minExecutionEnvironments must not be greater than maxExecutionEnvironments: lower minExecutionEnvironments, or raise maxExecutionEnvironments",
		},
		"MinTooHigh": {
			reason: "The most is 15000.",
			change: forProvider(`functionScalingConfig: {minExecutionEnvironments: 15001}`),
			want:   "spec.forProvider.functionScalingConfig.minExecutionEnvironments: Invalid value: 15001: spec.forProvider.functionScalingConfig.minExecutionEnvironments in body should be less than or equal to 15000",
		},
		"MaxNegative": {
			reason: "The least is 0.",
			change: forProvider(`functionScalingConfig: {maxExecutionEnvironments: -1}`),
			want:   "spec.forProvider.functionScalingConfig.maxExecutionEnvironments: Invalid value: -1: spec.forProvider.functionScalingConfig.maxExecutionEnvironments in body should be greater than or equal to 0",
		},
		"TimeoutTooLong": {
			reason: "The most is 5400 s here.",
			change: forProvider(`timeout: 5401`),
			want:   "spec.forProvider.timeout: Invalid value: 5401: spec.forProvider.timeout in body should be less than or equal to 5400",
		},
		"MemoryTooLarge": {
			reason: "The most is 32768 MB here.",
			change: forProvider(`memorySize: 32769`),
			want:   "spec.forProvider.memorySize: Invalid value: 32769: spec.forProvider.memorySize in body should be less than or equal to 32768",
		},
	})
}
