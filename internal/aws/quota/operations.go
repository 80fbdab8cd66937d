package quota

// serviceLambda is the SDK's ID of Lambda. No other service is limited here.
const serviceLambda = "Lambda"

// A Bucket is a quota of AWS Lambda that some operations share.
type Bucket int

// The buckets, the scarce ones first.
const (
	// ControlPlane has all operations without a quota of their own, lists and tags included.
	ControlPlane Bucket = iota
	// GetPolicy is the quota of one operation.
	GetPolicy
	// GetFunction is the quota of one operation.
	GetFunction
)

// Unlimited is the bucket of operations that are not part of the control plane.
const Unlimited Bucket = -1

const bucketCount = int(GetFunction) + 1

// String returns the name of the bucket in metrics.
func (b Bucket) String() string {
	switch b {
	case ControlPlane:
		return "ControlPlane"
	case GetPolicy:
		return "GetPolicy"
	case GetFunction:
		return "GetFunction"
	default:
		return "Unlimited"
	}
}

// A Rate is the part of a quota that the provider uses.
type Rate struct {
	// PerSecond is the sustained rate, in requests a second.
	PerSecond float64
	// Burst is the maximum number of requests at once, at least 1.
	Burst float64
}

// leastBurst is the burst that a lower rate keeps: a reconcile may need as many calls, and is repeated if it gets
// fewer.
const leastBurst = 10

// At returns the rate with another number of requests a second. If it is lower, so is the burst, down to leastBurst:
// others use the rest of AWS's bucket too.
func (r Rate) At(perSecond float64) Rate {
	return Rate{PerSecond: perSecond, Burst: min(r.Burst, max(leastBurst, r.Burst*perSecond/r.PerSecond))}
}

// DefaultRates are slightly below AWS's own: 15 a second for ControlPlane and GetPolicy, 100 for
// GetFunction. The burst is less than AWS's bucket by what the network can bring together: requests
// that were sent over a third of a second may arrive at one moment.
var DefaultRates = map[Bucket]Rate{
	ControlPlane: {PerSecond: 14.7, Burst: 10},
	GetPolicy:    {PerSecond: 14.7, Burst: 10},
	GetFunction:  {PerSecond: 98, Burst: 60},
}

// dataPlane has the operations of Lambda that run functions. Their limits are per function and by concurrency.
var dataPlane = map[string]bool{
	"Invoke":                                true,
	"InvokeAsync":                           true,
	"InvokeWithResponseStream":              true,
	"CheckpointDurableExecution":            true,
	"GetDurableExecution":                   true,
	"GetDurableExecutionHistory":            true,
	"GetDurableExecutionState":              true,
	"ListDurableExecutionsByFunction":       true,
	"SendDurableExecutionCallbackFailure":   true,
	"SendDurableExecutionCallbackHeartbeat": true,
	"SendDurableExecutionCallbackSuccess":   true,
	"StopDurableExecution":                  true,
}

// BucketOf returns the bucket of an operation of a service, by the SDK's names for them.
func BucketOf(service, operation string) Bucket {
	switch {
	case service != serviceLambda, dataPlane[operation]:
		return Unlimited
	case operation == "GetFunction":
		return GetFunction
	case operation == "GetPolicy":
		return GetPolicy
	default:
		return ControlPlane
	}
}
