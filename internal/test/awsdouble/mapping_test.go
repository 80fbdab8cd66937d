package awsdouble

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithydocument "github.com/aws/smithy-go/document"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	testQueue  = "arn:aws:sqs:eu-west-1:123456789012:q"
	testStream = "arn:aws:kinesis:eu-west-1:123456789012:stream/s"
	testMSK    = "arn:aws:kafka:eu-west-1:123456789012:cluster/c/0"
	testBroker = "arn:aws:mq:eu-west-1:123456789012:broker:b:b-0"
	testDocDB  = "arn:aws:rds:eu-west-1:123456789012:cluster:c"
	testSecret = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:s"
)

// mapped returns a double with function f, whose mappings take a second for each change.
func mapped(t *testing.T) (*Server, *lambda.Client, *clock) {
	t.Helper()
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Second, UpdateDuration: time.Second})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	return s, c, clk
}

func createESM(
	t *testing.T, c *lambda.Client, in *lambda.CreateEventSourceMappingInput,
) *lambda.CreateEventSourceMappingOutput {
	t.Helper()
	in.FunctionName = aws.String("f")
	out, err := c.CreateEventSourceMapping(t.Context(), in)
	if err != nil {
		t.Fatalf("CreateEventSourceMapping: %v", err)
	}
	return out
}

func getESM(t *testing.T, c *lambda.Client, uuid *string) *lambda.GetEventSourceMappingOutput {
	t.Helper()
	out, err := c.GetEventSourceMapping(t.Context(), &lambda.GetEventSourceMappingInput{UUID: uuid})
	if err != nil {
		t.Fatalf("GetEventSourceMapping: %v", err)
	}
	return out
}

// TestMappingTransitions covers what was not observed: changes while a mapping is in transition, and a deletion that
// takes a while.
func TestMappingTransitions(t *testing.T) {
	_, c, clk := mapped(t)
	out := createESM(t, c, &lambda.CreateEventSourceMappingInput{EventSourceArn: aws.String(testQueue)})
	update := func(enabled bool) (*lambda.UpdateEventSourceMappingOutput, error) {
		return c.UpdateEventSourceMapping(t.Context(),
			&lambda.UpdateEventSourceMappingInput{UUID: out.UUID, Enabled: aws.Bool(enabled)})
	}
	remove := func() error {
		_, err := c.DeleteEventSourceMapping(t.Context(), &lambda.DeleteEventSourceMappingInput{UUID: out.UUID})
		return err
	}
	_, err := update(false)
	wantError(t, err, "ResourceInUseException", "Cannot update the event source mapping because it is in use.")
	wantError(t, remove(), "ResourceInUseException", "Cannot delete the event source mapping because it is in use.")

	clk.move(time.Second)
	for _, step := range []struct {
		enabled  bool
		via, end string
	}{
		{false, "Disabling", "Disabled"},
		{false, "Updating", "Disabled"},
		{true, "Enabling", "Enabled"},
		{true, "Updating", "Enabled"},
	} {
		up, err := update(step.enabled)
		if err != nil {
			t.Fatal(err)
		}
		clk.move(time.Second)
		if diff := cmp.Diff([]string{step.via, step.end},
			[]string{*up.State, *getESM(t, c, out.UUID).State}); diff != "" {
			t.Errorf("enabled %t: -want +got:\n%s", step.enabled, diff)
		}
	}

	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if got := *getESM(t, c, out.UUID).State; got != "Deleting" {
		t.Errorf("state = %s after the deletion", got)
	}
	wantError(t, remove(), "ResourceInUseException", "")
	clk.move(time.Second)
	_, err = c.GetEventSourceMapping(t.Context(), &lambda.GetEventSourceMappingInput{UUID: out.UUID})
	wantError(t, err, "ResourceNotFoundException", "The resource you requested does not exist.")
}

