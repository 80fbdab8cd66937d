package awsdouble

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// The payloads that Lambda accepts, in bytes, and how much of a log it returns.
const (
	maxPayload      = 6 << 20
	maxEventPayload = 1 << 20
	maxLogTail      = 4 << 10
)

// Invoked is an invocation as the function's code receives it.
type Invoked struct {
	// Version is the version that runs: $LATEST or a number.
	Version string
	// Payload is the event, as it was sent.
	Payload []byte
	// Asynchronous is true for events: the caller does not see their outcome.
	Asynchronous bool
	// ClientContext, TenantID and DurableExecutionName as they were sent.
	ClientContext, TenantID, DurableExecutionName string
}

// Returned is the result of a function's code.
type Returned struct {
	// Payload is the result, or the error object. Empty is null.
	Payload []byte
	// Error is Unhandled or Handled if the code failed.
	Error string
	// Log is the function's log.
	Log string
	// Delay is the duration of the invocation, in real time. The caller of an event does not wait.
	Delay time.Duration
}

// OnInvoke sets the code of the functions of a name, in all accounts and regions. Functions without code return null.
// The double is locked while the code runs, so the code must not call it.
func (s *Server) OnInvoke(name string, code func(Invoked) Returned) {
	defer s.lock()()
	s.code[name] = code
}

func invoke(s *Server, r *request) any {
	if t := r.target(); t.qualifier == "" && r.home.functions[t.name] == nil {
		panic(notFound("Function not found: %s", r.home.arn("function:"+t.name+":"+latestVersion)))
	}
	f, t := s.find(r)
	i := s.reached(f, t, r)
	kind := r.http.Header.Get("X-Amz-Invocation-Type")
	in := Invoked{
		Version: i.Version, Payload: r.body, Asynchronous: kind == "Event",
		ClientContext: r.http.Header.Get("X-Amz-Client-Context"), TenantID: r.http.Header.Get("X-Amz-Tenant-Id"),
		DurableExecutionName: r.http.Header.Get("X-Amz-Durable-Execution-Name"),
	}
	r.home.invocable(f, in)
	header := http.Header{}
	if kind == "DryRun" {
		return &answer{status: http.StatusNoContent}
	}
	s.active(f, i)
	ran := s.executes(f, i, in, header)
	out := Returned{}
	if code := s.code[t.name]; code != nil && !ran {
		out = code(in)
	}
	s.logInvocation(r, i, out)
	if in.Asynchronous {
		return &answer{status: http.StatusAccepted, header: header}
	}
	header.Set("X-Amz-Executed-Version", i.Version)
	return returned(out, header, r.http.Header.Get("X-Amz-Log-Type") == "Tail")
}

// returned returns the response to a synchronous invocation.
func returned(out Returned, header http.Header, tail bool) *answer {
	if out.Error != "" {
		header.Set("X-Amz-Function-Error", out.Error)
	}
	if tail {
		end := out.Log[max(0, len(out.Log)-maxLogTail):]
		header.Set("X-Amz-Log-Result", base64.StdEncoding.EncodeToString([]byte(end)))
	}
	if len(out.Payload) == 0 {
		out.Payload = []byte("null")
	}
	header.Set("Content-Type", "application/json")
	return &answer{header: header, body: out.Payload, delay: out.Delay}
}

// invocable rejects invocations that do not reach the function's code.
func (h *home) invocable(f *function, in Invoked) {
	limit, kind := maxPayload, "RequestResponse"
	if in.Asynchronous {
		limit, kind = maxEventPayload, "Event"
	}
	switch {
	case len(in.Payload) > limit:
		e := tooLarge("%d byte payload is too large for the %s invocation type (limit %d bytes)", len(in.Payload), kind,
			limit)
		e.Code = "RequestTooLargeException"
		panic(e)
	case len(in.Payload) > 0 && (!json.Valid(in.Payload) || !utf8.Valid(in.Payload)):
		panic(apiError(http.StatusBadRequest, "InvalidRequestContentException",
			"Could not parse request body into json: Could not parse payload into json"))
	case in.ClientContext != "" && !isContext(in.ClientContext):
		panic(apiError(http.StatusBadRequest, "InvalidRequestContentException",
			"Client context must be a valid Base64-encoded JSON object."))
	case h.usable(f) <= 0:
		e := throttled()
		e.Message, e.Fields["Reason"] = "Rate Exceeded.", "ReservedFunctionConcurrentInvocationLimitExceeded"
		panic(e)
	case (f.latest.TenancyConfig != nil) && in.TenantID == "":
		panic(invalidParameter("The invoked function is enabled with tenancy configuration. Add a valid tenant ID in " +
			"your request and try again."))
	case (f.latest.TenancyConfig == nil) && in.TenantID != "":
		panic(invalidParameter("The invoked function is not enabled with tenancy configuration. Remove the tenant ID " +
			"from your request and try again."))
	}
}

