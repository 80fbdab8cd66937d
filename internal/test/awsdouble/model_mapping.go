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
var mappingUUID = member{path: "uUID", in: inPath, required: true}

// mappedFunction are the rules for a mapping's function name.
var mappedFunction = []rule{longest(256), shortest(1), pattern(dottedPattern)}

// mappingMembers are the members that a mapping's creation and update share.
var mappingMembers = slices.Concat([]member{
	{path: "batchSize", rules: []rule{highest(10000), lowest(1)}},
	{path: "maximumBatchingWindowInSeconds", rules: []rule{highest(300), lowest(0)}},
	{path: "parallelizationFactor", rules: []rule{highest(10), lowest(1)}},
	{path: "maximumRecordAgeInSeconds", rules: []rule{highest(604800), lowest(-1)}},
	{path: "maximumRetryAttempts", rules: []rule{highest(10000), lowest(-1)}},
	{path: "tumblingWindowInSeconds", rules: []rule{highest(900), lowest(0)}},
	{path: "filterCriteria.filters[].pattern", rules: []rule{longest(4096)}},
	{path: "destinationConfig.onFailure.destination", rules: []rule{longest(350), pattern(destinationPattern)}},
	{path: "functionResponseTypes", rules: []rule{longest(1)}, each: []rule{oneOf("ReportBatchItemFailures"), notNull}},
	{path: "scalingConfig.maximumConcurrency", rules: []rule{highest(1000), lowest(2)}},
	{path: "sourceAccessConfigurations", rules: []rule{longest(22)}},
	{path: "sourceAccessConfigurations[].type", rules: []rule{oneOf(
		"BASIC_AUTH", "VPC_SUBNET", "VPC_SECURITY_GROUP", "SASL_SCRAM_512_AUTH", "SASL_SCRAM_256_AUTH", "VIRTUAL_HOST",
		"CLIENT_CERTIFICATE_TLS_AUTH", "SERVER_ROOT_CA_CERTIFICATE",
		"OAUTHBEARER_AUTH", "OAUTHBEARER_SCOPE", "OAUTHBEARER_AUDIENCE", "OAUTHBEARER_LOGICAL_CLUSTER",
		"OAUTHBEARER_IDENTITY_POOL", "IAM_AUTH", "IAM_OAUTHBEARER_AUTH",
	)}},
	{path: "sourceAccessConfigurations[].uRI", rules: []rule{longest(200), shortest(1), pattern(uriPattern)}},
	{
		path:  "documentDBEventSourceConfig.databaseName",
		rules: []rule{longest(63), shortest(1), patternAs(`[^ /\.$\x22]*`, `[^ /.$"]*`)},
	},
	{path: "documentDBEventSourceConfig.collectionName", rules: []rule{
		longest(57), shortest(1),
		patternAs(`(^(?!(system\x2e)))(^[_a-zA-Z0-9])([^$]*)`, `[_a-zA-Z0-9][^$]*`),
	}},
	{path: "documentDBEventSourceConfig.fullDocument", rules: []rule{oneOf("UpdateLookup", "Default")}},
	{path: "kMSKeyArn", rules: []rule{pattern(anyArnPattern)}},
	{
		path: "metricsConfig.metrics", rules: []rule{longest(3)},
		each: []rule{oneOf("EventCount", "ErrorCount", "KafkaMetrics"), notNull},
	},
	{path: "loggingConfig.systemLogLevel", rules: []rule{oneOf("DEBUG", "INFO", "WARN")}},
	{path: "provisionedPollerConfig.minimumPollers", rules: []rule{lowest(1)}},
	{path: "provisionedPollerConfig.maximumPollers", rules: []rule{highest(10000), lowest(1)}},
	{path: "provisionedPollerConfig.pollerGroupName", rules: []rule{longest(128), pattern(`[a-zA-Z0-9-_]*`)}},
}, kafkaMembers("amazonManagedKafkaEventSourceConfig."), kafkaMembers("selfManagedKafkaEventSourceConfig."))

// kafkaMembers returns the members of a Kafka configuration, below a path.
func kafkaMembers(at string) []member {
	registry := at + "schemaRegistryConfig."
	return []member{
		{path: at + "consumerGroupId", rules: []rule{longest(200), shortest(1), pattern(uriPattern)}},
		{path: at + "consumptionMode", rules: []rule{oneOf("Stream", "Queue")}},
		{path: registry + "schemaRegistryURI", rules: []rule{longest(10000), shortest(1), pattern(uriPattern)}},
		{path: registry + "eventRecordFormat", rules: []rule{oneOf("JSON", "SOURCE")}},
		{path: registry + "accessConfigs[].type", rules: []rule{oneOf("BASIC_AUTH", "CLIENT_CERTIFICATE_TLS_AUTH",
			"SERVER_ROOT_CA_CERTIFICATE", "OAUTHBEARER_AUTH")}},
		{path: registry + "accessConfigs[].uRI", rules: []rule{pattern(profilePattern)}},
		{path: registry + "schemaValidationConfigs[].attribute", rules: []rule{oneOf("KEY", "VALUE")}},
	}
}
