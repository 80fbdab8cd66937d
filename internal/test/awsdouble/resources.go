package awsdouble

import (
	"encoding/json"
	"maps"
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

// tagged returns the ARN in the path, and the function if it is that of one. It rejects a resource that does not exist.
func (s *Server) tagged(r *request) (string, *function) {
	arn := r.vars["Resource"]
	h := r.home
	switch kind := strings.Split(arn, ":")[5]; {
	case kind == "function":
		t := parseTarget(arn)
		if t.qualifier != "" {
			panic(invalidParameter("Tags on function aliases and versions are not supported. Please specify a " +
				"function ARN."))
		}
		r.reachable(t)
		f := h.functions[t.name]
		if f == nil {
			panic(notFound("Function not found: %s", arn))
		}
		s.completeAll(f)
		return arn, f
	case kind == "code-signing-config" && h.signing[arn] == nil:
		panic(noSigningConfig(arn))
	case kind == "event-source-mapping":
		if s.completeMappings(h); h.mappings[arn[strings.LastIndex(arn, ":")+1:]] == nil {
			panic(notFound("Event source mapping not found: %s", arn))
		}
	case kind == "capacity-provider":
		if s.completeCapacity(h); h.capacity[capacityName(arn)] == nil {
			panic(noCapacity(arn))
		}
	case kind == "layer":
		panic(notFound("Layer not found: %s", arn))
	}
	return arn, nil
}

// maxTags is the maximum number of a resource's tags. AWS's own do not count.
const maxTags = 50

// checkTags rejects added tags if the resource would have too many.
func checkTags(there, added map[string]string) {
	all := maps.Clone(there)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, added)
	maps.DeleteFunc(all, func(k, _ string) bool { return strings.HasPrefix(k, "aws:") })
	if len(all) > maxTags {
		panic(invalidParameter("Number of tags exceeds resource tag limit."))
	}
}

func tagResource(s *Server, r *request) any {
	in := decoded[struct{ Tags map[string]string }](r)
	arn, f := s.tagged(r)
	if len(in.Tags) == 0 {
		panic(invalidParameter("An error occurred and the request cannot be processed."))
	}
	tags := r.home.tagsOf(arn)
	checkTags(tags, in.Tags)
	maps.Copy(tags, in.Tags)
	r.home.tags[arn] = tags
	return retagged(f)
}

func untagResource(s *Server, r *request) any {
	arn, f := s.tagged(r)
	tags := r.home.tagsOf(arn)
	for _, k := range r.http.URL.Query()["tagKeys"] {
		delete(tags, k)
	}
	r.home.tags[arn] = tags
	return retagged(f)
}

// retagged returns the response to a change of tags, which changes the revision.
func retagged(f *function) any {
	if f != nil {
		f.latest.RevisionId = newUUID()
	}
	return nil
}

func listTags(s *Server, r *request) any {
	arn, _ := s.tagged(r)
	return map[string]any{"Tags": r.home.tagsOf(arn)}
}
