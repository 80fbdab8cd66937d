package awsdouble

import "slices"

// mappingSettings are the settings of both a creation and an update. What is not sent is kept; an empty list or
// structure clears.
type mappingSettings struct {
	AmazonManagedKafkaEventSourceConfig *KafkaSource
	BatchSize                           *int32
	BisectBatchOnFunctionError          *bool
	DestinationConfig                   *Destinations
	DocumentDBEventSourceConfig         *DocumentDBSource
	FilterCriteria                      *Filters
	FunctionResponseTypes               []string
	KMSKeyArn                           *string
	LoggingConfig                       *MappingLogging
	MaximumBatchingWindowInSeconds      *int32
	MaximumRecordAgeInSeconds           *int32
	MaximumRetryAttempts                *int32
	MetricsConfig                       *MappingMetrics
	ParallelizationFactor               *int32
	ProvisionedPollerConfig             *Pollers
	ScalingConfig                       *MappingScaling
	SelfManagedKafkaEventSourceConfig   *KafkaSource
	SourceAccessConfigurations          []SourceAccess
	TumblingWindowInSeconds             *int32
}

func updateMapping(s *Server, r *request) any {
	in := decoded[mappingInput](r)
	m := s.findMapping(r)
	if m.busy {
		panic(inUse("update"))
	}
	checkOnFailure(r)
	s.checkUpdate(r, m, &in)
	in.apply(&m.Mapping)
	via, after := mappingUpdating, m.State
	switch {
	case in.Enabled != nil && *in.Enabled && m.State == mappingDisabled:
		via, after = mappingEnabling, mappingEnabled
	case in.Enabled != nil && !*in.Enabled && m.State == mappingEnabled:
		via, after = mappingDisabling, mappingDisabled
	}
	s.turn(m, via, after, s.options.UpdateDuration)
	return m.Mapping
}

// checkUpdate rejects what cannot be updated, and sets the function if it changes.
func (s *Server) checkUpdate(r *request, m *mapping, in *mappingInput) {
	changed := m.Mapping
	in.apply(&changed)
	in.checkSettings(&changed)
	in.checkFixed(m)
	if in.FunctionName == "" {
		return
	}
	arn := s.invoked(r, in.FunctionName)
	changed.FunctionArn = arn
	s.duplicate(s.home(r.account, r.region), &changed, functionOf(arn))
	m.FunctionArn = arn
}

// checkFixed rejects changes of what is fixed at creation.
func (in *mappingInput) checkFixed(m *mapping) {
	if slices.ContainsFunc(in.SourceAccessConfigurations, func(a SourceAccess) bool { return a.Type == virtualHost }) {
		panic(invalidParameter("VIRTUAL_HOST cannot be specified in an UpdateEventSourceMapping API call."))
	}
	for _, c := range []struct{ new, old *KafkaSource }{
		{in.AmazonManagedKafkaEventSourceConfig, m.AmazonManagedKafkaEventSourceConfig},
		{in.SelfManagedKafkaEventSourceConfig, m.SelfManagedKafkaEventSourceConfig},
	} {
		switch {
		case c.new == nil || c.old == nil:
		case c.new.ConsumerGroupId != "" && c.new.ConsumerGroupId != c.old.ConsumerGroupId:
			panic(invalidParameter("ConsumerGroupId cannot be updated."))
		case c.new.ConsumptionMode != "" && c.new.ConsumptionMode != c.old.ConsumptionMode:
			panic(invalidParameter("ConsumptionMode cannot be updated."))
		}
	}
}

// apply writes what was sent to a mapping.
func (in *mappingSettings) apply(m *Mapping) {
	set(in.BatchSize, &m.BatchSize)
	set(in.KMSKeyArn, &m.KMSKeyArn)
	for _, p := range []struct {
		from *int32
		to   **int32
	}{
		{in.MaximumBatchingWindowInSeconds, &m.MaximumBatchingWindowInSeconds},
		{in.MaximumRecordAgeInSeconds, &m.MaximumRecordAgeInSeconds},
		{in.MaximumRetryAttempts, &m.MaximumRetryAttempts},
		{in.ParallelizationFactor, &m.ParallelizationFactor},
		{in.TumblingWindowInSeconds, &m.TumblingWindowInSeconds},
	} {
		if p.from != nil {
			*p.to = p.from
		}
	}
	if in.BisectBatchOnFunctionError != nil {
		m.BisectBatchOnFunctionError = in.BisectBatchOnFunctionError
	}
	if in.FunctionResponseTypes != nil {
		m.FunctionResponseTypes = in.FunctionResponseTypes
	}
	if in.SourceAccessConfigurations != nil {
		m.SourceAccessConfigurations = slices.Concat(in.SourceAccessConfigurations, keptAccess(m, in))
	}
	in.applyBlocks(m)
}

