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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// holder is what has a policy: a function, or one of its versions or aliases.
type holder struct{ function, qualifier string }

// String is the holder as AWS names it, such as cart:live.
func (h holder) String() string {
	if h.qualifier == "" {
		return h.function
	}
	return h.function + ":" + h.qualifier
}

// what names the holder to users.
func (h holder) what() string { return "function " + h.String() }

// suffix is how the holder's ARN ends.
func (h holder) suffix() string { return ":function:" + h.String() }

func parseHolder(s string) holder {
	function, qualifier, _ := strings.Cut(s, ":")
	return holder{function: function, qualifier: qualifier}
}

// holderOf is the holder by spec, as far as references could be resolved.
func holderOf(p *v1beta1.Permission) holder {
	return holder{function: ptr.Deref(p.Spec.ForProvider.FunctionName, ""), qualifier: ptr.Deref(p.Spec.ForProvider.Qualifier, "")}
}

// knownHolder is the holder that the statement was last seen in.
func knownHolder(p *v1beta1.Permission) holder {
	s := p.Status.AtProvider
	return holder{function: ptr.Deref(s.FunctionName, ""), qualifier: ptr.Deref(s.Qualifier, "")}
}

// createdHolder is the holder that the statement was, or was to be, added to.
func createdHolder(p *v1beta1.Permission) holder { return parseHolder(ownership.Parent(p)) }

// target is the holder whose policy is to be looked at. While a resource is deleted,
// that is where its statement is, whatever spec says now. Otherwise an error says that
// the two are not the same, since the statement would be left behind.
func target(p *v1beta1.Permission) (holder, error) {
	is := holderOf(p)
	if meta.WasDeleted(p) {
		return cmp.Or(knownHolder(p), createdHolder(p), is), nil
	}
	was := knownHolder(p)
	if was == (holder{}) && ownership.WrittenName(p) != "" {
		was = createdHolder(p)
	}
	if was != (holder{}) && was != is {
		return is, errors.Errorf("spec now names %s, but the statement is in the policy of %s and would be left behind there: create another Permission, or change spec back", is.what(), was.what())
	}
	return is, nil
}

// statementID is the statement's id. An error says that there are two.
func statementID(p *v1beta1.Permission) (string, error) {
	name, id := flow.Name(p), ptr.Deref(p.Spec.ForProvider.StatementID, "")
	if name != "" && id != "" && name != id {
		return "", errors.Errorf("spec.forProvider.statementId is %q, but the annotation %s says %q: remove one of them", id, meta.AnnotationKeyExternalName, name)
	}
	return cmp.Or(name, id, p.GetName()), nil
}

// grantOf is the statement that spec asks for.
func grantOf(fp v1beta1.PermissionParameters, sourceArn *string) policy.Grant {
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

// addInput adds the statement that spec asks for.
func addInput(h holder, sid string, fp v1beta1.PermissionParameters, sourceArn *string) *lambda.AddPermissionInput {
	return &lambda.AddPermissionInput{
		FunctionName:          ptr.To(h.function),
		Qualifier:             answer.Text(h.qualifier),
		StatementId:           ptr.To(sid),
		Action:                fp.Action,
		Principal:             fp.Principal,
		SourceArn:             sourceArn,
		SourceAccount:         fp.SourceAccount,
		EventSourceToken:      fp.EventSourceToken,
		FunctionUrlAuthType:   types.FunctionUrlAuthType(ptr.Deref(fp.FunctionURLAuthType, "")),
		InvokedViaFunctionUrl: fp.InvokedViaFunctionURL,
		PrincipalOrgID:        fp.PrincipalOrgID,
	}
}

func removeInput(h holder, sid string) *lambda.RemovePermissionInput {
	return &lambda.RemovePermissionInput{FunctionName: ptr.To(h.function), Qualifier: answer.Text(h.qualifier), StatementId: ptr.To(sid)}
}

// observation is what status shows of a statement.
func observation(o observed) v1beta1.PermissionObservation {
	g := policy.GrantOf(o.statement, o.holder.suffix())
	out := v1beta1.PermissionObservation{
		FunctionName: ptr.To(o.holder.function),
		Qualifier:    answer.Text(o.holder.qualifier),
		StatementID:  ptr.To(o.statement.Sid),
		Action:       answer.Text(g.Action),
		Principal:    answer.Text(g.Principal),
		SourceArn:    answer.Text(g.SourceArn),
		Statement:    answer.Text(shown(o.statement.Written, g.EventSourceToken)),
		RevisionID:   answer.Text(o.revision),
	}
	if len(o.statement.Resource) == 1 {
		out.FunctionArn = ptr.To(o.statement.Resource[0])
	}
	return out
}

// shown is a statement without the token that an invoker has to know.
func shown(statement, token string) string {
	if token == "" {
		return statement
	}
	return strings.ReplaceAll(statement, strconv.Quote(token), strconv.Quote(diff.Redacted))
}
