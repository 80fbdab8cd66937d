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

// A Subject is the resource that a call names.
type Subject struct {
	// Account and Region of what the call names. They are those of the event unless the call names another.
	Account, Region string

	// Function is the name of a function, with the version or alias that the call names.
	Function functionname.Name

	// Layer is the name of a layer, and LayerVersion the number of one of its versions.
	Layer, LayerVersion string

	// Name is the external name of another resource: the UUID of an event source mapping, the ARN of a code signing
	// configuration, or the name of a capacity provider.
	Name string
}

// IsZero reports whether the call names nothing that this provider manages.
func (s *Subject) IsZero() bool { return s.Function.Function == "" && s.Layer == "" && s.Name == "" }

// text is a string of JSON. Any other value is read as an empty string.
type text string

// UnmarshalJSON reads a value.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	}
	return nil
}

// lenient is an object of JSON. Any other value is read as an empty object.
type lenient[T any] struct{ value T }

// UnmarshalJSON reads a value.
func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	var v T
	if json.Unmarshal(data, &v) == nil {
		l.value = v
	}
	return nil
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

// record is a record of CloudTrail. It has only the fields that are used: others may hold secrets.
type record struct {
	EventTime          text                `json:"eventTime"`
	EventSource        text                `json:"eventSource"`
	EventName          text                `json:"eventName"`
	Region             text                `json:"awsRegion"`
	SourceIP           text                `json:"sourceIPAddress"`
	UserAgent          text                `json:"userAgent"`
	ErrorCode          text                `json:"errorCode"`
	ErrorMessage       text                `json:"errorMessage"`
	RecipientAccountID text                `json:"recipientAccountId"`
	ReadOnly           literal             `json:"readOnly"`
	UserIdentity       lenient[identity]   `json:"userIdentity"`
	Request            lenient[parameters] `json:"requestParameters"`
	Response           lenient[parameters] `json:"responseElements"`
}

// literal is a number or a boolean that JSON has as such or as a text.
type literal string

// UnmarshalJSON reads a value.
func (l *literal) UnmarshalJSON(data []byte) error {
	*l = literal(strings.Trim(string(data), `"`))
	return nil
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
	e.Subject = subjectOf(d, e)
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
