package awsdouble

import "slices"

// codeMembers returns the members that name code, below a path.
func codeMembers(at string) []member {
	return []member{
		of(at+"s3Bucket",
			longest(63), shortest(3), patternAs(`[0-9A-Za-z\.\-_]*(?<!\.)`, `[0-9A-Za-z.\-_]*[0-9A-Za-z\-_]|`)),
		of(at+"s3Key", longest(1024), shortest(1)),
		of(at+"s3ObjectVersion", longest(1024), shortest(1)),
		of(at+"s3ObjectStorageMode", oneOf("REFERENCE", "COPY")),
	}
}

const managedInstances = "capacityProviderConfig.lambdaManagedInstancesCapacityProviderConfig"

// configuration are the members that creation and update share.
var configuration = []member{
	description,
	of("handler", longest(128), pattern(`[^\s]+`)),
	of("memorySize", highest(32768), lowest(128)),
	of("timeout", highest(5400), lowest(1)),
	of("ephemeralStorage.size", notNull, highest(10240), lowest(512)),
	of("kMSKeyArn", pattern(anyArnPattern)),
	of("deadLetterConfig.targetArn", pattern(anyArnPattern)),
	{path: "environment.variables", keys: []rule{pattern(`[a-zA-Z]([a-zA-Z0-9_])+`), notNull}, secret: true},
	of("tracingConfig.mode", oneOf("Active", "PassThrough")),
	of("runtimeConfig.runtimeArn",
		notNull, longest(2048), shortest(48), pattern(`arn:[a-z-]+:lambda:[a-z0-9-]+:\d{12}:runtime/.+`)),
	of("runtimeConfig.runtimeAlias", notNull, longest(128), shortest(1)),
	of("snapStart.applyOn", oneOf("PublishedVersions", "None")),
	of("layers").withElements(longest(2048), shortest(1), pattern(layerPattern), notNull),
	of("vpcConfig.subnetIds", longest(16)).
		withElements(longest(1024), shortest(0), pattern(`subnet-[0-9a-z]*`)),
	of("vpcConfig.securityGroupIds", longest(5)).
		withElements(longest(1024), shortest(0), pattern(`sg-[0-9a-zA-Z]*`)),
	of("fileSystemConfigs", longest(1)),
	of("fileSystemConfigs[].arn", notNull, longest(256), pattern(mountPattern)),
	of("fileSystemConfigs[].localMountPath", notNull, longest(160), pattern(`/mnt/[a-zA-Z0-9-_.]+`)),
	of("fileSystemConfigs[].s3FilesConfig.directS3Read", oneOf("ENABLED", "DISABLED", "AUTO")),
	of("imageConfig.entryPoint", longest(1500)),
	of("imageConfig.command", longest(1500)),
	of("imageConfig.workingDirectory", longest(1000)),
	of("loggingConfig.logFormat", oneOf("JSON", "Text")),
	of("loggingConfig.applicationLogLevel", oneOf("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")),
	of("loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
	of("loggingConfig.logGroup", longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)),
	of("durableConfig.retentionPeriodInDays", highest(90), lowest(1)),
	of("durableConfig.executionTimeout", highest(31622400), lowest(1)),
	of(managedInstances, notNull),
	of(managedInstances+".capacityProviderArn",
		notNull, longest(140), shortest(1), pattern(providerPattern)),
	of(managedInstances+".perExecutionEnvironmentMaxConcurrency", highest(1600), lowest(1)),
	of(managedInstances+".executionEnvironmentMemoryGiBPerVCpu", highest(8), lowest(2)),
}

