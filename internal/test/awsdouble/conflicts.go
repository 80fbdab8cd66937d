package awsdouble

import (
	"maps"
	"net/http"
)

// Conflicts selects the result of a change that arrives while another change of the same function is in flight.
type Conflicts int

const (
	// Serialized makes the changes one after the other.
	Serialized Conflicts = iota
	// Refused rejects the later change with a 409.
	Refused
	// Lost is like Refused, but concurrent additions of permissions all succeed, and the policy keeps only the one
	// that ended last.
	Lost
)

// The changes that conflict, by what they change of a function.
var (
	changesFunction = map[string]bool{
		"UpdateFunctionCode": true, "UpdateFunctionConfiguration": true, "PublishVersion": true,
		"PutFunctionConcurrency": true, "DeleteFunctionConcurrency": true,
		"PutFunctionCodeSigningConfig": true, "DeleteFunctionCodeSigningConfig": true,
		"AddPermission": true, "RemovePermission": true, "PutResourcePolicy": true, "DeleteResourcePolicy": true,
	}
	changesEventInvoke = map[string]bool{
		"PutFunctionEventInvokeConfig": true, "UpdateFunctionEventInvokeConfig": true, "DeleteFunctionEventInvokeConfig": true,
	}
)

// ConcurrentUpdate returns the error of a change of a function, or of its permissions, that conflicts with a
// concurrent one.
func ConcurrentUpdate() Error {
	return *conflict("The function could not be updated due to a concurrent update operation.")
}

// ConcurrentEventInvokeUpdate returns ConcurrentUpdate's error for asynchronous invocation settings. The ARN is
// qualified.
func ConcurrentEventInvokeUpdate(arn string) Error {
	return *conflict("The EventInvokeConfig for function %s could not be updated due to a concurrent update operation.", arn)
}

// Held is a call that stays in flight.
type Held struct {
	operation         string
	arrived, released chan struct{}
}

// Hold keeps the next call of an operation in flight from its arrival until it is released, regardless of Latency.
func (s *Server) Hold(operation string) *Held {
	h := &Held{operation: operation, arrived: make(chan struct{}), released: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, h)
	return h
}

// Arrived returns a channel that is closed when the call is in flight.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release completes the call. It must be called once.
func (h *Held) Release() { close(h.released) }

// arrive registers a call as in flight. It returns the channel on which the call waits, nil if it does not wait, and
// a function to call when the call ends.
func (s *Server) arrive(r *request) (wait <-chan struct{}, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.held {
		if h.operation == r.operation {
			s.held = append(s.held[:i:i], s.held[i+1:]...)
			wait = h.released
			close(h.arrived)
			break
		}
	}
	key := r.changes()
	if key == "" {
		return wait, func() {}
	}
	adds := s.options.Conflicts == Lost && r.operation == "AddPermission"
	r.contended = s.flights[key] > 0 && s.options.Conflicts != Serialized && !adds
	if adds {
		r.policies = map[string]*policy{}
		if f := s.home(r.account, r.region).functions[r.changed().name]; f != nil {
			maps.Copy(r.policies, f.policies)
		}
	}
	s.flights[key]++
	return wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.flights[key]--; s.flights[key] == 0 {
			delete(s.flights, key)
		}
	}
}

// changes returns a key of what a call changes exclusively, or "" if it conflicts with nothing.
func (r *request) changes() string {
	key := r.account + " " + r.region + " " + r.changed().name
	switch {
	case changesFunction[r.operation]:
		return key
	case changesEventInvoke[r.operation]:
		return key + " asynchronous"
	}
	return ""
}

// changed returns the function that a change names.
func (r *request) changed() target {
	if arn := r.vars["ResourceArn"]; arn != "" {
		return parseTarget(arn)
	}
	return parseTarget(r.vars["FunctionName"])
}

// lost returns the error of a change that conflicts with a concurrent one.
func (r *request) lost() error {
	e := ConcurrentUpdate()
	if changesEventInvoke[r.operation] {
		t := r.target()
		h := home{account: r.account, region: r.region}
		e = ConcurrentEventInvokeUpdate(h.arn("function:" + t.name + ":" + latestBy(t)))
	}
	return &e
}

// heldPolicy returns the policy to which a permission is added: with Lost, the one that existed when the call
// arrived.
func (r *request) heldPolicy(f *function, arn string) *policy {
	held := f.policies
	if r.policies != nil {
		held = r.policies
	}
	if held[arn] == nil {
		return emptyPolicy()
	}
	return held[arn]
}

// travel waits while a call is in flight, and reports whether it arrives.
func (s *Server) travel(hr *http.Request, wait <-chan struct{}) bool {
	s.delay()
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
