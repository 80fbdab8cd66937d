package awsdouble

import (
	"encoding/json"
	"slices"
	"strings"
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
	defer s.lock()()
	h := s.home(account, region)
	s.completeMappings(h)
	s.completeCapacity(h)
	l := listing{home: h}
	for name, f := range h.functions {
		l.function(h.arn("function:"+name), f)
	}
	for _, layer := range h.layers {
		for _, v := range layer.versions {
			l.add("LayerVersion", *v.LayerVersionArn)
		}
	}
	for on, p := range h.policies {
		l.policy(on, p)
	}
	for arn := range h.signing {
		l.add("CodeSigningConfig", arn)
	}
	for _, m := range h.mappings {
		uid := h.tags[*m.EventSourceMappingArn][uidTag]
		l.resources = append(l.resources, Resource{Kind: "EventSourceMapping", ID: *m.UUID, UID: uid})
	}
	for name := range h.capacity {
		l.add("CapacityProvider", h.arn("capacity-provider:"+name))
	}
	slices.SortFunc(l.resources,
		func(a, b Resource) int { return slices.Compare([]string{a.Kind, a.ID}, []string{b.Kind, b.ID}) })
	return l.resources
}

// The tags that have the UID and the namespace of the managed resource.
const (
	uidTag       = "crossplane-uid"
	namespaceTag = "crossplane-namespace"
)

type listing struct {
	home      *home
	resources []Resource
}

func (l *listing) add(kind, id string) {
	l.resources = append(l.resources, Resource{
		Kind: kind, ID: id, UID: l.home.tags[id][uidTag],
		Namespace: l.home.tags[id][namespaceTag],
	})
}

func (l *listing) function(arn string, f *function) {
	l.add("Function", arn)
	for _, v := range f.versions {
		l.add("Version", arn+":"+v.Version)
	}
	for name := range f.aliases {
		l.add("Alias", arn+":"+name)
	}
	for q := range f.urls {
		l.add("FunctionURL", arn+":"+q)
	}
	for q := range f.events {
		l.add("FunctionEventInvokeConfig", arn+":"+q)
	}
	for q := range f.provisioned {
		l.add("ProvisionedConcurrencyConfig", arn+":"+q)
	}
	for q := range f.runtimes {
		if f.runtimes[q].UpdateRuntimeOn != "Auto" {
			l.add("RuntimeManagementConfig", arn+":"+q)
		}
	}
}

// policy lists each statement of a policy.
func (l *listing) policy(on string, p *policy) {
	kind := "Permission"
	if strings.Contains(on, ":layer:") {
		kind = "LayerVersionPermission"
	}
	for _, raw := range p.Statement {
		st := struct {
			Sid string `json:"Sid"`
		}{}
		_ = json.Unmarshal(raw, &st) // A statement without an ID has none.
		l.add(kind, on+"/"+st.Sid)
	}
}
