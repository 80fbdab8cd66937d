package awsdouble

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// policyHolder returns the function of the ARN in the path, and the version or alias that it names.
func (s *Server) policyHolder(r *request) (*function, instance, error) {
	t := parseTarget(r.vars["ResourceArn"])
	if err := r.reachable(t); err != nil {
		return nil, instance{}, err
	}
	f := s.home(r.account, r.region).functions[t.name]
	if f == nil {
		return nil, instance{}, notFound("Function not found: %s", r.vars["ResourceArn"])
	}
	s.settleAll(f)
	i, err := s.pick(f, t, r)
	return f, i, err
}

func putResourcePolicy(s *Server, r *request) (*answer, error) {
	in := struct{ Policy, RevisionId string }{} //nolint:revive // Lambda's spelling
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	f, i, err := s.policyHolder(r)
	if err != nil {
		return nil, err
	}
	held := f.policies[i.FunctionArn]
	if in.RevisionId != "" && (held == nil || in.RevisionId != held.revision) {
		return nil, stalePolicy("GetResourcePolicy")
	}
	next, err := readPolicy(in.Policy, partition(r.region))
	if err != nil {
		return nil, err
	}
	f.setPolicy(i.FunctionArn, next)
	return next.answer(), nil
}

func getResourcePolicy(s *Server, r *request) (*answer, error) {
	f, i, err := s.policyHolder(r)
	if err != nil {
		return nil, err
	}
	if held := f.policies[i.FunctionArn]; held != nil {
		return held.answer(), nil
	}
	return nil, notFound("The resource you requested does not exist.")
}

func deleteResourcePolicy(s *Server, r *request) (*answer, error) {
	f, i, err := s.policyHolder(r)
	if err != nil {
		return nil, err
	}
	held, revision := f.policies[i.FunctionArn], r.query("RevisionId")
	switch {
	case held == nil:
		return nil, notFound("The resource you requested does not exist.")
	case revision != "" && revision != held.revision:
		return nil, stalePolicy("GetResourcePolicy")
	}
	f.setPolicy(i.FunctionArn, nil)
	return &answer{status: http.StatusNoContent}, nil
}

// readPolicy parses a policy document into the stored form: compact, and with principals as IAM writes them.
func readPolicy(document, partition string) (*policy, error) {
	if len(document) > maxPolicy {
		return nil, tooLong(len(document))
	}
	p := &policy{revision: newUUID()}
	in := struct {
		Version   string          `json:"Version"`
		Id        string          `json:"Id"` //nolint:revive // IAM's spelling
		Statement json.RawMessage `json:"Statement"`
	}{}
	if err := json.Unmarshal([]byte(document), &in); err != nil {
		return nil, invalidParameter("The policy is not valid JSON.")
	}
	statements := []map[string]any{}
	if strings.HasPrefix(string(in.Statement), "{") {
		in.Statement = slices.Concat([]byte("["), in.Statement, []byte("]"))
	}
	if err := json.Unmarshal(in.Statement, &statements); err != nil || len(statements) == 0 {
		return nil, invalidParameter("The policy has no valid statement.")
	}
	p.Version, p.Id = in.Version, in.Id
	for _, st := range statements {
		if st["Effect"] != "Allow" && st["Effect"] != "Deny" {
			return nil, invalidParameter("A statement of the policy has no valid effect.")
		}
		st["Principal"] = rewritten(st["Principal"], partition)
		if st["Principal"] == nil {
			delete(st, "Principal")
		}
		p.Statement = append(p.Statement, json.RawMessage(text(st)))
	}
	return p, p.fits()
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

// PutPolicy replaces the policy of a function, a version or an alias as an out-of-band update does; an empty document
// removes it. The resource is an ARN. It reports whether the function exists and the policy can be parsed.
func (s *Server) PutPolicy(arn, document string) bool {
	defer s.editing()()
	t := parseTarget(arn)
	f := s.lookup(strings.TrimSuffix(arn, ":"+t.qualifier))
	if f == nil {
		return false
	}
	if document == "" {
		f.setPolicy(arn, nil)
		return true
	}
	p, err := readPolicy(document, partition(t.region))
	if err != nil {
		return false
	}
	f.setPolicy(arn, p)
	return true
}

// Policy returns the policy of a function, a version or an alias by its ARN, or "".
func (s *Server) Policy(arn string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.lookup(strings.TrimSuffix(arn, ":"+parseTarget(arn).qualifier))
	if f == nil || f.policies[arn] == nil {
		return ""
	}
	return text(f.policies[arn].document)
}