// active rejects invocations of a version that is not Active. If it is Inactive, it is Pending from then on.
func (s *Server) active(f *function, i instance) {
	v := f.versionOf(i.Version)
	switch {
	case i.State == stateActive:
		return
	case i.inactive() && v != nil:
		s.restore(v, s.options.Now())
	case i.StateReasonCode != "Restoring":
		panic(notNow(i.State))
	}
	e := conflict("Lambda is initializing your function. It will be ready to invoke shortly.")
	e.Code = "CodeArtifactUserPendingException"
	if snapshots(&i) {
		e.Code = "SnapStartNotReadyException"
		e.Message = "Lambda is initializing your function. " +
			"It will be ready to invoke once your function state becomes ACTIVE."
	}
	panic(e)
}

func (i *instance) inactive() bool { return i.State == stateInactive }

// restore makes an Inactive version that is invoked at a time Pending.
func (s *Server) restore(v *instance, at time.Time) {
	v.State, v.StateReason, v.StateReasonCode = statePending, "The function is being restored.", "Restoring"
	v.busy, v.completeAt, v.completed = true, at.Add(s.options.RestoreDuration), v.RevisionId
	v.failure = s.take(newVersion, v.FunctionName)
}

// runs reports whether an invocation of a version at a time, which may have passed, runs. If the version is Inactive,
// it is Pending from then on.
func (s *Server) runs(v *instance, at time.Time) bool {
	if !at.Before(v.completeAt) {
		s.complete(v)
	}
	if v.inactive() {
		s.restore(v, at)
	}
	return v.State == stateActive && !at.Before(v.ready)
}

func isContext(encoded string) bool {
	b, err := base64.StdEncoding.DecodeString(encoded)
	object := map[string]any{}
	return err == nil && json.Unmarshal(b, &object) == nil
}

// executes records a durable execution. It reports whether the execution of this name has already run.
func (s *Server) executes(f *function, i instance, in Invoked, header http.Header) bool {
	switch {
	case i.DurableConfig == nil && in.DurableExecutionName == "":
		return false
	case i.DurableConfig == nil:
		panic(invalidParameter("A name of a durable execution is for durable functions."))
	}
	name := in.DurableExecutionName
	if name == "" {
		name = newUUID()
	}
	before, ran := f.executions[name]
	arn := before.arn
	if !ran {
		arn = f.latest.FunctionArn + ":" + i.Version + "/durable-execution/" + name + "/" + newUUID()
	}
	header.Set("X-Amz-Durable-Execution-Arn", arn)
	if ran && before.payload != string(in.Payload) {
		panic(&Error{
			Status: http.StatusConflict, Code: "DurableExecutionAlreadyStartedException",
			Message: "Durable execution " + name + " has been started with another payload.",
		})
	}
	if f.executions == nil {
		f.executions = map[string]execution{}
	}
	if !ran {
		f.executions[name] = execution{
			payload: string(in.Payload), arn: arn, started: s.options.Now(),
			ends: s.options.Now().Add(s.options.ExecutionDuration),
		}
	}
	return ran
}

// chunk is the number of bytes of a response in an event of a stream. It is small, so that responses have several.
const chunk = 16

// invokeStream invokes a function, and returns the response as a stream of events.
func invokeStream(s *Server, r *request) any {
	a := answerTo(r, invoke(s, r))
	payload, _ := a.body.([]byte)
	if payload == nil {
		return a
	}
	complete := map[string]string{}
	if code := a.header.Get("X-Amz-Function-Error"); code != "" {
		complete["ErrorCode"], complete["ErrorDetails"] = code, string(payload)
		payload = nil
	}
	if tail := a.header.Get("X-Amz-Log-Result"); tail != "" {
		complete["LogResult"] = tail
	}
	body := &bytes.Buffer{}
	for rest := payload; len(rest) > 0; {
		n := min(chunk, len(rest))
		if err := writeEvent(body, "PayloadChunk", "application/octet-stream", rest[:n]); err != nil {
			panic(err)
		}
		rest = rest[n:]
	}
	if err := writeEvent(body, "InvokeComplete", "application/json", []byte(text(complete))); err != nil {
		panic(err)
	}
	header := http.Header{
		"Content-Type":           {"application/vnd.amazon.eventstream"},
		"X-Amz-Executed-Version": a.header["X-Amz-Executed-Version"],
	}
	return &answer{header: header, body: body.Bytes(), delay: a.delay}
}

// writeEvent writes one event of a stream.
func writeEvent(to *bytes.Buffer, kind, contentType string, payload []byte) error {
	m := eventstream.Message{Payload: payload}
	m.Headers.Set(":message-type", eventstream.StringValue("event"))
	m.Headers.Set(":event-type", eventstream.StringValue(kind))
	m.Headers.Set(":content-type", eventstream.StringValue(contentType))
	return eventstream.NewEncoder().Encode(to, m)
}
