package awsdouble

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
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
	return Error{Status: http.StatusInternalServerError, Code: "InternalServiceFault", Message: "Internal service error"}
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
	return &Error{Status: http.StatusBadRequest, Code: "ValidationError", Message: fmt.Sprintf(format, args...)}
}

// decodeCBOR decodes the CBOR body into v by its JSON names. Times are seconds.
func (r *request) decodeCBOR(v any) {
	malformed := func(err error) error {
		return &Error{Status: http.StatusBadRequest, Code: "SerializationException", Message: err.Error()}
	}
	body, err := cbor.Decode(r.body)
	if err != nil {
		panic(malformed(err))
	}
	plain, err := json.Marshal(fromCBOR(body))
	if err != nil {
		panic(malformed(err))
	}
	if err := json.Unmarshal(plain, v); err != nil {
		panic(malformed(err))
	}
}

// fromCBOR returns a value as encoding/json has it.
func fromCBOR(v cbor.Value) any {
	switch v := v.(type) {
	case cbor.Map:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = fromCBOR(e)
		}
		return m
	case cbor.List:
		l := make([]any, 0, len(v))
		for _, e := range v {
			l = append(l, fromCBOR(e))
		}
		return l
	case cbor.String:
		return string(v)
	case cbor.Bool:
		return bool(v)
	case cbor.Uint:
		return uint64(v)
	case cbor.NegInt:
		return -float64(v)
	case cbor.Float32:
		return float64(v)
	case cbor.Float64:
		return float64(v)
	case *cbor.Tag:
		return fromCBOR(v.Value)
	default:
		return nil
	}
}

// toCBOR returns what a handler returns as CBOR. Members that are empty strings are left out.
func toCBOR(v any) cbor.Value {
	switch v := v.(type) {
	case map[string]any:
		m := make(cbor.Map, len(v))
		for k, e := range v {
			if e != "" {
				m[k] = toCBOR(e)
			}
		}
		return m
	case []any:
		l := make(cbor.List, 0, len(v))
		for _, e := range v {
			l = append(l, toCBOR(e))
		}
		return l
	case string:
		return cbor.String(v)
	case bool:
		return cbor.Bool(v)
	case int:
		return cbor.Uint(v) //nolint:gosec // No negative numbers are returned.
	case float64:
		return cbor.Float64(v)
	case time.Time:
		return &cbor.Tag{ID: 1, Value: cbor.Float64(v.Unix())}
	default:
		return &cbor.Nil{}
	}
}

// writeCBOR writes a response of RPC v2.
func writeCBOR(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/cbor")
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.WriteHeader(status)
	_, _ = w.Write(cbor.Encode(toCBOR(body)))
}

// writeCloudWatchError writes an error of RPC v2, with the code of the query protocol in a header.
func writeCloudWatchError(w http.ResponseWriter, e *Error) {
	fault := "Sender"
	if e.Status >= http.StatusInternalServerError {
		fault = "Receiver"
	}
	w.Header().Set("X-Amzn-Query-Error", e.Code+";"+fault)
	writeCBOR(w, e.Status, map[string]any{"__type": "com.amazonaws.cloudwatch#" + e.Code, "message": e.Message})
}

// findCloudWatch sets the operation of a request and returns its handler, or nil.
func findCloudWatch(r *request) handler {
	r.operation = strings.TrimPrefix(r.http.URL.Path, "/service/GraniteServiceVersion20100801/operation/")
	return cloudWatchOperations[r.operation]
}
