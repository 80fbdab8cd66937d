package awsdouble

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// A Resource is a resource or a setting that exists in an account and region.
type Resource struct {
	// Kind is the kind of managed resource that creates such resources.
	Kind string
	// ID is the ARN of the resource or of what it configures, and what distinguishes it there.
	ID string
	// UID is the value of the tag crossplane-uid, empty if there is none.
	UID string
	// Namespace is the value of the tag crossplane-namespace, empty if there is none.
	Namespace string
}

// Resources returns all resources in an account and region, sorted by kind and ID. It includes a runtime management
// configuration only if it differs from AWS's default.
func (s *Server) Resources(account, region string) []Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.home(account, region)
	for _, m := range slices.Collect(maps.Values(h.mappings)) {
		s.settleMapping(h, m)
	}
	s.settleCapacity(h)
	l := listing{}
	for name, f := range h.functions {
		l.function(h.arn("function:"+name), f)
	}
	for _, v := range h.layers {
		l.layer(v)
	}
	for arn, c := range h.signing {
		l.add("CodeSigningConfig", arn, c.tags)
	}
	for _, m := range h.mappings {
		l.add("EventSourceMapping", m.UUID, m.Tags)
	}
	for _, c := range h.capacity {
		l.add("CapacityProvider", c.CapacityProviderArn, c.Tags)
	}
	slices.SortFunc(l.resources, func(a, b Resource) int { return slices.Compare([]string{a.Kind, a.ID}, []string{b.Kind, b.ID}) })
	return l.resources
}

type listing struct{ resources []Resource }

func (l *listing) add(kind, id string, tags map[string]string) {
	l.resources = append(l.resources, Resource{Kind: kind, ID: id, UID: tags["crossplane-uid"], Namespace: tags["crossplane-namespace"]})
}

func (l *listing) function(arn string, f *function) {
	l.add("Function", arn, f.tags)
	for _, v := range f.versions {
		l.add("Version", arn+":"+v.Version, nil)
	}
	for name := range f.aliases {
		l.add("Alias", arn+":"+name, nil)
	}
	for on, p := range f.policies {
		l.policy("Permission", on, p)
	}
	for q := range f.urls {
		l.add("FunctionURL", arn+":"+q, nil)
	}
	for q := range f.events {
		l.add("FunctionEventInvokeConfig", arn+":"+q, nil)
	}
	for q := range f.provisioned {
		l.add("ProvisionedConcurrencyConfig", arn+":"+q, nil)
	}
	for _, q := range slices.Sorted(maps.Keys(f.runtimes)) {
		if f.runtimes[q].UpdateRuntimeOn != "Auto" {
			l.add("RuntimeManagementConfig", arn+":"+q, nil)
		}
	}
}

func (l *listing) layer(v *layer) {
	for _, v := range v.versions {
		l.add("LayerVersion", v.LayerArn+":"+strconv.FormatInt(v.Version, 10), nil)
		l.policy("LayerVersionPermission", v.LayerVersionArn, v.policy)
	}
}

// policy lists each statement of a policy.
func (l *listing) policy(kind, on string, p *policy) {
	if p == nil {
		return
	}
	for _, raw := range p.Statement {
		st := struct {
			Sid string `json:"Sid"`
		}{}
		_ = json.Unmarshal(raw, &st) // A statement without an ID has none.
		l.add(kind, on+"/"+st.Sid, nil)
	}
}
