package awsdouble

// codeMembers returns the members that name code, below a path.
func codeMembers(at string) []member {
	return []member{
		bodyMember(at+"s3Bucket",
			longest(63), shortest(3), patternAs(`[0-9A-Za-z\.\-_]*(?<!\.)`, `[0-9A-Za-z.\-_]*[0-9A-Za-z\-_]|`)),
		bodyMember(at+"s3Key", longest(1024), shortest(1)),
		bodyMember(at+"s3ObjectVersion", longest(1024), shortest(1)),
		bodyMember(at+"s3ObjectStorageMode", oneOf("REFERENCE", "COPY")),
		bodyMember(at+"sourceKMSKeyArn", pattern(anyArnPattern)),
	}
}

const managedInstances = "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig"

// configuration are the members that creation and update share.
var configuration = []member{
	description,
	bodyMember("handler", longest(128), pattern(`[^\s]+`)),
	bodyMember("memorySize", highest(32768), lowest(128)),
	bodyMember("timeout", highest(5400), lowest(1)),
	bodyMember("ephemeralStorage.size", notNull, highest(10240), lowest(512)),
	bodyMember("kMSKeyArn", pattern(anyArnPattern)),
	bodyMember("deadLetterConfig.targetArn", pattern(anyArnPattern)),
	{path: "environment.variables", keys: []rule{pattern(`[a-zA-Z]([a-zA-Z0-9_])+`), notNull}, secret: true},
	bodyMember("tracingConfig.mode", oneOf("Active", "PassThrough")),
	bodyMember("runtimeConfig.runtimeArn",
		notNull, longest(2048), shortest(48), pattern(`arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:runtime/.+`)),
	bodyMember("runtimeConfig.runtimeAlias", notNull, longest(128), shortest(1)),
	bodyMember("snapStart.applyOn", oneOf("PublishedVersions", "None")),
	bodyMember("layers").withElements(longest(2048), shortest(1), pattern(layerPattern), notNull),
	bodyMember("vpcConfig.subnetIds", longest(16)).
		withElements(longest(1024), shortest(0), pattern(`subnet-[0-9a-z]*`)),
	bodyMember("vpcConfig.securityGroupIds", longest(5)).
		withElements(longest(1024), shortest(0), pattern(`sg-[0-9a-zA-Z]*`)),
	bodyMember("fileSystemConfigs", longest(1)),
	bodyMember("fileSystemConfigs[].arn", notNull, longest(256), pattern(mountPattern)),
	bodyMember("fileSystemConfigs[].localMountPath", notNull, longest(160), pattern(`/mnt/[a-zA-Z0-9-_.]+`)),
	bodyMember("imageConfig.entryPoint", longest(1500)),
	bodyMember("imageConfig.command", longest(1500)),
	bodyMember("imageConfig.workingDirectory", longest(1000)),
	bodyMember("loggingConfig.logFormat", oneOf("JSON", "Text")),
	bodyMember("loggingConfig.applicationLogLevel", oneOf("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")),
	bodyMember("loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
	bodyMember("loggingConfig.logGroup", longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)),
	bodyMember("durableConfig.retentionPeriodInDays", highest(90), lowest(1)),
	bodyMember("durableConfig.executionTimeout", highest(31622400), lowest(1)),
	bodyMember(managedInstances, notNull),
	bodyMember(managedInstances+".capacityProviderArn",
		notNull, longest(140), shortest(1), pattern(providerPattern)),
	bodyMember(managedInstances+".perExecutionEnvironmentMaxConcurrency", highest(1600), lowest(1)),
	bodyMember(managedInstances+".executionEnvironmentMemoryGiBPerVCpu", highest(8), lowest(2)),
}

// capacitySettings are the members of capacity providers that creation and update share.
var capacitySettings = []member{
	bodyMember("capacityProviderScalingConfig.maxVCpuCount", highest(15000), lowest(2)),
	bodyMember("capacityProviderScalingConfig.scalingMode", oneOf("Auto", "Manual")),
	bodyMember("capacityProviderScalingConfig.scalingPolicies", longest(10), shortest(1)),
	bodyMember("capacityProviderScalingConfig.scalingPolicies[].predefinedMetricType",
		notNull, oneOf("LambdaCapacityProviderAverageCPUUtilization")),
	bodyMember("capacityProviderScalingConfig.scalingPolicies[].targetValue", notNull, highest(100), lowest(0)),
	bodyMember("propagateTags.mode", oneOf("None", "Explicit")),
	bodyMember("telemetryConfig.loggingConfig.logGroup", longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)),
	bodyMember("telemetryConfig.loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
}
