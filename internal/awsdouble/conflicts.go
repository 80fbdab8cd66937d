package awsdouble

import (
	"maps"
	"net/http"
)

// Conflicts is what becomes of a change that arrives while another of the same
// function is in flight.
type Conflicts int

const (
	// Serialized changes are made one after the other.
	Serialized Conflicts = iota
	// Refused is the change that came later, with a 409.
	Refused
	// Lost is Refused, but of permissions that are added at the same time each succeeds,
	// and the policy has the one that ended last only.
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

// ConcurrentUpdate is the error of a change of a function, or of its permissions, that
// lost to another at the same time.
func ConcurrentUpdate() Error {
	return *conflict("The function could not be updated due to a concurrent update operation.")
}

// ConcurrentEventInvokeUpdate is ConcurrentUpdate for how a function is invoked
// asynchronously. The ARN is qualified.
func ConcurrentEventInvokeUpdate(arn string) Error {
	return *conflict("The EventInvokeConfig for function %s could not be updated due to a concurrent update operation.", arn)
}

// Held is a call that stays in flight.
type Held struct {
	operation         string
	arrived, released chan struct{}
}

// Hold keeps the next call of an operation in flight from when it has arrived until it
// is released, whatever Latency is.
func (s *Server) Hold(operation string) *Held {
	h := &Held{operation: operation, arrived: make(chan struct{}), released: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, h)
	return h
}

// Arrived is closed when the call is in flight.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release lets the call go on. It is called once.
func (h *Held) Release() { close(h.released) }

// arrive notes a call as in flight and returns what it waits for, which is nil for
// nothing, and what ends it.
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

// changes names what a call changes that no other may change meanwhile, or nothing.
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

// changed is the function that a change names.
func (r *request) changed() target {
	if arn := r.vars["ResourceArn"]; arn != "" {
		return parseTarget(arn)
	}
	return parseTarget(r.vars["FunctionName"])
}

// lost is what a change is answered that lost to another.
func (r *request) lost() error {
	e := ConcurrentUpdate()
	if changesEventInvoke[r.operation] {
		t, err := r.target()
		if err != nil {
			return err
		}
		h := home{account: r.account, region: r.region}
		e = ConcurrentEventInvokeUpdate(h.arn("function:" + t.name + ":" + latestBy(t)))
	}
	return &e
}

// heldPolicy is the policy that a permission is added to: the one that there was when
// the call arrived, where permissions may get lost.
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

// travel takes the time that a call is in flight, and reports whether it arrives.
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
