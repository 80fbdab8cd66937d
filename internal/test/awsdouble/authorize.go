package awsdouble

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An Allow is a statement of an identity's policy that allows actions on resources. Both may have "*".
type Allow struct {
	Actions, Resources []string
}

// SetPolicy sets the policy of all callers. A call is rejected if no statement allows one of the actions that it needs.
// Without a policy, which is the default, everyone may do everything.
func (s *Server) SetPolicy(statements ...Allow) {
	defer s.lock()()
	s.policy, s.restricted, s.used = statements, "", map[string]bool{}
}

// policyDocument is an IAM policy. Conditions are ignored.
type policyDocument struct {
	Statement []struct {
		Effect   string    `json:"Effect"`
		Action   oneOrMany `json:"Action"`
		Resource oneOrMany `json:"Resource"`
	} `json:"Statement"`
}

// oneOrMany is a text, or a list of texts.
type oneOrMany []string

// UnmarshalJSON reads a text or a list.
func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// SetPolicyDocument sets the policy of the callers with an access key to an IAM policy in JSON, without regard to its
// conditions. All others may do everything. It returns an error if the text is not a policy, or has a statement that
// does not allow.
func (s *Server) SetPolicyDocument(accessKey string, text []byte) error {
	var d policyDocument
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("cannot read the IAM policy: %w", err)
	}
	statements := []Allow{}
	for _, st := range d.Statement {
		if st.Effect != "Allow" {
			return fmt.Errorf("cannot apply the IAM policy: the effect of a statement must be Allow, not %q", st.Effect)
		}
		statements = append(statements, Allow{Actions: st.Action, Resources: st.Resource})
	}
	s.SetPolicy(statements...)
	defer s.lock()()
	s.restricted = accessKey
	return nil
}

// UsedActions returns the actions that calls have needed since SetPolicy, and that the policy allows. Without one of
// them, a call would have been rejected.
func (s *Server) UsedActions() []string {
	defer s.lock()()
	return slices.Sorted(maps.Keys(s.used))
}

// needed is an action that a call needs, on a resource.
type needed struct{ action, resource string }

// authorize rejects a call that the policy does not allow.
func (s *Server) authorize(r *request) {
	if !s.restricts(r) {
		return
	}
	for _, n := range s.needs(r) {
		if e := s.refusal(r, n); e != nil {
			panic(e)
		}
	}
}

// restricts reports whether a call needs actions that the policy allows.
func (s *Server) restricts(r *request) bool {
	if s.restricted != "" && s.restricted != r.accessKey {
		return false
	}
	return s.policy != nil && r.service != serviceSTS && r.service != serviceIAM && r.service != ""
}

// refusal returns the error about an action that a call needs. It is nil if the policy allows the action.
func (s *Server) refusal(r *request, n needed) *Error {
	if !s.restricts(r) {
		return nil
	}
	if slices.ContainsFunc(s.policy, func(a Allow) bool { return a.allows(n) }) {
		s.used[n.action] = true
		return nil
	}
	e := &Error{
		Status: http.StatusForbidden, Code: "AccessDeniedException",
		Message: fmt.Sprintf("User: %s is not authorized to perform: %s on resource: %s because no "+
			"identity-based policy allows the %s action", r.caller.arn, n.action, n.resource, n.action),
	}
	if r.service == serviceS3 {
		e.Code = "AccessDenied"
	}
	return e
}

// allows reports whether a statement allows an action on a resource.
func (a Allow) allows(n needed) bool {
	match := func(value string) func(string) bool {
		return func(pattern string) bool { return wild(pattern).MatchString(value) }
	}
	return slices.ContainsFunc(a.Actions, match(n.action)) && slices.ContainsFunc(a.Resources, match(n.resource))
}

// wild returns the expression of a pattern with "*".
func wild(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
}

// actionNames are the actions of operations that are named otherwise.
var actionNames = map[string]string{
	"Invoke": "InvokeFunction", "HeadObject": "GetObject", "DeleteMessageBatch": "DeleteMessage",
}

// withoutResource are Lambda's actions that can only be allowed on all resources.
var withoutResource = []string{
	"CreateCodeSigningConfig", "CreateEventSourceMapping", "GetAccountSettings", "ListCapacityProviders",
	"ListCodeSigningConfigs",
	"ListEventSourceMappings", "ListFunctions", "ListLayers", "ListLayerVersions",
}

// needs returns the actions that a call needs: its own, and those that Lambda checks for the caller.
func (s *Server) needs(r *request) []needed {
	name := r.operation
	if other, ok := actionNames[name]; ok {
		name = other
	}
	switch r.service {
	case serviceLambda:
		return s.needsOfLambda(r, name)
	case serviceS3:
		return []needed{{"s3:" + name, strings.TrimSuffix("arn:aws:s3:::"+r.resource(), "/")}}
	case serviceECR:
		return []needed{{"ecr:" + name, "arn:aws:ecr:" + r.region + ":" + r.account + ":repository/" + r.resource()}}
	case serviceCloudWatch:
		return []needed{{"cloudwatch:" + name, "*"}}
	case serviceSQS:
		if queue := r.queueArn(); queue != "" {
			return []needed{{"sqs:" + name, queue}}
		}
	}
	return []needed{{r.service + ":" + name, "*"}}
}

// checkedInput has the members of Lambda's inputs for which Lambda checks what the caller may do.
type checkedInput struct {
	FunctionName, CapacityProviderName, Role string
	Tags                                     map[string]string
	Layers                                   []string
	Code                                     struct{ S3Bucket, S3Key, ImageURI string }
	ImageURI                                 string
	S3Bucket, S3Key                          string
	Content                                  struct{ S3Bucket, S3Key string }
	PermissionsConfig                        struct{ CapacityProviderOperatorRoleArn string }
	VpcConfig                                struct{ SubnetIDs []string }
	KMSKeyArn                                string
	DurableConfig                            struct{ KMSKeyArn string }
	EventSourceArn                           string
	FileSystemConfigs                        []struct{ Arn string }
}

