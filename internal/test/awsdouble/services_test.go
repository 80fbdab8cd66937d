package awsdouble

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	ecrtypes "github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestS3(t *testing.T) {
	s := start(t, Options{})
	c := s3.NewFromConfig(s.Config(testRegion), func(o *s3.Options) { o.UsePathStyle = true })
	ctx, data := t.Context(), []byte("content")
	s.CreateBucket("b", true)
	sum := sha256.Sum256(data)
	checksum := base64.StdEncoding.EncodeToString(sum[:])
	put, err := c.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String("b"), Key: aws.String("dir/k"),
		Body: bytes.NewReader(data), ChecksumAlgorithm: s3types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		t.Fatal(err)
	}
	head, err := c.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: aws.String("b"), Key: aws.String("dir/k"),
		ChecksumMode: s3types.ChecksumModeEnabled,
	})
	if err != nil {
		t.Fatal(err)
	}
	if *head.ETag != `"9a0364b9e99bb480dd25e1f0284c8555"` || *head.VersionId != *put.VersionId ||
		aws.ToString(head.ChecksumSHA256) != checksum || head.ChecksumType != s3types.ChecksumTypeFullObject ||
		*head.ContentLength != 7 {
		t.Errorf("HeadObject: %+v", head)
	}
	second := s.PutObject("b", "dir/k", []byte("other"))
	old, err := c.GetObject(ctx,
		&s3.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("dir/k"), VersionId: put.VersionId})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(old.Body); err != nil || string(got) != "content" {
		t.Errorf("old version: %q, %v", got, err)
	}
	head, err = c.HeadObject(ctx, &s3.HeadObjectInput{
		Bucket: aws.String("b"), Key: aws.String("dir/k"),
		ChecksumMode: s3types.ChecksumModeEnabled,
	})
	if err != nil || *head.VersionId != second || head.ChecksumSHA256 != nil || head.ChecksumType != "" {
		t.Errorf("HeadObject of a version without checksum: %+v, %v", head, err)
	}
	s.PutObject("plain", "k", data)
	head, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("plain"), Key: aws.String("k")})
	if err != nil || head.VersionId != nil {
		t.Errorf("HeadObject without versioning: %+v, %v", head, err)
	}
	_, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("b"), Key: aws.String("absent")})
	var notFound *s3types.NotFound
	if !errors.As(err, &notFound) {
		t.Errorf("HeadObject of an absent key: %v", err)
	}
	_, err = c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("absent"), Key: aws.String("k")})
	wantError(t, err, "NoSuchBucket", "The specified bucket does not exist")
}

func TestAccountsAndRegionsAreApart(t *testing.T) {
	s := start(t, Options{})
	s.AddAccessKey("AKIAOTHER", "210987654321")
	create(t, client(s), zipFunction(t, "f"))
	ctx := t.Context()
	_, err := clientOf(s.ConfigFor(testRegion, "AKIAOTHER")).GetFunction(ctx,
		&lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException",
		"Function not found: arn:aws:lambda:eu-west-1:210987654321:function:f")
	_, err = clientOf(s.Config("us-east-1")).GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException",
		"Function not found: arn:aws:lambda:us-east-1:123456789012:function:f")
	if c := s.Calls()[1]; c.Account != "210987654321" || c.Region != testRegion || c.Service != "lambda" {
		t.Errorf("logged %+v", c)
	}
}

