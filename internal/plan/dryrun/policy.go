package dryrun

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
)

// A document is a policy. Statements of others are kept as they are.
type document struct {
	Version   string            `json:"Version"`
	ID        string            `json:"Id,omitempty"`
	Statement []json.RawMessage `json:"Statement"`
}

// writePolicy answers calls that change policies. It returns false for all others.
func (a *Account) writePolicy(in any) (any, bool) {
	switch in := in.(type) {
	case *lambda.AddPermissionInput:
		k := key(in.FunctionName, in.Qualifier)
		g := policy.Grant{
			Action: aws.ToString(in.Action), Principal: cmp.Or(aws.ToString(in.Principal), "*"),
			SourceArn: aws.ToString(in.SourceArn), SourceAccount: aws.ToString(in.SourceAccount),
			EventSourceToken:    aws.ToString(in.EventSourceToken),
			FunctionURLAuthType: string(in.FunctionUrlAuthType), PrincipalOrgID: aws.ToString(in.PrincipalOrgID),
		}
		if in.InvokedViaFunctionUrl != nil {
			g.InvokedViaFunctionURL = strconv.FormatBool(*in.InvokedViaFunctionUrl)
		}
		added := a.add(k, g.Statement(aws.ToString(in.StatementId), a.functionARN(k)))
		return &lambda.AddPermissionOutput{Statement: added}, true
	case *lambda.RemovePermissionInput:
		a.remove(key(in.FunctionName, in.Qualifier), aws.ToString(in.StatementId))
		return &lambda.RemovePermissionOutput{}, true
	case *lambda.AddLayerVersionPermissionInput:
		k := layerKey(in.LayerName, in.VersionNumber)
		g := policy.Grant{
			Action: aws.ToString(in.Action), Principal: cmp.Or(aws.ToString(in.Principal), "*"),
			PrincipalOrgID: aws.ToString(in.OrganizationId),
		}
		added := a.add("layer:"+k, g.Statement(aws.ToString(in.StatementId), a.arn("layer:"+k)))
		return &lambda.AddLayerVersionPermissionOutput{Statement: added}, true
	case *lambda.RemoveLayerVersionPermissionInput:
		a.remove("layer:"+layerKey(in.LayerName, in.VersionNumber), aws.ToString(in.StatementId))
		return &lambda.RemoveLayerVersionPermissionOutput{}, true
	case *lambda.PutResourcePolicyInput:
		p := planned(in.Policy)
		a.state.policies.set("resource:"+aws.ToString(in.ResourceArn), p)
		return as[lambda.PutResourcePolicyOutput](p), true
	case *lambda.DeleteResourcePolicyInput:
		a.state.policies.set("resource:"+aws.ToString(in.ResourceArn), nil)
		return &lambda.DeleteResourcePolicyOutput{}, true
	}
	return nil, false
}

// planned returns a policy that was changed.
func planned(written *string) *lambda.GetPolicyOutput {
	return &lambda.GetPolicyOutput{Policy: written, RevisionId: aws.String("planned")}
}

func (a *Account) policy(k string) document {
	d := document{Version: "2012-10-17", ID: "default"}
	_ = json.Unmarshal([]byte(aws.ToString(a.state.policies.current(k).Policy)), &d) // What cannot be read is replaced.
	return d
}

func (a *Account) add(k string, s policy.Statement) *string {
	d, written := a.policy(k), s.Text()
	d.Statement = append(d.Statement, json.RawMessage(written))
	a.state.policies.set(k, planned(aws.String(text(d))))
	return &written
}

func (a *Account) remove(k, sid string) {
	d := a.policy(k)
	d.Statement = slices.DeleteFunc(d.Statement, func(raw json.RawMessage) bool {
		s := struct {
			Sid string `json:"Sid"`
		}{}
		return json.Unmarshal(raw, &s) == nil && s.Sid == sid
	})
	if len(d.Statement) == 0 {
		a.state.policies.set(k, nil)
		return
	}
	a.state.policies.set(k, planned(aws.String(text(d))))
}
