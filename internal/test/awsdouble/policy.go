package awsdouble

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
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
