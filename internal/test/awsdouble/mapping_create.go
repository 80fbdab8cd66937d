package awsdouble

import (
	"maps"
	"strings"
)

// mappingInput is the body of a creation or an update.
type mappingInput struct {
	mappingSettings

	Enabled                   *bool
	EventSourceArn            string
	FunctionName              string
	Queues                    []string
	SelfManagedEventSource    *SelfManaged
	StartingPosition          string
	StartingPositionTimestamp *float64
	Tags                      map[string]string
	Topics                    []string
}

func createMapping(s *Server, r *request) any {
	in := decoded[mappingInput](r)
	checkOnFailure(r)
	h := s.home(r.account, r.region)
	m := &mapping{Mapping: in.made()}
	in.check(&m.Mapping)
	arn := s.invoked(r, in.FunctionName)
	m.FunctionArn = arn
	checkTags(nil, in.Tags)
	s.checkSource(m.EventSourceArn)
	s.duplicate(h, &m.Mapping, functionOf(arn))
	s.serial++
	m.serial, m.UUID = s.serial, newUUID()
	m.EventSourceMappingArn = h.mappingArn(m.UUID)
	m.defaults()
	in.apply(&m.Mapping)
	m.Tags = map[string]string{}
	maps.Copy(m.Tags, in.Tags)
	s.begun(m, in.Enabled == nil || *in.Enabled)
	h.mappings[m.UUID] = m
	return m.Mapping
}

// begun starts the creation of a mapping. A queue's mapping that starts disabled is created at once.
func (s *Server) begun(m *mapping, enabled bool) {
	switch {
	case enabled:
		s.turn(m, mappingCreating, mappingEnabled, s.options.CreateDuration)
	case m.source() == sourceSQS:
		s.turn(m, mappingDisabled, mappingDisabled, 0)
	default:
		s.turn(m, mappingCreating, mappingDisabled, s.options.CreateDuration)
	}
}

// made returns the part of a mapping that is fixed at its creation.
func (in *mappingInput) made() Mapping {
	return Mapping{
		EventSourceArn: in.EventSourceArn, SelfManagedEventSource: in.SelfManagedEventSource, Topics: in.Topics, Queues: in.Queues,
		StartingPosition: in.StartingPosition, StartingPositionTimestamp: in.StartingPositionTimestamp,
	}
}

// defaults sets AWS's defaults for settings that were not sent.
func (m *mapping) defaults() {
	m.BatchSize = 100
	switch k := m.source(); {
	case k == sourceSQS:
		m.BatchSize, m.MaximumBatchingWindowInSeconds, m.FunctionResponseTypes = 10, new(int32), []string{}
	case k.stream():
		m.LastProcessingResult, m.FunctionResponseTypes = noRecords, []string{}
		m.BisectBatchOnFunctionError, m.DestinationConfig = new(bool), &Destinations{OnFailure: &Destination{}}
		m.MaximumBatchingWindowInSeconds, m.TumblingWindowInSeconds, m.ParallelizationFactor = new(int32), new(int32), new(int32(1))
		m.MaximumRecordAgeInSeconds, m.MaximumRetryAttempts = new(int32(-1)), new(int32(-1))
	case k == sourceMSK:
		m.LastProcessingResult, m.AmazonManagedKafkaEventSourceConfig = noRecords, &KafkaSource{ConsumerGroupId: m.UUID}
	case k == sourceKafka:
		m.LastProcessingResult, m.SelfManagedKafkaEventSourceConfig = noRecords, &KafkaSource{ConsumerGroupId: m.UUID}
	default:
		m.LastProcessingResult = noRecords
	}
	if m.source() == sourceKafka && m.StartingPosition == "" {
		m.StartingPosition = "TRIM_HORIZON"
	}
}

const noRecords = "No records processed"

// invoked returns the ARN of the function, version or alias that a name means. A full ARN of $LATEST loses that
// qualifier; a name or a partial ARN keeps it.
func (s *Server) invoked(r *request, name string) string {
	t := parseTarget(name)
	r.reachable(t)
	h := s.home(r.account, r.region)
	if h.functions[t.name] == nil {
		panic(invalidParameter("Function does not exist"))
	}
	arn := h.arn("function:" + t.name)
	if t.qualifier == "" || t.qualifier == "$LATEST" && strings.HasPrefix(name, "arn:") {
		return arn
	}
	return arn + ":" + t.qualifier
}

// functionOf returns the name in a function's ARN, with the qualifier.
func functionOf(arn string) string {
	_, name, _ := strings.Cut(arn, ":function:")
	return name
}
