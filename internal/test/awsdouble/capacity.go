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

// A CapacityProvider is a capacity provider as Lambda returns it. Tests can read and edit it.
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
	// Tags are returned by ListTags.
	Tags map[string]string `json:"-"`
}

// CapacityScaling limits the instances of a capacity provider.
type CapacityScaling struct {
	MaxVCpuCount    *int32           `json:",omitempty"`
	ScalingMode     string           `json:",omitempty"`
	ScalingPolicies []CapacityTarget `json:",omitempty"`
}

// A CapacityTarget is a metric and the value at which scaling keeps it.
type CapacityTarget struct {
	PredefinedMetricType string
	TargetValue          float64
}

// CapacityInstances select the instances to use.
type CapacityInstances struct {
	AllowedInstanceTypes  []string `json:",omitempty"`
	Architectures         []string `json:",omitempty"`
	ExcludedInstanceTypes []string `json:",omitempty"`
}

// CapacityPermissions name the role that manages instances.
type CapacityPermissions struct{ CapacityProviderOperatorRoleArn string }

// CapacityTags are tags of instances.
type CapacityTags struct {
	ExplicitTags map[string]string `json:",omitempty"`
	Mode         string            `json:",omitempty"`
}

// CapacityTelemetry configures where a capacity provider logs.
type CapacityTelemetry struct {
	LoggingConfig *CapacityLogging `json:",omitempty"`
}

// CapacityLogging is a log group and the log level.
type CapacityLogging struct {
	LogGroup       string `json:",omitempty"`
	SystemLogLevel string `json:",omitempty"`
}

// CapacityVPC is the network of instances.
type CapacityVPC struct {
	SecurityGroupIds []string //nolint:revive // Lambda's spelling
	SubnetIds        []string //nolint:revive // Lambda's spelling
}

// capacity is a capacity provider with the state to which it changes next.
type capacity struct {
	CapacityProvider
	busy     bool
	settleAt time.Time
	next     string
}

// startCapacity moves a capacity provider to another state after a duration.
func (s *Server) startCapacity(c *capacity, state, next string, d time.Duration) {
	c.State, c.next = state, next
	c.busy, c.settleAt = true, s.options.Now().Add(d)
	c.LastModified = s.lastModified()
}

// settleCapacity completes the state changes of capacity providers whose time has passed.
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

// capacityName returns the plain name from a name or an ARN.
func capacityName(nameOrArn string) string {
	return nameOrArn[strings.LastIndex(nameOrArn, ":")+1:]
}

// capacity returns the capacity provider in the path, settled.
func (s *Server) capacity(r *request) (*capacity, string) {
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	name := capacityName(r.vars["CapacityProviderName"])
	if c := h.capacity[name]; c != nil {
		return c, name
	}
	panic(noCapacity(h.arn("capacity-provider:" + name)))
}

func noCapacity(arn string) error { return notFound("Capacity provider not found: %s", arn) }
