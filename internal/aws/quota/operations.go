package quota

// ServiceLambda is Lambda's id in the SDK. No other service is limited here.
const ServiceLambda = "Lambda"

// A Bucket is a quota of AWS Lambda that some operations share.
type Bucket int

// Buckets, the scarce ones first.
const (
	// ControlPlane is shared by all operations that have no quota of their own,
	// lists and tags included.
	ControlPlane Bucket = iota
	// GetPolicy has a quota of its own.
	GetPolicy
	// GetFunction has a quota of its own.
	GetFunction
)

// Unlimited operations are not of the control plane.
const Unlimited Bucket = -1

const bucketCount = int(GetFunction) + 1

// String is the bucket's name in metrics.
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

// A Rate is how much of a quota the provider uses.
type Rate struct {
	// PerSecond is the sustained rate, in requests a second.
	PerSecond float64
	// Burst is the most that may be sent at once, at least 1.
	Burst float64
}

// DefaultRates are a little under AWS's own: 15 a second for ControlPlane and
// GetPolicy, 100 for GetFunction. The burst is less than AWS's bucket by what
// the network can bring together: requests sent over a third of a second may
// arrive at one moment.
var DefaultRates = map[Bucket]Rate{
	ControlPlane: {PerSecond: 14.7, Burst: 10},
	GetPolicy:    {PerSecond: 14.7, Burst: 10},
	GetFunction:  {PerSecond: 98, Burst: 60},
}

// dataPlane are the operations of Lambda that run functions. Their limits are
// by function and concurrency.
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

// BucketOf an operation of a service, by the SDK's names for them.
func BucketOf(service, operation string) Bucket {
	switch {
	case service != ServiceLambda, dataPlane[operation]:
		return Unlimited
	case operation == "GetFunction":
		return GetFunction
	case operation == "GetPolicy":
		return GetPolicy
	default:
		return ControlPlane
	}
}
