// Package cloudtrail reads the events of CloudTrail about calls to Lambda, as EventBridge delivers them. It is pure.
//
// Anyone whose call is recorded chooses parts of an event, such as the user agent. The package reads no field that
// may hold a secret, and limits and sanitizes what it reads.
package cloudtrail

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// MaxSize is the length of the longest message that is parsed, in bytes. It is that of SQS.
const MaxSize = 1 << 20

// Detail types of EventBridge.
const (
	detailCall      = "AWS API Call via CloudTrail"
	detailScheduled = "Scheduled Event"
)

const (
	sourceLambda    = "aws.lambda"
	sourceScheduler = "aws.events"
	eventSource     = "lambda.amazonaws.com"
)

// ErrInvalid is the error of a message that is not an event of EventBridge, or lacks what identifies the call.
var ErrInvalid = errors.New("the message is not an event of EventBridge with a call to Lambda")

// A Kind is the kind of an event.
type Kind int

const (
	// Unrelated is an event of another service or of another type.
	Unrelated Kind = iota

	// Heartbeat is a scheduled event of EventBridge, which shows that events arrive.
	Heartbeat

	// Call is a call to Lambda.
	Call
)

// An Event is an event of EventBridge.
type Event struct {
	Kind Kind

	// Account and Region of the event bus that received it first.
	Account, Region string

	// Time of the call, to the second.
	Time time.Time

	// ReadOnly is true for a call that changes nothing, and Failed for one that AWS rejected.
	ReadOnly, Failed bool

	// Subject is the resource that the call was about.
	Subject Subject

	// By is the caller.
	By Origin
}

// envelope has the fields that EventBridge adds to an event.
type envelope struct {
	DetailType text            `json:"detail-type"`
	Source     text            `json:"source"`
	Account    text            `json:"account"`
	Region     text            `json:"region"`
	Time       text            `json:"time"`
	Detail     json.RawMessage `json:"detail"`
}

// Parse parses the body of a message. The error is ErrInvalid, whatever is wrong: the body is not to be repeated.
func Parse(body []byte) (Event, error) {
	var v envelope
	if len(body) > MaxSize || json.Unmarshal(body, &v) != nil || v.DetailType == "" || v.Source == "" {
		return Event{}, ErrInvalid
	}
	e := Event{Account: string(v.Account), Region: string(v.Region)}
	switch {
	case v.Source == sourceScheduler && v.DetailType == detailScheduled:
		e.Kind = Heartbeat
	case v.Source == sourceLambda && v.DetailType == detailCall:
		e.Kind = Call
	default:
		return Event{}, nil
	}
	if !functionname.IsAccountID(e.Account) || !isRegion(e.Region) {
		return Event{}, ErrInvalid
	}
	if e.Kind == Heartbeat {
		return e, nil
	}
	return e.withCall(v)
}

// withCall returns the event with the call in its detail.
func (e Event) withCall(v envelope) (Event, error) {
	var d record
	if json.Unmarshal(v.Detail, &d) != nil || d.EventSource != eventSource {
		return Event{}, ErrInvalid
	}
	operation, ok := operationOf(string(d.EventName))
	if !ok {
		return Event{}, ErrInvalid
	}
	var err error
	if e.Time, err = timeOf(d.EventTime, v.Time); err != nil {
		return Event{}, ErrInvalid
	}
	e.ReadOnly = d.ReadOnly == "true" || IsRead(operation)
	e.Failed = d.ErrorCode != "" || d.ErrorMessage != ""
	e.Subject = subjectOf(d, e.Account, e.Region)
	e.By = Origin{
		Principal: d.UserIdentity.value.principal(),
		Agent:     agent(string(d.UserAgent)),
		Operation: operation,
		SourceIP:  clean(string(d.SourceIP), maxSourceIP),
		Time:      e.Time,
		Provider:  isProvider(string(d.UserAgent)),
	}
	return e, nil
}

// timeOf returns the first of the times that can be read.
func timeOf(times ...text) (time.Time, error) {
	var err error
	for _, s := range times {
		var t time.Time
		if t, err = time.Parse(time.RFC3339, string(s)); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, err
}

// IsRead reports whether an operation of Lambda changes nothing, by its name, so that trails of management events do
// not record it.
func IsRead(operation string) bool {
	for _, verb := range []string{"Get", "List", "Invoke"} {
		if strings.HasPrefix(operation, verb) {
			return true
		}
	}
	return false
}
