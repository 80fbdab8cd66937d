package awsdouble

import "time"

// DefaultAccount is the account of an access key that AddAccessKey never named.
const DefaultAccount = "123456789012"

// Options set how a Server behaves. The zero value answers at once, settles
// every change at the next call and enforces no quotas.
type Options struct {
	// Now is the clock of everything that lasts: states, token buckets,
	// time stamps. Default: time.Now.
	Now func() time.Time
	// CreateDuration is how long a new function stays Pending. With 0 it is
	// Active from the next call on.
	CreateDuration time.Duration
	// UpdateDuration is how long an update stays InProgress. With 0 it has
	// settled at the next call.
	UpdateDuration time.Duration
	// ProvisionDuration is how long provisioned concurrency stays IN_PROGRESS. With
	// 0 it has settled at the next call.
	ProvisionDuration time.Duration
	// ExecutionDuration is how long a durable execution goes on after the call that
	// started it, which is how long the deletion of its function waits.
	ExecutionDuration time.Duration
	// Latency is how long each call really takes before it is handled.
	Latency time.Duration
	// Quotas are the request rates to enforce for each account and region.
	// The zero value enforces none; LambdaQuotas are AWS's.
	Quotas Quotas
	// Conflicts is what becomes of a change that arrives while another of the same
	// function is in flight: for Latency, or as Hold says. Default: Serialized.
	Conflicts Conflicts
	// Consistency is how late reads show what was changed. The zero value shows it at
	// once; SetConsistency changes it.
	Consistency Consistency
	// Limits are what each account may use in each region.
	Limits Limits
	// StrictCredentials has every call checked as AWS checks it: it must be
	// signed, by SigV4, with the key of a user of AddUser or of a session that
	// has not expired, and a role is assumed only as AddRole says it may be.
	// Without it any key will do, and any role may be assumed. The time of a
	// signature is not checked, for the SDK signs by a clock of its own.
	StrictCredentials bool
}

// Quotas are requests a second for each account and region. A bucket holds as
// many tokens as its rate. A rate of 0 is not enforced.
type Quotas struct {
	// GetFunction is the rate of GetFunction alone.
	GetFunction float64
	// GetPolicy is the rate of GetPolicy alone.
	GetPolicy float64
	// ControlPlane is the rate of all other Lambda operations together.
	ControlPlane float64
}

// LambdaQuotas are the quotas that AWS enforces and does not raise.
func LambdaQuotas() Quotas {
	return Quotas{GetFunction: 100, GetPolicy: 15, ControlPlane: 15}
}

const (
	// settles is how long a creation or an update takes, as AWS takes a second or two.
	settles = 1500 * time.Millisecond

	// nearby is the latency of a call to a region that is not far.
	nearby = 30 * time.Millisecond
)

// Lifelike are the options of a double that people look at: it takes its time, and has
// Lambda's quotas, as AWS does.
func Lifelike() Options {
	return Options{CreateDuration: settles, UpdateDuration: settles, Latency: nearby, Quotas: LambdaQuotas()}
}
