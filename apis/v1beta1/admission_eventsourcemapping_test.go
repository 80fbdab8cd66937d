package v1beta1

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The manifests that cases start from: the minimum that a mapping of each source needs.
const (
	mappingOf = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {name: orders, namespace: default}
spec:
  forProvider:
    region: eu-central-1
    functionName: orders
`
	queueMapping = mappingOf + `
    eventSourceArn: arn:aws:sqs:eu-central-1:123456789012:orders
`
	fifoMapping = mappingOf + `
    eventSourceArn: arn:aws:sqs:eu-central-1:123456789012:orders.fifo
`
	kinesisMapping = mappingOf + `
    eventSourceArn: arn:aws:kinesis:eu-central-1:123456789012:stream/orders
    startingPosition: LATEST
`
	dynamoMapping = mappingOf + `
    eventSourceArn: arn:aws:dynamodb:eu-central-1:123456789012:table/orders/stream/2026-01-02T03:04:05.678
    startingPosition: TRIM_HORIZON
`
	mskMapping = mappingOf + `
    eventSourceArn: arn:aws:kafka:eu-central-1:123456789012:cluster/orders/01234567-89ab-cdef-0123-456789abcdef-1
    startingPosition: LATEST
    topics: [orders]
`
	kafkaMapping = mappingOf + `
    selfManagedEventSource: {endpoints: {KAFKA_BOOTSTRAP_SERVERS: ["kafka1.example.com:9092", "kafka2.example.com:9092"]}}
    topics: [orders]
    sourceAccessConfigurations: [{type: SASL_SCRAM_256_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:kafka"}]
`
	mqMapping = mappingOf + `
    eventSourceArn: arn:aws:mq:eu-central-1:123456789012:broker:orders:b-01234567-89ab-cdef-0123-456789abcdef
    queues: [orders]
    sourceAccessConfigurations: [{type: BASIC_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:mq"}, {type: VIRTUAL_HOST, uri: "/"}]
`
	docDBMapping = mappingOf + `
    eventSourceArn: arn:aws:rds:eu-central-1:123456789012:cluster:orders
    startingPosition: LATEST
    documentDBEventSourceConfig: {databaseName: shop}
    sourceAccessConfigurations: [{type: BASIC_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:docdb"}]
`
	observedMapping = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {name: orders, namespace: default}
spec:
  managementPolicies: [Observe]
  forProvider: {region: eu-central-1}
`

	saslSecret  = `{type: SASL_SCRAM_512_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:s"}`
	someField   = `{apiVersion: sqs.aws.m.upbound.io/v1beta1, kind: Queue, name: q, fieldPath: status.atProvider.arn}`
	inForProv   = "spec.forProvider."
	forbidden   = ": Forbidden: "
	required    = ": Required value: "
	glueSchemas = `schemaRegistryConfig: {schemaRegistryURI: "arn:aws:glue:eu-central-1:123456789012:registry/r", eventRecordFormat: JSON, schemaValidationConfigs: [{attribute: VALUE}]}`
)

// TestMappingsAreAccepted checks the settings that AWS accepts with each source.
func TestMappingsAreAccepted(t *testing.T) {
	cases := map[string]struct{ base, change string }{
		"Queue": {base: queueMapping},
		"QueueFull": {
			base: queueMapping,
			change: forProvider(
				`batchSize: 10000, maximumBatchingWindowInSeconds: 1, scalingConfig: {maximumConcurrency: 2}, functionResponseTypes: [ReportBatchItemFailures], enabled: false, qualifier: live, kmsKeyArn: "", metricsConfig: {metrics: [EventCount]}, filterCriteria: {filters: [{pattern: '{"body": {"kind": ["order"]}}'}]}, tags: {team: a}`,
			),
		},
		"QueueProvisioned": {
			base:   queueMapping,
			change: forProvider(`provisionedPollerConfig: {minimumPollers: 2, maximumPollers: 10000}`),
		},
		"FIFO": {base: fifoMapping, change: forProvider(`batchSize: 10`)},
		"FromElsewhere": {
			base: mappingOf,
			change: forProvider(
				`functionName: null, functionNameRef: {name: f}, qualifierRef: {name: live}, eventSourceArnFrom: ` + someField,
			),
		},
		"ByArn": {
			base:   queueMapping,
			change: forProvider(`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:orders:live"`),
		},
		"ByPartialArn": {
			base:   queueMapping,
			change: forProvider(`functionName: "123456789012:function:orders", qualifier: live`),
		},
		"ByPublishedArn": {
			base: queueMapping,
			change: forProvider(
				`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:orders:$LATEST.PUBLISHED"`,
			),
		},
		"Kinesis": {
			base: kinesisMapping,
			change: forProvider(
				`startingPosition: AT_TIMESTAMP, startingPositionTimestamp: "2026-01-02T03:04:05Z", parallelizationFactor: 10, tumblingWindowInSeconds: 900,
			bisectBatchOnFunctionError: true, maximumRecordAgeInSeconds: 60, maximumRetryAttempts: -1, destinationConfig: {onFailure: {destinationFrom: ` + someField + `}}`,
			),
		},
		"DynamoDB": {
			base: dynamoMapping,
			change: forProvider(
				`maximumRecordAgeInSeconds: -1, destinationConfig: {onFailure: {destination: "arn:aws:sns:eu-central-1:123456789012:failed"}}`,
			),
		},
		"MSK": {
			base: mskMapping,
			change: forProvider(
				`amazonManagedKafkaEventSourceConfig: {consumerGroupId: g, ` + glueSchemas + `}, provisionedPollerConfig: {minimumPollers: 1, pollerGroupName: g},
			loggingConfig: {systemLogLevel: DEBUG}, metricsConfig: {metrics: [ErrorCount, KafkaMetrics]}, sourceAccessConfigurations: [` + saslSecret + `], destinationConfig: {onFailure: {destination: "kafka://failed"}}`,
			),
		},
		"Kafka": {
			base:   kafkaMapping,
			change: forProvider(`startingPosition: TRIM_HORIZON, maximumBatchingWindowInSeconds: 5`),
		},
		"KafkaQueue": {
			base:   kafkaMapping,
			change: forProvider(`selfManagedKafkaEventSourceConfig: {consumptionMode: Queue}`),
		},
		"KafkaIAM": {
			base: kafkaMapping,
			change: forProvider(
				`sourceAccessConfigurations: [{type: IAM_OAUTHBEARER_AUTH}, {type: OAUTHBEARER_AUDIENCE, uri: a}, {type: VPC_SUBNET, uriFrom: ` + someField + `}]`,
			),
		},
		"MQ": {base: mqMapping},
		"DocumentDB": {
			base:   docDBMapping,
			change: forProvider(`documentDBEventSourceConfig: {collectionName: orders, fullDocument: UpdateLookup}`),
		},
		"Observed": {base: observedMapping},
		"InitialWindow": {
			base:   queueMapping,
			change: `spec: {forProvider: {batchSize: 100}, initProvider: {maximumBatchingWindowInSeconds: 5}}`,
		},
		"InitialPollers": {
			base: mskMapping,
			change: `spec: {forProvider: {loggingConfig: {systemLogLevel: DEBUG}, amazonManagedKafkaEventSourceConfig: {` + glueSchemas + `}},
				initProvider: {provisionedPollerConfig: {minimumPollers: 1}}}`,
		},
		"InitialMinimum": {
			base:   mskMapping,
			change: `spec: {forProvider: {provisionedPollerConfig: {pollerGroupName: g}}, initProvider: {provisionedPollerConfig: {minimumPollers: 1}}}`,
		},
		"InitProvider": {
			base:   queueMapping,
			change: `spec: {initProvider: {enabled: false, scalingConfig: {maximumConcurrency: 5}}}`,
		},
	}
	c := strictClient(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := complaints(c.Create(t.Context(), manifest(t, tc.base, tc.change), client.DryRunAll)); got != "" {
				t.Errorf("Create():\n%s", got)
			}
		})
	}
}

// TestMappingsOfQueuesAreRefused checks that settings that a source does not support are rejected, each with a hint
// what to do instead.
func TestMappingsOfQueuesAreRefused(t *testing.T) {
	only := func(field, sources string) refusal {
		return refusal{
			reason: "AWS takes it of other sources.",
			want:   inForProv + field + forbidden + field + " is for " + sources + " only: remove it",
		}
	}
	cases := map[string]refusal{}
	for field, tc := range map[string]struct{ value, sources string }{
		"destinationConfig":                   {`{onFailure: {destination: "arn:aws:sqs:eu-central-1:123456789012:failed"}}`, "Kinesis, DynamoDB and Kafka"},
		"bisectBatchOnFunctionError":          {`true`, "Kinesis, DynamoDB and Kafka"},
		"maximumRecordAgeInSeconds":           {`-1`, "Kinesis, DynamoDB and Kafka"},
		"maximumRetryAttempts":                {`3`, "Kinesis, DynamoDB and Kafka"},
		"parallelizationFactor":               {`2`, "Kinesis and DynamoDB"},
		"tumblingWindowInSeconds":             {`30`, "Kinesis and DynamoDB"},
		"topics":                              {`[orders]`, "Kafka"},
		"queues":                              {`[orders]`, "Amazon MQ"},
		"sourceAccessConfigurations":          {`[` + saslSecret + `]`, "Kafka, Amazon MQ and DocumentDB"},
		"amazonManagedKafkaEventSourceConfig": {`{consumerGroupId: g}`, "Amazon MSK"},
		"selfManagedKafkaEventSourceConfig":   {`{consumerGroupId: g}`, "self-managed Kafka"},
		"documentDBEventSourceConfig":         {`{databaseName: shop}`, "DocumentDB"},
		"startingPosition":                    {`LATEST`, "Kinesis, DynamoDB, Kafka and DocumentDB"},
	} {
		r := only(field, tc.sources)
		r.change = forProvider(field + ": " + tc.value)
		cases[field] = r
		if _, found := reflect.TypeFor[EventSourceMappingSettings]().FieldByNameFunc(func(name string) bool {
			return strings.EqualFold(name, field)
		}); found {
			r.change = "spec: {initProvider: {" + field + ": " + tc.value + "}}"
			cases[field+"AtCreation"] = r
		}
	}
	cases["BigBatches"] = refusal{
		reason: "More than 10 records need time.",
		change: forProvider(`batchSize: 11`),
		want:   inForProv + "batchSize: Invalid value: a batchSize above 10 for a queue needs a batching window: set maximumBatchingWindowInSeconds to 1 or more",
	}
	cases["BigBatchesAtOnce"] = refusal{
		reason: "0 is no time.",
		change: forProvider(`batchSize: 11, maximumBatchingWindowInSeconds: 0`),
		want:   inForProv + "batchSize: Invalid value: a batchSize above 10 for a queue needs a batching window: set maximumBatchingWindowInSeconds to 1 or more",
	}
	cases["ScaledTwice"] = refusal{
		reason: "There are two ways to scale.",
		change: forProvider(`scalingConfig: {maximumConcurrency: 5}, provisionedPollerConfig: {minimumPollers: 2}`),
		want:   inForProv + "scalingConfig" + forbidden + "scalingConfig and provisionedPollerConfig can't be used together: remove one of them",
	}
	cases["ScaledTwiceAtCreation"] = refusal{
		reason: "Both reach AWS.",
		change: `spec: {forProvider: {scalingConfig: {maximumConcurrency: 5}}, initProvider: {provisionedPollerConfig: {minimumPollers: 2}}}`,
		want:   cases["ScaledTwice"].want,
	}
	cases["OnePoller"] = refusal{
		reason: "Queues have two at least.",
		change: forProvider(`provisionedPollerConfig: {minimumPollers: 1}`),
		want:   inForProv + "provisionedPollerConfig: Invalid value: a queue needs at least 2 pollers and no pollerGroupName: set 2 or more, and remove pollerGroupName",
	}
	cases["ManyPollers"] = refusal{
		reason: "At most 200 pollers stay when there is nothing to read.",
		change: forProvider(`provisionedPollerConfig: {minimumPollers: 201}`),
		want:   inForProv + "provisionedPollerConfig.minimumPollers: Invalid value: 201: spec.forProvider.provisionedPollerConfig.minimumPollers in body should be less than or equal to 200",
	}
	cases["NoPollers"] = refusal{
		reason: "Provisioned mode says how many.",
		change: forProvider(`provisionedPollerConfig: {}`),
		want:   inForProv + "provisionedPollerConfig: Invalid value: set minimumPollers, maximumPollers or both, or remove provisionedPollerConfig for on-demand mode",
	}
	cases["PollersCrossed"] = refusal{
		reason: "The least is not the most.",
		change: forProvider(`provisionedPollerConfig: {minimumPollers: 9, maximumPollers: 3}`),
		want:   inForProv + "provisionedPollerConfig: Invalid value: minimumPollers must not be greater than maximumPollers: lower minimumPollers, or raise maximumPollers",
	}
	cases["KafkaMetrics"] = refusal{
		reason: "Queues have no errors of their own.",
		change: forProvider(`metricsConfig: {metrics: [EventCount, ErrorCount]}`),
		want:   inForProv + "metricsConfig: Invalid value: ErrorCount and KafkaMetrics are for Kafka only: remove them",
	}
	cases["Pattern"] = refusal{
		reason: "A filter is JSON.",
		change: forProvider(`filterCriteria: {filters: [{pattern: order}]}`),
		want:   inForProv + `filterCriteria.filters[0].pattern: Invalid value: "order": pattern is not a JSON object: use the form {"body": {"kind": ["order"]}}`,
	}
	cases["NoFilters"] = refusal{
		reason: "No filters are no filterCriteria.",
		change: forProvider(`filterCriteria: {filters: []}`),
		want:   inForProv + "filterCriteria.filters: Invalid value: 0: spec.forProvider.filterCriteria.filters in body should have at least 1 items",
	}
	cases["QualifiedTwice"] = refusal{
		reason: "A function has one qualifier.",
		change: forProvider(
			`functionName: "arn:aws:lambda:eu-central-1:123456789012:function:orders:live", qualifier: live`,
		),
		want: inForProv + "qualifier" + forbidden + "functionName already has a qualifier: remove qualifier, or remove it from functionName",
	}
	cases["FunctionURL"] = refusal{
		reason: "A function has a name or an ARN.",
		change: forProvider(`functionName: "https://orders"`),
		want:   inForProv + "functionName: Invalid value: \"https://orders\": functionName is not the name or ARN of a function: use the form my-function or arn:aws:lambda:region:123456789012:function:my-function, and set a version or alias in qualifier",
	}
	cases["Key"] = refusal{
		reason: "A key has an ARN.",
		change: forProvider(`kmsKeyArn: alias/k`),
		want:   inForProv + "kmsKeyArn: Invalid value: \"alias/k\": kmsKeyArn is not a KMS key ARN: use the form arn:aws:kms:region:123456789012:key/id, or an empty string for none",
	}
	cases["KeyTwice"] = refusal{
		reason: "A key has one ARN.",
		change: forProvider(`kmsKeyArn: "", kmsKeyArnFrom: ` + someField),
		want:   inForProv + "kmsKeyArnFrom" + forbidden + "kmsKeyArn is also set: set only one of kmsKeyArn and kmsKeyArnFrom",
	}
	cases["OwnTags"] = refusal{
		reason: "The provider's tags say whose it is.",
		change: forProvider(`tags: {crossplane-uid: x}`),
		want:   inForProv + "tags: Invalid value: tag keys that start with crossplane- are reserved by the provider: remove them",
	}
	testRefusals(t, queueMapping, cases)
}

func TestMappingsOfOtherSourcesAreRefused(t *testing.T) {
	cases := map[string]struct {
		base string
		refusal
	}{
		"NoFunction": {
			mappingOf,
			refusal{
				change: forProvider(`functionName: null, eventSourceArnFrom: ` + someField),
				want:   inForProv + "functionName" + required + "set functionName to the function's name or ARN, or set functionNameRef or functionNameSelector to a Function",
			},
		},
		"NoSource": {
			mappingOf,
			refusal{
				change: "{}",
				want:   inForProv + "eventSourceArn" + required + "set eventSourceArn to the ARN of the queue, stream, cluster or broker to read from, or set eventSourceArnFrom or selfManagedEventSource",
			},
		},
		"TwoSources": {
			queueMapping,
			refusal{
				change: forProvider(`eventSourceArnFrom: ` + someField),
				want:   inForProv + "eventSourceArnFrom" + forbidden + "eventSourceArn is also set: set only one of eventSourceArn and eventSourceArnFrom",
			},
		},
		"TwoKinds": {
			kafkaMapping,
			refusal{
				change: forProvider(`eventSourceArnFrom: ` + someField),
				want:   inForProv + "selfManagedEventSource" + forbidden + "selfManagedEventSource can't be used with eventSourceArn or eventSourceArnFrom, since a self-managed Kafka cluster has no ARN: remove one of them",
			},
		},
		"Bucket": {
			mappingOf,
			refusal{
				change: forProvider(`eventSourceArn: "arn:aws:s3:::orders"`),
				want:   inForProv + "eventSourceArn: Invalid value: \"arn:aws:s3:::orders\": eventSourceArn is not the ARN of an event source: use one of SQS, Kinesis, DynamoDB Streams, Amazon MSK, Amazon MQ or DocumentDB, such as arn:aws:sqs:region:123456789012:my-queue",
			},
		},
		"Table": {
			mappingOf,
			refusal{
				change: forProvider(
					`startingPosition: LATEST, eventSourceArn: "arn:aws:dynamodb:eu-central-1:123456789012:table/orders"`,
				),
				want: inForProv + "eventSourceArn: Invalid value: \"arn:aws:dynamodb:eu-central-1:123456789012:table/orders\": eventSourceArn is the ARN of a DynamoDB table: use the ARN of its stream, such as arn:aws:dynamodb:region:123456789012:table/my-table/stream/2026-01-02T03:04:05.678",
			},
		},
		"FIFOBatch": {
			fifoMapping,
			refusal{
				change: forProvider(`batchSize: 11, maximumBatchingWindowInSeconds: 0`),
				want:   inForProv + "batchSize: Invalid value: a batchSize above 10 for a queue needs a batching window: set maximumBatchingWindowInSeconds to 1 or more\n" + inForProv + "batchSize: Invalid value: a batchSize for a FIFO queue must be at most 10: set 10 or less",
			},
		},
		"FIFOWindow": {
			fifoMapping,
			refusal{
				change: forProvider(`maximumBatchingWindowInSeconds: 1`),
				want:   inForProv + "maximumBatchingWindowInSeconds" + forbidden + "a FIFO queue can't have a batching window: remove maximumBatchingWindowInSeconds",
			},
		},
		"NoStart": {
			kinesisMapping,
			refusal{
				change: forProvider(`startingPosition: null`),
				want:   inForProv + "startingPosition" + required + "a stream needs a starting position: set startingPosition to TRIM_HORIZON or LATEST (or to AT_TIMESTAMP, except with DynamoDB)",
			},
		},
		"NoTime": {
			kinesisMapping,
			refusal{
				change: forProvider(`startingPosition: AT_TIMESTAMP`),
				want:   inForProv + "startingPositionTimestamp: Invalid value: startingPosition AT_TIMESTAMP and startingPositionTimestamp must be set together: set both, or neither",
			},
		},
		"Time": {
			kinesisMapping,
			refusal{
				change: forProvider(`startingPositionTimestamp: "2026-01-02T03:04:05Z"`),
				want:   inForProv + "startingPositionTimestamp: Invalid value: startingPosition AT_TIMESTAMP and startingPositionTimestamp must be set together: set both, or neither",
			},
		},
		"TimeOfTable": {
			dynamoMapping,
			refusal{
				change: forProvider(
					`startingPosition: AT_TIMESTAMP, startingPositionTimestamp: "2026-01-02T03:04:05Z"`,
				),
				want: inForProv + "startingPosition: Invalid value: a DynamoDB stream can't be read from a point in time: use TRIM_HORIZON or LATEST",
			},
		},
		"Scaling": {
			kinesisMapping,
			refusal{
				change: forProvider(`scalingConfig: {maximumConcurrency: 2}`),
				want:   inForProv + "scalingConfig" + forbidden + "scalingConfig is for SQS only: remove it",
			},
		},
		"Pollers": {
			kinesisMapping,
			refusal{
				change: forProvider(`provisionedPollerConfig: {minimumPollers: 2}`),
				want:   inForProv + "provisionedPollerConfig" + forbidden + "provisionedPollerConfig is for SQS and Kafka only: remove it",
			},
		},
		"Age": {
			kinesisMapping,
			refusal{
				change: forProvider(`maximumRecordAgeInSeconds: 59`),
				want:   inForProv + "maximumRecordAgeInSeconds: Invalid value: 59: maximumRecordAgeInSeconds must be at least 60, or -1 for no limit",
			},
		},
		"Destination": {
			kinesisMapping,
			refusal{
				change: forProvider(`destinationConfig: {onFailure: {destination: failed}}`),
				want:   inForProv + "destinationConfig.onFailure.destination: Invalid value: \"failed\": destination can't receive failed records: use the ARN of an SQS queue, SNS topic or S3 bucket, or kafka://my-topic",
			},
		},
		"ScalingAtCreation": {
			kinesisMapping,
			refusal{
				change: `spec: {initProvider: {scalingConfig: {maximumConcurrency: 2}}}`,
				want:   inForProv + "scalingConfig" + forbidden + "scalingConfig is for SQS only: remove it",
			},
		},
		"NoDestination": {
			kinesisMapping,
			refusal{
				change: forProvider(`destinationConfig: {onFailure: {}}`),
				want:   inForProv + "destinationConfig.onFailure: Invalid value: set exactly one of destination and destinationFrom",
			},
		},
		"NoTopic": {
			mskMapping,
			refusal{
				change: forProvider(`topics: null`),
				want:   inForProv + "topics" + required + "set topics to exactly one topic",
			},
		},
		"TwoTopics": {
			mskMapping,
			refusal{
				change: forProvider(`topics: [orders, returns]`),
				want:   inForProv + "topics: Too many: 2: must have at most 1 item",
			},
		},
		"Registry": {
			mskMapping,
			refusal{
				change: forProvider(`amazonManagedKafkaEventSourceConfig: {` + glueSchemas + `}`),
				want:   inForProv + "amazonManagedKafkaEventSourceConfig: Invalid value: a schema registry is used only in provisioned mode: set provisionedPollerConfig, or remove schemaRegistryConfig",
			},
		},
		"Logging": {
			mskMapping,
			refusal{
				change: forProvider(`loggingConfig: {systemLogLevel: INFO}`),
				want:   inForProv + "loggingConfig: Invalid value: loggingConfig is used only in provisioned mode: set provisionedPollerConfig, or remove loggingConfig",
			},
		},
		"ManyPollers": {
			mskMapping,
			refusal{
				change: forProvider(`provisionedPollerConfig: {maximumPollers: 2001}`),
				want:   inForProv + "provisionedPollerConfig: Invalid value: a Kafka source can have at most 2000 pollers: set 2000 or fewer",
			},
		},
		"MSKAccess": {
			mskMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [{type: IAM_AUTH}]`),
				want:   inForProv + "sourceAccessConfigurations: Invalid value: Amazon MSK accepts SASL_SCRAM_512_AUTH and CLIENT_CERTIFICATE_TLS_AUTH only: remove the others",
			},
		},
		"Servers": {
			kafkaMapping,
			refusal{
				change: forProvider(`selfManagedEventSource: {endpoints: {KAFKA_BOOTSTRAP_SERVERS: [kafka1]}}`),
				want:   inForProv + "selfManagedEventSource.endpoints: Invalid value: a server must have the form host:port, with at most 300 characters",
			},
		},
		"OtherServers": {
			kafkaMapping,
			refusal{
				change: forProvider(
					`selfManagedEventSource: {endpoints: {KAFKA_BOOTSTRAP_SERVERS: null, SERVERS: ["kafka1:9092"]}}`,
				),
				want: inForProv + "selfManagedEventSource.endpoints: Invalid value: set KAFKA_BOOTSTRAP_SERVERS to a list of 1 to 10 servers, and set no other key",
			},
		},
		"NoAccess": {
			kafkaMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: null`),
				want:   inForProv + "sourceAccessConfigurations" + required + "set sourceAccessConfigurations to the cluster's secret, or to its subnets and security group",
			},
		},
		"QueueMode": {
			kafkaMapping,
			refusal{
				change: forProvider(
					`startingPosition: LATEST, selfManagedKafkaEventSourceConfig: {consumptionMode: Queue}`,
				),
				want: inForProv + "selfManagedKafkaEventSourceConfig: Invalid value: startingPosition and maximumBatchingWindowInSeconds can't be used with consumptionMode Queue: remove them",
			},
		},
		"IAMSecret": {
			kafkaMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [{type: IAM_AUTH, uri: x}]`),
				want:   inForProv + "sourceAccessConfigurations[0]: Invalid value: set uri or uriFrom; with IAM_AUTH and IAM_OAUTHBEARER_AUTH, which use no secret, set neither",
			},
		},
		"Scope": {
			kafkaMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [{type: OAUTHBEARER_SCOPE, uri: x}]`),
				want:   inForProv + "sourceAccessConfigurations: Invalid value: OAUTHBEARER_SCOPE, OAUTHBEARER_LOGICAL_CLUSTER and OAUTHBEARER_IDENTITY_POOL need OAUTHBEARER_AUTH: add it",
			},
		},
		"KafkaHost": {
			kafkaMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [{type: VIRTUAL_HOST, uri: "/"}]`),
				want:   inForProv + "sourceAccessConfigurations: Invalid value: VIRTUAL_HOST is for RabbitMQ only: remove it",
			},
		},
		"NoQueue": {
			mqMapping,
			refusal{
				change: forProvider(`queues: null`),
				want:   inForProv + "queues" + required + "set queues to exactly one queue of the broker",
			},
		},
		"MQAccess": {
			mqMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [` + saslSecret + `]`),
				want:   inForProv + "sourceAccessConfigurations: Invalid value: Amazon MQ accepts BASIC_AUTH and VIRTUAL_HOST only: remove the others",
			},
		},
		"NoDatabase": {
			docDBMapping,
			refusal{
				change: forProvider(`documentDBEventSourceConfig: null`),
				want:   inForProv + "documentDBEventSourceConfig" + required + "set documentDBEventSourceConfig with the databaseName to read",
			},
		},
		"System": {
			docDBMapping,
			refusal{
				change: forProvider(`documentDBEventSourceConfig: {collectionName: system.users}`),
				want:   inForProv + "documentDBEventSourceConfig.collectionName: Invalid value: \"system.users\": collectionName is not a collection name: start it with a letter, digit or underscore, but not with system., and use no $",
			},
		},
		"DocDBAccess": {
			docDBMapping,
			refusal{
				change: forProvider(`sourceAccessConfigurations: [` + saslSecret + `]`),
				want:   inForProv + "sourceAccessConfigurations: Invalid value: DocumentDB accepts BASIC_AUTH only: remove the others",
			},
		},
	}
	for name, tc := range cases {
		tc.reason = "AWS refuses it."
		t.Run(name, func(t *testing.T) { testRefusals(t, tc.base, map[string]refusal{"": tc.refusal}) })
	}
}

