package awsdouble

import (
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// mappingInput is the body of a creation or an update. What is not sent is kept; an empty list or structure clears.
type mappingInput struct {
	lambda.CreateEventSourceMappingInput

	// StartingPositionTimestamp is sent in seconds.
	StartingPositionTimestamp *float64
}

func createMapping(s *Server, r *request) any {
	in := decoded[mappingInput](r)
	in.checkOnFailure()
	m := &mapping{}
	in.applyTo(m)
	in.checkSource(m)
	in.check(m)
	arn := s.invoked(r, aws.ToString(in.FunctionName))
	m.FunctionArn = &arn
	checkTags(nil, in.Tags)
	s.checkSource(aws.ToString(m.EventSourceArn))
	s.duplicate(r.home, m, functionOf(arn))
	s.serial++
	uuid := newUUID()
	m.serial, m.UUID, m.EventSourceMappingArn = s.serial, &uuid, aws.String(r.home.mappingArn(uuid))
	m.defaults()
	in.applyTo(m)
	switch enabled := in.Enabled == nil || *in.Enabled; {
	case enabled:
		s.turn(m, mappingCreating, mappingEnabled, s.options.CreateDuration)
	case m.source() == sourceSQS: // It is created at once.
		s.turn(m, mappingDisabled, mappingDisabled, 0)
	default:
		s.turn(m, mappingCreating, mappingDisabled, s.options.CreateDuration)
	}
	r.home.mappings[uuid], r.home.tags[*m.EventSourceMappingArn] = m, in.Tags
	return m.EventSourceMappingConfiguration
}

// defaults sets AWS's defaults for settings that were not sent.
func (m *mapping) defaults() {
	const noRecords = "No records processed"
	m.BatchSize, m.LastProcessingResult = aws.Int32(100), aws.String(noRecords)
	switch k := m.source(); {
	case k == sourceSQS:
		m.BatchSize, m.LastProcessingResult = aws.Int32(10), nil
		m.MaximumBatchingWindowInSeconds, m.FunctionResponseTypes = aws.Int32(0), []types.FunctionResponseType{}
	case k.stream():
		m.FunctionResponseTypes, m.BisectBatchOnFunctionError = []types.FunctionResponseType{}, aws.Bool(false)
		m.DestinationConfig = &types.DestinationConfig{OnFailure: &types.OnFailure{}}
		m.MaximumBatchingWindowInSeconds, m.TumblingWindowInSeconds = aws.Int32(0), aws.Int32(0)
		m.ParallelizationFactor = aws.Int32(1)
		m.MaximumRecordAgeInSeconds, m.MaximumRetryAttempts = aws.Int32(-1), aws.Int32(-1)
	case k == sourceMSK:
		m.AmazonManagedKafkaEventSourceConfig = &types.AmazonManagedKafkaEventSourceConfig{ConsumerGroupId: m.UUID}
	case k == sourceKafka:
		m.SelfManagedKafkaEventSourceConfig = &types.SelfManagedKafkaEventSourceConfig{ConsumerGroupId: m.UUID}
		if m.StartingPosition == "" {
			m.StartingPosition = types.EventSourcePositionTrimHorizon
		}
	}
}

// getMapping decrypts the filters of a mapping, if the caller may do so.
func getMapping(s *Server, r *request) any {
	m := s.findMapping(r).EventSourceMappingConfiguration
	if m.KMSKeyArn == nil || m.FilterCriteria == nil {
		return m
	}
	if e := s.refusal(r, needed{"kms:Decrypt", *m.KMSKeyArn}); e != nil {
		m.FilterCriteria = nil
		m.FilterCriteriaError = &types.FilterCriteriaError{
			ErrorCode: aws.String("KMSAccessDeniedException"), Message: &e.Message,
		}
	}
	return m
}

func deleteMapping(s *Server, r *request) any {
	m := s.idleMapping(r, "delete")
	s.turn(m, mappingDeleting, "", s.options.UpdateDuration)
	return m.EventSourceMappingConfiguration
}

func listMappings(s *Server, r *request) any {
	source, function := r.query("EventSourceArn"), ""
	if name := r.query("FunctionName"); name != "" {
		t := parseTarget(name)
		r.reachable(t)
		function = r.home.arn("function:" + t.name)
		if t.qualifier != "" {
			function += ":" + t.qualifier
		}
	}
	all := []types.EventSourceMappingConfiguration{}
	for _, m := range s.mappingsOf(r.home) {
		if (source == "" || aws.ToString(m.EventSourceArn) == source) &&
			(function == "" || *m.FunctionArn == function) {
			listed := m.EventSourceMappingConfiguration
			if listed.KMSKeyArn != nil {
				listed.FilterCriteria = nil // A list does not decrypt it.
			}
			all = append(all, listed)
		}
	}
	return paged("EventSourceMappings", all, r)
}

func updateMapping(s *Server, r *request) any {
	in := decoded[mappingInput](r)
	m := s.idleMapping(r, "update")
	in.checkOnFailure()
	changed := *m
	in.applyTo(&changed)
	in.check(&changed)
	in.checkFixed(m)
	if in.FunctionName != nil {
		arn := s.invoked(r, *in.FunctionName)
		changed.FunctionArn = &arn
		s.duplicate(r.home, &changed, functionOf(arn))
	}
	via, next := mappingUpdating, *m.State
	switch {
	case in.Enabled != nil && *in.Enabled && next == mappingDisabled:
		via, next = mappingEnabling, mappingEnabled
	case in.Enabled != nil && !*in.Enabled && next == mappingEnabled:
		via, next = mappingDisabling, mappingDisabled
	}
	*m = changed
	s.turn(m, via, next, s.options.UpdateDuration)
	return m.EventSourceMappingConfiguration
}

func (in *mappingInput) applyTo(m *mapping) {
	host := func(a types.SourceAccessConfiguration) bool { return a.Type == types.SourceAccessTypeVirtualHost }
	access := in.SourceAccessConfigurations
	if access != nil && !slices.ContainsFunc(access, host) { // An update cannot name the virtual host.
		for _, a := range m.SourceAccessConfigurations {
			if host(a) {
				access = append(slices.Clone(access), a)
			}
		}
	}
	overlay(&m.EventSourceMappingConfiguration, &in.CreateEventSourceMappingInput)
	if access != nil {
		m.SourceAccessConfigurations = access
	}
	if at := in.StartingPositionTimestamp; at != nil {
		m.StartingPositionTimestamp = aws.Time(time.UnixMilli(int64(*at * 1000)))
	}
	in.applyBlocks(m)
}

// applyBlocks writes what is not only overlaid.
func (in *mappingInput) applyBlocks(m *mapping) {
	m.KMSKeyArn = some(m.KMSKeyArn)
	if d := in.DestinationConfig; d != nil {
		m.DestinationConfig = nil
		switch {
		case d.OnFailure != nil && aws.ToString(d.OnFailure.Destination) != "":
			m.DestinationConfig = &types.DestinationConfig{OnFailure: d.OnFailure}
		case m.source().stream():
			m.DestinationConfig = &types.DestinationConfig{OnFailure: &types.OnFailure{}}
		}
	}
	if d := m.DocumentDBEventSourceConfig; d != nil && d.FullDocument == "" {
		d.FullDocument = types.FullDocumentDefault
	}
	if c := m.AmazonManagedKafkaEventSourceConfig; c != nil {
		c.SchemaRegistryConfig = registered(c.SchemaRegistryConfig)
	}
	if c := m.SelfManagedKafkaEventSourceConfig; c != nil {
		c.SchemaRegistryConfig = registered(c.SchemaRegistryConfig)
	}
	if p := in.ProvisionedPollerConfig; p != nil && m.ProvisionedPollerConfig != nil {
		m.ProvisionedPollerConfig = filled(*p, m.source())
	}
}

// registered returns a schema registry. One with an empty URI means none.
func registered(r *types.KafkaSchemaRegistryConfig) *types.KafkaSchemaRegistryConfig {
	if r == nil || aws.ToString(r.SchemaRegistryURI) == "" {
		return nil
	}
	return r
}

// filled returns the limits of provisioned mode with defaults for those that were not sent.
func filled(p types.ProvisionedPollerConfig, k sourceKind) *types.ProvisionedPollerConfig {
	if p.MinimumPollers == nil {
		p.MinimumPollers = aws.Int32(1)
		if k == sourceSQS {
			p.MinimumPollers = aws.Int32(2)
		}
	}
	if p.MaximumPollers == nil {
		p.MaximumPollers = aws.Int32(200)
	}
	return &p
}

// invoked returns the ARN of the function, version or alias that a name means. A full ARN of $LATEST loses that
// qualifier; a name or a partial ARN keeps it.
func (s *Server) invoked(r *request, name string) string {
	t := parseTarget(name)
	r.reachable(t)
	if r.home.functions[t.name] == nil {
		panic(invalidParameter("Function does not exist"))
	}
	arn := r.home.arn("function:" + t.name)
	if t.qualifier == "" || t.qualifier == latestVersion && strings.HasPrefix(name, "arn:") {
		return arn
	}
	return arn + ":" + t.qualifier
}

// functionOf returns the name in a function's ARN, with the qualifier.
func functionOf(arn string) string {
	_, name, _ := strings.Cut(arn, ":function:")
	return name
}
