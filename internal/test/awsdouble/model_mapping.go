package awsdouble

import "slices"

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