func TestSTS(t *testing.T) {
	s := start(t, Options{})
	ctx, c := t.Context(), sts.NewFromConfig(s.Config(testRegion))
	me, err := c.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil || *me.Account != DefaultAccount {
		t.Fatalf("GetCallerIdentity: %+v, %v", me, err)
	}
	role, err := c.AssumeRole(ctx, &sts.AssumeRoleInput{
		RoleArn:         aws.String("arn:aws:iam::210987654321:role/dir/r"),
		RoleSessionName: aws.String("s"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if *role.AssumedRoleUser.Arn != "arn:aws:sts::210987654321:assumed-role/r/s" || role.Credentials.Expiration == nil {
		t.Errorf("AssumeRole: %+v", role)
	}
	as := sts.NewFromConfig(s.ConfigFor(testRegion, *role.Credentials.AccessKeyId))
	if me, err = as.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{}); err != nil || *me.Account != "210987654321" {
		t.Errorf("GetCallerIdentity as the role: %+v, %v", me, err)
	}
	unsigned := sts.NewFromConfig(s.Config(testRegion),
		func(o *sts.Options) { o.Credentials = aws.AnonymousCredentials{} })
	web, err := unsigned.AssumeRoleWithWebIdentity(ctx, &sts.AssumeRoleWithWebIdentityInput{
		RoleArn: aws.String("arn:aws:iam::333333333333:role/r"), RoleSessionName: aws.String("s"),
		WebIdentityToken: aws.String("token"),
	})
	if err != nil {
		t.Fatal(err)
	}
	as = sts.NewFromConfig(s.ConfigFor(testRegion, *web.Credentials.AccessKeyId))
	if me, err = as.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{}); err != nil || *me.Account != "333333333333" {
		t.Errorf("GetCallerIdentity with a web identity: %+v, %v", me, err)
	}
	_, err = c.AssumeRole(ctx,
		&sts.AssumeRoleInput{RoleArn: aws.String("arn:aws:iam::1:user/not-a-role"), RoleSessionName: aws.String("s")})
	wantError(t, err, "ValidationError", "arn:aws:iam::1:user/not-a-role is invalid")
}

func TestImages(t *testing.T) {
	const digest = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	s := start(t, Options{})
	ctx := t.Context()
	s.PutImage("app", "latest", digest)
	out, err := ecr.NewFromConfig(s.Config(testRegion)).BatchGetImage(ctx, &ecr.BatchGetImageInput{
		RepositoryName: aws.String("app"),
		ImageIds:       []ecrtypes.ImageIdentifier{{ImageTag: aws.String("latest")}, {ImageTag: aws.String("absent")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Images) != 1 || *out.Images[0].ImageId.ImageDigest != digest || len(out.Failures) != 1 ||
		out.Failures[0].FailureCode != ecrtypes.ImageFailureCodeImageNotFound {
		t.Errorf("BatchGetImage: %+v", out)
	}
	const uri = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/app"
	c := client(s)
	create(t, c, &lambda.CreateFunctionInput{
		FunctionName: aws.String("f"), Role: aws.String(testRole), PackageType: types.PackageTypeImage,
		Code: &types.FunctionCode{ImageUri: aws.String(uri + ":latest")},
	})
	f := get(t, c, "f")
	if *f.Code.ImageUri != uri+":latest" || *f.Code.ResolvedImageUri != uri+"@"+digest ||
		"sha256:"+*f.Configuration.CodeSha256 != digest {
		t.Errorf("image function: %+v, CodeSha256 %s", f.Code, *f.Configuration.CodeSha256)
	}
}

func TestSubConfigurations(t *testing.T) {
	s := start(t, Options{})
	c, ctx, f := client(s), t.Context(), aws.String("f")
	create(t, c, zipFunction(t, "f"))

	csc, err := c.CreateCodeSigningConfig(ctx,
		&lambda.CreateCodeSigningConfigInput{AllowedPublishers: &types.AllowedPublishers{
			SigningProfileVersionArns: []string{"arn:aws:signer:eu-west-1:123456789012:/signing-profiles/p/v"},
		}})
	if err != nil {
		t.Fatal(err)
	}
	arn := csc.CodeSigningConfig.CodeSigningConfigArn
	if _, err = c.PutFunctionCodeSigningConfig(ctx,
		&lambda.PutFunctionCodeSigningConfigInput{FunctionName: f, CodeSigningConfigArn: arn}); err != nil {
		t.Fatal(err)
	}
	attached, err := c.GetFunctionCodeSigningConfig(ctx, &lambda.GetFunctionCodeSigningConfigInput{FunctionName: f})
	if err != nil || *attached.CodeSigningConfigArn != *arn {
		t.Errorf("attached: %+v, %v", attached, err)
	}
	_, err = c.DeleteCodeSigningConfig(ctx, &lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: arn})
	wantError(t, err, "ResourceConflictException", "")
	using, err := c.ListFunctionsByCodeSigningConfig(ctx,
		&lambda.ListFunctionsByCodeSigningConfigInput{CodeSigningConfigArn: arn})
	if err != nil || !slices.Equal(using.FunctionArns, []string{"arn:aws:lambda:eu-west-1:123456789012:function:f"}) {
		t.Errorf("functions: %+v, %v", using, err)
	}
	enforced, err := c.UpdateCodeSigningConfig(ctx, &lambda.UpdateCodeSigningConfigInput{
		CodeSigningConfigArn: arn,
		CodeSigningPolicies:  &types.CodeSigningPolicies{UntrustedArtifactOnDeployment: types.CodeSigningPolicyEnforce},
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.ListCodeSigningConfigs(ctx, &lambda.ListCodeSigningConfigsInput{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]types.CodeSigningConfig{*enforced.CodeSigningConfig}, all.CodeSigningConfigs,
		cmpopts.IgnoreUnexported(types.CodeSigningConfig{}, types.AllowedPublishers{},
			types.CodeSigningPolicies{})); diff != "" {
		t.Errorf("-updated +listed:\n%s", diff)
	}
	if _, err = c.DeleteFunctionCodeSigningConfig(ctx,
		&lambda.DeleteFunctionCodeSigningConfigInput{FunctionName: f}); err != nil {
		t.Fatal(err)
	}
	if attached, err = c.GetFunctionCodeSigningConfig(ctx,
		&lambda.GetFunctionCodeSigningConfigInput{FunctionName: f}); err != nil ||
		attached.CodeSigningConfigArn != nil {
		t.Errorf("detached: %+v, %v", attached, err)
	}
	if _, err = c.DeleteCodeSigningConfig(ctx,
		&lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: arn}); err != nil {
		t.Fatal(err)
	}
	_, err = c.PutFunctionCodeSigningConfig(ctx,
		&lambda.PutFunctionCodeSigningConfigInput{FunctionName: f, CodeSigningConfigArn: arn})
	wantError(t, err, "CodeSigningConfigNotFoundException", "")

	managed := managedFunction(t, "managed")
	if _, err = c.CreateFunction(ctx, managed); err != nil {
		t.Fatal(err)
	}
	f = managed.FunctionName
	if _, err = c.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: f}); err != nil {
		t.Fatal(err)
	}
	if _, err = c.PutFunctionScalingConfig(ctx,
		&lambda.PutFunctionScalingConfigInput{
			FunctionName: f, Qualifier: aws.String(
				"1"),
			FunctionScalingConfig: &types.FunctionScalingConfig{MinExecutionEnvironments: aws.Int32(2)},
		}); err != nil {
		t.Fatal(err)
	}
	scaling, err := c.GetFunctionScalingConfig(ctx,
		&lambda.GetFunctionScalingConfigInput{FunctionName: f, Qualifier: aws.String("1")})
	if err != nil || *scaling.AppliedFunctionScalingConfig.MinExecutionEnvironments != 2 {
		t.Errorf("scaling: %+v, %v", scaling, err)
	}
}

// TestPolicyDocument checks that calls are allowed as an IAM policy says, and that a policy that is not understood
// changes nothing.
func TestPolicyDocument(t *testing.T) {
	s := New(Options{})
	s.Start()
	t.Cleanup(s.Close)
	client := lambda.NewFromConfig(s.Config("eu-central-1"))
	list := func() error {
		_, err := client.ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
		return err
	}
	if err := s.SetPolicyDocument(
		"AKIADOUBLE",
		[]byte(`{"Statement": [{"Effect": "Allow", "Action": "lambda:List*", "Resource": ["*"]}]}`),
	); err != nil {
		t.Fatal(err)
	}
	if err := list(); err != nil {
		t.Errorf("an allowed call: %v", err)
	}
	for _, text := range []string{"{", `{"Statement": [{"Effect": "Deny", "Action": "lambda:*", "Resource": "*"}]}`} {
		if err := s.SetPolicyDocument("AKIADOUBLE", []byte(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
		if err := list(); err != nil {
			t.Errorf("after %s: %v", text, err)
		}
	}
	if err := s.SetPolicyDocument("AKIADOUBLE", []byte(`{"Statement": []}`)); err != nil {
		t.Fatal(err)
	}
	if err := list(); err == nil || !strings.Contains(err.Error(), "lambda:ListFunctions") {
		t.Errorf("a call that is not allowed: %v", err)
	}
	other := lambda.NewFromConfig(s.ConfigFor("eu-central-1", "AKIAOTHER"))
	if _, err := other.ListFunctions(t.Context(), &lambda.ListFunctionsInput{}); err != nil {
		t.Errorf("a call with another key: %v", err)
	}
}
