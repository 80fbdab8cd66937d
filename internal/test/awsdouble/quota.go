package awsdouble

import "time"

// tokens is a token bucket that starts full and holds one second's requests.
type tokens struct {
	left float64
	at   time.Time
}

// take refills the bucket for the elapsed time and takes one token.
func (t *tokens) take(rate float64, now time.Time) bool {
	t.left = min(rate, t.left+now.Sub(t.at).Seconds()*rate)
	t.at = now
	if t.left < 1 {
		return false
	}
	t.left--
	return true
}

// withinQuota reports whether a call of Lambda or CloudWatch is within its quota. Invocations have none of requests.
func (s *Server) withinQuota(r *request) bool {
	if r.service != serviceLambda && r.service != serviceCloudWatch {
		return true
	}
	name, rate := "", s.options.Quotas.ControlPlane
	switch r.operation {
	case "Invoke", "InvokeWithResponseStream":
		return true
	case "GetMetricData":
		name, rate = r.operation, s.options.Quotas.GetMetricData
	case "DescribeAlarms":
		name, rate = r.operation, s.options.Quotas.DescribeAlarms
	case "GetFunction":
		name, rate = r.operation, s.options.Quotas.GetFunction
	case "GetPolicy":
		name, rate = r.operation, s.options.Quotas.GetPolicy
	}
	if rate == 0 {
		return true
	}
	key, now := r.account+"/"+r.region+"/"+name, s.options.Now()
	t, ok := s.tokens[key]
	if !ok {
		t = &tokens{left: rate, at: now}
		s.tokens[key] = t
	}
	return t.take(rate, now)
}

// Throttled returns how many calls were rejected with 429, or as throttled by CloudWatch.
func (s *Server) Throttled() int {
	defer s.lock()()
	return s.throttled
}
