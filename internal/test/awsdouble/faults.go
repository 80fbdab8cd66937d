package awsdouble

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// Drop selects when a fault closes the connection instead of responding.
type Drop int

const (
	// DropNone responds with the fault's error.
	DropNone Drop = iota
	// DropBefore closes the connection before the call takes effect.
	DropBefore
	// DropAfter closes the connection after the call took effect.
	DropAfter
)

// A Fault makes calls of an operation fail.
type Fault struct {
	// Operation is the operation's name; empty means every operation.
	Operation string
	// Resource limits the fault to one resource, as in Call.Resource; empty means every resource.
	Resource string
	// Times is the number of calls that fail. Default: 1. Negative: all.
	Times int
	// Error is AWS's response, unless Drop or Answer is set.
	Error Error
	// Drop closes the connection instead of responding.
	Drop Drop
	// Answer replaces the response to a call, which takes effect.
	Answer func(status int, body []byte) (int, []byte)
}

// AccessDenied returns the error of a missing permission.
func AccessDenied(action string) Error {
	return Error{
		Status: http.StatusForbidden, Code: "AccessDeniedException",
		Message: "User: arn:aws:iam::" + DefaultAccount + ":user/double is not authorized to perform: " + action +
			" because no identity-based policy allows the " + action + " action",
	}
}

// Throttle returns the error of an exceeded request quota.
func Throttle() Error { return *throttled() }

// SnapshotLimit answers a call that creates a function or a version, which takes effect, as AWS does if the account
// creates too many snapshots at once.
func SnapshotLimit(int, []byte) (int, []byte) {
	return http.StatusTooManyRequests, []byte(`{"Type":"User","Reason":"CallerRateLimitExceeded","message":"Lambda was ` +
		`unable to create new snapshot because you have reached your concurrent snapshot creation limit"}`)
}

// ServiceFailure returns a 500 of Lambda.
func ServiceFailure() Error {
	return Error{
		Status: http.StatusInternalServerError, Code: "ServiceException",
		Message: "An error occurred and the request cannot be processed.",
	}
}

// Fail adds a fault. Faults apply in the order in which they were added, one to a call.
func (s *Server) Fail(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	defer s.lock()()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults and all planned failures of functions.
func (s *Server) ClearFaults() {
	defer s.lock()()
	s.faults, s.plans, s.roleReady = nil, map[plan]failure{}, time.Time{}
}

// strike returns a copy of the first fault that matches a call, and counts it.
func (s *Server) strike(r *request) *Fault {
	for _, f := range s.faults {
		if f.Times == 0 || f.Operation != "" && f.Operation != r.operation {
			continue
		}
		if f.Resource != "" && f.Resource != r.resource() {
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		struck := *f
		struck.Error.Message = r.denied(f.Error.Message)
		return &struck
	}
	return nil
}

// denied adds the resource of a call to the message of a missing permission.
func (r *request) denied(message string) string {
	const because = " because no identity-based policy"
	if r.service != serviceLambda || strings.Contains(message, " on resource: ") {
		return message
	}
	resource := r.resource()
	switch {
	case resource == "":
		resource = "*"
	case r.vars["UUID"] != "":
		resource = (&home{account: r.account, region: r.region}).mappingArn(resource)
	case !strings.HasPrefix(resource, "arn:"):
		h := home{account: r.account, region: r.region}
		resource = h.arn("function:" + parseTarget(resource).name)
	}
	return strings.Replace(message, because, " on resource: "+resource+because, 1)
}

// rewritten writes the response that a fault makes of another one.
func (f *Fault) rewritten(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	status, body := f.Answer(answer.Code, answer.Body.Bytes())
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// drop closes the connection of a call without a response.
func drop(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = c.Close()
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return apiError(http.StatusInternalServerError, "ServiceException", "%v", err)
}

// failure is the reason for which a creation or an update fails once it ends.
type failure struct{ reason, code string }

// A plan is a change of a function or of a capacity provider that is to fail.
type plan struct{ change, name string }

// The changes that can be planned to fail.
const (
	creation       = "creation"
	update         = "update"
	provision      = "provisioned concurrency"
	newVersion     = "version"
	capacityChange = "capacity provider"
)

func (s *Server) plan(change, name string, f failure) {
	defer s.lock()()
	s.plans[plan{change, name}] = f
}

// FailCreation makes the next creation of a function end as State Failed with a reason and one of AWS's reason
// codes, for example InvalidSubnet.
func (s *Server) FailCreation(name, reason, code string) {
	s.plan(creation, name, failure{reason: reason, code: code})
}

// FailUpdate makes the next update of a function end as LastUpdateStatus Failed with a reason and one of AWS's
// reason codes.
func (s *Server) FailUpdate(name, reason, code string) {
	s.plan(update, name, failure{reason: reason, code: code})
}

// FailCapacity makes the next creation of a capacity provider end as State Failed. Lambda returns no reason.
func (s *Server) FailCapacity(name string) { s.plan(capacityChange, name, failure{}) }

// FailVersion makes the next published version of a function end as State Failed with a reason and one of AWS's
// reason codes, or the next one that is restored as Inactive.
func (s *Server) FailVersion(name, reason, code string) {
	s.plan(newVersion, name, failure{reason: reason, code: code})
}

// RoleNotReadyUntil makes Lambda unable to assume any role before a time: creations, and updates that send a role,
// are rejected.
func (s *Server) RoleNotReadyUntil(t time.Time) {
	defer s.lock()()
	s.roleReady = t
}

// take removes and returns the failure that is planned of a change, or nil.
func (s *Server) take(change, name string) *failure {
	f, ok := s.plans[plan{change, name}]
	if !ok {
		return nil
	}
	delete(s.plans, plan{change, name})
	return &f
}

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
