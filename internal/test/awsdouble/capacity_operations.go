package awsdouble

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// capacityInput is CreateCapacityProvider's body. Its tags are declared at the outer level, so that they are decoded
// although responses do not contain them.
type capacityInput struct {
	CapacityProvider

	CapacityProviderName string
	Tags                 map[string]string
}

func createCapacity(s *Server, r *request) any {
	in := decoded[capacityInput](r)
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	name := capacityName(in.CapacityProviderName)
	if h.capacity[name] != nil {
		panic(conflict("Capacity provider already exists: %s", name))
	}
	s.checkNetwork(in.VpcConfig.SubnetIds, in.VpcConfig.SecurityGroupIds)
	checkTags(nil, in.Tags)
	c := &capacity{CapacityProvider: in.CapacityProvider}
	c.CapacityProviderArn = h.arn("capacity-provider:" + name)
	c.CapacityProvider.Tags = map[string]string{}
	maps.Copy(c.CapacityProvider.Tags, in.Tags)
	c.fill(name)
	next := capacityActive
	if take(s.plans.capacity, name) != nil {
		next = capacityFailed
	}
	s.startCapacity(c, capacityPending, next, s.options.CreateDuration)
	h.capacity[name] = c
	return c.answer()
}

// fill sets the defaults of what a creation leaves out.
func (c *capacity) fill(name string) {
	if c.CapacityProviderScalingConfig == nil {
		c.CapacityProviderScalingConfig = &CapacityScaling{}
	}
	c.CapacityProviderScalingConfig.ScalingMode = cmp.Or(c.CapacityProviderScalingConfig.ScalingMode, "Auto")
	if c.InstanceRequirements == nil {
		c.InstanceRequirements = &CapacityInstances{}
	}
	if len(c.InstanceRequirements.Architectures) == 0 {
		c.InstanceRequirements.Architectures = []string{"x86_64"}
	}
	if c.TelemetryConfig == nil || c.TelemetryConfig.LoggingConfig == nil {
		c.TelemetryConfig = &CapacityTelemetry{LoggingConfig: &CapacityLogging{}}
	}
	l := c.TelemetryConfig.LoggingConfig
	l.LogGroup = cmp.Or(l.LogGroup, "/aws/lambda/capacity-provider/"+name)
	l.SystemLogLevel = cmp.Or(l.SystemLogLevel, "INFO")
	if c.VpcConfig.SecurityGroupIds == nil {
		c.VpcConfig.SecurityGroupIds = []string{}
	}
}

func (c *capacity) answer() any { return map[string]any{"CapacityProvider": c.CapacityProvider} }

func getCapacity(s *Server, r *request) any {
	c, _ := s.capacity(r)
	return c.answer()
}

func listCapacity(s *Server, r *request) any {
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	all := []CapacityProvider{}
	for _, name := range slices.Sorted(maps.Keys(h.capacity)) {
		if c := h.capacity[name]; r.query("State") == "" || r.query("State") == c.State {
			all = append(all, c.CapacityProvider)
		}
	}
	return paged("CapacityProviders", all, r)
}

// idle returns an error if the capacity provider is changing its state.
func (c *capacity) idle() {
	if c.busy {
		panic(conflict("The operation cannot be performed at this time. An update is in progress for resource: %s", c.CapacityProviderArn))
	}
}

func updateCapacity(s *Server, r *request) any {
	in := decoded[CapacityProvider](r)
	c, name := s.capacity(r)
	c.idle()
	if n := in.CapacityProviderScalingConfig; n != nil {
		if n.MaxVCpuCount == nil {
			n.MaxVCpuCount = c.CapacityProviderScalingConfig.MaxVCpuCount
		}
		c.CapacityProviderScalingConfig = n
	}
	if in.PropagateTags != nil {
		c.PropagateTags = in.PropagateTags
	}
	if in.TelemetryConfig != nil {
		c.TelemetryConfig = in.TelemetryConfig
	}
	c.fill(name)
	s.startCapacity(c, capacityPending, capacityActive, s.options.UpdateDuration)
	return c.answer()
}

func deleteCapacity(s *Server, r *request) any {
	c, _ := s.capacity(r)
	c.idle()
	if len(s.runsOn(s.home(r.account, r.region), c.CapacityProviderArn)) > 0 {
		panic(conflict("The capacity provider %s is used by functions.", c.CapacityProviderArn))
	}
	s.startCapacity(c, capacityDeleting, "", s.options.UpdateDuration)
	return c.answer()
}

// runsOn returns the functions' versions that run on a capacity provider.
func (s *Server) runsOn(h *home, arn string) []map[string]string {
	found := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(h.functions)) {
		f := h.functions[name]
		s.settleAll(f)
		for _, i := range append([]*instance{f.latest}, f.versions...) {
			if i.runsOn() == arn {
				found = append(found, map[string]string{"FunctionArn": i.FunctionArn, "State": i.State})
			}
		}
	}
	return found
}

// runsOn returns the ARN of an instance's capacity provider, empty if it has none.
func (i *instance) runsOn() string {
	var c struct {
		LambdaManagedInstancesCapacityProviderConfig struct {
			CapacityProviderArn string `json:"CapacityProviderArn"`
		} `json:"LambdaManagedInstancesCapacityProviderConfig"`
	}
	_ = json.Unmarshal(i.CapacityProviderConfig, &c) // It was decoded when it was sent.
	return c.LambdaManagedInstancesCapacityProviderConfig.CapacityProviderArn
}

func listCapacityVersions(s *Server, r *request) any {
	c, _ := s.capacity(r)
	out := paged("FunctionVersions", s.runsOn(s.home(r.account, r.region), c.CapacityProviderArn), r)
	out["CapacityProviderArn"] = c.CapacityProviderArn
	return out
}

// CapacityProvider returns a copy of a capacity provider in a region of DefaultAccount, by name.
func (s *Server) CapacityProvider(region, name string) (CapacityProvider, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.home(DefaultAccount, region)
	s.settleCapacity(h)
	c := h.capacity[name]
	if c == nil {
		return CapacityProvider{}, false
	}
	return c.CapacityProvider, true
}
