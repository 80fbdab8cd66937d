package dryrun

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// A document is a policy. Statements of others are kept as they are.
type document struct {
	Version   string            `json:"Version"`
	ID        string            `json:"Id,omitempty"`
	Statement []json.RawMessage `json:"Statement"`
}

// A statement is one that a permission adds.
type statement struct {
	Sid       string                       `json:"Sid"`
	Effect    string                       `json:"Effect"`
	Principal any                          `json:"Principal"`
	Action    string                       `json:"Action"`
	Resource  string                       `json:"Resource"`
	Condition map[string]map[string]string `json:"Condition,omitempty"`
}

// writePolicy answers calls that change policies. It returns false for all others.
func (a *Account) writePolicy(in any) (any, bool) {
	switch in := in.(type) {
	case *lambda.AddPermissionInput:
		k := key(in.FunctionName, in.Qualifier)
		s := statement{
			Sid: aws.ToString(in.StatementId), Effect: "Allow",
			Principal: a.principal(aws.ToString(in.Principal)), Action: aws.ToString(in.Action),
			Resource: a.functionARN(k),
		}
		s.condition("ArnLike", "AWS:SourceArn", aws.ToString(in.SourceArn))
		s.condition("StringEquals", "AWS:SourceAccount", aws.ToString(in.SourceAccount))
		s.condition("StringEquals", "lambda:EventSourceToken", aws.ToString(in.EventSourceToken))
		s.condition("StringEquals", "lambda:FunctionUrlAuthType", string(in.FunctionUrlAuthType))
		s.condition("StringEquals", "aws:PrincipalOrgID", aws.ToString(in.PrincipalOrgID))
		if in.InvokedViaFunctionUrl != nil {
			s.condition("Bool", "lambda:InvokedViaFunctionUrl", strconv.FormatBool(*in.InvokedViaFunctionUrl))
		}
		return &lambda.AddPermissionOutput{Statement: aws.String(a.add(k, s))}, true
	case *lambda.RemovePermissionInput:
		a.remove(key(in.FunctionName, in.Qualifier), aws.ToString(in.StatementId))
		return &lambda.RemovePermissionOutput{}, true
	case *lambda.AddLayerVersionPermissionInput:
		k := layerKey(in.LayerName, in.VersionNumber)
		s := statement{
			Sid: aws.ToString(in.StatementId), Effect: "Allow",
			Principal: a.principal(aws.ToString(in.Principal)), Action: aws.ToString(in.Action),
			Resource: a.arn("layer:" + k),
		}
		s.condition("StringEquals", "aws:PrincipalOrgID", aws.ToString(in.OrganizationId))
		return &lambda.AddLayerVersionPermissionOutput{Statement: aws.String(a.add("layer:"+k, s))}, true
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

// condition adds a condition if it has a value.
func (s *statement) condition(operator, key, value string) {
	if value == "" {
		return
	}
	if s.Condition == nil {
		s.Condition = map[string]map[string]string{}
	}
	if s.Condition[operator] == nil {
		s.Condition[operator] = map[string]string{}
	}
	s.Condition[operator][key] = value
}

// principal returns a principal as AWS writes it.
func (a *Account) principal(p string) any {
	switch {
	case p == "*", p == "":
		return "*"
	case atoi(p) > 0:
		return map[string]string{"AWS": "arn:" + a.base.Partition + ":iam::" + p + ":root"}
	case strings.HasPrefix(p, "arn:"):
		return map[string]string{"AWS": p}
	}
	return map[string]string{"Service": p}
}

// planned returns a policy that was changed.
func planned(policy *string) *lambda.GetPolicyOutput {
	return &lambda.GetPolicyOutput{Policy: policy, RevisionId: aws.String("planned")}
}

func (a *Account) policy(k string) document {
	d := document{Version: "2012-10-17", ID: "default"}
	_ = json.Unmarshal([]byte(aws.ToString(a.state.policies.current(k).Policy)), &d) // What cannot be read is replaced.
	return d
}

func (a *Account) add(k string, s statement) string {
	d := a.policy(k)
	written := text(s)
	d.Statement = append(d.Statement, json.RawMessage(written))
	a.state.policies.set(k, planned(aws.String(text(d))))
	return written
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
