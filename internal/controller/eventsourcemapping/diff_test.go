package eventsourcemapping

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	smithydocument "github.com/aws/smithy-go/document"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// stream returns AWS's answer for a mapping of a stream with default settings.
func stream(change ...func(*lambda.GetEventSourceMappingOutput)) observed {
	m := &lambda.GetEventSourceMappingOutput{
		UUID: ptr.To(
			"u",
		),
		BatchSize:                  ptr.To[int32](100),
		BisectBatchOnFunctionError: ptr.To(false),
		DestinationConfig:          &types.DestinationConfig{OnFailure: &types.OnFailure{}},
		EventSourceArn: ptr.To(
			testStream,
		),
		FunctionArn:           ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
		FunctionResponseTypes: []types.FunctionResponseType{},
		MaximumBatchingWindowInSeconds: ptr.To[int32](
			0,
		),
		MaximumRecordAgeInSeconds: ptr.To[int32](-1),
		MaximumRetryAttempts:      ptr.To[int32](-1),
		ParallelizationFactor:     ptr.To[int32](1),
		StartingPosition:          types.EventSourcePositionLatest,
		State:                     ptr.To(stateEnabled),
		StateTransitionReason:     ptr.To("User action"),
		TumblingWindowInSeconds:   ptr.To[int32](0),
	}
	for _, c := range change {
		c(m)
	}
	return observed{mapping: m}
}