// capacitySettings are the members of capacity providers that creation and update share.
var capacitySettings = []member{
	of("capacityProviderScalingConfig.maxVCpuCount", highest(15000), lowest(2)),
	of("capacityProviderScalingConfig.scalingMode", oneOf("Auto", "Manual")),
	of("capacityProviderScalingConfig.scalingPolicies", longest(10), shortest(1)),
	of("capacityProviderScalingConfig.scalingPolicies[].predefinedMetricType",
		notNull, oneOf("LambdaCapacityProviderAverageCPUUtilization")),
	of("capacityProviderScalingConfig.scalingPolicies[].targetValue", notNull, highest(100), lowest(0)),
	of("propagateTags.mode", oneOf("None", "Explicit")),
	of("telemetryConfig.loggingConfig.logGroup", longest(512), shortest(1), pattern(`[\.\-_/#A-Za-z0-9]+`)),
	of("telemetryConfig.loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
}

// The qualifiers of configurations of a function, a version or an alias.
var (
	aliased = of("qualifier",
		longest(128), shortest(1), patternAs(`((?!^\d+$)^[0-9a-zA-Z-_]+$)`, `[0-9]*[a-zA-Z_-][0-9a-zA-Z_-]*`))
	provisioned = of("qualifier", notNull, longest(128), shortest(1), pattern(`(|[a-zA-Z0-9$_-]+)`))
)

// urlMembers are the members that creation and update of a URL share.
var urlMembers = []member{
	of("cors.allowHeaders", longest(100)).withElements(longest(1024), shortest(0), pattern(`.*`), notNull),
	of("cors.allowMethods", longest(6)).withElements(longest(6), shortest(0), pattern(`.*`), notNull),
	of("cors.allowOrigins", longest(100)).withElements(longest(253), shortest(1), pattern(`.*`), notNull),
	of("cors.exposeHeaders", longest(100)).withElements(longest(1024), shortest(0), pattern(`.*`), notNull),
	of("cors.maxAge", highest(86400), lowest(0)),
	of("invokeMode", oneOf("BUFFERED", "RESPONSE_STREAM")),
}

// eventMembers are the settings of asynchronous invocation.
var eventMembers = []member{
	of("maximumRetryAttempts", highest(2), lowest(0)),
	of("maximumEventAgeInSeconds", highest(21600), lowest(60)),
	of("destinationConfig.onSuccess.destination", longest(350), shortest(0), pattern(destinationPattern)),
	of("destinationConfig.onFailure.destination", longest(350), shortest(0), pattern(destinationPattern)),
}

// The patterns of mappings in Lambda's model.
const (
	serverPattern = `(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)*([A-Za-z0-9]|` +
		`[A-Za-z0-9][A-Za-z0-9\-]*[A-Za-z0-9]):[0-9]{1,5}`
	uriPattern         = `[a-zA-Z0-9-\/*:_+=.@-]*`
	destinationPattern = `$|kafka://([^.]([a-zA-Z0-9\-_.]{0,248}))|arn:(aws[a-zA-Z0-9-]*):([a-zA-Z0-9\-])+:` +
		`([a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1})?:(\d{12})?:(.*)`
)

// mappingUUID is in the path of operations on a mapping.
var mappingUUID = of("uUID")

// mappedFunction are the rules for a mapping's function name.
var mappedFunction = []rule{longest(256), shortest(1), pattern(dottedPattern)}

// mappingMembers are the members that a mapping's creation and update share.
var mappingMembers = slices.Concat([]member{
	of("batchSize", highest(10000), lowest(1)),
	of("maximumBatchingWindowInSeconds", highest(300), lowest(0)),
	of("parallelizationFactor", highest(10), lowest(1)),
	of("maximumRecordAgeInSeconds", highest(604800), lowest(-1)),
	of("maximumRetryAttempts", highest(10000), lowest(-1)),
	of("tumblingWindowInSeconds", highest(900), lowest(0)),
	of("filterCriteria.filters[].pattern", longest(4096)),
	of("destinationConfig.onFailure.destination", longest(350), pattern(destinationPattern)),
	of("functionResponseTypes", longest(1)).withElements(oneOf("ReportBatchItemFailures"), notNull),
	of("scalingConfig.maximumConcurrency", highest(1000), lowest(2)),
	of("sourceAccessConfigurations", longest(22)),
	of("sourceAccessConfigurations[].type", oneOf(
		"BASIC_AUTH", "VPC_SUBNET", "VPC_SECURITY_GROUP", "SASL_SCRAM_512_AUTH", "SASL_SCRAM_256_AUTH", "VIRTUAL_HOST",
		"CLIENT_CERTIFICATE_TLS_AUTH", "SERVER_ROOT_CA_CERTIFICATE",
		"OAUTHBEARER_AUTH", "OAUTHBEARER_SCOPE", "OAUTHBEARER_AUDIENCE", "OAUTHBEARER_LOGICAL_CLUSTER",
		"OAUTHBEARER_IDENTITY_POOL", "IAM_AUTH", "IAM_OAUTHBEARER_AUTH",
	)),
	of("sourceAccessConfigurations[].uRI", longest(200), shortest(1), pattern(uriPattern)),
	of("documentDBEventSourceConfig.databaseName",
		longest(63), shortest(1), patternAs(`[^ /\.$\x22]*`, `[^ /.$"]*`)),
	of("documentDBEventSourceConfig.collectionName",
		longest(57), shortest(1), patternAs(`(^(?!(system\x2e)))(^[_a-zA-Z0-9])([^$]*)`, `[_a-zA-Z0-9][^$]*`)),
	of("documentDBEventSourceConfig.fullDocument", oneOf("UpdateLookup", "Default")),
	of("kMSKeyArn", pattern(anyArnPattern)),
	of("metricsConfig.metrics", longest(3)).
		withElements(oneOf("EventCount", "ErrorCount", "KafkaMetrics"), notNull),
	of("loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
	of("selfManagedKafkaEventSourceConfig.consumptionMode", oneOf("Stream", "Queue")),
	of("provisionedPollerConfig.minimumPollers", highest(200), lowest(1)),
	of("provisionedPollerConfig.maximumPollers", highest(10000), lowest(1)),
	of("provisionedPollerConfig.pollerGroupName", longest(128), pattern(`[a-zA-Z0-9-_]*`)),
}, kafkaMembers("amazonManagedKafkaEventSourceConfig."), kafkaMembers("selfManagedKafkaEventSourceConfig."))

// kafkaMembers returns the members of a Kafka configuration, below a path.
func kafkaMembers(at string) []member {
	registry := at + "schemaRegistryConfig."
	return []member{
		of(at+"consumerGroupId", longest(200), shortest(1), pattern(uriPattern)),
		of(registry+"schemaRegistryURI", longest(10000), shortest(1), pattern(uriPattern)),
		of(registry+"eventRecordFormat", oneOf("JSON", "SOURCE")),
		of(registry+"accessConfigs[].type",
			oneOf("BASIC_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH", "SERVER_ROOT_CA_CERTIFICATE", "OAUTHBEARER_AUTH")),
		of(registry+"accessConfigs[].uRI", pattern(profilePattern)),
		of(registry+"schemaValidationConfigs[].attribute", oneOf("KEY", "VALUE")),
	}
}
