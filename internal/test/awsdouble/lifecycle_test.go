package awsdouble

import (
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

func TestStatesFollowTheClock(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: 5 * time.Second, UpdateDuration: 3 * time.Second})
	c, ctx := client(s), t.Context()

	created := create(t, c, zipFunction(t, "f"))
	pending := get(t, c, "f").Configuration
	if pending.State != types.StatePending || pending.StateReasonCode != types.StateReasonCodeCreating ||
		pending.LastUpdateStatus != "" {
		t.Errorf("new function: state %q, code %q, update %q", pending.State, pending.StateReasonCode,
			pending.LastUpdateStatus)
	}
	if *pending.RevisionId != *created.RevisionId {
		t.Error("the revision changed before the creation completed")
	}
	update := &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Timeout: aws.Int32(9)}
	busy := "The operation cannot be performed at this time. An update is in progress for resource: " +
		"arn:aws:lambda:eu-west-1:123456789012:function:f"
	_, err := c.UpdateFunctionConfiguration(ctx, update)
	wantError(t, err, "ResourceConflictException", busy)

	clk.move(5 * time.Second)
	active := get(t, c, "f").Configuration
	if active.State != types.StateActive || active.LastUpdateStatus != types.LastUpdateStatusSuccessful ||
		*active.RevisionId == *created.RevisionId {
		t.Errorf("active function: state %q, update %q, same revision %v", active.State, active.LastUpdateStatus,
			*active.RevisionId == *created.RevisionId)
	}

	updated, err := c.UpdateFunctionConfiguration(ctx, update)
	if err != nil {
		t.Fatal(err)
	}
	if updated.LastUpdateStatus != types.LastUpdateStatusInProgress || updated.State != types.StateActive ||
		*updated.RevisionId == *active.RevisionId {
		t.Errorf("updating function: state %q, update %q", updated.State, updated.LastUpdateStatus)
	}
	_, err = c.UpdateFunctionConfiguration(ctx, update)
	wantError(t, err, "ResourceConflictException", busy)
	_, err = c.UpdateFunctionCode(ctx,
		&lambda.UpdateFunctionCodeInput{FunctionName: aws.String("f"), ZipFile: archive("v2")})
	wantError(t, err, "ResourceConflictException", busy)
	_, err = c.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceConflictException", busy)

	clk.move(3 * time.Second)
	done := get(t, c, "f").Configuration
	if done.LastUpdateStatus != types.LastUpdateStatusSuccessful || *done.RevisionId == *updated.RevisionId ||
		*done.Timeout != 9 {
		t.Errorf("updated function: update %q, timeout %d", done.LastUpdateStatus, *done.Timeout)
	}
}

func TestRedundantUpdateGoesInProgress(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	before := get(t, c, "f").Configuration
	in := &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Description: aws.String("")}
	out, err := c.UpdateFunctionConfiguration(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if out.LastUpdateStatus != types.LastUpdateStatusInProgress || *out.RevisionId == *before.RevisionId {
		t.Errorf("update %q", out.LastUpdateStatus)
	}
}

func TestCreateConflictAndRevision(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	first := create(t, c, zipFunction(t, "f"))
	_, err := c.CreateFunction(ctx, zipFunction(t, "f"))
	wantError(t, err, "ResourceConflictException", "Function already exist: f")

	_, err = c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), RevisionId: first.RevisionId})
	wantError(t, err, "PreconditionFailedException", "The Revision Id provided does not match the latest Revision "+
		"Id. Call the GetFunction/GetAlias API to retrieve the latest Revision Id")
	current := get(t, c, "f").Configuration.RevisionId
	if _, err = c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), RevisionId: current}); err != nil {
		t.Errorf("update with the current revision: %v", err)
	}
}

func TestDelete(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	create(t, c, zipFunction(t, "f"))
	if _, err := c.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	_, err := c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException",
		"Function not found: arn:aws:lambda:eu-west-1:123456789012:function:f")
	_, err = c.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException",
		"Function not found: arn:aws:lambda:eu-west-1:123456789012:function:f")
	if got := s.Calls()[1]; got.Status != 204 {
		t.Errorf("DeleteFunction answered %d, want 204", got.Status)
	}
}

func TestCodeIsMeasured(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	in := zipFunction(t, "f")
	out := create(t, c, in)
	sum := sha256.Sum256(in.Code.ZipFile)
	if want := base64.StdEncoding.EncodeToString(sum[:]); *out.CodeSha256 != want ||
		out.CodeSize != int64(len(in.Code.ZipFile)) {
		t.Errorf("CodeSha256 %s, CodeSize %d", *out.CodeSha256, out.CodeSize)
	}
	s.PutObject("code", "k", archive("v2"))
	updated, err := c.UpdateFunctionCode(t.Context(), &lambda.UpdateFunctionCodeInput{
		FunctionName: aws.String("f"),
		S3Bucket:     aws.String("code"), S3Key: aws.String("k"),
	})
	if err != nil {
		t.Fatal(err)
	}
	sum = sha256.Sum256(archive("v2"))
	if want := base64.StdEncoding.EncodeToString(sum[:]); *updated.CodeSha256 != want {
		t.Errorf("CodeSha256 after the update: %s, want %s", *updated.CodeSha256, want)
	}
}

