package awsdouble

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// wired returns a value as Lambda and SQS send it: structures by the names of their members. Those of the SDK have no
// members that are unset, and others none that are zero and that their tags leave out.
func wired(v any) any { return wiredValue(reflect.ValueOf(v)) }

func wiredValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Pointer, reflect.Interface:
		return wiredValue(v.Elem())
	case reflect.Struct:
		if t, isTime := v.Interface().(time.Time); isTime {
			return float64(t.UnixMilli()) / 1000
		}
		out := map[string]any{}
		wireMembers(v, out)
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = wiredValue(v.Index(i))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for k, e := range v.Seq2() {
			out[k.String()] = wiredValue(e)
		}
		return out
	}
	return v.Interface()
}

// wireMembers adds the members of a structure, and of those that are embedded in it.
func wireMembers(v reflect.Value, to map[string]any) {
	for f, m := range v.Fields() {
		name, optional, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			wireMembers(m, to)
		case !f.IsExported():
		case unset(m) && (optional != "" || strings.HasPrefix(v.Type().PkgPath(), sdk)):
		default:
			to[cmp.Or(name, f.Name)] = wiredValue(m)
		}
	}
}

// sdk begins the paths of the packages whose structures have AWS's names.
const sdk = "github.com/aws/aws-sdk-go-v2/service/"

// unset reports whether a member is left out. An empty list is not, unlike an empty enum.
func unset(v reflect.Value) bool { return v.Kind() != reflect.Struct && v.IsZero() }

// overlay sets members of a structure to those that were sent in another one under the same names. A structure in it
// is overlaid in turn, and cleared by one without members.
func overlay(to, sent any) { overlayValue(reflect.ValueOf(to).Elem(), reflect.ValueOf(sent).Elem()) }

func overlayValue(to, sent reflect.Value) {
	for f, from := range sent.Fields() {
		at := to.FieldByName(f.Name)
		switch {
		case !f.IsExported() || unset(from) || !at.IsValid():
		case from.Kind() == reflect.Pointer && at.Type() == from.Type().Elem():
			at.Set(from.Elem())
		case at.Type() != from.Type():
		case from.Kind() != reflect.Pointer || from.Elem().Kind() != reflect.Struct:
			at.Set(from)
		case blank(from.Elem()):
			at.SetZero()
		default:
			merged := reflect.New(from.Type().Elem())
			if !at.IsNil() {
				merged.Elem().Set(at.Elem())
			}
			overlayValue(merged.Elem(), from.Elem())
			at.Set(merged)
		}
	}
}

// blank reports whether nothing in a structure is set, or only empty lists.
func blank(v reflect.Value) bool {
	for f, m := range v.Fields() {
		if f.IsExported() && !unset(m) && (m.Kind() != reflect.Slice || m.Len() > 0) {
			return false
		}
	}
	return true
}

// An Error is an error response of AWS.
type Error struct {
	// Status is the HTTP status.
	Status int
	// Code is AWS's error code, for example ResourceConflictException.
	Code string
	// Message is AWS's message.
	Message string
	// Header holds additional response headers.
	Header http.Header
	// Fields holds additional members of a JSON error body.
	Fields map[string]string
	// Untyped errors carry no Type, like those that originate in front of Lambda.
	Untyped bool
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func apiError(status int, code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidParameter(format string, args ...any) *Error {
	return apiError(http.StatusBadRequest, "InvalidParameterValueException", format, args...)
}

func notFound(format string, args ...any) *Error {
	return apiError(http.StatusNotFound, "ResourceNotFoundException", format, args...)
}

func conflict(format string, args ...any) *Error {
	return apiError(http.StatusConflict, "ResourceConflictException", format, args...)
}

// accessDenied returns the error of a call for another account, which has no message.
func accessDenied() *Error { return apiError(http.StatusForbidden, "AccessDeniedException", "") }

func tooLarge(format string, args ...any) *Error {
	return apiError(http.StatusRequestEntityTooLarge, "RequestEntityTooLargeException", format, args...)
}

// staleRevision returns the error of a wrong revision, which names the operation that returns the current one.
func staleRevision(operation string) *Error {
	return apiError(
		http.StatusPreconditionFailed, "PreconditionFailedException",
		"The Revision Id provided does not match the latest Revision Id. "+
			"Call the %s API to retrieve the latest Revision Id", operation)
}

func throttled() *Error {
	return &Error{
		Status: http.StatusTooManyRequests, Code: "TooManyRequestsException", Message: "Rate exceeded",
		Header: http.Header{"Retry-After": {"1"}},
		Fields: map[string]string{"Reason": "CallerRateLimitExceeded", "retryAfterSeconds": "1"},
	}
}

// writeError writes an error in the form of the service's protocol.
func writeError(w http.ResponseWriter, service string, e *Error) {
	maps.Copy(w.Header(), e.Header)
	switch service {
	case serviceS3:
		writeXML(w, e.Status, s3Error{Code: e.Code, Message: e.Message})
	case serviceSTS, serviceIAM:
		writeXML(w, e.Status, stsError{Code: e.Code, Message: e.Message})
	case serviceCloudWatch:
		writeCloudWatchError(w, e)
	case serviceSQS:
		writeSQSError(w, e)
	case serviceECR, serviceLogs:
		writeJSON(w, service, e.Status, map[string]string{"__type": e.Code, "message": e.Message})
	default:
		w.Header().Set("X-Amzn-ErrorType", e.Code)
		writeJSON(w, service, e.Status, lambdaErrorBody(e))
	}
}

// lambdaErrorBody returns the members that Lambda sends: a 404 spells Message with a capital, and errors that
// originate in front of the service carry no Type.
func lambdaErrorBody(e *Error) map[string]any {
	body := map[string]any{}
	for k, v := range e.Fields {
		body[k] = v
	}
	switch {
	case e.Code == "AccessDeniedException" && e.Message == "":
		body["Message"] = nil
		return body
	case e.Code == "ValidationException", e.Code == "RequestEntityTooLargeException", e.Code == "AccessDeniedException":
		body["message"] = e.Message
		return body
	case e.Code == "ResourceNotFoundException":
		body["Message"] = e.Message
	default:
		body["message"] = e.Message
	}
	if e.Untyped {
		return body
	}
	body["Type"] = "User"
	if e.Status >= http.StatusInternalServerError {
		body["Type"] = "Service"
	}
	return body
}

// jsonTypes are the content types of services whose JSON is not plain.
var jsonTypes = map[string]string{serviceSQS: "application/x-amz-json-1.0", serviceECR: "application/x-amz-json-1.1"}

func writeJSON(w http.ResponseWriter, service string, status int, body any) {
	w.Header().Set("Content-Type", cmp.Or(jsonTypes[service], "application/json"))
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(body) //nolint:errchkjson // It fails only if the client has disconnected.
}

func writeXML(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(body)
}

// setQueryError sets the header with the code that an error has in the query protocol.
func setQueryError(w http.ResponseWriter, code string, status int) {
	fault := ";Sender"
	if status >= http.StatusInternalServerError {
		fault = ";Receiver"
	}
	w.Header().Set("X-Amzn-Query-Error", code+fault)
}

// s3Error is the body of an S3 error.
type s3Error struct {
	XMLName xml.Name `xml:"Error"`
	Code    string
	Message string
}

// stsError is the body of an error in the query protocol.
type stsError struct {
	XMLName xml.Name `xml:"ErrorResponse"`
	Code    string   `xml:"Error>Code"`
	Message string   `xml:"Error>Message"`
}
