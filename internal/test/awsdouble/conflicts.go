package awsdouble

import (
	"context"
	"maps"
	"net/http"
)

// Held is a call that stays in flight.
type Held struct {
	operation         string
	arrived, released chan struct{}
}

// Hold keeps the next call of an operation in flight from its arrival until it is released, regardless of Latency.
func (s *Server) Hold(operation string) *Held {
	h := &Held{operation: operation, arrived: make(chan struct{}), released: make(chan struct{})}
	defer s.lock()()
	s.held = append(s.held, h)
	return h
}

// Arrived returns a channel that is closed when the call is in flight.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release completes the call. It must be called once.
func (h *Held) Release() { close(h.released) }

// arrive returns the channel on which a call waits, nil if it does not wait.
func (s *Server) arrive(r *request) <-chan struct{} {
	defer s.lock()()
	if s.options.LosePermissions && r.operation == "AddPermission" {
		r.policies = maps.Clone(s.home(r.account, r.region).policies)
	}
	for i, h := range s.held {
		if h.operation == r.operation {
			s.held = append(s.held[:i:i], s.held[i+1:]...)
			close(h.arrived)
			return h.released
		}
	}
	return nil
}

// travel waits while a call is in flight, and reports whether it arrives.
func (s *Server) travel(hr *http.Request, wait <-chan struct{}) bool {
	passes(context.WithoutCancel(hr.Context()), s.options.Latency)
	if wait == nil {
		return true
	}
	select {
	case <-wait:
		return true
	case <-hr.Context().Done():
		return false
	}
}