func TestUpdateOfMappings(t *testing.T) {
	changed := func(field string) string {
		return inForProv + field + forbidden + field + " can't be changed after creation: create a new EventSourceMapping"
	}
	cases := map[string]struct {
		reason, base, then, want string
		absent                   bool
	}{
		"Source": {
			"Another queue is another mapping.",
			queueMapping,
			forProvider(`eventSourceArn: "arn:aws:sqs:eu-central-1:123456789012:returns"`),
			changed("eventSourceArn"),
			false,
		},
		"SourceFrom": {
			"The same ARN may come from elsewhere.",
			queueMapping,
			forProvider(`eventSourceArn: null, eventSourceArnFrom: ` + someField),
			"",
			false,
		},
		"Servers": {
			"Other servers are another mapping.",
			kafkaMapping,
			forProvider(`selfManagedEventSource: {endpoints: {KAFKA_BOOTSTRAP_SERVERS: ["kafka3.example.com:9092"]}}`),
			changed("selfManagedEventSource"),
			false,
		},
		"Start": {
			"What was read is read.",
			kinesisMapping,
			forProvider(`startingPosition: TRIM_HORIZON`),
			changed("startingPosition") + ", which reads the source from its own starting position",
			false,
		},
		"StartAdded": {
			"AWS has chosen.",
			kafkaMapping,
			forProvider(`startingPosition: LATEST`),
			changed("startingPosition") + ", which reads the source from its own starting position",
			false,
		},
		"Topic": {
			"Another topic is another mapping.",
			mskMapping,
			forProvider(`topics: [returns]`),
			changed("topics"),
			false,
		},
		"Queue": {
			"Another queue is another mapping.",
			mqMapping,
			forProvider(`queues: [returns]`),
			changed("queues"),
			false,
		},
		"Host": {
			"Another virtual host is another mapping.",
			mqMapping,
			forProvider(
				`sourceAccessConfigurations: [{type: BASIC_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:mq"}, {type: VIRTUAL_HOST, uri: /other}]`,
			),
			inForProv + "sourceAccessConfigurations" + forbidden + "VIRTUAL_HOST can't be changed after creation: create a new EventSourceMapping",
			false,
		},
		"Secret": {
			"A secret may be another.",
			mqMapping,
			forProvider(
				`sourceAccessConfigurations: [{type: BASIC_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:new"}, {type: VIRTUAL_HOST, uri: "/"}]`,
			),
			"",
			false,
		},
		"HostMoved": {
			"Who sets a setting may change.",
			mqMapping,
			`spec: {forProvider: {sourceAccessConfigurations: null}, initProvider: {sourceAccessConfigurations: [{type: BASIC_AUTH, uri: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:mq"}, {type: VIRTUAL_HOST, uri: "/"}]}}`,
			"",
			false,
		},
		"Group": {
			"A group may be named later; AWS tells which it is.",
			mskMapping,
			forProvider(`amazonManagedKafkaEventSourceConfig: {consumerGroupId: h}`),
			"",
			false,
		},
		"Region": {
			"It does not move.",
			queueMapping,
			forProvider(`region: eu-west-1`),
			inForProv + "region" + forbidden + "region can't be changed: create another resource in the other region",
			false,
		},
		"Function": {
			"The function may be another.",
			queueMapping,
			forProvider(`functionName: returns, qualifier: "3"`),
			"",
			false,
		},
		"FunctionRef": {
			"The function may be a reference.",
			queueMapping,
			forProvider(`functionName: null, functionNameRef: {name: f}`),
			"",
			false,
		},
		"TakenOver": {
			"An observed mapping may turn out to be of any source.",
			observedMapping,
			`spec: {managementPolicies: ["*"], forProvider: {functionName: f, eventSourceArn: "arn:aws:kinesis:eu-central-1:123456789012:stream/s", startingPosition: LATEST}}`,
			"",
			false,
		},
		"LetGo": {
			"Who only observes need not say anything.",
			kinesisMapping,
			`spec: {managementPolicies: [Observe], forProvider: {functionName: null, eventSourceArn: null, startingPosition: null}}`,
			"",
			false,
		},
		"StartLater": {
			"A creation that AWS refused for want of a starting position can be corrected.",
			mappingOf + "    eventSourceArnFrom: " + someField,
			forProvider(`startingPosition: LATEST, topics: [orders]`),
			"",
			true,
		},
		"OtherTopic": {
			"A creation that AWS refused can be corrected.",
			mskMapping,
			forProvider(
				`topics: [returns], startingPosition: TRIM_HORIZON, eventSourceArn: "arn:aws:kafka:eu-central-1:123456789012:cluster/returns/01234567-89ab-cdef-0123-456789abcdef-1"`,
			),
			"",
			true,
		},
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := manifest(t, tc.base, "{}")
			create(t, c, ns, m)
			if !tc.absent {
				writeStatus(
					t,
					m,
					EventSourceMappingStatus{
						AtProvider: EventSourceMappingObservation{UUID: ptr.To("01234567-89ab-cdef-0123-456789abcdef")},
					},
				)
			}
			if diff := cmp.Diff(tc.want, complaintsOfUpdate(t, c, m, tc.then)); diff != "" {
				t.Errorf("\n%s\nPatch(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestConsumersStay checks that a named consumer group and its mode cannot be changed once the mapping exists.
func TestConsumersStay(t *testing.T) {
	const created = `status: {atProvider: {uuid: 01234567-89ab-cdef-0123-456789abcdef}}, `
	msk := func(fields string) string {
		return `spec: {forProvider: {amazonManagedKafkaEventSourceConfig: {` + fields + `}}}`
	}
	own := func(fields string) string {
		return `spec: {forProvider: {selfManagedKafkaEventSourceConfig: {` + fields + `}}}`
	}
	testUpdates(t, mskMapping, map[string]update{
		"Group": {
			"Its position is that of its group.",
			`{` + created + msk(`consumerGroupId: g`) + `}`,
			msk(`consumerGroupId: h`),
			inForProv + "amazonManagedKafkaEventSourceConfig.consumerGroupId" + forbidden + "consumerGroupId can't be changed after creation: create a new EventSourceMapping",
		},
		"GroupUncreated": {
			"A creation that AWS refused can be corrected.",
			msk(`consumerGroupId: g`),
			msk(`consumerGroupId: h`),
			"",
		},
	})
	testUpdates(t, kafkaMapping, map[string]update{
		"OwnGroup": {
			"Its position is that of its group.",
			`{` + created + own(`consumerGroupId: g`) + `}`,
			own(`consumerGroupId: h`),
			inForProv + "selfManagedKafkaEventSourceConfig.consumerGroupId" + forbidden + "consumerGroupId can't be changed after creation: create a new EventSourceMapping",
		},
		"Mode": {
			"AWS takes it at creation only.",
			`{` + created + own(`consumptionMode: Stream`) + `}`,
			own(`consumptionMode: Queue`),
			inForProv + "selfManagedKafkaEventSourceConfig.consumptionMode" + forbidden + "consumptionMode can't be changed after creation: create a new EventSourceMapping",
		},
		"ModeUncreated": {
			"A creation that AWS refused can be corrected.",
			own(`consumptionMode: Stream`),
			own(`consumptionMode: Queue`),
			"",
		},
	})
}

// TestMappingExamplesShowEverything checks that the examples of mappings together show every setting.
func TestMappingExamplesShowEverything(t *testing.T) {
	shown := map[string]bool{}
	for _, file := range exampleFiles(t) {
		for _, o := range example(t, file) {
			if settings, found, _ := unstructured.NestedMap(
				o.Object,
				"spec",
				"forProvider",
			); found &&
				o.GetKind() == EventSourceMappingKind {
				markShown("", settings, shown)
			}
		}
	}
	all := map[string]bool{}
	markLeaves("", forProviderSchema(t, EventSourceMappingKind), all)
	if len(all) < 50 {
		t.Errorf("there are only %d settings", len(all))
	}
	for path := range all {
		if !shown[path] && !strings.Contains(path, "Selector.") {
			t.Errorf("forProvider%s is not shown", path)
		}
	}
}