func TestMappingDefaultsBySource(t *testing.T) {
	access := []types.SourceAccessConfiguration{{Type: types.SourceAccessTypeBasicAuth, URI: aws.String(testSecret)}}
	cases := map[string]struct {
		reason string
		in     *lambda.CreateEventSourceMappingInput
		want   types.EventSourceMappingConfiguration
	}{
		"Kinesis": {
			reason: "A stream shows all of its error handling.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn:   aws.String(testStream),
				StartingPosition: types.EventSourcePositionLatest,
			},
			want: types.EventSourceMappingConfiguration{
				BatchSize: aws.Int32(100), BisectBatchOnFunctionError: aws.Bool(false),
				DestinationConfig:     &types.DestinationConfig{OnFailure: &types.OnFailure{}},
				FunctionResponseTypes: []types.FunctionResponseType{}, MaximumBatchingWindowInSeconds: aws.Int32(0),
				MaximumRecordAgeInSeconds: aws.Int32(-1),
				MaximumRetryAttempts:      aws.Int32(-1), ParallelizationFactor: aws.Int32(1),
				TumblingWindowInSeconds: aws.Int32(0), StartingPosition: "LATEST",
			},
		},
		"MSK": {
			reason: "A Kafka cluster has a consumer group of its own, and bounds for provisioned mode.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn:   aws.String(testMSK),
				StartingPosition: types.EventSourcePositionLatest,
				Topics:           []string{"orders"},
				AmazonManagedKafkaEventSourceConfig: &types.AmazonManagedKafkaEventSourceConfig{
					ConsumerGroupId: aws.String(
						"group"),
				},
				ProvisionedPollerConfig: &types.ProvisionedPollerConfig{MinimumPollers: aws.Int32(3)},
			},
			want: types.EventSourceMappingConfiguration{
				BatchSize:        aws.Int32(100),
				StartingPosition: "LATEST",
				Topics:           []string{"orders"},
				AmazonManagedKafkaEventSourceConfig: &types.AmazonManagedKafkaEventSourceConfig{
					ConsumerGroupId: aws.String(
						"group"),
				},
				ProvisionedPollerConfig: &types.ProvisionedPollerConfig{
					MinimumPollers: aws.Int32(3),
					MaximumPollers: aws.Int32(200),
				},
			},
		},
		"MQ": {
			reason: "A broker has a queue.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn: aws.String(testBroker),
				Queues:         []string{"orders"}, SourceAccessConfigurations: access,
			},
			want: types.EventSourceMappingConfiguration{
				BatchSize: aws.Int32(100), Queues: []string{"orders"},
				SourceAccessConfigurations: access,
			},
		},
		"DocumentDB": {
			reason: "A change stream sends the changes only, if not told otherwise.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn: aws.String(testDocDB), StartingPosition: types.EventSourcePositionTrimHorizon,
				SourceAccessConfigurations:  access,
				DocumentDBEventSourceConfig: &types.DocumentDBEventSourceConfig{DatabaseName: aws.String("db")},
			},
			want: types.EventSourceMappingConfiguration{
				BatchSize: aws.Int32(100), StartingPosition: "TRIM_HORIZON", SourceAccessConfigurations: access,
				DocumentDBEventSourceConfig: &types.DocumentDBEventSourceConfig{
					DatabaseName: aws.String("db"),
					FullDocument: types.FullDocumentDefault,
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, c, _ := mapped(t)
			out := createESM(t, c, tc.in)
			list, err := c.ListEventSourceMappings(t.Context(),
				&lambda.ListEventSourceMappingsInput{FunctionName: aws.String("f"), EventSourceArn: out.EventSourceArn})
			if err != nil || len(list.EventSourceMappings) != 1 {
				t.Fatalf("ListEventSourceMappings = %v, %v", list, err)
			}
			same := cmpopts.IgnoreFields(types.EventSourceMappingConfiguration{}, "EventSourceArn",
				"EventSourceMappingArn", "FunctionArn", "LastModified", "LastProcessingResult", "State",
				"StateTransitionReason", "UUID")
			if diff := cmp.Diff(tc.want, list.EventSourceMappings[0], same,
				cmpopts.IgnoreTypes(smithydocument.NoSerde{})); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMappingsThatSourcesRefuse(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     *lambda.CreateEventSourceMappingInput
		want   string
	}{
		"WindowOfBigBatches": {
			reason: "A queue's batch of more than 10 needs a window.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn: aws.String(testQueue),
				BatchSize:      aws.Int32(11),
			},
			want: "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
		},
		"WindowOfFIFO": {
			reason: "A FIFO queue has no window.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn:                 aws.String(testQueue + ".fifo"),
				MaximumBatchingWindowInSeconds: aws.Int32(1),
			},
			want: "Batching window is not supported for FIFO queues",
		},
		"ScaledTwice": {
			reason: "Maximum concurrency and provisioned mode exclude each other.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn:          aws.String(testQueue),
				ScalingConfig:           &types.ScalingConfig{MaximumConcurrency: aws.Int32(2)},
				ProvisionedPollerConfig: &types.ProvisionedPollerConfig{MinimumPollers: aws.Int32(2)},
			},
			want: "MaximumConcurrency and ProvisionedPollerConfig are mutually exclusive.",
		},
		"TopicOfAQueue": {
			reason: "Only Kafka has topics.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn: aws.String(testQueue),
				Topics:         []string{"orders"},
			},
			want: "Unsupported Topics parameter for given event source mapping type.",
		},
		"FilterOfAChangeStream": {
			reason: "Lambda does not filter the events of DocumentDB.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn: aws.String(testDocDB), StartingPosition: types.EventSourcePositionLatest,
				DocumentDBEventSourceConfig: &types.DocumentDBEventSourceConfig{DatabaseName: aws.String("db")},
				FilterCriteria: &types.FilterCriteria{Filters: []types.Filter{{
					Pattern: aws.String(`{"a":["b"]}`),
				}}},
			},
			want: "Unsupported FilterCriteria parameter for given event source mapping type.",
		},
		"RegistryOnDemand": {
			reason: "A schema registry needs provisioned mode.",
			in: &lambda.CreateEventSourceMappingInput{
				EventSourceArn:   aws.String(testMSK),
				Topics:           []string{"orders"},
				StartingPosition: types.EventSourcePositionLatest,
				AmazonManagedKafkaEventSourceConfig: &types.AmazonManagedKafkaEventSourceConfig{
					SchemaRegistryConfig: &types.KafkaSchemaRegistryConfig{SchemaRegistryURI: aws.String(
						"https://r")},
				},
			},
			want: "SchemaRegistryConfig is only available in provisioned mode.",
		},
		"NoQueue": {
			reason: "A queue must exist.",
			in:     &lambda.CreateEventSourceMappingInput{EventSourceArn: aws.String(testQueue + "-gone")},
			want: "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. " +
				"SQS Error Message: The specified queue does not exist.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, c, _ := mapped(t)
			s.RemoveResources(testQueue + "-gone")
			tc.in.FunctionName = aws.String("f")
			_, err := c.CreateEventSourceMapping(t.Context(), tc.in)
			wantError(t, err, "InvalidParameterValueException", tc.want)
			if len(s.Mappings()) != 0 {
				t.Errorf("%s: it was created", tc.reason)
			}
		})
	}
}

