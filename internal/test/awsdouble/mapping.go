package awsdouble

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// mapping is an event source mapping with the state that its responses do not show.
type mapping struct {
	Mapping

	serial int
	// settleAt is when the mapping enters the state after. If that is empty, the mapping is deleted.
	settleAt time.Time
	busy     bool
	after    string
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
func (k sourceKind) kafka() bool  { return k == sourceMSK || k == sourceKafka }

// source returns the kind of a mapping's source.
func (m *Mapping) source() sourceKind {
	if m.SelfManagedEventSource != nil {
		return sourceKafka
	}
	parts := strings.Split(m.EventSourceArn, ":")
	if len(parts) < 6 {
		return sourceUnknown
	}
	switch k := sourceKind(parts[2]); k {
	case sourceSQS, sourceKinesis, sourceDynamoDB, sourceMSK, sourceMQ, sourceDocumentDB:
		return k
	case sourceKafka, sourceUnknown:
	}
	return sourceUnknown
}

// userAction returns the StateTransitionReason of a state that a user initiated.
func (m *Mapping) userAction() string {
	if m.source().stream() {
		return "User action"
	}
	return "USER_INITIATED"
}

// turn moves a mapping through a state of transition into another.
func (s *Server) turn(m *mapping, via, after string, d time.Duration) {
	m.State, m.StateTransitionReason = via, m.userAction()
	m.busy, m.after, m.settleAt = true, after, s.options.Now().Add(d)
	m.touch(s.options.Now())
}

func (m *Mapping) touch(now time.Time) { m.LastModified = float64(now.UnixMilli()) / 1000 }

// settleMapping completes a mapping's transition once its time has passed.
func (s *Server) settleMapping(h *home, m *mapping) {
	if !m.busy || s.options.Now().Before(m.settleAt) {
		return
	}
	m.busy = false
	if m.after == "" {
		delete(h.mappings, m.UUID)
		return
	}
	m.State = m.after
}

// mappingsOf returns the mappings of a home that still exist, oldest first.
func (s *Server) mappingsOf(h *home) []*mapping {
	for _, m := range h.mappings {
		s.settleMapping(h, m)
	}
	return slices.SortedFunc(maps.Values(h.mappings), func(a, b *mapping) int { return a.serial - b.serial })
}

// findMapping returns the mapping of a UUID, settled.
func (s *Server) findMapping(r *request) *mapping {
	h := s.home(r.account, r.region)
	if m := h.mappings[r.vars["UUID"]]; m != nil {
		if s.settleMapping(h, m); h.mappings[m.UUID] != nil {
			return m
		}
	}
	panic(notFound("The resource you requested does not exist."))
}

// Mapping returns a copy of an event source mapping by UUID.
func (s *Server) Mapping(uuid string) (Mapping, bool) {
	for _, m := range s.Mappings() {
		if m.UUID == uuid {
			return m, true
		}
	}
	return Mapping{}, false
}

// Mappings returns copies of the event source mappings of all accounts and regions, oldest first.
func (s *Server) Mappings() []Mapping {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Mapping
	for _, key := range slices.Sorted(maps.Keys(s.homes)) {
		for _, m := range s.mappingsOf(s.homes[key]) {
			c := m.Mapping
			c.Tags = maps.Clone(m.Tags)
			all = append(all, c)
		}
	}
	return all
}

// EditMapping changes an event source mapping as an out-of-band update does, at once. It reports whether the mapping
// exists.
func (s *Server) EditMapping(uuid string, edit func(*Mapping)) bool {
	defer s.editing()()
	for _, h := range s.homes {
		if m := h.mappings[uuid]; m != nil {
			s.settleMapping(h, m)
			edit(&m.Mapping)
			m.touch(s.options.Now())
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
		m.State, m.StateTransitionReason, m.LastProcessingResult = mappingDisabled, reason, result
	})
}

// mappingArn returns the ARN with which a mapping is tagged.
func (h *home) mappingArn(uuid string) string { return h.arn("event-source-mapping:" + uuid) }

// taggedMapping returns the mapping that an ARN names.
func (s *Server) taggedMapping(h *home, arn string) *mapping {
	for _, m := range s.mappingsOf(h) {
		if m.EventSourceMappingArn == arn {
			return m
		}
	}
	panic(notFound("Event source mapping not found: %s", arn))
}

// duplicate rejects a second mapping of a source to a function, with AWS's message for the kind of source.
func (s *Server) duplicate(h *home, m *Mapping, function string) {
	for _, o := range s.mappingsOf(h) {
		if o.UUID == m.UUID || o.FunctionArn != m.FunctionArn || !o.sameSource(m) {
			continue
		}
		const please = "already exists. Please update or delete the existing mapping with UUID "
		switch m.source() {
		case sourceSQS:
			panic(conflict("An event source mapping with SQS arn (\" %s \") and function (\" %s \") %s%s", m.EventSourceArn, function, please, o.UUID))
		case sourceKafka:
			panic(conflict("An event source mapping with event source (%q), function (%q), topics (%q) %s%s", strings.Join(m.SelfManagedEventSource.Endpoints[bootstrapServers], ","), m.FunctionArn, strings.Join(m.Topics, ","), please, o.UUID))
		case sourceKinesis, sourceDynamoDB, sourceMSK, sourceMQ, sourceDocumentDB, sourceUnknown:
		}
		panic(conflict("The event source arn (\" %s \") and function (\" %s \") provided mapping %s%s", m.EventSourceArn, function, please, o.UUID))
	}
}

// sameSource reports whether two mappings read the same source: the same ARN, or a common server, and the same
// topics, queues and collections.
func (m *Mapping) sameSource(o *Mapping) bool {
	if m.source() != o.source() || m.EventSourceArn != o.EventSourceArn || !slices.Equal(m.Topics, o.Topics) || !slices.Equal(m.Queues, o.Queues) {
		return false
	}
	if m.SelfManagedEventSource != nil {
		servers := o.SelfManagedEventSource.Endpoints[bootstrapServers]
		return slices.ContainsFunc(m.SelfManagedEventSource.Endpoints[bootstrapServers], func(e string) bool { return slices.Contains(servers, e) })
	}
	return fmt.Sprint(m.DocumentDBEventSourceConfig) == fmt.Sprint(o.DocumentDBEventSourceConfig)
}
