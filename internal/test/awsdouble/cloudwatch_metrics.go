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
func (m *Metric) key() string {
	parts := []string{m.Namespace, m.Name}
	for _, k := range slices.Sorted(maps.Keys(m.Dimensions)) {
		parts = append(parts, k, m.Dimensions[k])
	}
	return strings.Join(parts, "\x00")
}

// resolution returns the length of the metric's data points in seconds.
func (m *Metric) resolution() int64 {
	if m.HighResolution {
		return 1
	}
	return minuteLength
}

// minuteLength is the length of the data points of most metrics in seconds.
const minuteLength = 60

// recordedMetric holds the published data of a metric.
type recordedMetric struct {
	// resolution is the length of the data points in seconds.
	resolution int64
	// datapoints by their beginning in Unix time.
	datapoints map[int64]*datapoint
}

// A datapoint holds the values of a metric in a minute or a second.
type datapoint struct {
	values []observed
}

// observed is a value, how often it was observed, and from when it is visible, in nanoseconds of Unix time.
type observed struct {
	value, count float64
	visible      int64
}

func (d *datapoint) add(more observed) {
	for i := range d.values {
		if d.values[i].value == more.value && d.values[i].visible == more.visible {
			d.values[i].count += more.count
			return
		}
	}
	d.values = append(d.values, more)
}

// PutMetric publishes a value of a metric at a time.
func (s *Server) PutMetric(m Metric, at time.Time, value float64) {
	defer s.lock()()
	s.recorded(m).add(at, s.options.Now(), value, 1)
}

// recorded returns what is published of a metric.
func (s *Server) recorded(m Metric) *recordedMetric {
	all, key := s.monitor(m.Account, m.Region).metrics, m.key()
	if all[key] == nil {
		all[key] = &recordedMetric{resolution: m.resolution(), datapoints: map[int64]*datapoint{}}
	}
	return all[key]
}

// add publishes a value that was observed a number of times. It is visible from a time on.
func (r *recordedMetric) add(at, visible time.Time, value, count float64) {
	begin := at.Unix()
	begin -= begin % r.resolution
	if r.datapoints[begin] == nil {
		oldest := begin - r.age()
		maps.DeleteFunc(r.datapoints, func(m int64, _ *datapoint) bool { return m < oldest })
		r.datapoints[begin] = &datapoint{}
	}
	r.datapoints[begin].add(observed{value: value, count: count, visible: visible.UnixNano()})
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
	defer s.lock()()
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

// statistics returns a metric's statistic for each period of a time, of what is visible by another.
func (of *monitor) statistics(m Metric, stat string, q timeRange, by time.Time) map[int64]float64 {
	out, recorded := map[int64]float64{}, of.metrics[m.key()]
	if recorded == nil {
		return out
	}
	for from := q.start; from < q.end; from += q.period {
		merged := datapoint{}
		for begin := recorded.first(from); begin < min(from+q.period, q.end); begin += recorded.resolution {
			d := recorded.datapoints[begin]
			if d == nil {
				continue
			}
			for _, v := range d.values {
				if v.visible <= by.UnixNano() {
					merged.add(observed{value: v.value, count: v.count})
				}
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
var statisticPattern = regexp.MustCompile(`^(Sum|Average|Maximum|Minimum|SampleCount|p(100|[0-9]{1,2}(\.[0-9]{1,` +
	`10})?))$`)

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
	sorted := slices.SortedFunc(slices.Values(d.values),
		func(a, b observed) int { return cmp.Compare(a.value, b.value) })
	n := 0.0
	for _, v := range sorted {
		if n += v.count; n >= part*count {
			return v.value
		}
	}
	return sorted[len(sorted)-1].value
}
