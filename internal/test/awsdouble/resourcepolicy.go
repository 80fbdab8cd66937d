package awsdouble

import (
	"encoding/json"
	"slices"
	"strings"
)

// policyHolder returns the function of the ARN in the path, and the version or alias that it names.
func (s *Server) policyHolder(r *request) (*function, instance) {
	t := parseTarget(r.vars["ResourceArn"])
	r.reachable(t)
	f := r.home.functions[t.name]
	if f == nil {
		panic(notFound("Function not found: %s", r.vars["ResourceArn"]))
	}
	s.completeAll(f)
	i := s.pick(f, t, r)
	return f, i
}

func putResourcePolicy(s *Server, r *request) any {
	in := decoded[struct{ Policy, RevisionId string }](r) //nolint:revive // Lambda's spelling
	f, i := s.policyHolder(r)
	held := r.home.policies[i.FunctionArn]
	if in.RevisionId != "" && (held == nil || in.RevisionId != held.revision) {
		panic(staleRevision("GetResourcePolicy"))
	}
	next := readPolicy(in.Policy, partition(r.region))
	r.home.setPolicy(f, i.FunctionArn, next)
	return next.answer()
}

func getResourcePolicy(s *Server, r *request) any {
	_, i := s.policyHolder(r)
	if held := r.home.policies[i.FunctionArn]; held != nil {
		return held.answer()
	}
	panic(notFound("The resource you requested does not exist."))
}

func deleteResourcePolicy(s *Server, r *request) any {
	f, i := s.policyHolder(r)
	held, revision := r.home.policies[i.FunctionArn], r.query("RevisionId")
	switch {
	case held == nil:
		panic(notFound("The resource you requested does not exist."))
	case revision != "" && revision != held.revision:
		panic(staleRevision("GetResourcePolicy"))
	}
	r.home.setPolicy(f, i.FunctionArn, nil)
	return nil
}

// readPolicy parses a policy document into the stored form: compact, and with principals as IAM writes them.
func readPolicy(document, partition string) *policy {
	if len(document) > maxPolicy {
		panic(tooLong(len(document)))
	}
	p := &policy{revision: newUUID()}
	in := struct {
		Version   string          `json:"Version"`
		Id        string          `json:"Id"` //nolint:revive // IAM's spelling
		Statement json.RawMessage `json:"Statement"`
	}{}
	if err := json.Unmarshal([]byte(document), &in); err != nil {
		panic(invalidParameter("The policy is not valid JSON."))
	}
	statements := []map[string]any{}
	if strings.HasPrefix(string(in.Statement), "{") {
		in.Statement = slices.Concat([]byte("["), in.Statement, []byte("]"))
	}
	if err := json.Unmarshal(in.Statement, &statements); err != nil || len(statements) == 0 {
		panic(invalidParameter("The policy has no valid statement."))
	}
	p.Version, p.Id = in.Version, in.Id
	for _, st := range statements {
		if st["Effect"] != "Allow" && st["Effect"] != "Deny" {
			panic(invalidParameter("A statement of the policy has no valid effect."))
		}
		st["Principal"] = rewritten(st["Principal"], partition)
		if st["Principal"] == nil {
			delete(st, "Principal")
		}
		p.Statement = append(p.Statement, json.RawMessage(text(st)))
	}
	p.fits()
	return p
}

// rewritten returns a principal with account IDs replaced by the ARNs of root users.
func rewritten(principal any, partition string) any {
	kinds, isMap := principal.(map[string]any)
	if !isMap {
		return principal
	}
	switch aws := kinds["AWS"].(type) {
	case string:
		kinds["AWS"] = expand(aws, partition)
	case []any:
		for i, one := range aws {
			if id, isText := one.(string); isText {
				aws[i] = expand(id, partition)
			}
		}
	}
	return kinds
}

func expand(principal, partition string) string {
	if accountID.MatchString(principal) {
		return rootOf(principal, partition)
	}
	return principal
}

// PutPolicy replaces the policy of a function, a version, an alias or a layer version as an out-of-band update does; an
// empty document removes it. The resource is an ARN. It reports whether the function or the layer version exists.
func (s *Server) PutPolicy(arn, document string) bool {
	defer s.editing()()
	h := s.homeOf(arn)
	var p *policy
	if document != "" {
		p = readPolicy(document, partition(h.region))
	}
	if name, number, isLayer := h.ownLayer(arn); isLayer {
		h.policies[arn] = p
		return h.layerVersion(name, number) != nil
	}
	f := h.functions[parseTarget(arn).name]
	if f != nil {
		h.setPolicy(f, arn, p)
	}
	return f != nil
}

// Policy returns the policy of a function, a version, an alias or a layer version by its ARN, or "".
func (s *Server) Policy(arn string) string {
	defer s.lock()()
	if p := s.homeOf(arn).policies[arn]; p != nil {
		return text(p.document)
	}
	return ""
}