// TestUpdateOfAMapping checks that an update keeps what is not sent, and clears what is sent empty.
func TestUpdateOfAMapping(t *testing.T) {
	_, c, clk := mapped(t)
	out := createESM(t, c, &lambda.CreateEventSourceMappingInput{
		EventSourceArn: aws.String(testStream), StartingPosition: types.EventSourcePositionLatest,
		KMSKeyArn: aws.String("arn:aws:kms:eu-west-1:123456789012:key/k"),
		DestinationConfig: &types.DestinationConfig{OnFailure: &types.OnFailure{
			Destination: aws.String(testQueue),
		}},
		FilterCriteria:        &types.FilterCriteria{Filters: []types.Filter{{Pattern: aws.String(`{"a":["b"]}`)}}},
		FunctionResponseTypes: []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures},
		MetricsConfig: &types.EventSourceMappingMetricsConfig{Metrics: []types.EventSourceMappingMetric{
			types.EventSourceMappingMetricEventCount,
		}},
	})
	clk.move(time.Second)
	update := func(in *lambda.UpdateEventSourceMappingInput) *lambda.UpdateEventSourceMappingOutput {
		in.UUID = out.UUID
		up, err := c.UpdateEventSourceMapping(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		clk.move(time.Second)
		return up
	}
	kept := update(&lambda.UpdateEventSourceMappingInput{BatchSize: aws.Int32(7)})
	if kept.FilterCriteria == nil || kept.MetricsConfig == nil || kept.KMSKeyArn == nil ||
		len(kept.FunctionResponseTypes) != 1 || *kept.BatchSize != 7 {
		t.Errorf("an update of the batch size changed more, or less: %+v", kept)
	}
	cleared := update(&lambda.UpdateEventSourceMappingInput{
		KMSKeyArn: aws.String(""), FilterCriteria: &types.FilterCriteria{},
		FunctionResponseTypes: []types.FunctionResponseType{}, MetricsConfig: &types.EventSourceMappingMetricsConfig{},
		DestinationConfig: &types.DestinationConfig{OnFailure: &types.OnFailure{Destination: aws.String("")}},
	})
	if cleared.FilterCriteria != nil || cleared.MetricsConfig != nil || cleared.KMSKeyArn != nil ||
		len(cleared.FunctionResponseTypes) != 0 || cleared.DestinationConfig.OnFailure.Destination != nil {
		t.Errorf("an update with empty members cleared too little: %+v", cleared)
	}
}