// needsOfLambda returns the actions that a call of Lambda needs.
func (s *Server) needsOfLambda(r *request, name string) []needed {
	var in checkedInput
	if name != "InvokeFunction" {
		in = peeked[checkedInput](r)
	}
	own := "*"
	if !slices.Contains(withoutResource, name) {
		own = s.subject(r, cmp.Or(r.vars["CapacityProviderName"], in.CapacityProviderName), in.FunctionName)
	}
	out := []needed{{"lambda:" + name, own}}
	if name == "PutFunctionCodeSigningConfig" {
		config := peeked[struct{ CodeSigningConfigArn string }](r)
		out = append(out, needed{"lambda:" + name, config.CodeSigningConfigArn})
	}
	if len(in.Tags) > 0 && strings.HasPrefix(name, "Create") {
		tagged := own
		switch name {
		case "CreateEventSourceMapping":
			tagged = r.home.arn("event-source-mapping:new")
		case "CreateCodeSigningConfig":
			tagged = r.home.arn("code-signing-config:new")
		}
		out = append(out, needed{"lambda:TagResource", tagged})
	}
	return append(append(out, in.needsOfCode(r)...), in.needsOfSettings(name)...)
}

// needsOfCode returns the actions that Lambda checks for code, and a layer's content.
func (in *checkedInput) needsOfCode(r *request) []needed {
	var out []needed
	bucket, object := cmp.Or(in.S3Bucket, in.Code.S3Bucket, in.Content.S3Bucket), cmp.Or(in.S3Key,
		in.Code.S3Key, in.Content.S3Key)
	if bucket != "" {
		out = append(out, needed{"s3:GetObject", "arn:aws:s3:::" + path.Join(bucket, object)})
	}
	if image := cmp.Or(in.ImageURI, in.Code.ImageURI); image != "" {
		repository, _, _ := strings.Cut(image[strings.Index(image, "/")+1:], "@")
		for _, a := range []string{
			"BatchGetImage", "GetDownloadUrlForLayer", "GetRepositoryPolicy",
			"SetRepositoryPolicy",
		} {
			out = append(out,
				needed{"ecr:" + a, "arn:aws:ecr:" + r.region + ":" + r.account + ":repository/" + repository})
		}
	}
	return out
}

// needsOfSettings returns the actions that Lambda checks for roles, layers, a VPC, KMS keys, file systems of EFS, and
// clusters of MSK in other accounts.
func (in *checkedInput) needsOfSettings(name string) []needed {
	var out []needed
	for _, role := range []string{in.Role, in.PermissionsConfig.CapacityProviderOperatorRoleArn} {
		if role != "" {
			out = append(out, needed{"iam:PassRole", role})
		}
	}
	for _, l := range in.Layers {
		out = append(out, needed{"lambda:GetLayerVersion", l})
	}
	if len(in.VpcConfig.SubnetIDs) > 0 && !strings.Contains(name, "CapacityProvider") {
		out = append(out, needed{"ec2:DescribeSecurityGroups", "*"}, needed{"ec2:DescribeSubnets", "*"},
			needed{"ec2:DescribeVpcs", "*"})
	}
	if in.KMSKeyArn != "" && strings.Contains(name, "Function") {
		out = append(out, needed{"kms:CreateGrant", in.KMSKeyArn}, needed{"kms:Decrypt", in.KMSKeyArn},
			needed{"kms:Encrypt", in.KMSKeyArn})
	}
	if key := in.DurableConfig.KMSKeyArn; key != "" {
		out = append(out, needed{"kms:Decrypt", key}, needed{"kms:DescribeKey", key},
			needed{"kms:GenerateDataKey", key})
	}
	for _, f := range in.FileSystemConfigs {
		if strings.Contains(f.Arn, ":elasticfilesystem:") {
			out = append(out, needed{"elasticfilesystem:DescribeMountTargets", f.Arn})
		}
	}
	if strings.Contains(in.EventSourceArn, ":vpc-connection/") {
		out = append(out, needed{"kafka:ListVpcConnections", "*"})
	}
	return out
}

// subject returns the ARN of what a call of Lambda is about.
func (s *Server) subject(r *request, provider, function string) string {
	h := r.home
	switch {
	case r.vars["Resource"] != "" || r.vars["ResourceArn"] != "":
		return cmp.Or(r.vars["Resource"], r.vars["ResourceArn"])
	case r.vars["UUID"] != "":
		return h.arn("event-source-mapping:" + r.vars["UUID"])
	case r.vars["FunctionName"] != "" || function != "":
		t := parseTarget(cmp.Or(r.vars["FunctionName"], function))
		if q := cmp.Or(t.qualifier, r.query("Qualifier")); q != "" {
			t.name += ":" + q
		}
		return h.arn("function:" + t.name)
	case r.vars["CodeSigningConfigArn"] != "":
		return r.vars["CodeSigningConfigArn"]
	case r.vars["LayerName"] != "":
		arn := h.arn("layer:" + r.vars["LayerName"][strings.LastIndex(r.vars["LayerName"], ":")+1:])
		if r.vars["VersionNumber"] != "" {
			arn += ":" + r.vars["VersionNumber"]
		}
		return arn
	case provider != "":
		return h.arn("capacity-provider:" + provider[strings.LastIndex(provider, ":")+1:])
	}
	return "*"
}
