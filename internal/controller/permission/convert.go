package permission

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// observed is a statement in AWS.
type observed struct {
	target    functionname.Name
	statement statements.Statement
	revision  string
}

// targetOf returns the function, version or alias with the policy to read: the one that
// has the statement, or the one that spec names.
func targetOf(p *v1beta1.Permission) (functionname.Name, error) {
	fp, at := p.Spec.ForProvider, p.Status.AtProvider
	observed := functionname.Name{Function: ptr.Deref(at.FunctionName, ""), Qualifier: ptr.Deref(at.Qualifier, "")}
	desired := functionname.Name{Function: ptr.Deref(fp.FunctionName, ""), Qualifier: ptr.Deref(fp.Qualifier, "")}
	name, err := ownership.ParentOf(p, observed.String(), desired.String())
	n, _ := functionname.Parse(name)
	return n, err
}

// description returns a description of the function for users.
func description(n functionname.Name) string { return "function " + n.String() }

// suffix returns the end of the ARN of a function, version or alias.
func suffix(n functionname.Name) string { return ":function:" + n.String() }

// statementID returns the statement's id. It returns an error if spec and external name differ.
func statementID(p *v1beta1.Permission) (string, error) {
	name, id := reconcile.ExternalName(p), ptr.Deref(p.Spec.ForProvider.StatementID, "")
	if name != "" && id != "" && name != id {
		return "",
			errors.Errorf("spec.forProvider.statementId is %q, but the annotation %s says %q: remove one of them", id,
				meta.AnnotationKeyExternalName, name)
	}
	return cmp.Or(name, id, p.GetName()), nil
}

// desired returns the statement that spec asks for.
func desired(fp v1beta1.PermissionParameters, sourceArn *string) policy.Grant {
	g := policy.Grant{
		Action:              ptr.Deref(fp.Action, ""),
		Principal:           ptr.Deref(fp.Principal, ""),
		SourceArn:           ptr.Deref(sourceArn, ""),
		SourceAccount:       ptr.Deref(fp.SourceAccount, ""),
		EventSourceToken:    ptr.Deref(fp.EventSourceToken, ""),
		FunctionURLAuthType: ptr.Deref(fp.FunctionURLAuthType, ""),
		PrincipalOrgID:      ptr.Deref(fp.PrincipalOrgID, ""),
	}
	if fp.InvokedViaFunctionURL != nil {
		g.InvokedViaFunctionURL = strconv.FormatBool(*fp.InvokedViaFunctionURL)
	}
	return g
}

// addInput returns the request that adds the statement that spec asks for.
func addInput(
	h functionname.Name, sid string, fp v1beta1.PermissionParameters, sourceArn string,
) *lambda.AddPermissionInput {
	return &lambda.AddPermissionInput{
		FunctionName:          ptr.To(h.Function),
		Qualifier:             lambdaapi.Text(h.Qualifier),
		StatementId:           ptr.To(sid),
		Action:                fp.Action,
		Principal:             fp.Principal,
		SourceArn:             lambdaapi.Text(sourceArn),
		SourceAccount:         fp.SourceAccount,
		EventSourceToken:      fp.EventSourceToken,
		FunctionUrlAuthType:   types.FunctionUrlAuthType(ptr.Deref(fp.FunctionURLAuthType, "")),
		InvokedViaFunctionUrl: fp.InvokedViaFunctionURL,
		PrincipalOrgID:        fp.PrincipalOrgID,
	}
}

func removeInput(h functionname.Name, sid string) *lambda.RemovePermissionInput {
	return &lambda.RemovePermissionInput{
		FunctionName: ptr.To(h.Function), Qualifier: lambdaapi.Text(h.Qualifier),
		StatementId: ptr.To(sid),
	}
}

func fromAWS(o observed) policy.Grant {
	g := policy.GrantOf(o.statement.Statement, suffix(o.target))
	g.Rest = shown(g.Rest, o.statement.Statement)
	return g
}

// observation returns what status shows of a statement.
func observation(o observed) v1beta1.PermissionObservation {
	g := fromAWS(o)
	out := v1beta1.PermissionObservation{
		FunctionName: ptr.To(o.target.Function),
		Qualifier:    lambdaapi.Text(o.target.Qualifier),
		StatementID:  ptr.To(o.statement.Sid),
		Action:       lambdaapi.Text(g.Action),
		Principal:    lambdaapi.Text(g.Principal),
		SourceArn:    lambdaapi.Text(g.SourceArn),
		Statement:    lambdaapi.Text(shown(o.statement.Written, o.statement.Statement)),
		RevisionID:   lambdaapi.Text(o.revision),
	}
	if len(o.statement.Resource) == 1 {
		out.FunctionArn = ptr.To(o.statement.Resource[0])
	}
	return out
}

// shown returns a text of a statement without the invokers' tokens, which are secrets.
func shown(text string, of policy.Statement) string {
	for _, token := range of.Condition.Tokens() {
		text = strings.ReplaceAll(text, strconv.Quote(token), strconv.Quote(diff.Redacted))
	}
	return text
}