func TestNilKeepsAndEmptyClears(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	in := zipFunction(t, "f")
	in.Environment = &types.Environment{Variables: map[string]string{"AB": "1"}}
	in.Layers = []string{"arn:aws:lambda:eu-west-1:580247275435:layer:l:1"}
	in.DeadLetterConfig = &types.DeadLetterConfig{TargetArn: aws.String("arn:aws:sqs:eu-west-1:123456789012:q")}
	in.FileSystemConfigs = []types.FileSystemConfig{{
		Arn: aws.String(
			"arn:aws:elasticfilesystem:eu-west-1:123456789012:access-point/fsap-0123456789abcdef0"),
		LocalMountPath: aws.String(
			"/mnt/a"),
	}}
	in.VpcConfig = &types.VpcConfig{SubnetIds: []string{"subnet-1"}, SecurityGroupIds: []string{"sg-1"}}
	in.KMSKeyArn = aws.String("arn:aws:kms:eu-west-1:123456789012:key/k")
	create(t, c, in)

	kept, err := c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), MemorySize: aws.Int32(256)})
	if err != nil {
		t.Fatal(err)
	}
	if kept.Environment.Variables["AB"] != "1" || len(kept.Layers) != 1 || kept.DeadLetterConfig == nil ||
		len(kept.FileSystemConfigs) != 1 || len(kept.VpcConfig.SubnetIds) != 1 || kept.KMSKeyArn == nil {
		t.Errorf("nil did not keep: %+v", kept)
	}
	cleared, err := c.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName: aws.String("f"), Environment: &types.Environment{Variables: map[string]string{}},
		Layers:            []string{},
		DeadLetterConfig:  &types.DeadLetterConfig{TargetArn: aws.String("")},
		FileSystemConfigs: []types.FileSystemConfig{},
		VpcConfig:         &types.VpcConfig{SubnetIds: []string{}, SecurityGroupIds: []string{}},
		KMSKeyArn:         aws.String(""),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(cleared.Environment.Variables) != 0 || len(cleared.Layers) != 0 || cleared.DeadLetterConfig != nil ||
		len(cleared.FileSystemConfigs) != 0 || cleared.KMSKeyArn != nil {
		t.Errorf("empty did not clear: %+v", cleared)
	}
	if v := cleared.VpcConfig; len(v.SubnetIds) != 0 || len(v.SecurityGroupIds) != 0 || *v.VpcId != "" {
		t.Errorf("VpcConfig after clearing: %+v", v)
	}
}

func TestListFunctionsPages(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	for i := range 60 {
		create(t, c, zipFunction(t, "f"+string(rune('A'+i/26))+string(rune('a'+i%26))))
	}
	p := lambda.NewListFunctionsPaginator(c, &lambda.ListFunctionsInput{})
	sizes := []int{}
	for p.HasMorePages() {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.Functions))
		if f := page.Functions[0]; f.State != "" || f.LastUpdateStatus != "" || f.RuntimeVersionConfig != nil ||
			f.RevisionId == nil {
			t.Errorf("a listed function has state %q, update %q", f.State, f.LastUpdateStatus)
		}
	}
	if diff := cmp.Diff([]int{50, 10}, sizes); diff != "" {
		t.Errorf("pages: %s", diff)
	}
}

// TestVersionNumbersContinue checks that a function that is created again does not use the numbers of its former
// versions.
func TestVersionNumbersContinue(t *testing.T) {
	c, ctx := client(start(t, Options{})), t.Context()
	publishTwo(t, c)
	if _, err := c.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: aws.String("f")}); err != nil {
		t.Fatal(err)
	}
	in := zipFunction(t, "f")
	in.Publish = true
	if v := create(t, c, in).Version; *v != "3" {
		t.Errorf("published version %s, want 3", *v)
	}
}

// TestEmptyLoggingConfig checks that a logging configuration without members leaves AWS's defaults.
func TestEmptyLoggingConfig(t *testing.T) {
	in := zipFunction(t, "f")
	in.LoggingConfig = &types.LoggingConfig{}
	got := create(t, client(start(t, Options{})), in).LoggingConfig
	if got.LogFormat != types.LogFormatText || aws.ToString(got.LogGroup) != "/aws/lambda/f" {
		t.Errorf("got %+v", got)
	}
}
