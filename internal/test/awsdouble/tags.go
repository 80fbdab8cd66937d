package awsdouble

import (
	"maps"
	"strings"
)

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
