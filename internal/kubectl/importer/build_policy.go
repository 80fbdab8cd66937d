package importer

import (
	"maps"
	"regexp"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// statementID matches the statement IDs that a Permission can have.
var statementID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,100}$`)

// accepted match the texts that a Permission can have, by field, as its definition does. PutResourcePolicy accepts
// others too, such as a wildcard in an action.
var accepted = map[string]*regexp.Regexp{
	"action": regexp.MustCompile(`^(lambda:[*]|lambda:[a-zA-Z]+|[*])$`),
	"principal": regexp.MustCompile(
		`^([*]|[0-9]{12}|arn:aws[a-zA-Z-]*:(iam|sts)::[^ \t\n\r]+|[a-zA-Z0-9-]+([.][a-zA-Z0-9-]+)+)$`),
	"sourceArn": regexp.MustCompile(
		`^arn:aws[a-zA-Z0-9-]*:[a-zA-Z0-9-]+:([a-z]+(-[a-z]+)+-[0-9])?:([0-9]{12})?:.*$`),
	"sourceAccount":       regexp.MustCompile(`^[0-9]{12}$`),
	"eventSourceToken":    regexp.MustCompile(`^[a-zA-Z0-9._-]{1,256}$`),
	"functionUrlAuthType": regexp.MustCompile(`^(AWS_IAM|NONE)$`),
	"principalOrgId":      regexp.MustCompile(`^o-[a-z0-9]{10,32}$`),
}

// policies returns the policies of a function and its qualifiers: a Permission for each statement, or a ResourcePolicy
// for all if one of them cannot be a Permission.
func (b *builder) policies(f *function) (out []entry) {
	for _, q := range slices.Sorted(maps.Keys(f.policies)) {
		grants, ok := grantsOf(f.policies[q], functionname.Name{Function: f.name, Qualifier: q})
		if !ok {
			out = append(out, b.resourcePolicy(f, q))
			continue
		}
		for _, g := range grants {
			e := b.of(f, v1beta1.PermissionKind, q, v1beta1.AliasKind)
			e.id, e.external, e.item.AWSName = f.qualified(q)+"/"+g.sid, g.sid, f.qualified(q)+" "+g.sid
			e.parts = append(e.parts, g.sid)
			e.settings, e.item.Sensitive = permission(g.Grant), g.EventSourceToken != ""
			out = append(out, e)
		}
	}
	return out
}

// A grant is a statement with its ID.
type grant struct {
	policy.Grant

	sid string
}

// grantsOf returns the statements of a policy. It returns false if one of them cannot be a Permission.
func grantsOf(text string, of functionname.Name) ([]grant, bool) {
	d, err := policy.Parse(text)
	if err != nil {
		return nil, false
	}
	var out []grant
	seen := map[string]bool{}
	for _, st := range d.Statements {
		g := grant{policy.GrantOf(st, ":function:"+of.String()), st.Sid}
		if g.Rest != "" || seen[g.sid] || !statementID.MatchString(g.sid) || !isAccepted(permission(g.Grant)) {
			return nil, false
		}
		seen[g.sid] = true
		out = append(out, g)
	}
	return out, true
}

// isAccepted reports whether a Permission can have all texts of its settings.
func isAccepted(settings map[string]any) bool {
	for field, v := range settings {
		if text, ok := v.(string); ok && !accepted[field].MatchString(text) {
			return false
		}
	}
	return settings["action"] != nil && settings["principal"] != nil
}

// permission returns the settings of a Permission.
func permission(g policy.Grant) map[string]any {
	out := map[string]any{}
	for field, v := range map[string]string{
		"action": g.Action, "principal": g.Principal, "sourceArn": g.SourceArn, "sourceAccount": g.SourceAccount,
		"eventSourceToken": g.EventSourceToken, "functionUrlAuthType": g.FunctionURLAuthType,
		"principalOrgId": g.PrincipalOrgID,
	} {
		if v != "" {
			out[field] = v
		}
	}
	if g.InvokedViaFunctionURL != "" {
		out["invokedViaFunctionUrl"] = g.InvokedViaFunctionURL == "true"
	}
	return out
}

// resourcePolicy returns a policy as a whole.
func (b *builder) resourcePolicy(f *function, qualifier string) entry {
	arn := ptr.Deref(f.config().FunctionArn, "")
	file := b.name(v1beta1.FunctionKind, f.name)
	e := entry{
		kind: v1beta1.ResourcePolicyKind, id: f.qualified(qualifier), policies: create, file: file,
		parts:    []string{nameOf(file, qualifier)},
		settings: map[string]any{"policy": policy.Compact(f.policies[qualifier])},
	}
	if qualifier == "" {
		e.refs = map[string]any{"resourceArnRef": b.ref(v1beta1.FunctionKind, f.name)}
	} else {
		arn += ":" + qualifier
		e.settings["resourceArn"] = arn
	}
	e.external, e.item.AWSName = arn, f.qualified(qualifier)
	e.item.Comments = []string{
		"The policy has statements that a Permission cannot express, so this ResourcePolicy has all of them.",
	}
	for _, st := range statementsOf(f.policies[qualifier]) {
		e.item.Sensitive = e.item.Sensitive || len(st.Condition.Tokens()) > 0
	}
	return e
}
