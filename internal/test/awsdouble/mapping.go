package awsdouble

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// A Mapping is an event source mapping. Tests can read and edit it.
type Mapping struct {
	types.EventSourceMappingConfiguration

	// Tags are the mapping's tags, which its responses do not show.
	Tags map[string]string
}

// mapping is an event source mapping with what is not returned.
type mapping struct {
	types.EventSourceMappingConfiguration
	transition

	serial int
}

// transition is a change of a resource's state.
type transition struct {
	// at is the time at which the resource enters the state next. If that is empty, it is deleted.
	at   time.Time
	next string
	busy bool
}

func (t *transition) ends(now time.Time) bool {
	ends := t.busy && !now.Before(t.at)
	t.busy = t.busy && !ends
	return ends
}

// The states of a mapping.
const (
	mappingCreating  = "Creating"
	mappingEnabling  = "Enabling"
	mappingEnabled   = "Enabled"
	mappingDisabling = "Disabling"
	mappingDisabled  = "Disabled"
	mappingUpdating  = "Updating"
	mappingDeleting  = "Deleting"
)

// sourceKind is the kind of source of a mapping, by the service in its source's ARN.
type sourceKind string

const (
	sourceSQS        sourceKind = "sqs"
	sourceKinesis    sourceKind = "kinesis"
	sourceDynamoDB   sourceKind = "dynamodb"
	sourceMSK        sourceKind = "kafka"
	sourceMQ         sourceKind = "mq"
	sourceDocumentDB sourceKind = "rds"
	sourceKafka      sourceKind = "self-managed"
	sourceUnknown    sourceKind = ""
)

func (k sourceKind) stream() bool { return k == sourceKinesis || k == sourceDynamoDB }

// bootstrapServers is the only kind of endpoint.
const bootstrapServers = "KAFKA_BOOTSTRAP_SERVERS"

// source returns the kind of a mapping's source.
func (m *mapping) source() sourceKind {
	if m.SelfManagedEventSource != nil {
		return sourceKafka
	}
	parts := strings.Split(aws.ToString(m.EventSourceArn), ":")
	known := []sourceKind{sourceSQS, sourceKinesis, sourceDynamoDB, sourceMSK, sourceMQ, sourceDocumentDB}
	if len(parts) < 6 || !slices.Contains(known, sourceKind(parts[2])) {
		return sourceUnknown
	}
	return sourceKind(parts[2])
}

// turn moves a mapping through a state of transition, which a user initiated, into another.
func (s *Server) turn(m *mapping, via, next string, d time.Duration) {
	reason := "USER_INITIATED"
	if m.source().stream() {
		reason = "User action"
	}
	now := s.options.Now()
	m.State, m.StateTransitionReason, m.LastModified = &via, &reason, &now
	m.transition = transition{busy: true, next: next, at: now.Add(d)}
}

// completeMappings completes the transitions of mappings whose time has passed.
func (s *Server) completeMappings(h *home) {
	for uuid, m := range h.mappings {
		switch {
		case !m.ends(s.options.Now()):
		case m.next == "":
			delete(h.mappings, uuid)
			delete(h.tags, *m.EventSourceMappingArn)
		default:
			m.State = aws.String(m.next)
		}
	}
}

// mappingsOf returns the mappings of a home that still exist, oldest first.
func (s *Server) mappingsOf(h *home) []*mapping {
	s.completeMappings(h)
	return slices.SortedFunc(maps.Values(h.mappings), func(a, b *mapping) int { return a.serial - b.serial })
}

// findMapping returns the mapping that a request names.
func (s *Server) findMapping(r *request) *mapping {
	s.completeMappings(r.home)
	m := r.home.mappings[r.vars["UUID"]]
	if m == nil {
		panic(notFound("The resource you requested does not exist."))
	}
	return m
}

// idleMapping returns the mapping that a request changes. It rejects the change of one that is in transition.
func (s *Server) idleMapping(r *request, change string) *mapping {
	m := s.findMapping(r)
	if m.busy {
		panic(apiError(400, "ResourceInUseException", "Cannot %s the event source mapping because it is in use.",
			change))
	}
	return m
}

