package conformance

// The objects of the cluster of a run.
const (
	namespace  = "default"
	configName = "conformance"
)