// keptAccess returns the virtual host, which an update cannot name.
func keptAccess(m *Mapping, in *mappingSettings) []SourceAccess {
	isHost := func(a SourceAccess) bool { return a.Type == virtualHost }
	if slices.ContainsFunc(in.SourceAccessConfigurations, isHost) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.SourceAccessConfigurations), func(a SourceAccess) bool { return !isHost(a) })
}

const virtualHost = "VIRTUAL_HOST"

func (in *mappingSettings) applyBlocks(m *Mapping) {
	if d := in.DestinationConfig; d != nil {
		m.DestinationConfig = &Destinations{OnFailure: &Destination{}}
		if d.OnFailure != nil {
			m.DestinationConfig.OnFailure = d.OnFailure
		}
		if !m.source().stream() && m.DestinationConfig.OnFailure.Destination == "" {
			m.DestinationConfig = nil
		}
	}
	if d := in.DocumentDBEventSourceConfig; d != nil {
		m.DocumentDBEventSourceConfig = d.over(m.DocumentDBEventSourceConfig)
	}
	replace(in.FilterCriteria, &m.FilterCriteria, in.FilterCriteria != nil && len(in.FilterCriteria.Filters) == 0)
	replace(in.LoggingConfig, &m.LoggingConfig, in.LoggingConfig != nil && *in.LoggingConfig == MappingLogging{})
	replace(in.MetricsConfig, &m.MetricsConfig, in.MetricsConfig != nil && len(in.MetricsConfig.Metrics) == 0)
	replace(in.ScalingConfig, &m.ScalingConfig, in.ScalingConfig != nil && in.ScalingConfig.MaximumConcurrency == nil)
	if p := in.ProvisionedPollerConfig; p != nil {
		m.ProvisionedPollerConfig = p.filled(m.source())
	}
	m.AmazonManagedKafkaEventSourceConfig = in.AmazonManagedKafkaEventSourceConfig.over(m.AmazonManagedKafkaEventSourceConfig)
	m.SelfManagedKafkaEventSourceConfig = in.SelfManagedKafkaEventSourceConfig.over(m.SelfManagedKafkaEventSourceConfig)
}

// replace replaces a structure by one that was sent, or by nil if that was empty.
func replace[T any](from *T, to **T, empty bool) {
	switch {
	case empty:
		*to = nil
	case from != nil:
		*to = from
	}
}

// filled returns the limits with defaults for those that were not sent; nil means on-demand mode.
func (p *Pollers) filled(k sourceKind) *Pollers {
	if *p == (Pollers{}) {
		return nil
	}
	out := *p
	if out.MinimumPollers == nil {
		out.MinimumPollers = new(int32(1))
		if k == sourceSQS {
			out.MinimumPollers = new(int32(2))
		}
	}
	if out.MaximumPollers == nil {
		out.MaximumPollers = new(max(200, *out.MinimumPollers))
	}
	return &out
}

// over returns the old configuration overwritten by what was sent; an empty schema registry means none.
func (c *KafkaSource) over(old *KafkaSource) *KafkaSource {
	if c == nil {
		return old
	}
	out := KafkaSource{}
	if old != nil {
		out = *old
	}
	if c.ConsumerGroupId != "" {
		out.ConsumerGroupId = c.ConsumerGroupId
	}
	if c.ConsumptionMode != "" {
		out.ConsumptionMode = c.ConsumptionMode
	}
	if r := c.SchemaRegistryConfig; r != nil {
		out.SchemaRegistryConfig = r
		if r.SchemaRegistryURI == "" {
			out.SchemaRegistryConfig = nil
		}
	}
	return &out
}

// over returns the old configuration overwritten by what was sent.
func (d *DocumentDBSource) over(old *DocumentDBSource) *DocumentDBSource {
	out := DocumentDBSource{FullDocument: "Default"}
	if old != nil {
		out = *old
	}
	for _, f := range []struct{ from, to *string }{
		{&d.CollectionName, &out.CollectionName}, {&d.DatabaseName, &out.DatabaseName}, {&d.FullDocument, &out.FullDocument},
	} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	return &out
}
