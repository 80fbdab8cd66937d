package awsdouble

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Metric identifies a metric of CloudWatch.
type Metric struct {
	// Account and Region of the metric. The default account is DefaultAccount.
	Account, Region string
	// Namespace and Name of the metric.
	Namespace, Name string
	// Dimensions of the metric. All of them are part of its identity.
	Dimensions map[string]string
	// HighResolution says that the metric has data points of a second. It is not part of its identity.
	HighResolution bool
}

// key returns the identity of a metric in its account and region.
func (m Metric) key() string {
	parts := []string{m.Namespace, m.Name}
	for _, k := range slices.Sorted(maps.Keys(m.Dimensions)) {
		parts = append(parts, k, m.Dimensions[k])
	}
	return strings.Join(parts, "\x00")
}

// resolution returns the length of the metric's data points in seconds.
func (m Metric) resolution() int64 {
	if m.HighResolution {
		return 1
	}
	return minuteLength
}

// minuteLength is the length of the data points of most metrics in seconds.
const minuteLength = 60

// recordedMetric is what was published of a metric.
type recordedMetric struct {
	// resolution is the length of the data points in seconds.
	resolution int64
	// datapoints by their beginning in Unix time.
	datapoints map[int64]*datapoint
}

// A datapoint is what was published of a metric in a minute or a second.
type datapoint struct {
	values []observed
}

// observed is a value and how often it was observed.
type observed struct{ value, count float64 }

func (d *datapoint) add(value, count float64) {
	for i := range d.values {
		if d.values[i].value == value {
			d.values[i].count += count
			return
		}
	}
	d.values = append(d.values, observed{value: value, count: count})
}

// PutMetric publishes a value of a metric at a time.
func (s *Server) PutMetric(m Metric, at time.Time, value float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.publishMetric(m, at, value, 1)
}

// publishMetric publishes a value of a metric that was observed a number of times.
func (s *Server) publishMetric(m Metric, at time.Time, value, count float64) {
	all, key := s.monitor(m.Account, m.Region).metrics, m.key()
	if all[key] == nil {
		all[key] = &recordedMetric{resolution: m.resolution(), datapoints: map[int64]*datapoint{}}
	}
	of, begin := all[key], at.Unix()
	begin -= begin % of.resolution
	if of.datapoints[begin] == nil {
		oldest := begin - of.age()
		maps.DeleteFunc(of.datapoints, func(m int64, _ *datapoint) bool { return m < oldest })
		of.datapoints[begin] = &datapoint{}
	}
	of.datapoints[begin].add(value, count)
}

// age returns how long data points are kept, in seconds.
func (r *recordedMetric) age() int64 {
	if r.resolution < minuteLength {
		return int64(maxFineAge.Seconds())
	}
	return int64(maxMetricAge.Seconds())
}

// SetMetricStatus makes queries of metrics of a name return no data, a status such as InternalError, and a message
// if it is not empty. The status Complete restores them.
func (s *Server) SetMetricStatus(name, status, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if status == statusComplete && message == "" {
		delete(s.statuses, name)
		return
	}
	s.statuses[name] = metricStatus{status: status, message: message}
}

// metricStatus is the status of a query's data.
type metricStatus struct{ status, message string }

const (
	statusComplete = "Complete"
	statusPartial  = "PartialData"
)

// statistics returns a metric's statistic for each period of a time.
func (s *Server) statistics(of *monitor, m Metric, stat string, q timeRange) map[int64]float64 {
	out, now := map[int64]float64{}, s.options.Now()
	recorded := of.metrics[m.key()]
	if recorded == nil {
		return out
	}
	for from := q.start; from < q.end; from += q.period {
		merged := datapoint{}
		for begin := recorded.first(from); begin < min(from+q.period, q.end); begin += recorded.resolution {
			d := recorded.datapoints[begin]
			visible := time.Unix(begin+recorded.resolution, 0).Add(s.options.MetricDelay)
			if d == nil || m.Namespace == lambdaNamespace && s.options.MetricDelay > 0 && visible.After(now) {
				continue
			}
			for _, v := range d.values {
				merged.add(v.value, v.count)
			}
		}
		if len(merged.values) > 0 {
			out[from] = merged.statistic(stat)
		}
	}
	return out
}

// first returns when the first data point begins that does not begin before a time.
func (r *recordedMetric) first(from int64) int64 {
	return (from + r.resolution - 1) / r.resolution * r.resolution
}

// timeRange is a time in Unix seconds, and the length of its periods.
type timeRange struct{ start, end, period int64 }

// statisticPattern matches the statistics that the double knows.
var statisticPattern = regexp.MustCompile(`^(Sum|Average|Maximum|Minimum|SampleCount|p(100|[0-9]{1,2}(\.[0-9]{1,10})?))$`)

// statistic returns a statistic of the values.
func (d *datapoint) statistic(stat string) float64 {
	sum, count, lowest, highest := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range d.values {
		sum, count = sum+v.value*v.count, count+v.count
		lowest, highest = min(lowest, v.value), max(highest, v.value)
	}
	switch stat {
	case "Sum":
		return sum
	case "SampleCount":
		return count
	case "Average":
		return sum / count
	case "Minimum":
		return lowest
	case "Maximum":
		return highest
	}
	percent, _ := strconv.ParseFloat(strings.TrimPrefix(stat, "p"), 64) // The pattern matches.
	return d.percentile(percent/100, count)
}

// percentile returns the smallest value that at least a part of the values does not exceed.
func (d *datapoint) percentile(part, count float64) float64 {
	sorted := slices.SortedFunc(slices.Values(d.values), func(a, b observed) int { return cmp.Compare(a.value, b.value) })
	n := 0.0
	for _, v := range sorted {
		if n += v.count; n >= part*count {
			return v.value
		}
	}
	return sorted[len(sorted)-1].value
}
