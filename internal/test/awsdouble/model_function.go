package awsdouble

// codeMembers returns the members that name code, below a path.
func codeMembers(at string) []member {
	return []member{
		{path: at + "s3Bucket", rules: []rule{
			longest(63), shortest(3),
			patternAs(`[0-9A-Za-z\.\-_]*(?<!\.)`, `[0-9A-Za-z.\-_]*[0-9A-Za-z\-_]|`),
		}},
		{path: at + "s3Key", rules: []rule{longest(1024), shortest(1)}},
		{path: at + "s3ObjectVersion", rules: []rule{longest(1024), shortest(1)}},
		{path: at + "s3ObjectStorageMode", rules: []rule{oneOf("REFERENCE", "COPY")}},
		{path: at + "sourceKMSKeyArn", rules: []rule{pattern(anyArnPattern)}},
	}
}

const managedInstances = "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig"

// configuration are the members that creation and update share.
var configuration = []member{
	description,
	{path: "handler", rules: []rule{longest(128), pattern(`[^\s]+`)}},
	{path: "memorySize", rules: []rule{highest(32768), lowest(128)}},
	{path: "timeout", rules: []rule{highest(900), lowest(1)}},
	{path: "ephemeralStorage.size", required: true, rules: []rule{highest(10240), lowest(512)}},
	{path: "kMSKeyArn", rules: []rule{pattern(anyArnPattern)}},
	{path: "deadLetterConfig.targetArn", rules: []rule{pattern(anyArnPattern)}},
	{path: "environment.variables", keys: []rule{pattern(`[a-zA-Z]([a-zA-Z0-9_])+`), notNull}, secret: true},
	{path: "tracingConfig.mode", rules: []rule{oneOf("Active", "PassThrough")}},
	{path: "snapStart.applyOn", rules: []rule{oneOf("PublishedVersions", "None")}},
	{path: "layers", each: []rule{longest(2048), shortest(1), pattern(layerPattern), notNull}},
	{
		path: "vpcConfig.subnetIds", rules: []rule{longest(16)},
		each: []rule{longest(1024), shortest(0), pattern(`subnet-[0-9a-z]*`)},
	},
	{
		path: "vpcConfig.securityGroupIds", rules: []rule{longest(5)},
		each: []rule{longest(1024), shortest(0), pattern(`sg-[0-9a-zA-Z]*`)},
	},
	{path: "fileSystemConfigs", rules: []rule{longest(1)}},
	{path: "fileSystemConfigs[].arn", required: true, rules: []rule{longest(256), pattern(mountPattern)}},
	{
		path: "fileSystemConfigs[].localMountPath", required: true,
		rules: []rule{longest(160), pattern(`/mnt/[a-zA-Z0-9-_.]+`)},
	},
	{path: "imageConfig.entryPoint", rules: []rule{longest(1500)}},
	{path: "imageConfig.command", rules: []rule{longest(1500)}},
	{path: "imageConfig.workingDirectory", rules: []rule{longest(1000)}},
	{path: "loggingConfig.logFormat", rules: []rule{oneOf("JSON", "Text")}},
	{
		path:  "loggingConfig.applicationLogLevel",
		rules: []rule{oneOf("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")},
	},
	{path: "loggingConfig.systemLogLevel", rules: []rule{oneOf("DEBUG", "INFO", "WARN")}},
	{path: "loggingConfig.logGroup", rules: []rule{longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)}},
	{path: "durableConfig.retentionPeriodInDays", rules: []rule{highest(90), lowest(1)}},
	{path: "durableConfig.executionTimeout", rules: []rule{highest(31622400), lowest(1)}},
	{path: managedInstances, required: true},
	{
		path: managedInstances + ".capacityProviderArn", required: true,
		rules: []rule{longest(140), shortest(1), pattern(providerPattern)},
	},
	{
		path:  managedInstances + ".perExecutionEnvironmentMaxConcurrency",
		rules: []rule{highest(1600), lowest(1)},
	},
	{
		path:  managedInstances + ".executionEnvironmentMemoryGiBPerVCpu",
		rules: []rule{highest(8), lowest(2)},
	},
}

// capacitySettings are the members of capacity providers that creation and update share.
var capacitySettings = []member{
	{path: "capacityProviderScalingConfig.maxVCpuCount", rules: []rule{highest(15000), lowest(2)}},
	{path: "capacityProviderScalingConfig.scalingMode", rules: []rule{oneOf("Auto", "Manual")}},
	{path: "capacityProviderScalingConfig.scalingPolicies", rules: []rule{longest(10), shortest(1)}},
	{
		path: "capacityProviderScalingConfig.scalingPolicies[].predefinedMetricType", required: true,
		rules: []rule{oneOf("LambdaCapacityProviderAverageCPUUtilization")},
	},
	{
		path: "capacityProviderScalingConfig.scalingPolicies[].targetValue", required: true,
		rules: []rule{highest(100), lowest(0)},
	},
	{path: "propagateTags.mode", rules: []rule{oneOf("None", "Explicit")}},
	{
		path:  "telemetryConfig.loggingConfig.logGroup",
		rules: []rule{longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)},
	},
	{path: "telemetryConfig.loggingConfig.systemLogLevel", rules: []rule{oneOf("DEBUG", "INFO", "WARN")}},
}
