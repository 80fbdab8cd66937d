package awsdouble

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// capacityInput is CreateCapacityProvider's body. Its tags are declared at the outer level, so that they are decoded
// although responses do not contain them.
type capacityInput struct {
	CapacityProvider

	CapacityProviderName string
	Tags                 map[string]string
}

func createCapacity(s *Server, r *request) (*answer, error) {
	in := capacityInput{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	name := capacityName(in.CapacityProviderName)
	if h.capacity[name] != nil {
		return nil, conflict("Capacity provider already exists: %s", name)
	}
	if err := s.checkNetwork(in.VpcConfig.SubnetIds, in.VpcConfig.SecurityGroupIds); err != nil {
		return nil, err
	}
	if err := checkTags(nil, in.Tags); err != nil {
		return nil, err
	}
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
	return c.answer(http.StatusAccepted), nil
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

func (c *capacity) answer(status int) *answer {
	return &answer{status: status, json: map[string]any{"CapacityProvider": c.CapacityProvider}}
}

func getCapacity(s *Server, r *request) (*answer, error) {
	c, _, err := s.capacity(r)
	if err != nil {
		return nil, err
	}
	return c.answer(http.StatusOK), nil
}

func listCapacity(s *Server, r *request) (*answer, error) {
	h := s.home(r.account, r.region)
	s.settleCapacity(h)
	all := []CapacityProvider{}
	for _, name := range slices.Sorted(maps.Keys(h.capacity)) {
		if c := h.capacity[name]; r.query("State") == "" || r.query("State") == c.State {
			all = append(all, c.CapacityProvider)
		}
	}
	return paged("CapacityProviders", all, r), nil
}

// idle returns an error if the capacity provider is changing its state.
func (c *capacity) idle() error {
	if c.busy {
		return conflict("The operation cannot be performed at this time. An update is in progress for resource: %s", c.CapacityProviderArn)
	}
	return nil
}

func updateCapacity(s *Server, r *request) (*answer, error) {
	in := CapacityProvider{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	c, name, err := s.capacity(r)
	if err != nil {
		return nil, err
	}
	if err := c.idle(); err != nil {
		return nil, err
	}
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
	return c.answer(http.StatusAccepted), nil
}

func deleteCapacity(s *Server, r *request) (*answer, error) {
	c, _, err := s.capacity(r)
	if err != nil {
		return nil, err
	}
	if err := c.idle(); err != nil {
		return nil, err
	}
	if len(s.runsOn(s.home(r.account, r.region), c.CapacityProviderArn)) > 0 {
		return nil, conflict("The capacity provider %s is used by functions.", c.CapacityProviderArn)
	}
	s.startCapacity(c, capacityDeleting, "", s.options.UpdateDuration)
	return c.answer(http.StatusAccepted), nil
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

func listCapacityVersions(s *Server, r *request) (*answer, error) {
	c, _, err := s.capacity(r)
	if err != nil {
		return nil, err
	}
	out := paged("FunctionVersions", s.runsOn(s.home(r.account, r.region), c.CapacityProviderArn), r)
	if body, ok := out.json.(map[string]any); ok {
		body["CapacityProviderArn"] = c.CapacityProviderArn
	}
	return out, nil
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
