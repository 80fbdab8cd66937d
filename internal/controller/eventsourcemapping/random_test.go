package eventsourcemapping

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// generator returns random specs that AWS accepts, over all fields of a mapping.
type generator struct{ *rand.Rand }

func (g generator) maybe() bool { return g.IntN(2) == 0 }

func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

func some[T any](g generator, of ...T) *T {
	if g.maybe() {
		return nil
	}
	return ptr.To(pick(g, of...))
}

func (g generator) subset(of ...string) []string {
	var out []string
	for _, s := range of {
		if g.maybe() {
			out = append(out, s)
		}
	}
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// sources has all kinds of sources, with the settings that are fixed at creation.
var sources = map[string]func(g generator, p *v1beta1.EventSourceMappingParameters){
	"sqs": func(_ generator, p *v1beta1.EventSourceMappingParameters) { p.EventSourceArn = ptr.To(testQueue) },
	"kinesis": func(g generator, p *v1beta1.EventSourceMappingParameters) {
		p.EventSourceArn = ptr.To(testStream)
		g.start(p)
	},
	"kafka": func(g generator, p *v1beta1.EventSourceMappingParameters) {
		p.EventSourceArn, p.Topics = ptr.To(testMSK), []string{"orders"}
		g.start(p)
	},
	"rds": func(g generator, p *v1beta1.EventSourceMappingParameters) {
		p.EventSourceArn = ptr.To(testDocDB)
		g.start(p)
	},
	"mq": func(_ generator, p *v1beta1.EventSourceMappingParameters) {
		p.EventSourceArn, p.Queues = ptr.To(testBroker), []string{"orders"}
	},
	"self": func(g generator, p *v1beta1.EventSourceMappingParameters) {
		p.SelfManagedEventSource = &v1beta1.SelfManagedEventSource{
			Endpoints: map[string]v1beta1.KafkaServers{bootstrapServers: {"a:9092", "b:9092"}},
		}
		p.Topics = []string{"orders"}
		if g.maybe() {
			g.start(p)
		}
	},
}

func (g generator) start(p *v1beta1.EventSourceMappingParameters) {
	p.StartingPosition = ptr.To(pick(g, "LATEST", "TRIM_HORIZON", "AT_TIMESTAMP"))
	if *p.StartingPosition == "AT_TIMESTAMP" {
		p.StartingPositionTimestamp = ptr.To(metav1.NewTime(testenv.Start.Add(-time.Hour)))
	}
}

// settings returns settings that are valid for a source. fixed is chosen once for a
// mapping.
func (g generator) settings(source string, fixed generator) v1beta1.EventSourceMappingSettings {
	s := v1beta1.EventSourceMappingSettings{
		Enabled:   some(g, true, false),
		BatchSize: some(g, int32(1), 9, 10),
		KMSKeyArn: some(g, "", testKey+"a", testKey+"b"),
		Tags:      map[string]string{},
	}
	for _, k := range g.subset("a", "b", "ignored") {
		s.Tags[k] = pick(g, "1", "2")
	}
	if f := g.subset(
		`{"body":{"a":["b"]}}`,
		`{ "body" : {"c":[{"numeric":[">",1.50]}]} }`,
		`{"b":["<"],"a":["1"]}`,
	); len(f) > 0 &&
		source != "rds" {
		s.FilterCriteria = &v1beta1.FilterCriteria{}
		for _, p := range f {
			s.FilterCriteria.Filters = append(s.FilterCriteria.Filters, v1beta1.Filter{Pattern: p})
		}
	}
	if g.maybe() {
		s.MetricsConfig = &v1beta1.EventSourceMappingMetricsConfig{Metrics: []string{"EventCount"}}
	}
	if source != "mq" && source != "rds" {
		s.FunctionResponseTypes = g.subset("ReportBatchItemFailures")
	}
	if source == "sqs" {
		g.queue(&s)
		return s
	}
	s.MaximumBatchingWindowInSeconds = some(g, int32(0), 300)
	if source != "mq" && source != "rds" {
		g.errors(&s)
	}
	switch source {
	case "kinesis":
		s.ParallelizationFactor, s.TumblingWindowInSeconds = some(g, int32(1), 10), some(g, int32(0), 900)
	case "rds":
		s.DocumentDBEventSourceConfig = &v1beta1.DocumentDBEventSourceConfig{
			DatabaseName:   pick(fixed, "shop", "other"),
			CollectionName: some(fixed, "orders", "returns"),
			FullDocument:   some(g, "Default", "UpdateLookup"),
		}
		s.SourceAccessConfigurations = []v1beta1.SourceAccessConfiguration{
			{Type: "BASIC_AUTH", URI: ptr.To(testSecret + pick(g, "a", "b"))},
		}
	case "mq":
		s.SourceAccessConfigurations = []v1beta1.SourceAccessConfiguration{
			{Type: "BASIC_AUTH", URI: ptr.To(testSecret + pick(g, "a", "b"))},
			{Type: virtualHost, URI: ptr.To("/")},
		}
	case "kafka", "self":
		g.kafka(&s, source == "self", fixed)
	}
	return s
}

func (g generator) queue(s *v1beta1.EventSourceMappingSettings) {
	if g.maybe() {
		s.BatchSize, s.MaximumBatchingWindowInSeconds = ptr.To[int32](10000), ptr.To(pick[int32](g, 1, 300))
	}
	switch g.IntN(3) {
	case 0:
		s.ScalingConfig = &v1beta1.EventSourceMappingScalingConfig{MaximumConcurrency: pick[int32](g, 2, 1000)}
	case 1:
		s.ProvisionedPollerConfig = &v1beta1.ProvisionedPollerConfig{
			MinimumPollers: ptr.To(pick[int32](g, 2, 5)),
			MaximumPollers: some(g, int32(5), 9),
		}
	}
}

func (g generator) errors(s *v1beta1.EventSourceMappingSettings) {
	s.BisectBatchOnFunctionError, s.MaximumRecordAgeInSeconds, s.MaximumRetryAttempts = some(
		g,
		true,
		false,
	), some(
		g,
		int32(-1),
		60,
	), some(
		g,
		int32(-1),
		0,
		10000,
	)
	if g.maybe() {
		s.DestinationConfig = &v1beta1.EventSourceMappingDestinationConfig{
			OnFailure: v1beta1.EventSourceMappingOnFailure{Destination: ptr.To(testQueue + pick(g, "1", "2"))},
		}
	}
}

func (g generator) kafka(s *v1beta1.EventSourceMappingSettings, self bool, fixed generator) {
	var registry *v1beta1.KafkaSchemaRegistryConfig
	if g.maybe() {
		s.ProvisionedPollerConfig = &v1beta1.ProvisionedPollerConfig{
			MaximumPollers:  ptr.To(pick[int32](g, 1, 2000)),
			PollerGroupName: some(g, "a", "b"),
		}
		if g.maybe() {
			s.LoggingConfig = &v1beta1.EventSourceMappingLoggingConfig{SystemLogLevel: pick(g, "DEBUG", "WARN")}
		}
		if g.maybe() {
			registry = &v1beta1.KafkaSchemaRegistryConfig{
				SchemaRegistryURI:       pick(g, "https://a", "https://b"),
				EventRecordFormat:       pick(g, "JSON", "SOURCE"),
				SchemaValidationConfigs: []v1beta1.KafkaSchemaValidationConfig{{Attribute: pick(g, "KEY", "VALUE")}},
				AccessConfigs: []v1beta1.KafkaSchemaRegistryAccessConfig{
					{Type: pick(g, "BASIC_AUTH", "OAUTHBEARER_AUTH"), URI: testSecret + "r"},
				},
			}
		}
	}
	group := some(fixed, "group")
	if self {
		s.SourceAccessConfigurations = []v1beta1.SourceAccessConfiguration{
			{
				Type: "VPC_SUBNET",
				URI:  ptr.To("subnet:subnet-" + pick(g, "1", "2")),
			},
			{Type: "VPC_SECURITY_GROUP", URI: ptr.To("security_group:sg-1")},
			{Type: "IAM_AUTH"},
		}
		if registry != nil || group != nil {
			s.SelfManagedKafkaEventSourceConfig = &v1beta1.SelfManagedKafkaEventSourceConfig{
				ConsumerGroupID:      group,
				ConsumptionMode:      ptr.To("Stream"),
				SchemaRegistryConfig: registry,
			}
		}
		return
	}
	if g.maybe() {
		s.SourceAccessConfigurations = []v1beta1.SourceAccessConfiguration{
			{Type: "SASL_SCRAM_512_AUTH", URI: ptr.To(testSecret + pick(g, "a", "b"))},
		}
	}
	if registry != nil || group != nil {
		s.AmazonManagedKafkaEventSourceConfig = &v1beta1.AmazonManagedKafkaEventSourceConfig{
			ConsumerGroupID:      group,
			SchemaRegistryConfig: registry,
		}
	}
}

// TestAnySpec changes random mappings of each source from one random spec to another and
// back. Each change takes at most one update, one more if provisioned mode is left, and one
// or two for tags; afterwards nothing is written any more.
func TestAnySpec(t *testing.T) {
	const seeds = 60
	for source, fix := range sources {
		for seed := range uint64(seeds) {
			t.Run(fmt.Sprintf("%s/%d", source, seed), func(t *testing.T) {
				t.Parallel()
				e := newEnv(t)
				g := generator{rand.New(rand.NewPCG(seed, 1))}
				again := func() generator { return generator{rand.New(rand.NewPCG(seed, 2))} }
				a, b := g.settings(source, again()), g.settings(source, again())
				m := testMapping(func(m *v1beta1.EventSourceMapping) {
					m.Spec.ForProvider.EventSourceArn = nil
					fix(g, &m.Spec.ForProvider)
					if seed%2 == 0 {
						m.Spec.ForProvider.Enabled = nil
						m.Spec.InitProvider = &v1beta1.EventSourceMappingSettings{
							Enabled:   ptr.To(true),
							BatchSize: ptr.To[int32](3),
						}
					}
				})
				for i, s := range []v1beta1.EventSourceMappingSettings{a, b, a} {
					// A mapping that was disabled by spec is not Ready while spec does not set enabled.
					if ptr.Deref(s.Enabled, true) && i > 0 {
						s.Enabled = ptr.To(true)
					}
					edit(m, func(p *v1beta1.EventSourceMappingParameters) {
						p.EventSourceMappingSettings = *s.DeepCopy()
						p.FunctionName, p.Qualifier = ptr.To(pick(g, "f", "g")), some(g, "1", "live", "$LATEST")
					})
					e.converges(m)
				}
			})
		}
	}
}

// converges reconciles a mapping until it is converged, in no more calls than needed, and
// checks that nothing is written afterwards.
func (e *env) converges(m *v1beta1.EventSourceMapping) {
	e.Helper()
	most := map[string]int{opCreate: 1, opUpdate: 2, tagging.OpTag: 1, tagging.OpUntag: 1}
	for _, op := range e.Converge(m) {
		if most[op]--; most[op] < 0 {
			e.Errorf("%s was called too often for %s", op, testenv.JSON(m.Spec))
		}
	}
	for range 2 {
		e.Advance(2 * time.Hour)
		if more := e.Converge(m); len(more) > 0 {
			e.Errorf("a converged mapping must not be written to, got %v for %s", more, testenv.JSON(m.Spec))
		}
	}
}
