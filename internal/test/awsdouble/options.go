package awsdouble

import "time"

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
