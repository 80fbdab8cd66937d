package awsdouble

import (
	"net/http"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// How long data points are kept: those of a minute, and those of a second.
const (
	maxMetricAge = 25 * time.Hour
	maxFineAge   = 3 * time.Hour
)

// cloudWatchOperations are CloudWatch's operations (RPC v2 with CBOR), by name.
var cloudWatchOperations = map[string]handler{
	"GetMetricData":  getMetricData,
	"DescribeAlarms": describeAlarms,

	"DescribeAlarmHistory": describeAlarmHistory,
}

// A monitor is CloudWatch in an account and region.
type monitor struct {
	metrics map[string]*recordedMetric
	alarms  map[string]*recordedAlarm
}

// monitor returns CloudWatch in an account and region.
func (s *Server) monitor(account, region string) *monitor {
	if account == "" {
		account = DefaultAccount
	}
	key := account + "/" + region
	if s.monitors[key] == nil {
		s.monitors[key] = &monitor{metrics: map[string]*recordedMetric{}, alarms: map[string]*recordedAlarm{}}
	}
	return s.monitors[key]
}

// CloudWatchThrottle returns CloudWatch's error of an exceeded request quota.
func CloudWatchThrottle() Error {
	return Error{Status: http.StatusBadRequest, Code: "Throttling", Message: "Rate exceeded"}
}

// CloudWatchFailure returns a 500 of CloudWatch.
func CloudWatchFailure() Error {
	return Error{
		Status: http.StatusInternalServerError, Code: "InternalServiceFault",
		Message: "Internal service error",
	}
}

// throttled returns the error of an exceeded request quota of the service.
func (r *request) throttled() *Error {
	if r.service == serviceCloudWatch {
		e := CloudWatchThrottle()
		return &e
	}
	return throttled()
}

func invalidMetrics(format string, args ...any) *Error {
	return apiError(http.StatusBadRequest, "ValidationError", format, args...)
}

// decodeCBOR decodes the CBOR body into v. Times are seconds.
func (r *request) decodeCBOR(v any) {
	if err := cbor.Unmarshal(r.body, v); err != nil {
		panic(apiError(http.StatusBadRequest, "SerializationException", "%v", err))
	}
}

// encoding writes times as RPC v2 does.
var encoding = func() cbor.EncMode {
	mode, err := cbor.EncOptions{Time: cbor.TimeUnixDynamic, TimeTag: cbor.EncTagRequired}.EncMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// writeCBOR writes a response of RPC v2.
func writeCBOR(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/cbor")
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.WriteHeader(status)
	b, _ := encoding.Marshal(body) // It has only what CBOR can encode.
	_, _ = w.Write(b)
}

// writeCloudWatchError writes an error of RPC v2, with the code of the query protocol in a header.
func writeCloudWatchError(w http.ResponseWriter, e *Error) {
	setQueryError(w, e.Code, e.Status)
	writeCBOR(w, e.Status, map[string]any{"__type": "com.amazonaws.cloudwatch#" + e.Code, "message": e.Message})
}

// findCloudWatch sets the operation of a request and returns its handler, or nil.
func findCloudWatch(r *request) handler {
	r.operation = strings.TrimPrefix(r.http.URL.Path, "/service/GraniteServiceVersion20100801/operation/")
	return cloudWatchOperations[r.operation]
}