// TestCompare checks which changes are due for a spec, and what is sent.
func TestCompare(t *testing.T) {
	params := func(change func(*v1beta1.EventSourceMappingParameters)) v1beta1.EventSourceMappingParameters {
		p := v1beta1.EventSourceMappingParameters{
			Regional:         v1beta1.Regional{Region: testenv.Region},
			FunctionName:     ptr.To("f"),
			EventSourceArn:   ptr.To(testStream),
			StartingPosition: ptr.To("LATEST"),
		}
		if change != nil {
			change(&p)
		}
		return p
	}
	type want struct {
		changes, call, fixed string
		update               *lambda.UpdateEventSourceMappingInput
	}
	update := func(change func(*lambda.UpdateEventSourceMappingInput)) *lambda.UpdateEventSourceMappingInput {
		in := &lambda.UpdateEventSourceMappingInput{UUID: ptr.To("u")}
		change(in)
		return in
	}
	kms := func(m *lambda.GetEventSourceMappingOutput) {
		m.FilterCriteriaError = &types.FilterCriteriaError{ErrorCode: ptr.To("KMSAccessDeniedException")}
	}
	documentDB := observed{mapping: &lambda.GetEventSourceMappingOutput{
		EventSourceArn: ptr.To(
			testDocDB,
		),
		FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
		State:       ptr.To(stateEnabled),
		DocumentDBEventSourceConfig: &types.DocumentDBEventSourceConfig{
			DatabaseName:   ptr.To("shop"),
			CollectionName: ptr.To("orders"),
			FullDocument:   types.FullDocumentDefault,
		},
	}}
	cases := map[string]struct {
		reason string
		p      v1beta1.EventSourceMappingParameters
		o      observed
		stale  bool
		want   want
	}{
		"Nothing": {reason: "What is not set is left to AWS.", p: params(nil), o: stream()},
		"ByArn": {reason: "A function's ARN is its name.", p: params(func(p *v1beta1.EventSourceMappingParameters) {
			p.FunctionName = ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f:$LATEST")
		}), o: stream()},
		"FalseLeftOut": {
			reason: "A flag that an endpoint leaves out of its answer is false.",
			p: params(
				func(p *v1beta1.EventSourceMappingParameters) { p.BisectBatchOnFunctionError = ptr.To(false) },
			),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) { m.BisectBatchOnFunctionError = nil }),
		},
		"Moved": {
			reason: "Another function is an update.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.FunctionName, p.Qualifier = ptr.To("g"), ptr.To("live")
			}),
			o: stream(),
			want: want{
				changes: `functionName: "f" -> "g:live"`,
				call:    opUpdate,
				update:  update(func(in *lambda.UpdateEventSourceMappingInput) { in.FunctionName = ptr.To("g:live") }),
			},
		},
		"FilterLayout": {
			reason: "AWS may write a pattern in another layout.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.FilterCriteria = &v1beta1.FilterCriteria{
					Filters: []v1beta1.Filter{
						{Pattern: ` {"b" : ["x<y"], "a": [{"numeric": [">", 1.0]}]}`},
						{Pattern: `{"c":["d"]}`},
					},
				}
			}),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) {
				m.FilterCriteria = &types.FilterCriteria{
					Filters: []types.Filter{
						{Pattern: ptr.To(`{"c":["d"]}`)},
						{Pattern: ptr.To(`{"a":[{"numeric":[">",1.0]}],"b":["x<y"]}`)},
					},
				}
			}),
		},
		"FiltersRemoved": {
			reason: "Without filters the function gets all records.",
			p:      params(nil),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) {
				m.FilterCriteria = &types.FilterCriteria{Filters: []types.Filter{{Pattern: ptr.To(`{"c":["d"]}`)}}}
			}),
			want: want{
				changes: `filterCriteria: removed`,
				call:    opUpdate,
				update: update(
					func(in *lambda.UpdateEventSourceMappingInput) { in.FilterCriteria = &types.FilterCriteria{} },
				),
			},
		},
		"FiltersUnreadable": {
			reason: "Filters that AWS can't show are sent once for each change of spec.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.FilterCriteria = &v1beta1.FilterCriteria{Filters: []v1beta1.Filter{{Pattern: `{"c":["d"]}`}}}
			}),
			o: stream(kms),
			want: want{
				changes: `filterCriteria: ["(cannot be read)"] -> ["{\"c\":[\"d\"]}"]`,
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.FilterCriteria = &types.FilterCriteria{Filters: []types.Filter{{Pattern: ptr.To(`{"c":["d"]}`)}}}
				}),
			},
		},
		"FiltersTrusted": {
			reason: "After that they are trusted.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.FilterCriteria = &v1beta1.FilterCriteria{Filters: []v1beta1.Filter{{Pattern: `{"c":["d"]}`}}}
			}),
			o: stream(kms), stale: true,
		},
		"EmptyPollers": {
			reason: "AWS takes an empty block of pollers for none.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.ProvisionedPollerConfig = &v1beta1.ProvisionedPollerConfig{PollerGroupName: ptr.To("")}
			}),
			o: stream(),
		},
		"Cleared": {
			reason: "Blocks and lists that spec no longer names are cleared, each as AWS wants it.",
			p:      params(func(p *v1beta1.EventSourceMappingParameters) { p.KMSKeyArn = ptr.To("") }),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) {
				m.KMSKeyArn, m.FunctionResponseTypes = ptr.To(
					testKey+"a",
				), []types.FunctionResponseType{
					types.FunctionResponseTypeReportBatchItemFailures,
				}
				m.DestinationConfig.OnFailure.Destination = ptr.To(testQueue)
				m.MetricsConfig = &types.EventSourceMappingMetricsConfig{
					Metrics: []types.EventSourceMappingMetric{"EventCount"},
				}
			}),
			want: want{
				changes: "destinationConfig: removed, functionResponseTypes: removed, kmsKeyArn: removed, metricsConfig: removed",
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.KMSKeyArn, in.FunctionResponseTypes = ptr.To(""), []types.FunctionResponseType{}
					in.DestinationConfig = &types.DestinationConfig{
						OnFailure: &types.OnFailure{Destination: ptr.To("")},
					}
					in.MetricsConfig = &types.EventSourceMappingMetricsConfig{
						Metrics: []types.EventSourceMappingMetric{},
					}
				}),
			},
		},
		"LeavesProvisionedMode": {
			reason: "Provisioned mode is left after what needs it.",
			p: v1beta1.EventSourceMappingParameters{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testMSK),
				Topics:         []string{"t"},
			},
			o: observed{mapping: &lambda.GetEventSourceMappingOutput{
				EventSourceArn: ptr.To(
					testMSK,
				),
				Topics:      []string{"t"},
				FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
				State:       ptr.To(stateEnabled),
				ProvisionedPollerConfig: &types.ProvisionedPollerConfig{
					MinimumPollers: ptr.To[int32](1),
					MaximumPollers: ptr.To[int32](200),
				},
				LoggingConfig: &types.EventSourceMappingLoggingConfig{SystemLogLevel: "INFO"},
				AmazonManagedKafkaEventSourceConfig: &types.AmazonManagedKafkaEventSourceConfig{
					ConsumerGroupId: ptr.To(
						"made up",
					),
					SchemaRegistryConfig: &types.KafkaSchemaRegistryConfig{SchemaRegistryURI: ptr.To("https://r")},
				},
			}},
			want: want{
				changes: "amazonManagedKafkaEventSourceConfig.schemaRegistryConfig: removed, loggingConfig: removed, provisionedPollerConfig: removed",
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.LoggingConfig = &types.EventSourceMappingLoggingConfig{}
					in.AmazonManagedKafkaEventSourceConfig = &types.AmazonManagedKafkaEventSourceConfig{
						SchemaRegistryConfig: &types.KafkaSchemaRegistryConfig{},
					}
				}),
			},
		},
		"FullDocument": {
			reason: "An update names the database and its collection only if they change, because AWS may reject them.",
			p: v1beta1.EventSourceMappingParameters{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testDocDB),
				EventSourceMappingSettings: v1beta1.EventSourceMappingSettings{
					DocumentDBEventSourceConfig: &v1beta1.DocumentDBEventSourceConfig{
						DatabaseName:   "shop",
						CollectionName: ptr.To("orders"),
						FullDocument:   ptr.To("UpdateLookup"),
					},
				},
			},
			o: documentDB,
			want: want{
				changes: `documentDBEventSourceConfig.fullDocument: "Default" -> "UpdateLookup"`,
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.DocumentDBEventSourceConfig = &types.DocumentDBEventSourceConfig{
						FullDocument: types.FullDocumentUpdateLookup,
					}
				}),
			},
		},
		"Collection": {
			reason: "A collection that changes is sent with its database.",
			p: v1beta1.EventSourceMappingParameters{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testDocDB),
				EventSourceMappingSettings: v1beta1.EventSourceMappingSettings{
					DocumentDBEventSourceConfig: &v1beta1.DocumentDBEventSourceConfig{
						DatabaseName:   "shop",
						CollectionName: ptr.To("returns"),
					},
				},
			},
			o: documentDB,
			want: want{
				changes: `documentDBEventSourceConfig.collectionName: "orders" -> "returns"`,
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.DocumentDBEventSourceConfig = &types.DocumentDBEventSourceConfig{
						DatabaseName:   ptr.To("shop"),
						CollectionName: ptr.To("returns"),
						FullDocument:   types.FullDocumentDefault,
					}
				}),
			},
		},
		"NoPollerGroup": {
			reason: "An empty name of a poller group is none.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.ProvisionedPollerConfig = &v1beta1.ProvisionedPollerConfig{
					MinimumPollers:  ptr.To[int32](1),
					PollerGroupName: ptr.To(""),
				}
			}),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) {
				m.ProvisionedPollerConfig = &types.ProvisionedPollerConfig{
					MinimumPollers: ptr.To[int32](1),
					MaximumPollers: ptr.To[int32](200),
				}
			}),
		},
		"PollerGroupRemoved": {
			reason: "An empty name takes the mapping out of its poller group.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.ProvisionedPollerConfig = &v1beta1.ProvisionedPollerConfig{
					MinimumPollers:  ptr.To[int32](1),
					PollerGroupName: ptr.To(""),
				}
			}),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) {
				m.ProvisionedPollerConfig = &types.ProvisionedPollerConfig{
					MinimumPollers:  ptr.To[int32](1),
					MaximumPollers:  ptr.To[int32](200),
					PollerGroupName: ptr.To("g"),
				}
			}),
			want: want{
				changes: `provisionedPollerConfig.pollerGroupName: "g" -> ""`,
				call:    opUpdate,
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.ProvisionedPollerConfig = &types.ProvisionedPollerConfig{
						MinimumPollers:  ptr.To[int32](1),
						MaximumPollers:  ptr.To[int32](200),
						PollerGroupName: ptr.To(""),
					}
				}),
			},
		},
		"Host": {
			reason: "A virtual host can't be changed, nor does an update name it.",
			p: v1beta1.EventSourceMappingParameters{
				FunctionName:   ptr.To("f"),
				EventSourceArn: ptr.To(testBroker),
				Queues:         []string{"q"},
				EventSourceMappingSettings: v1beta1.EventSourceMappingSettings{
					SourceAccessConfigurations: []v1beta1.SourceAccessConfiguration{
						{Type: "BASIC_AUTH", URI: ptr.To("b")},
						{Type: virtualHost, URI: ptr.To("/2")},
					},
				},
			},
			o: observed{mapping: &lambda.GetEventSourceMappingOutput{
				EventSourceArn: ptr.To(
					testBroker,
				),
				Queues:      []string{"q"},
				FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
				State:       ptr.To(stateEnabled),
				SourceAccessConfigurations: []types.SourceAccessConfiguration{
					{Type: virtualHost, URI: ptr.To("/")},
					{Type: "BASIC_AUTH", URI: ptr.To("a")},
				},
			}},
			want: want{
				changes: `sourceAccessConfigurations: ["VIRTUAL_HOST /" "BASIC_AUTH a"] -> ["BASIC_AUTH b" "VIRTUAL_HOST /2"]`,
				call:    opUpdate,
				fixed:   "sourceAccessConfigurations",
				update: update(func(in *lambda.UpdateEventSourceMappingInput) {
					in.SourceAccessConfigurations = []types.SourceAccessConfiguration{
						{Type: "BASIC_AUTH", URI: ptr.To("b")},
					}
				}),
			},
		},
		"FixedNotShown": {
			reason: "What is taken at creation only, and is in no answer, is as spec says.",
			p: params(func(p *v1beta1.EventSourceMappingParameters) {
				p.EventSourceArn, p.Topics, p.Queues = nil, []string{"t"}, []string{"q"}
				p.SelfManagedEventSource = &v1beta1.SelfManagedEventSource{
					Endpoints: map[string]v1beta1.KafkaServers{"KAFKA_BOOTSTRAP_SERVERS": {"b:9092"}},
				}
				p.StartingPosition = ptr.To("AT_TIMESTAMP")
				p.StartingPositionTimestamp = ptr.To(metav1.NewTime(testenv.Start))
			}),
			o: stream(func(m *lambda.GetEventSourceMappingOutput) { m.EventSourceArn, m.StartingPosition = nil, "" }),
		},
		"Fixed": {
			reason: "What AWS takes at creation only is named.",
			p: params(
				func(p *v1beta1.EventSourceMappingParameters) { p.StartingPosition = ptr.To("TRIM_HORIZON") },
			),
			o: stream(),
			want: want{
				changes: `startingPosition: "LATEST" -> "TRIM_HORIZON"`,
				call:    opUpdate,
				fixed:   "startingPosition",
				update:  update(func(*lambda.UpdateEventSourceMappingInput) {}),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := compare(
				reconcile.Desired[settings]{Settings: fromParameters(tc.p)},
				tc.o,
				!tc.stale,
				testenv.Owner(kind, ""),
			)
			mg := &v1beta1.EventSourceMapping{}
			calls, err := tagging.Calls(
				mg,
				readcache.NewTagCache(time.Now),
				c.Target.Tags,
				c.Observed.Tags,
				c.Changes,
				together(c),
				opUpdate,
			)
			if err != nil {
				t.Fatal(err)
			}
			due := reconcile.Plan{}.With(calls...)
			got := want{changes: c.Changes.String(), call: due.Call, fixed: immutable(c).Names()}
			if due.Call != "" {
				got.update = updateInput("u", functionName(tc.p), c.Target, due.Applies)
			}
			if diff := cmp.Diff(
				tc.want,
				got,
				cmp.AllowUnexported(want{}),
				cmpopts.IgnoreTypes(smithydocument.NoSerde{}),
			); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPlainFunction(t *testing.T) {
	for name, want := range map[string]string{
		"f": "f", "f:live": "f:live", "f:$LATEST": "f", "arn:aws:lambda:eu-central-1:123456789012:function:f": "f",
		"arn:aws:lambda:eu-central-1:123456789012:function:f:3": "f:3", "arn:aws:lambda:eu-central-1:123456789012:function:f:$LATEST": "f",
		"123456789012:function:f": "f", "123456789012:function:f:live": "f:live",
	} {
		if got := plainFunction(name); got != want {
			t.Errorf("plainFunction(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1, "a": [ 1.50, "x<y&z" ]}`: `{"a":[1.50,"x<y&z"],"b":1}`,
		`{"a": 1} {"b": 2}`:                `{"a": 1} {"b": 2}`,
		`no json`:                          `no json`,
		`{"a": 1}}`:                        `{"a": 1}}`,
		`{"a": [1]}], "b": [2]}`:           `{"a": [1]}], "b": [2]}`,
	} {
		if got := canonical(in); got != want {
			t.Errorf("canonical(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPrefixed(t *testing.T) {
	for _, tc := range []struct{ kind, uri, want string }{
		{"VPC_SUBNET", "subnet-1", "subnet:subnet-1"},
		{"VPC_SUBNET", "subnet:subnet-1", "subnet:subnet-1"},
		{"VPC_SECURITY_GROUP", "sg-1", "security_group:sg-1"},
		{"BASIC_AUTH", testSecret, testSecret},
	} {
		if got := prefixed(tc.kind, tc.uri); got != tc.want {
			t.Errorf("prefixed(%s, %s) = %s, want %s", tc.kind, tc.uri, got, tc.want)
		}
	}
}