// Mapping returns a copy of an event source mapping by UUID.
func (s *Server) Mapping(uuid string) (Mapping, bool) {
	all := s.Mappings()
	i := slices.IndexFunc(all, func(m Mapping) bool { return *m.UUID == uuid })
	if i < 0 {
		return Mapping{}, false
	}
	return all[i], true
}

// Mappings returns copies of the event source mappings of all accounts and regions, oldest first.
func (s *Server) Mappings() []Mapping {
	defer s.lock()()
	var all []Mapping
	for _, key := range slices.Sorted(maps.Keys(s.homes)) {
		for _, m := range s.mappingsOf(s.homes[key]) {
			all = append(all, Mapping{m.EventSourceMappingConfiguration, s.homes[key].tagsOf(*m.EventSourceMappingArn)})
		}
	}
	return all
}

// EditMapping changes an event source mapping as an out-of-band update does, at once. It reports whether the mapping
// exists.
func (s *Server) EditMapping(uuid string, edit func(*Mapping)) bool {
	defer s.editing()()
	for _, h := range s.homes {
		s.completeMappings(h)
		if m := h.mappings[uuid]; m != nil {
			now, edited := s.options.Now(), Mapping{
				m.EventSourceMappingConfiguration,
				h.tagsOf(*m.EventSourceMappingArn),
			}
			edit(&edited)
			m.EventSourceMappingConfiguration = edited.EventSourceMappingConfiguration
			h.tags[*m.EventSourceMappingArn] = edited.Tags
			m.LastModified = &now
			return true
		}
	}
	return false
}

// DisableMapping disables a mapping as AWS itself does, for example if it cannot reach the source: with a reason for
// the transition and the result of the last attempt to read, such as "PROBLEM: Connection error". It reports whether
// the mapping exists.
func (s *Server) DisableMapping(uuid, reason, result string) bool {
	return s.EditMapping(uuid, func(m *Mapping) {
		m.State, m.StateTransitionReason, m.LastProcessingResult = aws.String(mappingDisabled), &reason, &result
	})
}

// mappingArn returns the ARN with which a mapping is tagged.
func (h *home) mappingArn(uuid string) string { return h.arn("event-source-mapping:" + uuid) }

// duplicate rejects a second mapping of a source to a function, with AWS's message for the kind of source.
func (s *Server) duplicate(h *home, m *mapping, function string) {
	for _, o := range s.mappingsOf(h) {
		if aws.ToString(o.UUID) == aws.ToString(m.UUID) || *o.FunctionArn != *m.FunctionArn || !o.sameSource(m) {
			continue
		}
		please := "already exists. Please update or delete the existing mapping with UUID " + *o.UUID
		switch m.source() { //nolint:exhaustive // Others share a message.
		case sourceSQS:
			panic(conflict(
				"An event source mapping with SQS arn (\" %s \") and function (\" %s \") %s", *m.EventSourceArn,
				function, please))
		case sourceKafka:
			panic(conflict(
				"An event source mapping with event source (%q), function (%q), topics (%q) %s",
				strings.Join(m.servers(), ","), *m.FunctionArn, strings.Join(m.Topics, ","), please))
		}
		panic(conflict(
			"The event source arn (\" %s \") and function (\" %s \") provided mapping %s", *m.EventSourceArn, function,
			please))
	}
}

func (m *mapping) servers() []string {
	if m.SelfManagedEventSource == nil {
		return nil
	}
	return m.SelfManagedEventSource.Endpoints[bootstrapServers]
}

// sameSource reports whether two mappings read the same source: the same ARN, or a common server, and the same
// topics, queues and collections.
func (m *mapping) sameSource(o *mapping) bool {
	if m.source() != o.source() || !slices.Equal(m.Topics, o.Topics) || !slices.Equal(m.Queues, o.Queues) {
		return false
	}
	if m.source() == sourceKafka {
		return slices.ContainsFunc(m.servers(), func(e string) bool { return slices.Contains(o.servers(), e) })
	}
	return *m.EventSourceArn == *o.EventSourceArn &&
		reflect.DeepEqual(m.DocumentDBEventSourceConfig, o.DocumentDBEventSourceConfig)
}
