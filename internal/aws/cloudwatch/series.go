package cloudwatch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A point is a data point: the value of the period that begins at a time.
type point struct {
	at    time.Time
	value float64
}

// A series has the data points of a query, or says why they are of no use.
type series struct {
	label  string
	points []point
	status types.StatusCode
	err    error

	// dropped says that CloudWatch has left out values that are not finite.
	dropped bool
}

// Errors of series.
var (
	errNoSeries = errors.New("CloudWatch did not return the data of a query")
	errSeveral  = errors.New("a query returned more than one time series: aggregate them, such as with SUM")
	errMessage  = errors.New("CloudWatch returned a message with the data, which may be incomplete")
	errNumber   = errors.New("CloudWatch returned a value that is not a finite number")
	errPoints   = errors.New("CloudWatch returned data points without a time, or several of the same time")
)

// in returns the data points of a window in the order of time. It returns an error if the series is
// not complete, or not one of finite numbers.
func (s series) in(w window) ([]point, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case s.status == "":
		return nil, errNoSeries
	case s.status != types.StatusCodeComplete:
		return nil, statusError(s.status)
	}
	var points []point
	for _, p := range s.points {
		if w.has(p.at) {
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b point) int { return a.at.Compare(b.at) })
	for i, p := range points {
		if math.IsNaN(p.value) || math.IsInf(p.value, 0) {
			return nil, errNumber
		}
		if i > 0 && p.at.Equal(points[i-1].at) {
			return nil, errPoints
		}
	}
	return points, nil
}

// statusError returns the error of a series that is not complete.
func statusError(status types.StatusCode) error {
	switch status {
	case types.StatusCodePartialData, types.StatusCodeInternalError, types.StatusCodeForbidden:
		return fmt.Errorf("CloudWatch returned no complete data: %s", status)
	default:
		return errors.New("CloudWatch returned no complete data")
	}
}

// with returns the series of a query with a result of a further page.
func (s series) with(r types.MetricDataResult) series {
	label := aws.ToString(r.Label)
	isOther := func(m types.MessageData) bool { return aws.ToString(m.Code) != "ArithmeticError" } // Some were dropped.
	switch {
	case s.err != nil:
	case s.status != "" && s.label != label:
		s.err = errSeveral
	case slices.ContainsFunc(r.Messages, isOther):
		s.err = errMessage
	case len(r.Timestamps) != len(r.Values):
		s.err = errPoints
	}
	s.label, s.status, s.dropped = label, r.StatusCode, s.dropped || len(r.Messages) > 0
	if s.status == "" {
		s.err = errNoSeries
	}
	for i := range min(len(r.Timestamps), len(r.Values)) {
		s.points = append(s.points, point{at: r.Timestamps[i], value: r.Values[i]})
	}
	return s
}

func noSample() rollout.Sample { return rollout.Sample{Value: math.NaN(), Baseline: math.NaN()} }
