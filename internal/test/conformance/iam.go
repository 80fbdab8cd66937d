package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// iam calls the few operations of IAM that a run needs, by its query protocol. The SDK's module of IAM would be the
// largest dependency of the project.
type iam struct{ cfg aws.Config }

// call makes a call, and decodes its answer into out.
func (c iam) call(ctx context.Context, out any, action string, parameters ...string) error {
	form := url.Values{"Action": {action}, "Version": {"2010-05-08"}}
	for i := 0; i+1 < len(parameters); i += 2 {
		form.Set(parameters[i], parameters[i+1])
	}
	endpoint, region := "https://iam.amazonaws.com/", "us-east-1"
	if c.cfg.BaseEndpoint != nil {
		endpoint = strings.TrimSuffix(*c.cfg.BaseEndpoint, "/") + "/"
	}
	body := form.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("cannot call IAM: %w", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	creds, err := c.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("cannot call IAM without credentials: %w", err)
	}
	sum := sha256.Sum256([]byte(body))
	hash := hex.EncodeToString(sum[:])
	if err := v4.NewSigner().SignHTTP(ctx, creds, r, hash, "iam", region, time.Now()); err != nil {
		return fmt.Errorf("cannot call IAM: %w", err)
	}
	rsp, err := c.cfg.HTTPClient.Do(r)
	if err != nil {
		return fmt.Errorf("cannot call IAM: %w", err)
	}
	defer rsp.Body.Close() //nolint:errcheck // It is only read.
	answer, err := io.ReadAll(rsp.Body)
	if err != nil {
		return fmt.Errorf("cannot read what IAM answers: %w", err)
	}
	if rsp.StatusCode >= http.StatusMultipleChoices {
		e := struct {
			Code    string `xml:"Error>Code"`
			Message string `xml:"Error>Message"`
		}{Code: rsp.Status}
		_ = xml.Unmarshal(answer, &e) // Otherwise, the status says it.
		return fmt.Errorf("IAM answers: %w", &smithy.GenericAPIError{Code: e.Code, Message: e.Message})
	}
	if out == nil {
		return nil
	}
	if err := xml.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("cannot read what IAM answers to %s: %w", action, err)
	}
	return nil
}

const (
	// trust lets Lambda assume the role of a run.
	trust = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole",` +
		`"Principal":{"Service":"lambda.amazonaws.com"}}]}`

	// policyName is the name of the policy of that role.
	policyName = "conformance"
)

// rights returns the policy of the role of a run: its queues, and traces. Without the right to log, functions leave no
// log groups behind.
func rights(r Run) string {
	return `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["sqs:SendMessage","sqs:ReceiveMessage",` +
		`"sqs:DeleteMessage","sqs:GetQueueAttributes"],"Resource":"arn:aws:sqs:` + r.Region + ":" + r.Account + ":" +
		r.Prefix() + `*"},{"Effect":"Allow","Action":["xray:PutTraceSegments","xray:PutTelemetryRecords"],` +
		`"Resource":"*"}]}`
}

// makeRole makes the role of a run, and returns its ARN.
func (c iam) makeRole(ctx context.Context, r Run) (string, error) {
	name := r.Prefix() + "role"
	out := struct {
		ARN string `xml:"CreateRoleResult>Role>Arn"`
	}{}
	if err := c.call(ctx, &out, "CreateRole", "RoleName", name, "Path", RolePath, "AssumeRolePolicyDocument", trust,
		"Tags.member.1.Key", TagKey, "Tags.member.1.Value", r.ID); err != nil {
		return "", fmt.Errorf("cannot make a role for functions: give one with --role: %w", err)
	}
	err := c.call(ctx, nil, "PutRolePolicy", "RoleName", name, "PolicyName", policyName, "PolicyDocument", rights(r))
	return out.ARN, err
}

// roles returns the names of all roles of runs.
func (c iam) roles(ctx context.Context) ([]string, error) {
	out := struct {
		Roles []struct{ RoleName string } `xml:"ListRolesResult>Roles>member"`
	}{}
	if err := c.call(ctx, &out, "ListRoles", "PathPrefix", RolePath, "MaxItems", "1000"); err != nil {
		return nil, err
	}
	var names []string
	for _, r := range out.Roles {
		names = append(names, r.RoleName)
	}
	return names, nil
}

func (c iam) deleteRole(ctx context.Context, name string) error {
	err := c.call(ctx, nil, "DeleteRolePolicy", "RoleName", name, "PolicyName", policyName)
	if err != nil && awserr.Code(err) != "NoSuchEntity" {
		return err
	}
	return c.call(ctx, nil, "DeleteRole", "RoleName", name)
}