// TestUpdateOfAChangeStream checks that an update can't name the database, and keeps it.
func TestUpdateOfAChangeStream(t *testing.T) {
	_, c, clk := mapped(t)
	out := createESM(t, c, &lambda.CreateEventSourceMappingInput{
		EventSourceArn: aws.String(testDocDB), StartingPosition: types.EventSourcePositionTrimHorizon,
		DocumentDBEventSourceConfig: &types.DocumentDBEventSourceConfig{DatabaseName: aws.String("db")},
	})
	clk.move(time.Second)
	update := func(d *types.DocumentDBEventSourceConfig) (*lambda.UpdateEventSourceMappingOutput, error) {
		return c.UpdateEventSourceMapping(t.Context(),
			&lambda.UpdateEventSourceMappingInput{UUID: out.UUID, DocumentDBEventSourceConfig: d})
	}
	_, err := update(&types.DocumentDBEventSourceConfig{DatabaseName: aws.String("db")})
	wantError(t, err, "InvalidParameterValueException", "Invalid parameters: collectionName, databaseName")
	up, err := update(&types.DocumentDBEventSourceConfig{FullDocument: types.FullDocumentUpdateLookup})
	if err != nil || *up.DocumentDBEventSourceConfig.DatabaseName != "db" ||
		up.DocumentDBEventSourceConfig.FullDocument != types.FullDocumentUpdateLookup {
		t.Errorf("the change stream is %+v, %v", up, err)
	}
}

func TestMappingThatAWSDisables(t *testing.T) {
	s, c, clk := mapped(t)
	out := createESM(t, c,
		&lambda.CreateEventSourceMappingInput{EventSourceArn: aws.String(testQueue), Tags: map[string]string{"a": "1"}})
	clk.move(time.Second)
	if !s.DisableMapping(*out.UUID, "EVENT_SOURCE_AUTHZ_ERROR", "PROBLEM: no access") ||
		s.DisableMapping("none", "", "") {
		t.Fatal("the wrong mapping was disabled")
	}
	got := getESM(t, c, out.UUID)
	if diff := cmp.Diff([]string{"Disabled", "EVENT_SOURCE_AUTHZ_ERROR", "PROBLEM: no access"},
		[]string{*got.State, *got.StateTransitionReason, *got.LastProcessingResult}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	arn := out.EventSourceMappingArn
	if _, err := c.TagResource(t.Context(),
		&lambda.TagResourceInput{Resource: arn, Tags: map[string]string{"b": "2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UntagResource(t.Context(),
		&lambda.UntagResourceInput{Resource: arn, TagKeys: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	tags, err := c.ListTags(t.Context(), &lambda.ListTagsInput{Resource: arn})
	if err != nil || !cmp.Equal(tags.Tags, map[string]string{"b": "2"}) {
		t.Errorf("ListTags = %v, %v", tags, err)
	}
}

// TestLostAnswerOfAMapping checks that a creation takes effect although its response is lost: the next one is
// rejected.
func TestLostAnswerOfAMapping(t *testing.T) {
	s, c, _ := mapped(t)
	s.Fail(Fault{Operation: "CreateEventSourceMapping", Drop: DropAfter})
	in := &lambda.CreateEventSourceMappingInput{
		FunctionName: aws.String("f"), EventSourceArn: aws.String(testStream),
		StartingPosition: types.EventSourcePositionLatest,
	}
	if _, err := c.CreateEventSourceMapping(t.Context(), in); err == nil {
		t.Fatal("the answer came")
	} else if api := smithy.APIError(nil); errors.As(err, &api) {
		t.Fatalf("error = %v, want a lost connection", err)
	}
	_, err := c.CreateEventSourceMapping(t.Context(), in)
	wantError(t, err, "ResourceConflictException", "The event source arn (\" "+testStream+" \") and function (\" f "+
		"\") provided mapping already exists. Please update or delete the existing mapping with UUID "+
		*s.Mappings()[0].UUID)
}
