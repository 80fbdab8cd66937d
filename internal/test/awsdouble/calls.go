package awsdouble

import (
	"net/http"
	"slices"
	"time"
)

// A Call is a call that the double received.
type Call struct {
	// Operation is the operation's name, empty if the double does not implement it.
	Operation string
	// Service is the name in the signature's scope: lambda, s3, sts, ecr, sqs or monitoring, which is CloudWatch's.
	Service string
	// AccessKey is the ID of the key that signed it, empty if it is unsigned.
	AccessKey string
	// Account is the account of the access key.
	Account string
	// Caller is the ARN of the user or the session whose access key signed it, empty if it is unsigned.
	Caller string
	// Region is the region of the signature's scope.
	Region string
	// Resource is the resource that the call names: a function's name or ARN as sent, a tagged resource's ARN, a
	// mapping's UUID, or bucket/key.
	Resource string
	// Items is the number of metrics or alarms that a call of CloudWatch asks for, or of messages that one of SQS
	// received or deleted, 0 if it was rejected before.
	Items int
	// Status is the HTTP status, 0 if the connection was dropped.
	Status int
	// ErrorCode is AWS's code, empty if the call succeeded.
	ErrorCode string
	// Time is the time of the call, by the server's clock.
	Time time.Time
}

// Calls returns all calls since the start or ResetCalls, oldest first.
func (s *Server) Calls() []Call {
	defer s.lock()()
	return slices.Clone(s.calls)
}

// Count returns how many calls of an operation were received; an empty name counts all.
func (s *Server) Count(operation string) int {
	defer s.lock()()
	n := 0
	for i := range s.calls {
		if operation == "" || s.calls[i].Operation == operation {
			n++
		}
	}
	return n
}

// ResetCalls empties the call log and the count of throttled calls.
func (s *Server) ResetCalls() {
	defer s.lock()()
	s.calls, s.throttled = nil, 0
}

func (s *Server) log(r *request, f *Fault, a *answer, err error) {
	c := Call{
		Operation: r.operation, Service: r.service, AccessKey: r.accessKey, Account: r.account, Region: r.region,
		Resource: r.resource(), Items: r.items, Time: s.options.Now(),
	}
	if r.accessKey != "" {
		c.Caller = r.caller.arn
	}
	switch {
	case f != nil && f.Drop != DropNone:
	case err != nil:
		e := asError(err)
		c.Status, c.ErrorCode = e.Status, e.Code
	default:
		c.Status = a.status
	}
	if c.Status == http.StatusTooManyRequests || c.ErrorCode == "Throttling" {
		s.throttled++
	}
	s.calls = append(s.calls, c)
	s.deliver(r, c)
}

// resource returns the resource that a call names.
func (r *request) resource() string {
	for _, v := range []string{
		"FunctionName", "Resource", "ResourceArn", "CodeSigningConfigArn", "LayerName",
		"CapacityProviderName", "UUID",
	} {
		if r.vars[v] != "" {
			return r.vars[v]
		}
	}
	if r.vars["Bucket"] != "" {
		return r.vars["Bucket"] + "/" + r.vars["Key"]
	}
	switch {
	case r.operation == "CreateFunction", r.operation == "CreateEventSourceMapping", r.service == serviceECR:
		in := peeked[struct{ FunctionName, RepositoryName string }](r)
		return in.FunctionName + in.RepositoryName
	case r.form != nil:
		return r.form.Get("RoleArn")
	}
	return ""
}
