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
var mappingUUID = pathMember("uUID")

// mappedFunction are the rules for a mapping's function name.
var mappedFunction = []rule{longest(256), shortest(1), pattern(dottedPattern)}

// mappingMembers are the members that a mapping's creation and update share.
var mappingMembers = slices.Concat([]member{
	bodyMember("batchSize", highest(10000), lowest(1)),
	bodyMember("maximumBatchingWindowInSeconds", highest(300), lowest(0)),
	bodyMember("parallelizationFactor", highest(10), lowest(1)),
	bodyMember("maximumRecordAgeInSeconds", highest(604800), lowest(-1)),
	bodyMember("maximumRetryAttempts", highest(10000), lowest(-1)),
	bodyMember("tumblingWindowInSeconds", highest(900), lowest(0)),
	bodyMember("filterCriteria.filters[].pattern", longest(4096)),
	bodyMember("destinationConfig.onFailure.destination", longest(350), pattern(destinationPattern)),
	bodyMember("functionResponseTypes", longest(1)).withElements(oneOf("ReportBatchItemFailures"), notNull),
	bodyMember("scalingConfig.maximumConcurrency", highest(1000), lowest(2)),
	bodyMember("sourceAccessConfigurations", longest(22)),
	bodyMember("sourceAccessConfigurations[].type", oneOf(
		"BASIC_AUTH", "VPC_SUBNET", "VPC_SECURITY_GROUP", "SASL_SCRAM_512_AUTH", "SASL_SCRAM_256_AUTH", "VIRTUAL_HOST",
		"CLIENT_CERTIFICATE_TLS_AUTH", "SERVER_ROOT_CA_CERTIFICATE",
		"OAUTHBEARER_AUTH", "OAUTHBEARER_SCOPE", "OAUTHBEARER_AUDIENCE", "OAUTHBEARER_LOGICAL_CLUSTER",
		"OAUTHBEARER_IDENTITY_POOL", "IAM_AUTH", "IAM_OAUTHBEARER_AUTH",
	)),
	bodyMember("sourceAccessConfigurations[].uRI", longest(200), shortest(1), pattern(uriPattern)),
	bodyMember("documentDBEventSourceConfig.databaseName",
		longest(63), shortest(1), patternAs(`[^ /\.$\x22]*`, `[^ /.$"]*`)),
	bodyMember("documentDBEventSourceConfig.collectionName",
		longest(57), shortest(1), patternAs(`(^(?!(system\x2e)))(^[_a-zA-Z0-9])([^$]*)`, `[_a-zA-Z0-9][^$]*`)),
	bodyMember("documentDBEventSourceConfig.fullDocument", oneOf("UpdateLookup", "Default")),
	bodyMember("kMSKeyArn", pattern(anyArnPattern)),
	bodyMember("metricsConfig.metrics", longest(3)).
		withElements(oneOf("EventCount", "ErrorCount", "KafkaMetrics"), notNull),
	bodyMember("loggingConfig.systemLogLevel", oneOf("DEBUG", "INFO", "WARN")),
	bodyMember("provisionedPollerConfig.minimumPollers", highest(200), lowest(1)),
	bodyMember("provisionedPollerConfig.maximumPollers", highest(10000), lowest(1)),
	bodyMember("provisionedPollerConfig.pollerGroupName", longest(128), pattern(`[a-zA-Z0-9-_]*`)),
}, kafkaMembers("amazonManagedKafkaEventSourceConfig."), kafkaMembers("selfManagedKafkaEventSourceConfig."))

// kafkaMembers returns the members of a Kafka configuration, below a path.
func kafkaMembers(at string) []member {
	registry := at + "schemaRegistryConfig."
	return []member{
		bodyMember(at+"consumerGroupId", longest(200), shortest(1), pattern(uriPattern)),
		bodyMember(at+"consumptionMode", oneOf("Stream", "Queue")),
		bodyMember(registry+"schemaRegistryURI", longest(10000), shortest(1), pattern(uriPattern)),
		bodyMember(registry+"eventRecordFormat", oneOf("JSON", "SOURCE")),
		bodyMember(registry+"accessConfigs[].type",
			oneOf("BASIC_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH", "SERVER_ROOT_CA_CERTIFICATE", "OAUTHBEARER_AUTH")),
		bodyMember(registry+"accessConfigs[].uRI", pattern(profilePattern)),
		bodyMember(registry+"schemaValidationConfigs[].attribute", oneOf("KEY", "VALUE")),
	}
}
