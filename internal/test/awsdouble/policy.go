package awsdouble

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxPolicy is the maximum size of a resource-based policy, in bytes.
const maxPolicy = 20480

// policy is the resource-based policy of a function, a version, an alias or a layer version. It has a revision of its
// own: publishing a version changes the function's, but not that of its policy.
type policy struct {
	document
	revision string
}

// document is a policy as GetPolicy returns it.
type document struct {
	Version   string
	Id        string            `json:",omitempty"` //nolint:revive // IAM's spelling
	Statement []json.RawMessage `json:",omitempty"`
}

// statement is a statement as AddPermission creates it.
type statement struct {
	Sid       string
	Effect    string
	Principal any
	Action    string
	Resource  string
	Condition map[string]map[string]string `json:",omitempty"`
}

// text returns a value as compact JSON, whose size AWS measures.
func text(v any) string {
	b := bytes.Buffer{}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) //nolint:errchkjson // What was decoded can be encoded.
	return strings.TrimSpace(b.String())
}

// with returns the policy, which may be nil, with a statement added. The statement's ID must be new.
func (p *policy) with(sid string, s any) *policy {
	if p == nil {
		p = &policy{document: document{Version: "2012-10-17", Id: "default"}}
	}
	if p.index(sid) >= 0 {
		panic(conflict("The statement id (%s) provided already exists. Please provide a new statement id, or remove "+
			"the existing statement.", sid))
	}
	next := &policy{document: p.document, revision: newUUID()}
	next.Statement = slices.Concat(p.Statement, []json.RawMessage{json.RawMessage(text(s))})
	next.fits()
	return next
}

// without returns the policy with a statement removed.
func (p *policy) without(sid string) *policy {
	i := p.index(sid)
	if i < 0 {
		panic(notFound("Statement %s is not found in resource policy.", sid))
	}
	next := &policy{document: p.document, revision: newUUID()}
	next.Statement = slices.Delete(slices.Clone(p.Statement), i, i+1)
	return next
}

func (p *policy) fits() {
	if n := len(text(p.document)); n > maxPolicy {
		panic(tooLong(n))
	}
}

func tooLong(n int) *Error {
	return apiError(
		http.StatusBadRequest, "PolicyLengthExceededException",
		"The final policy size (%d) is bigger than the limit (%d).", n, maxPolicy)
}

// index returns the index of a statement, or -1.
func (p *policy) index(sid string) int {
	return slices.IndexFunc(p.Statement, func(raw json.RawMessage) bool {
		s := struct {
			Sid string `json:"Sid"`
		}{}
		return json.Unmarshal(raw, &s) == nil && s.Sid == sid
	})
}

// answer returns the response of GetPolicy and similar operations.
func (p *policy) answer() any {
	return map[string]string{"Policy": text(p.document), "RevisionId": p.revision}
}

var (
	accountID = regexp.MustCompile(`^\d{12}$`)
	// deletedEntity is the principal of a statement whose role or user was deleted.
	deletedEntity = regexp.MustCompile(`"AWS":"A(RO|ID)A[A-Z0-9]+"`)
	entityARN     = regexp.MustCompile(`^arn:[a-z-]+:(iam|sts)::\d{12}:.+$`)
	// Service names end in a domain of Amazon.
	serviceID = regexp.MustCompile(`^([a-z0-9-]+\.)+(amazon|amazonaws|amazonalexa)\.(com|com\.cn|eu)$`)
)

// principalOf returns a statement's principal for AddPermission's: an account becomes the ARN of its root user, a
// service a service.
func principalOf(given, partition string) any {
	switch {
	case given == "*":
		return given
	case accountID.MatchString(given):
		return map[string]string{"AWS": rootOf(given, partition)}
	case entityARN.MatchString(given):
		return map[string]string{"AWS": given}
	case serviceID.MatchString(given):
		return map[string]string{"Service": given}
	}
	panic(invalidPrincipal())
}

func invalidPrincipal() error {
	return invalidParameter("The provided principal was invalid. Please check the principal and try again.")
}

func rootOf(account, partition string) string {
	return "arn:" + partition + ":iam::" + account + ":root"
}

