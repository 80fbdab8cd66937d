package eventsourcemapping

import (
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestEveryFieldByHand checks what happens to each field that somebody else changes or that is removed from spec.
func TestEveryFieldByHand(t *testing.T) {
	const (
		stream      = `{"eventSourceArn":"` + testStream + `","startingPosition":"LATEST"}`
		kafka       = `"eventSourceArn":"` + testMSK + `","startingPosition":"LATEST","topics":["orders"]`
		managed     = `"amazonManagedKafkaEventSourceConfig":{`
		own         = `"eventSourceArn":null,"selfManagedEventSource":{"endpoints":{"KAFKA_BOOTSTRAP_SERVERS":["a:9092"]}},"topics":["orders"],"sourceAccessConfigurations":[{"type":"VPC_SUBNET","uri":"subnet:subnet-1"}]`
		selfManaged = `"selfManagedKafkaEventSourceConfig":{`
		pollers     = `"provisionedPollerConfig":{"minimumPollers":1}`
		docDB       = `"eventSourceArn":"` + testDocDB + `","startingPosition":"LATEST","sourceAccessConfigurations":[{"type":"BASIC_AUTH","uri":"` + testSecret + `a"}],"documentDBEventSourceConfig":{"databaseName":"shop"`
		access      = `"sourceAccessConfigurations":[{"type":"SASL_SCRAM_512_AUTH","uri":"` + testSecret
	)
	const fixed = "AWS accepts it only at creation"
	registry := func(uri, format, kind, secret, attribute string) string {
		return `"schemaRegistryConfig":{"schemaRegistryURI":"https://` + uri + `","eventRecordFormat":"` + format + `",` +
			`"accessConfigs":[{"type":"` + kind + `","uri":"` + testSecret + secret + `"}],"schemaValidationConfigs":[{"attribute":"` + attribute + `"}]}}`
	}
	cases := map[string]testenv.FieldCase{
		"functionName": {With: `{"functionName":"g"}`, ByHand: `{"functionName":"f"}`},
		"qualifier":    {Spec: `{"qualifier":"1"}`, ByHand: `{"functionName":"f:2"}`},
		"batchSize":    {Spec: `{"batchSize":5}`, ByHand: `{"batchSize":6}`, Left: true},
		"maximumBatchingWindowInSeconds": {
			Spec:   `{"maximumBatchingWindowInSeconds":5}`,
			ByHand: `{"maximumBatchingWindowInSeconds":6}`,
			Left:   true,
		},
		"filterCriteria.filters.pattern": {
			Spec:   `{"filterCriteria":{"filters":[{"pattern":"{\"a\":[1]}"}]}}`,
			ByHand: `{"filterCriteria":{"filters":[{"pattern":"{\"a\":[2]}"}]}}`,
		},
		"kmsKeyArn": {
			Spec:   `{"kmsKeyArn":"` + testKey + `a"}`,
			ByHand: `{"kmsKeyArn":"` + testKey + `b"}`,
			Left:   true,
		},
		"functionResponseTypes": {
			Spec:   `{"functionResponseTypes":[]}`,
			ByHand: `{"functionResponseTypes":["ReportBatchItemFailures"]}`,
		},
		"bisectBatchOnFunctionError": {
			With:   stream,
			Spec:   `{"bisectBatchOnFunctionError":true}`,
			ByHand: `{"bisectBatchOnFunctionError":false}`,
			Left:   true,
		},
		"maximumRecordAgeInSeconds": {
			With:   stream,
			Spec:   `{"maximumRecordAgeInSeconds":60}`,
			ByHand: `{"maximumRecordAgeInSeconds":61}`,
			Left:   true,
		},
		"maximumRetryAttempts": {
			With:   stream,
			Spec:   `{"maximumRetryAttempts":1}`,
			ByHand: `{"maximumRetryAttempts":2}`,
			Left:   true,
		},
		"destinationConfig.onFailure.destination": {
			With: stream, Spec: `{"destinationConfig":{"onFailure":{"destination":"` + testQueue + `1"}}}`,
			ByHand: `{"destinationConfig":{"onFailure":{"destination":"` + testQueue + `2"}}}`,
		},
		"parallelizationFactor": {
			With:   stream,
			Spec:   `{"parallelizationFactor":2}`,
			ByHand: `{"parallelizationFactor":3}`,
			Left:   true,
		},
		"tumblingWindowInSeconds": {
			With:   stream,
			Spec:   `{"tumblingWindowInSeconds":2}`,
			ByHand: `{"tumblingWindowInSeconds":3}`,
			Left:   true,
		},
		"scalingConfig.maximumConcurrency": {
			Spec:   `{"scalingConfig":{"maximumConcurrency":2}}`,
			ByHand: `{"scalingConfig":{"maximumConcurrency":3}}`,
		},
		"provisionedPollerConfig.minimumPollers": {
			Spec:   `{"provisionedPollerConfig":{"minimumPollers":2}}`,
			ByHand: `{"provisionedPollerConfig":{"minimumPollers":3}}`,
		},
		"provisionedPollerConfig.maximumPollers": {
			Spec:   `{"provisionedPollerConfig":{"maximumPollers":5}}`,
			ByHand: `{"provisionedPollerConfig":{"maximumPollers":6}}`,
		},
		"provisionedPollerConfig.pollerGroupName": {
			With: `{` + kafka + `}`, Spec: `{"provisionedPollerConfig":{"minimumPollers":1,"pollerGroupName":"a"}}`,
			ByHand: `{"provisionedPollerConfig":{"minimumPollers":1,"pollerGroupName":"b"}}`,
		},
		"metricsConfig.metrics": {
			With:   `{` + kafka + `}`,
			Spec:   `{"metricsConfig":{"metrics":["EventCount"]}}`,
			ByHand: `{"metricsConfig":{"metrics":["ErrorCount"]}}`,
		},
		"loggingConfig.systemLogLevel": {
			With:   `{` + kafka + `,` + pollers + `}`,
			Spec:   `{"loggingConfig":{"systemLogLevel":"WARN"}}`,
			ByHand: `{"loggingConfig":{"systemLogLevel":"DEBUG"}}`,
		},
		"sourceAccessConfigurations.type": {
			With:   `{` + kafka + `}`,
			Spec:   `{` + access + `a"}]}`,
			ByHand: `{"sourceAccessConfigurations":[{"type":"CLIENT_CERTIFICATE_TLS_AUTH","uri":"` + testSecret + `a"}]}`,
		},
		"sourceAccessConfigurations.uri": {
			With:   `{` + kafka + `}`,
			Spec:   `{` + access + `a"}]}`,
			ByHand: `{` + access + `b"}]}`,
		},
		"documentDBEventSourceConfig.fullDocument": {
			With: `{` + docDB + `}}`, Spec: `{"documentDBEventSourceConfig":{"fullDocument":"Default"}}`,
			ByHand: `{"documentDBEventSourceConfig":{"fullDocument":"UpdateLookup"}}`, Left: true,
		},
		"tags": {Spec: `{"tags":{"a":"1"}}`, ByHand: `{"tags":{"a":"2"}}`},
	}
	for block, source := range map[string]string{managed: kafka, selfManaged: own} {
		spec := registry("a", "JSON", "BASIC_AUTH", "a", "KEY")
		for field, other := range map[string]string{
			"schemaRegistryURI":                 registry("b", "JSON", "BASIC_AUTH", "a", "KEY"),
			"eventRecordFormat":                 registry("a", "SOURCE", "BASIC_AUTH", "a", "KEY"),
			"accessConfigs.type":                registry("a", "JSON", "SERVER_ROOT_CA_CERTIFICATE", "a", "KEY"),
			"accessConfigs.uri":                 registry("a", "JSON", "BASIC_AUTH", "b", "KEY"),
			"schemaValidationConfigs.attribute": registry("a", "JSON", "BASIC_AUTH", "a", "VALUE"),
		} {
			cases[block[1:len(block)-3]+".schemaRegistryConfig."+field] = testenv.FieldCase{
				With:   `{` + source + `,` + pollers + `}`,
				Spec:   `{` + block + spec + `}`,
				ByHand: `{` + block + other + `}`,
			}
		}
	}
	for path, c := range cases {
		if c.By = []string{opUpdate}; path == "tags" {
			c.By = []string{tagging.OpTag, tagging.OpUntag}
		}
		cases[path] = c
	}
	var e *env
	testenv.FieldTest[*v1beta1.EventSourceMapping, v1beta1.EventSourceMappingParameters]{
		New: func(t testing.TB) (*testenv.Env[*v1beta1.EventSourceMapping], *v1beta1.EventSourceMapping) {
			t.Helper()
			e = newEnv(t)
			return e.Env, testMapping()
		},
		Spec: func(m *v1beta1.EventSourceMapping) *v1beta1.EventSourceMappingParameters { return &m.Spec.ForProvider },
		ByHand: func(_ *testenv.Env[*v1beta1.EventSourceMapping], c testenv.FieldCase) {
			m := e.only()
			call := testenv.Calling(e.Lambda.UpdateEventSourceMapping, `{"UUID":"`+ptr.Deref(m.UUID, "")+`"}`)
			if c.By[0] == tagging.OpTag {
				call = testenv.Calling(
					e.Lambda.TagResource,
					`{"Resource":"`+ptr.Deref(m.EventSourceMappingArn, "")+`"}`,
				)
			}
			e.Must(call(e.Context(), c.ByHand))
			e.Advance(2 * time.Second)
		},
		Cases: cases,
		Without: map[string]string{
			"region":                    fixed,
			"enabled":                   "a mapping that is disabled is not Ready, see TestDriftIsCorrected",
			"eventSourceArn":            fixed,
			"selfManagedEventSource":    fixed,
			"startingPosition":          fixed,
			"startingPositionTimestamp": fixed,
			"topics":                    fixed,
			"queues":                    fixed,
			"amazonManagedKafkaEventSourceConfig.consumerGroupId": fixed,
			"selfManagedKafkaEventSourceConfig.consumerGroupId":   fixed,
			"selfManagedKafkaEventSourceConfig.consumptionMode":   fixed,
			"documentDBEventSourceConfig.databaseName":            "AWS rejects its change",
			"documentDBEventSourceConfig.collectionName":          "AWS rejects its change",
		},
	}.Run(t)
}
