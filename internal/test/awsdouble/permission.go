package awsdouble

import (
	"net/http"
	"slices"
	"strconv"
)

// permission is AddPermission's input.
type permission struct {
	Action, Principal, StatementId, RevisionId string //nolint:revive // Lambda's spelling
	SourceArn, SourceAccount, EventSourceToken string
	FunctionUrlAuthType, PrincipalOrgID        string //nolint:revive // Lambda's spelling
	InvokedViaFunctionUrl                      *bool  //nolint:revive // Lambda's spelling
}

// statement returns the statement that a permission adds to the policy of a resource.
func (p *permission) statement(resource, partition string) (statement, error) {
	who, err := principalOf(p.Principal, partition)
	if err != nil {
		return statement{}, err
	}
	out := statement{Sid: p.StatementId, Effect: "Allow", Principal: who, Action: p.Action, Resource: resource}
	for _, c := range []struct{ operator, key, value string }{
		{"ArnLike", "AWS:SourceArn", p.SourceArn},
		{"StringEquals", "AWS:SourceAccount", p.SourceAccount},
		{"StringEquals", "lambda:EventSourceToken", p.EventSourceToken},
		{"StringEquals", "lambda:FunctionUrlAuthType", p.FunctionUrlAuthType},
		{"StringEquals", "aws:PrincipalOrgID", p.PrincipalOrgID},
	} {
		if c.value != "" {
			out.condition(c.operator, c.key, c.value)
		}
	}
	if p.InvokedViaFunctionUrl != nil {
		out.condition("Bool", "lambda:InvokedViaFunctionUrl", strconv.FormatBool(*p.InvokedViaFunctionUrl))
	}
	return out, nil
}

func (s *statement) condition(operator, key, value string) {
	if s.Condition == nil {
		s.Condition = map[string]map[string]string{}
	}
	if s.Condition[operator] == nil {
		s.Condition[operator] = map[string]string{}
	}
	s.Condition[operator][key] = value
}

// check rejects contradictory members.
func (p *permission) check() error {
	if p.FunctionUrlAuthType != "" && p.Action != "lambda:InvokeFunctionUrl" {
		return invalidParameter("FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action")
	}
	return nil
}

func addPermission(s *Server, r *request) (*answer, error) {
	in := permission{}
	if err := r.decode(&in); err != nil {
		return nil, err
	}
	if err := refuseLatest(r); err != nil {
		return nil, err
	}
	f, i, err := s.permitting(r)
	if err != nil {
		return nil, err
	}
	if in.RevisionId != "" && !f.isRevision(i.FunctionArn, in.RevisionId) {
		// This was recorded, of a function and of an alias.
		if i.FunctionArn == f.latest.FunctionArn {
			return nil, staleRevision()
		}
		return nil, stalePolicy("GetPolicy")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	st, err := in.statement(i.FunctionArn, partition(r.region))
	if err != nil {
		return nil, err
	}
	if !s.resources.have(in.Principal) {
		return nil, invalidPrincipal()
	}
	next, err := r.heldPolicy(f, i.FunctionArn).with(in.StatementId, st)
	if err != nil {
		return nil, err
	}
	f.setPolicy(i.FunctionArn, next)
	return &answer{status: http.StatusCreated, json: map[string]string{"Statement": text(st)}}, nil
}

func removePermission(s *Server, r *request) (*answer, error) {
	t, err := r.target()
	if err != nil {
		return nil, err
	}
	h := s.home(r.account, r.region)
	if h.functions[t.name] == nil {
		return nil, notFound("No policy found for: %s", h.arn("function:"+t.name))
	}
	f, i, err := s.permitting(r)
	if err != nil {
		return nil, err
	}
	held := f.policies[i.FunctionArn]
	if held == nil {
		return nil, notFound("No policy is associated with the given resource.")
	}
	next, err := held.without(r.vars["StatementId"])
	if err != nil {
		return nil, err
	}
	if revision := r.query("RevisionId"); revision != "" && !f.isRevision(i.FunctionArn, revision) {
		return nil, staleRevision()
	}
	f.setPolicy(i.FunctionArn, next)
	return &answer{status: http.StatusNoContent}, nil
}

func getPolicy(s *Server, r *request) (*answer, error) {
	f, t, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if i, err := s.pick(f, t, r); err == nil && f.policies[i.FunctionArn] != nil {
		return f.policies[i.FunctionArn].answer(), nil
	}
	return nil, notFound("The resource you requested does not exist.")
}

// permitting returns the function, and the version or alias of it, to which a request's permission applies.
func (s *Server) permitting(r *request) (*function, instance, error) {
	f, t, err := s.find(r)
	if err != nil {
		return nil, instance{}, err
	}
	if aliasName.MatchString(t.qualifier) && f.aliases[t.qualifier] == nil {
		return nil, instance{}, notFound("Cannot find alias arn: %s", f.arnOf(t.qualifier))
	}
	i, err := s.pick(f, t, r)
	return f, i, err
}

// setPolicy replaces the policy of a function, version or alias, which also changes the revision of that resource. A
// policy without statements is removed.
func (f *function) setPolicy(arn string, p *policy) {
	if p == nil || len(p.Statement) == 0 {
		delete(f.policies, arn)
	} else {
		f.policies[arn] = p
	}
	of := f.revision(arn)
	if of == nil {
		return
	}
	*of = newUUID()
	if p != nil {
		*of = p.revision
	}
}

// revision returns a pointer to the revision of a function, version or alias.
func (f *function) revision(arn string) *string {
	for _, i := range append(slices.Clone(f.versions), f.latest) {
		if i.FunctionArn == arn {
			return &i.RevisionId
		}
	}
	for _, a := range f.aliases {
		if a.AliasArn == arn {
			return &a.RevisionId
		}
	}
	return nil
}

// isRevision reports whether a revision is that of a resource or of its policy.
func (f *function) isRevision(arn, revision string) bool {
	held, of := f.policies[arn], f.revision(arn)
	return held != nil && held.revision == revision || of != nil && *of == revision
}

// refuseLatest rejects policies of $LATEST, which is the unqualified function.
func refuseLatest(r *request) error {
	t, err := r.target()
	if err == nil && t.qualifier == latestVersion {
		err = invalidParameter("We currently do not support adding policies for $LATEST.")
	}
	return err
}

// stalePolicy returns the error of a wrong revision, which names the operation that returns the current one.
func stalePolicy(operation string) error {
	return &Error{
		Status: http.StatusPreconditionFailed, Code: "PreconditionFailedException",
		Message: "The Revision Id provided does not match the latest Revision Id. Call the " + operation + " API to retrieve the latest Revision Id",
	}
}