// permission is AddPermission's input.
type permission struct {
	Action, Principal, StatementId, RevisionId string //nolint:revive // Lambda's spelling
	SourceArn, SourceAccount, EventSourceToken string
	FunctionUrlAuthType, PrincipalOrgID        string //nolint:revive // Lambda's spelling
	InvokedViaFunctionUrl                      *bool  //nolint:revive // Lambda's spelling
}

// statement returns the statement that a permission adds to the policy of a resource.
func (p *permission) statement(resource, partition string) statement {
	who := principalOf(p.Principal, partition)
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
	return out
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
func (p *permission) check() {
	const invokeURL = "lambda:InvokeFunctionUrl"
	switch {
	case p.FunctionUrlAuthType != "" && p.Action != invokeURL:
		panic(invalidParameter("FunctionUrlAuthType is only supported for lambda:InvokeFunctionUrl action"))
	case p.FunctionUrlAuthType == "" && p.Action == invokeURL && p.Principal == "*" && p.PrincipalOrgID == "":
		panic(invalidParameter("This policy could enable public access to your lambda function as it allows all " +
			"Principals (*) to perform lambda:InvokeFunctionUrl action. You must specify lambda:FunctionUrlAuthType " +
			"condition"))
	}
}

func addPermission(s *Server, r *request) any {
	in := decoded[permission](r)
	refuseLatest(r)
	f, i := s.permitting(r)
	if in.RevisionId != "" && !r.home.isRevision(f, i.FunctionArn, in.RevisionId) {
		// This was recorded, of a function and of an alias.
		if i.FunctionArn == f.latest.FunctionArn {
			panic(staleRevision("GetFunction/GetAlias"))
		}
		panic(staleRevision("GetPolicy"))
	}
	in.check()
	st := in.statement(i.FunctionArn, partition(r.region))
	if s.removed[in.Principal] {
		panic(invalidPrincipal())
	}
	held := r.home.policies
	if r.policies != nil {
		held = r.policies
	}
	if p := held[i.FunctionArn]; p != nil && deletedEntity.MatchString(text(p.document)) {
		panic(invalidPrincipal()) // AWS checks the whole policy.
	}
	next := held[i.FunctionArn].with(in.StatementId, st)
	r.home.setPolicy(f, i.FunctionArn, next)
	return map[string]string{"Statement": text(st)}
}

func removePermission(s *Server, r *request) any {
	t := r.target()
	h := r.home
	if h.functions[t.name] == nil {
		panic(notFound("No policy found for: %s", h.arn("function:"+t.name)))
	}
	f, i := s.permitting(r)
	held := r.home.policies[i.FunctionArn]
	if held == nil {
		panic(notFound("No policy is associated with the given resource."))
	}
	next := held.without(r.vars["StatementId"])
	if revision := r.query("RevisionId"); revision != "" && !r.home.isRevision(f, i.FunctionArn, revision) {
		panic(staleRevision("GetFunction/GetAlias"))
	}
	r.home.setPolicy(f, i.FunctionArn, next)
	return nil
}

func getPolicy(s *Server, r *request) any {
	f, t := s.find(r)
	if p := r.home.policies[f.arnOf(t.qualifier)]; p != nil {
		return p.answer()
	}
	panic(notFound("The resource you requested does not exist."))
}

// permitting returns the function, and the version or alias of it, to which a request's permission applies.
func (s *Server) permitting(r *request) (*function, instance) {
	f, t := s.find(r)
	if aliasName.MatchString(t.qualifier) && f.aliases[t.qualifier] == nil {
		panic(notFound("Cannot find alias arn: %s", f.arnOf(t.qualifier)))
	}
	i := s.pick(f, t, r)
	return f, i
}

// setPolicy replaces the policy of a function, version or alias, which also changes the revision of that resource. A
// policy without statements is removed.
func (h *home) setPolicy(f *function, arn string, p *policy) {
	if p == nil || len(p.Statement) == 0 {
		delete(h.policies, arn)
	} else {
		h.policies[arn] = p
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
func (h *home) isRevision(f *function, arn, revision string) bool {
	held, of := h.policies[arn], f.revision(arn)
	return held != nil && held.revision == revision || of != nil && *of == revision
}

// refuseLatest rejects policies of $LATEST, which is the unqualified function.
func refuseLatest(r *request) {
	if r.target().qualifier == latestVersion {
		panic(invalidParameter("We currently do not support adding policies for $LATEST."))
	}
}
