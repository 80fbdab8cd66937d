package awsdouble

import (
	"cmp"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// DefaultAccount is the account of access keys that AddAccessKey did not name.
const DefaultAccount = "123456789012"

// Options configure a Server. With the zero value it responds at once, completes every change at the next call and
// enforces no quotas.
type Options struct {
	// Now is the clock of states, token buckets and time stamps. Default: time.Now.
	Now func() time.Time
	// CreateDuration is the time for which a new function stays Pending. With 0 it is Active from the next call on.
	CreateDuration time.Duration
	// UpdateDuration is the time for which an update stays InProgress. With 0 it is complete at the next call.
	UpdateDuration time.Duration
	// ProvisionDuration is the time for which provisioned concurrency stays IN_PROGRESS. With 0 it is complete at the
	// next call.
	ProvisionDuration time.Duration
	// RestoreDuration is the time for which an Inactive function or version stays Pending after a call has invoked it.
	// With 0 it is Active from the next call on.
	RestoreDuration time.Duration
	// ExecutionDuration is the time for which a durable execution runs after the call that started it, and so for which
	// the deletion of its function waits.
	ExecutionDuration time.Duration
	// Latency is the real time that each call takes before it is handled.
	Latency time.Duration
	// Quotas are the request rates to enforce for each account and region. The zero value enforces none; LambdaQuotas
	// are AWS's.
	Quotas Quotas
	// LosePermissions makes concurrent additions of permissions all succeed, while the policy keeps only the one that
	// ends last.
	LosePermissions bool
	// Consistency is the delay of reads. With the zero value there is none; SetConsistency changes it.
	Consistency Consistency
	// Limits are each account's limits in each region.
	Limits Limits
	// MetricDelay is the longest time until an invocation of Traffic that has ended is in the metrics. The parts
	// of a minute take four ninths of it to all of it, so that the minute grows. With 0 there is no delay.
	MetricDelay time.Duration
	// UnweightedVersions publishes metrics with the dimension ExecutedVersion of aliases with one version too. It is
	// not documented whether AWS does.
	UnweightedVersions bool
	// EpochPeriods counts the periods of GetMetricData from the epoch, not from the beginning of its time, as
	// users report. It is not documented which of them AWS does.
	EpochPeriods bool
	// StrictCredentials checks every call as AWS does: it must be signed by SigV4 with the key of a user of AddUser
	// or of a session that has not expired, and a role can only be assumed as AddRole allows. Without it any key is
	// accepted, and any role can be assumed. The time of a signature is not checked, because the SDK signs with its
	// own clock.
	StrictCredentials bool
}

// Quotas are requests a second for each account and region. A bucket holds as many tokens as its rate. A rate of 0 is
// not enforced.
type Quotas struct {
	// GetFunction is the rate of GetFunction alone.
	GetFunction float64
	// GetPolicy is the rate of GetPolicy alone.
	GetPolicy float64
	// ControlPlane is the rate of all other Lambda operations together.
	ControlPlane float64
	// GetMetricData and DescribeAlarms are the rates of these operations of CloudWatch.
	GetMetricData, DescribeAlarms float64
}

// LambdaQuotas returns the quotas of Lambda that AWS enforces and does not raise, and CloudWatch's defaults.
func LambdaQuotas() Quotas {
	return Quotas{GetFunction: 100, GetPolicy: 15, ControlPlane: 15, GetMetricData: 50, DescribeAlarms: 9}
}

// UsualMetricDelay is a MetricDelay with which a minute is complete between two and three minutes after its end.
const UsualMetricDelay = 150 * time.Second

const (
	// transitionTime is the duration of a creation or an update, as AWS takes a second or two.
	transitionTime = 1500 * time.Millisecond

	// nearby is the latency of a call to a nearby region.
	nearby = 30 * time.Millisecond
)

// Lifelike returns the options of a double that behaves like AWS: with delays, and with Lambda's quotas.
func Lifelike() Options {
	return Options{
		CreateDuration: transitionTime, UpdateDuration: transitionTime, Latency: nearby, Quotas: LambdaQuotas(),
	}
}

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

// Limits are an account's limits of Lambda in a region. A limit of 0 is AWS's default.
type Limits struct {
	// ConcurrentExecutions is the number of executions that may run at a time. Default: 1000.
	ConcurrentExecutions int32
	// MinUnreserved is the number of these that cannot be reserved. Default: 100, as in most accounts; new accounts
	// have less of both.
	MinUnreserved int32
	// TotalCodeSize is the maximum total size of the code of all versions and layers, in bytes. Default: 75 GiB.
	TotalCodeSize int64
}

func (l Limits) orDefaults() Limits {
	return Limits{
		ConcurrentExecutions: cmp.Or(l.ConcurrentExecutions, 1000),
		MinUnreserved:        cmp.Or(l.MinUnreserved, 100),
		TotalCodeSize:        cmp.Or(l.TotalCodeSize, 75<<30),
	}
}

func getAccountSettings(_ *Server, r *request) any {
	h := r.home
	return map[string]any{
		"AccountLimit": types.AccountLimit{
			CodeSizeUnzipped: maxUnzipped, CodeSizeZipped: maxZip, TotalCodeSize: h.limits.TotalCodeSize,
			ConcurrentExecutions:           h.limits.ConcurrentExecutions,
			UnreservedConcurrentExecutions: aws.Int32(h.limits.ConcurrentExecutions - h.reserved(nil)),
		},
		"AccountUsage": types.AccountUsage{FunctionCount: int64(len(h.functions)), TotalCodeSize: h.stored()},
	}
}

// stored returns the total size of the code of all versions and layers, in bytes. Images are stored in registries and
// have a size of 0.
func (h *home) stored() int64 {
	total := int64(0)
	for _, f := range h.functions {
		total += f.latest.CodeSize
		for _, v := range f.versions {
			total += v.CodeSize
		}
	}
	for _, l := range h.layers {
		for _, v := range l.versions {
			total += v.Content.CodeSize
		}
	}
	return total
}

// checkStorage rejects code of a size, in bytes, that exceeds the account's remaining storage without the size of the
// code that it replaces. It sums up all code only when it may exceed the storage, because a test may have many
// functions.
func (h *home) checkStorage(size, replaced int64) {
	const copies = 2 // The code of a function, and of the version that the same call may publish.
	h.storedAtMost += copies * size
	if h.storedAtMost <= h.limits.TotalCodeSize {
		return
	}
	stored := h.stored()
	h.storedAtMost = stored + copies*size
	if stored+size-replaced <= h.limits.TotalCodeSize {
		return
	}
	panic(apiError(http.StatusBadRequest, "CodeStorageExceededException", "Code storage limit exceeded."))
}
