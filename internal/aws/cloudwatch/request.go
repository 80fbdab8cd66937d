package cloudwatch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// The window of a metric that sets none: five minutes, and at least three periods. That of Lambda's metrics has the
// interval between two measurements at least, so that no failure is between two windows.
const (
	defaultWindow = 5 * time.Minute
	leastPeriods  = 3
)

// shortPeriodsKept is the time for which CloudWatch keeps periods of less than a minute. A call that begins earlier has
// none.
const shortPeriodsKept = 3 * time.Hour

// isShort reports whether a query has periods of less than a minute.
func isShort(q v1beta1.CloudWatchQuery) bool { return q.Metric != nil && periodOf(*q.Metric) < minute }

// A request is a metric of a rollout.
type request struct {
	// key identifies the request: rollouts with equal keys have the same value.
	key string

	// namespace of the first resource that made the request.
	namespace string

	// queries have IDs that are unique in the request. A batch replaces them.
	queries []types.MetricDataQuery

	// evaluate returns the sample of the queries' data points by ID.
	evaluate func(w window, of map[string]series) (rollout.Sample, error)

	// length and period of the window, and the begin of the first period that counts.
	length, period time.Duration
	since          time.Time
	// present says that the window ends with the present period instead of the last finished one.
	present bool

	// custom says that a user wrote the queries. They share no call with others: CloudWatch rejects a whole call for
	// one mistake, and some expressions read all queries of their call.
	custom bool
}

// errNoProvider is the error of a metric that CloudWatch does not provide.
var errNoProvider = errors.New("the provider of the metric is neither lambda nor cloudWatch")

// newRequest returns the request of a metric of provider lambda or cloudWatch. Its window is longer by the timeout of
// the target: the data points of an invocation are of the time of its begin, and appear at its end.
func newRequest(subject rollout.Subject, metric v1beta1.RolloutMetric) (*request, error) {
	r := &request{namespace: subject.Namespace, period: minute, length: defaultWindow}
	var window *metav1.Duration
	switch p := metric.Provider; {
	case p.Lambda != nil:
		m := lambdaMetric{LambdaMetric: *p.Lambda, subject: subject}
		if err := m.check(); err != nil {
			return nil, err
		}
		r.queries, r.evaluate, r.since, window = m.queries(), m.evaluate, m.since(), p.Lambda.Window
		if metric.Interval != nil {
			r.length = max(r.length, metric.Interval.Duration)
		}
	case p.CloudWatch != nil:
		m := customMetric{CloudWatchMetric: *p.CloudWatch, subject: subject}
		if err := m.check(); err != nil {
			return nil, err
		}
		r.queries, r.evaluate, window = m.queries(), m.evaluate, p.CloudWatch.Window
		r.custom, r.period = true, m.period()
		r.since, r.length = ceil(subject.Since, r.period), max(r.length, leastPeriods*r.period)
	default:
		return nil, errNoProvider
	}
	if window != nil {
		r.length = window.Duration
	}
	r.length += subject.Timeout
	if c := metric.Provider.CloudWatch; c != nil && slices.ContainsFunc(c.Queries, isShort) {
		r.length = min(r.length, shortPeriodsKept-2*r.period-rollout.PeriodDelay(r.period))
	}
	var err error
	r.key, err = keyOf(r, subject, metric.Provider)
	return r, err
}

// keyOf returns the key of a request. Keys of the same alias are neighbours in alphabetical order.
func keyOf(r *request, subject rollout.Subject, provider v1beta1.RolloutMetricProvider) (string, error) {
	b, err := json.Marshal([]any{
		provider.Lambda, provider.CloudWatch, subject.Stable, subject.Target, subject.Weighted,
		subject.Since, r.since, r.length,
	})
	if err != nil {
		return "", fmt.Errorf("cannot encode the metric: %w", err)
	}
	sum := sha256.Sum256(b)
	return subject.Function + ":" + subject.Alias + "/" + hex.EncodeToString(sum[:]), nil
}

func (r *request) windowAt(now time.Time) window {
	if r.present {
		now = now.Add(r.period)
	}
	return windowAt(now, r.length, r.period, r.since)
}

// untilFirst returns how long it takes until the first period of an empty window is finished. It is
// zero if the clock was set back.
func (r *request) untilFirst(now time.Time) time.Duration {
	if r.since.Sub(now) > r.period+skew { // The first period begins up to a period after the weight was set.
		return 0
	}
	return r.since.Add(r.period + rollout.PeriodDelay(r.period)).Sub(now)
}

// sample returns the sample of the series of the request's queries, by their IDs.
func (r *request) sample(now time.Time, of map[string]series) (rollout.Sample, error) {
	w := r.windowAt(now)
	sample, err := r.evaluate(w, of)
	if err != nil {
		return noSample(), err
	}
	if sample.Until.IsZero() {
		sample.Until = w.end.Add(-r.period)
	}
	return sample, nil
}
