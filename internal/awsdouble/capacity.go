package awsdouble

import (
	"strings"
	"time"
)

// The states of a capacity provider.
const (
	capacityPending  = "Pending"
	capacityActive   = "Active"
	capacityFailed   = "Failed"
	capacityDeleting = "Deleting"
)

// CapacityProvider is a capacity provider as Lambda answers it, for tests to look
// at and to edit.
type CapacityProvider struct {
	CapacityProviderArn           string
	CapacityProviderScalingConfig *CapacityScaling   `json:",omitempty"`
	InstanceRequirements          *CapacityInstances `json:",omitempty"`
	KmsKeyArn                     string             `json:",omitempty"`
	LastModified                  string             `json:",omitempty"`
	PermissionsConfig             CapacityPermissions
	PropagateTags                 *CapacityTags `json:",omitempty"`
	State                         string
	TelemetryConfig               *CapacityTelemetry `json:",omitempty"`
	VpcConfig                     CapacityVPC
	// Tags are read by ListTags.
	Tags map[string]string `json:"-"`
}

// CapacityScaling bounds what instances a capacity provider starts.
type CapacityScaling struct {
	MaxVCpuCount    *int32           `json:",omitempty"`
	ScalingMode     string           `json:",omitempty"`
	ScalingPolicies []CapacityTarget `json:",omitempty"`
}

// CapacityTarget is a metric and the value that scaling keeps it at.
type CapacityTarget struct {
	PredefinedMetricType string
	TargetValue          float64
}

// CapacityInstances say which instances are used.
type CapacityInstances struct {
	AllowedInstanceTypes  []string `json:",omitempty"`
	Architectures         []string `json:",omitempty"`
	ExcludedInstanceTypes []string `json:",omitempty"`
}

// CapacityPermissions name the role that instances are managed with.
type CapacityPermissions struct{ CapacityProviderOperatorRoleArn string }

// CapacityTags are put on instances.
type CapacityTags struct {
	ExplicitTags map[string]string `json:",omitempty"`
	Mode         string            `json:",omitempty"`
}

// CapacityTelemetry is where a capacity provider logs.
type CapacityTelemetry struct {
	LoggingConfig *CapacityLogging `json:",omitempty"`
}

// CapacityLogging is a log group and what is logged to it.
type CapacityLogging struct {
	LogGroup       string `json:",omitempty"`
	SystemLogLevel string `json:",omitempty"`
}

// CapacityVPC is where instances are started.
type CapacityVPC struct {
	SecurityGroupIds []string //nolint:revive // Lambda's spelling
	SubnetIds        []string //nolint:revive // Lambda's spelling
}

// capacity is a capacity provider, and what it is on its way to.
type capacity struct {
	CapacityProvider
	busy     bool
	settleAt time.Time
	next     string
}

// startCapacity has a capacity provider take a while to another state.
func (s *Server) startCapacity(c *capacity, state, next string, d time.Duration) {
	c.State, c.next = state, next
	c.busy, c.settleAt = true, s.options.Now().Add(d)
	c.LastModified = s.lastModified()
}

// settleCapacity ends what capacity providers are busy with once its time has come.
func (s *Server) settleCapacity(h *home) {
	for name, c := range h.capacity {
		if !c.busy || s.options.Now().Before(c.settleAt) {
			continue
		}
		c.busy = false
		if c.next == "" {
			delete(h.capacity, name)
			continue
		}
		c.State = c.next
	}
}

// capacityName is the plain name that a name or an ARN stands for.
func capacityName(nameOrArn string) string {
	return nameOrArn[strings.LastIndex(nameOrArn, ":")+1:]
}

// capacity finds the capacity provider in the path, settled.
func (s *Server) capacity(r *request) (*capacity, string, error) {
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	name := capacityName(r.vars["CapacityProviderName"])
	if c := h.capacity[name]; c != nil {
		return c, name, nil
	}
	return nil, name, noCapacity(h.arn("capacity-provider:" + name))
}

func noCapacity(arn string) error { return notFound("Capacity provider not found: %s", arn) }
