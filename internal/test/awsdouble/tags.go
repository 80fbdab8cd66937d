package awsdouble

import (
	"maps"
	"strings"
)

// tagged returns the tags of the resource in the path, and the function if the resource is one.
func (s *Server) tagged(r *request) (map[string]string, *function) {
	arn := r.vars["Resource"]
	h := s.home(r.account, r.region)
	kind := strings.Split(arn, ":")[5]
	switch kind {
	case "function":
		return s.taggedFunction(r, h, arn)
	case "code-signing-config":
		if c := h.signing[arn]; c != nil {
			return c.tags, nil
		}
		panic(noSigningConfig(arn))
	case "event-source-mapping":
		m := s.taggedMapping(h, arn)
		return m.Tags, nil
	case "capacity-provider":
		s.settleCapacity(h)
		if c := h.capacity[capacityName(arn)]; c != nil {
			return c.Tags, nil
		}
		panic(noCapacity(arn))
	}
	panic(notFound("Layer not found: %s", arn))
}

func (s *Server) taggedFunction(r *request, h *home, arn string) (map[string]string, *function) {
	t := parseTarget(arn)
	if t.qualifier != "" {
		panic(invalidParameter("Tags on function aliases and versions are not supported. Please specify a function ARN."))
	}
	r.reachable(t)
	f := h.functions[t.name]
	if f == nil {
		panic(notFound("Function not found: %s", arn))
	}
	s.settleAll(f)
	return f.tags, f
}

// maxTags is how many tags a resource may have. AWS's own do not count.
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
	tags, f := s.tagged(r)
	if len(in.Tags) == 0 {
		panic(invalidParameter("An error occurred and the request cannot be processed."))
	}
	checkTags(tags, in.Tags)
	maps.Copy(tags, in.Tags)
	return retagged(f)
}

func untagResource(s *Server, r *request) any {
	tags, f := s.tagged(r)
	keys := r.http.URL.Query()["tagKeys"]
	for _, k := range keys {
		delete(tags, k)
	}
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
	tags, _ := s.tagged(r)
	return map[string]any{"Tags": maps.Clone(tags)}
}
