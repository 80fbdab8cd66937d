package awsdouble

import (
	"cmp"
	"slices"
)

// EventInvoke is the asynchronous invocation configuration of a function, version or alias.
type EventInvoke struct {
	DestinationConfig        EventDestinations
	FunctionArn              string
	LastModified             float64
	MaximumEventAgeInSeconds *int32 `json:",omitempty"`
	MaximumRetryAttempts     *int32 `json:",omitempty"`
}

// EventDestinations are the destinations of the records of invocations. Responses always contain both.
type EventDestinations struct{ OnFailure, OnSuccess Destination }

// eventInput is the body of PutFunctionEventInvokeConfig and UpdateFunctionEventInvokeConfig.
type eventInput struct {
	DestinationConfig                              *struct{ OnFailure, OnSuccess *Destination }
	MaximumEventAgeInSeconds, MaximumRetryAttempts *int32
}

// readEventInput reads a request's settings. It rejects a request without any before the function is looked up.
func readEventInput(r *request) eventInput {
	in := decoded[eventInput](r)
	if in.DestinationConfig == nil && in.MaximumEventAgeInSeconds == nil && in.MaximumRetryAttempts == nil {
		panic(invalidParameter("You must specify at least one of error handling or destination setting."))
	}
	return in
}

// destinations returns the previous destinations overwritten by those that were sent.
func (in *eventInput) destinations(were EventDestinations) EventDestinations {
	if in.DestinationConfig != nil {
		set(in.DestinationConfig.OnFailure, &were.OnFailure)
		set(in.DestinationConfig.OnSuccess, &were.OnSuccess)
	}
	return were
}

func noEventInvoke(arn string) error {
	return notFound("The function %s doesn't have an EventInvokeConfig", arn)
}

// latestBy returns the qualifier, by default $LATEST.
func latestBy(t target) string { return cmp.Or(t.qualifier, latestVersion) }

func putEventInvoke(s *Server, r *request) any {
	in := readEventInput(r)
	f, t := s.invocable(r)
	s.checkDestinations(s.home(r.account, r.region), f, in.destinations(EventDestinations{}))
	q := latestBy(t)
	f.events[q] = &EventInvoke{
		DestinationConfig: in.destinations(EventDestinations{}), FunctionArn: f.arnOf(q), LastModified: s.epoch(),
		MaximumEventAgeInSeconds: in.MaximumEventAgeInSeconds, MaximumRetryAttempts: in.MaximumRetryAttempts,
	}
	return *f.events[q]
}

// invocable returns the function that a request names, and fails if its version does not exist.
func (s *Server) invocable(r *request) (*function, target) {
	t := r.target()
	f := s.home(r.account, r.region).functions[t.name]
	if f == nil || f.versionOf(t.qualifier) == nil {
		panic(notFound("The function doesn't exist."))
	}
	return f, t
}

// eventInvoke returns the function and the qualifier of the configuration that a request names.
func (s *Server) eventInvoke(r *request) (*function, string) {
	t := r.target()
	h, q := s.home(r.account, r.region), latestBy(t)
	f := h.functions[t.name]
	if f == nil || f.events[q] == nil {
		panic(noEventInvoke(h.arn("function:" + t.name + ":" + q)))
	}
	return f, q
}

func updateEventInvoke(s *Server, r *request) any {
	in := readEventInput(r)
	f, q := s.eventInvoke(r)
	s.checkDestinations(s.home(r.account, r.region), f, in.destinations(EventDestinations{}))
	e := f.events[q]
	e.DestinationConfig, e.LastModified = in.destinations(e.DestinationConfig), s.epoch()
	if in.MaximumEventAgeInSeconds != nil {
		e.MaximumEventAgeInSeconds = in.MaximumEventAgeInSeconds
	}
	if in.MaximumRetryAttempts != nil {
		e.MaximumRetryAttempts = in.MaximumRetryAttempts
	}
	return *e
}

func getEventInvoke(s *Server, r *request) any {
	f, q := s.eventInvoke(r)
	return *f.events[q]
}

func deleteEventInvoke(s *Server, r *request) any {
	f, q := s.eventInvoke(r)
	delete(f.events, q)
	return nil
}

func listEventInvokes(s *Server, r *request) any {
	f, _ := s.invocable(r)
	all := []EventInvoke{}
	for _, e := range f.events {
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b EventInvoke) int { return cmp.Compare(a.FunctionArn, b.FunctionArn) })
	return paged("FunctionEventInvokeConfigs", all, r)
}

func (s *Server) epoch() float64 { return float64(s.options.Now().UnixMilli()) / 1000 }
