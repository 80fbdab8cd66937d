package cloudwatch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// minute is the resolution of Lambda's metrics, and of others that are not of high resolution.
const minute = time.Minute

// fineAge is how long CloudWatch keeps data points of less than a minute.
const fineAge = 3 * time.Hour

// defaultWindow is the window of a metric that sets none.
const defaultWindow = 5 * time.Minute

// A request is a metric of a rollout.
type request struct {
	// key identifies the request: rollouts with equal keys have the same value.
	key string

	// queries have IDs that are unique in the request. A call replaces them.
	queries []types.MetricDataQuery

	// evaluate returns the sample of the queries' data points by ID.
	evaluate func(w window, of map[string]series) (rollout.Sample, error)

	// length and period of the window, and the time before which data points do not count.
	length, period time.Duration
	since          time.Time
	// present says that the window ends with the present period instead of the last finished one.
	present bool

	// custom says that a user wrote the queries. CloudWatch rejects a whole call for one mistake.
	custom bool
	// alone says that the queries must not share a call with those of others.
	alone bool
	// accepted says that CloudWatch has accepted the queries, rejections how often it rejected calls
	// with them. Only the caller that makes the calls reads and changes them.
	accepted   bool
	rejections int
}

// errNoProvider is the error of a metric that CloudWatch does not provide.
var errNoProvider = errors.New("the provider of the metric is neither lambda nor cloudWatch")

// newRequest returns the request of a metric of provider lambda or cloudWatch.
func newRequest(subject rollout.Subject, metric v1beta1.RolloutMetric) (*request, error) {
	r := &request{period: minute, since: subject.Since}
	var length time.Duration
	switch p := metric.Provider; {
	case p.Lambda != nil:
		m := lambdaMetric{LambdaMetric: *p.Lambda, subject: subject}
		if err := m.check(); err != nil {
			return nil, err
		}
		r.queries, r.evaluate = m.queries(), m.evaluate
		if p.Lambda.Window != nil {
			length = p.Lambda.Window.Duration
		}
	case p.CloudWatch != nil:
		m := customMetric{CloudWatchMetric: *p.CloudWatch, subject: subject}
		if err := m.check(); err != nil {
			return nil, err
		}
		r.queries, r.evaluate = m.queries(), m.evaluate
		r.custom, r.alone, r.period = true, m.alone(), m.period()
		if p.CloudWatch.Window != nil {
			length = p.CloudWatch.Window.Duration
		}
	default:
		return nil, errNoProvider
	}
	r.length = cmp.Or(length, defaultWindow)
	var err error
	r.key, err = keyOf(r, subject, metric.Provider)
	return r, err
}

// keyOf returns the key of a request. Keys of the same alias are neighbours in alphabetical order.
func keyOf(r *request, subject rollout.Subject, provider v1beta1.RolloutMetricProvider) (string, error) {
	since := time.Time{}
	if !r.since.IsZero() {
		since = ceil(r.since, r.period)
	}
	b, err := json.Marshal([]any{provider.Lambda, provider.CloudWatch, subject.Stable, subject.Target, subject.Weighted, since})
	if err != nil {
		return "", fmt.Errorf("cannot encode the metric: %w", err)
	}
	sum := sha256.Sum256(b)
	return subject.Function + ":" + subject.Alias + "/" + hex.EncodeToString(sum[:]), nil
}

// windowAt returns the window of the request.
func (r *request) windowAt(now time.Time) window {
	if r.present {
		now = now.Add(r.period)
	}
	return windowAt(now, r.length, r.period, r.since)
}

// untilFirst returns how long it takes until the first period of an empty window is finished. It is
// zero if the clock was set back.
func (r *request) untilFirst(now time.Time) time.Duration {
	if r.since.Sub(now) > skew {
		return 0
	}
	return ceil(r.since, r.period).Add(r.period).Sub(now)
}

// fine reports whether a query has a period of less than a minute.
func (r *request) fine() bool {
	for _, q := range r.queries {
		if s := q.MetricStat; s != nil && ptr.Deref(s.Period, 0) < int32(minute.Seconds()) {
			return true
		}
	}
	return false
}

// noSample returns a sample of no data points.
func noSample() rollout.Sample {
	return rollout.Sample{Value: math.NaN(), Baseline: math.NaN()}
}
