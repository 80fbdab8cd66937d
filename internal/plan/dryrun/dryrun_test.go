package dryrun

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	ecrtypes "github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestIsRead(t *testing.T) {
	for op, want := range map[string]bool{
		"GetFunction": true, "ListAliases": true, "HeadObject": true, "BatchGetImage": true, "DescribeAlarms": true,
		"Invoke": false, "PutFunctionConcurrency": false, "BatchDeleteImage": false, "SomethingNew": false, "": false,
	} {
		if got := IsRead(op); got != want {
			t.Errorf("%q: got %t, want %t", op, got, want)
		}
	}
}

// account returns an account in front of a double with the function cart, and a client of it.
func account(t *testing.T) (*testenv.AWS, *Account, *lambda.Client) {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.AddFunction("cart")
	w.Double.ResetCalls()
	a := New(Base{Live: true, ID: awsdouble.DefaultAccount, Region: testenv.Region, Partition: "aws", Now: w.Now})
	s := &session.Session{AWS: w.Double.Config(testenv.Region)}
	return w, a, session.Client(a.Session(s), lambda.NewFromConfig)
}

// TestLive checks that calls that change something are not sent, and that later reads return their effect.
func TestLive(t *testing.T) {
	w, a, api := account(t)
	ctx, cart := t.Context(), aws.String("cart")
	read := func() *lambda.GetFunctionOutput {
		t.Helper()
		out, err := api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: cart})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := read()
	_, err := api.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName: cart,
		MemorySize:   aws.Int32(512), Layers: []string{"arn:aws:lambda:eu-central-1:123456789012:layer:l:1"},
	})
	w.Must(err)
	_, err = api.TagResource(ctx, &lambda.TagResourceInput{
		Resource: before.Configuration.FunctionArn,
		Tags:     map[string]string{"team": "shop"},
	})
	w.Must(err)
	after := read()
	if c := after.Configuration; *c.MemorySize != 512 || len(c.Layers) != 1 ||
		*c.Handler != *before.Configuration.Handler || *c.RevisionId == *before.Configuration.RevisionId {
		t.Errorf("the function is %+v", c)
	}
	if *before.Configuration.MemorySize == 512 || before.Tags["team"] != "" || after.Tags["team"] != "shop" {
		t.Errorf("tags before %v, after %v", before.Tags, after.Tags)
	}
	_, err = api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: cart})
	w.Must(err)
	if _, err := api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: cart}); !awserr.IsNotFound(err) {
		t.Errorf("a deleted function is read: %v", err)
	}
	if diff := cmp.Diff([]string{"GetFunction"}, w.Operations()); diff != "" {
		t.Errorf("what AWS has received: -want, +got:\n%s", diff)
	}
	var got []string
	for _, c := range a.Calls() {
		got = append(got, c.String())
	}
	want := []string{
		"UpdateFunctionConfiguration cart",
		"TagResource arn:aws:lambda:eu-central-1:123456789012:function:cart", "DeleteFunction cart",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
}

// TestCode checks that a deployment of code that was read has the hash that AWS would return.
func TestCode(t *testing.T) {
	const repository, digest = awsdouble.DefaultAccount + ".dkr.ecr." + testenv.Region + ".amazonaws.com/hello", "sha256:0f3a"
	zipped, err := archive.Zip(map[string][]byte{"index.py": []byte("x = 1")})
	if err != nil {
		t.Fatal(err)
	}
	object := &lambda.UpdateFunctionCodeInput{S3Bucket: aws.String("b"), S3Key: aws.String("k.zip")}
	image := &lambda.UpdateFunctionCodeInput{ImageUri: aws.String(repository + ":v1")}
	cases := map[string]struct {
		reason string
		read   func(ctx context.Context, s *session.Session) error
		in     *lambda.UpdateFunctionCodeInput
		want   string
		not    bool
	}{
		"Head": {
			reason: "S3 returns the hash that it stores.", in: object, want: archive.Hash(zipped),
			read: func(ctx context.Context, s *session.Session) error {
				_, err := session.Client(s, s3.NewFromConfig).HeadObject(ctx,
					&s3.HeadObjectInput{
						Bucket: object.S3Bucket, Key: object.S3Key,
						ChecksumMode: s3types.ChecksumModeEnabled,
					})
				return err
			},
		},
		"Get": {
			reason: "The object was read as a whole.", in: object, want: archive.Hash(zipped),
			read: func(ctx context.Context, s *session.Session) error {
				out, err := session.Client(s, s3.NewFromConfig).GetObject(ctx,
					&s3.GetObjectInput{Bucket: object.S3Bucket, Key: object.S3Key})
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, out.Body)
				return err
			},
		},
		"Tag": {
			reason: "ECR returns what the tag names.", in: image, want: strings.TrimPrefix(digest, "sha256:"),
			read: func(ctx context.Context, s *session.Session) error {
				_, err := session.Client(s, ecr.NewFromConfig).BatchGetImage(ctx, &ecr.BatchGetImageInput{
					RegistryId: aws.String(awsdouble.DefaultAccount), RepositoryName: aws.String(
						"hello"), ImageIds: []ecrtypes.ImageIdentifier{{ImageTag: aws.String("v1")}},
				})
				return err
			},
		},
		"Digest": {
			reason: "The URI has the digest.",
			in:     &lambda.UpdateFunctionCodeInput{ImageUri: aws.String(repository + "@" + digest)},
			want:   strings.TrimPrefix(digest, "sha256:"),
		},
		"Unread": {reason: "What the object has is not known.", in: object, want: archive.Hash(zipped), not: true},
		"Inline": {
			reason: "The call contains the archive.", in: &lambda.UpdateFunctionCodeInput{ZipFile: zipped},
			want: archive.Hash(zipped),
		},
		"Unknown": {
			reason: "What the tag names is not known.", in: image, want: strings.TrimPrefix(digest, "sha256:"),
			not: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w, a, api := account(t)
			w.Double.PutObject("b", "k.zip", nil)
			_, err := s3.NewFromConfig(w.Double.Config(testenv.Region)).PutObject(t.Context(), &s3.PutObjectInput{
				Bucket: object.S3Bucket, Key: object.S3Key, Body: bytes.NewReader(
					zipped), ChecksumAlgorithm: s3types.ChecksumAlgorithmSha256,
			})
			w.Must(err)
			w.Double.PutImage("hello", "v1", digest)
			if tc.read != nil {
				w.Must(tc.read(t.Context(), a.Session(&session.Session{AWS: w.Double.Config(testenv.Region)})))
			}
			tc.in.FunctionName = aws.String("cart")
			out, err := api.UpdateFunctionCode(t.Context(), tc.in)
			w.Must(err)
			if got := *out.CodeSha256; (got == tc.want) == tc.not {
				t.Errorf("%s\nCodeSha256 %q, want %q: %t", tc.reason, got, tc.want, !tc.not)
			}
		})
	}
}

// TestUnknownEffect checks that a call whose effect is not modeled is not sent either.
func TestUnknownEffect(t *testing.T) {
	w, a, api := account(t)
	_, err := api.StopDurableExecution(t.Context(),
		&lambda.StopDurableExecutionInput{DurableExecutionArn: aws.String("arn")})
	if err == nil || len(a.Calls()) != 1 || len(w.Operations()) != 0 {
		t.Errorf("error %v, calls %v, AWS has received %v", err, a.Calls(), w.Operations())
	}
}

// TestLists checks that lists have what was created, and lack what was deleted.
func TestLists(t *testing.T) {
	w, _, api := account(t)
	w.Publish("cart")
	w.AddAlias("cart", "old", "1")
	ctx, cart := t.Context(), aws.String("cart")
	_, err := api.CreateAlias(ctx, &lambda.CreateAliasInput{
		FunctionName: cart, Name: aws.String("new"),
		FunctionVersion: aws.String("1"),
	})
	w.Must(err)
	_, err = api.DeleteAlias(ctx, &lambda.DeleteAliasInput{FunctionName: cart, Name: aws.String("old")})
	w.Must(err)
	out, err := api.ListAliases(ctx, &lambda.ListAliasesInput{FunctionName: cart})
	w.Must(err)
	var got []string
	for _, a := range out.Aliases {
		got = append(got, *a.Name)
	}
	if diff := cmp.Diff([]string{"new"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestPublishUnchanged checks that what has not changed is not published again, unless the last version was deleted.
func TestPublishUnchanged(t *testing.T) {
	w, _, api := account(t)
	w.Publish("cart")
	ctx, cart := t.Context(), aws.String("cart")
	_, err := api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: cart})
	w.Must(err)
	_, err = api.ListVersionsByFunction(ctx, &lambda.ListVersionsByFunctionInput{FunctionName: cart})
	w.Must(err)
	var got []string
	publish := func() {
		out, err := api.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: cart})
		w.Must(err)
		got = append(got, *out.Version)
	}
	publish()
	_, err = api.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName: cart, Timeout: aws.Int32(9),
	})
	w.Must(err)
	publish()
	publish()
	_, err = api.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: cart, Qualifier: aws.String("2")})
	w.Must(err)
	publish()
	if diff := cmp.Diff([]string{"1", "2", "2", "3"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestOffline checks that an account without a connection is empty, has what is created, and masks what AWS makes up.
func TestOffline(t *testing.T) {
	now := time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)
	a := New(Base{ID: "000000000000", Region: "eu-central-1", Partition: "aws", Now: func() time.Time { return now }})
	api := session.Client(a.Offline(), lambda.NewFromConfig)
	ctx := t.Context()
	if _, err := api.GetFunction(ctx,
		&lambda.GetFunctionInput{FunctionName: aws.String("cart")}); !awserr.IsNotFound(err) {
		t.Errorf("the account is not empty: %v", err)
	}
	m, err := api.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
		FunctionName:   aws.String("cart"),
		EventSourceArn: aws.String("arn:aws:sqs:eu-central-1:000000000000:q"), BatchSize: aws.Int32(5),
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := api.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: m.UUID})
	if err != nil || *out.BatchSize != 5 || *out.State != "Enabled" {
		t.Errorf("mapping %+v, %v", out, err)
	}
	if got := Mask("mapping "+*m.UUID, "(unknown)"); got != "mapping (unknown)" {
		t.Errorf("got %q", got)
	}
	_, err = api.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: aws.String("cart"),
		StatementId:  aws.String("s"), Action: aws.String("lambda:InvokeFunction"),
		Principal: aws.String("s3.amazonaws.com"),
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := api.GetPolicy(ctx, &lambda.GetPolicyInput{FunctionName: aws.String("cart")})
	if err != nil || !strings.Contains(*p.Policy, `"Principal":{"Service":"s3.amazonaws.com"}`) {
		t.Errorf("policy %v, %v", p, err)
	}
	a.Assume(true)
	if _, err := api.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("cart")}); err != nil {
		t.Errorf("the function is assumed to exist: %v", err)
	}
	if diff := cmp.Diff([]string{"function cart"}, a.Assumed()); diff != "" {
		t.Errorf("assumed: -want, +got:\n%s", diff)
	}
}

func TestAssign(t *testing.T) {
	in := &lambda.CreateFunctionInput{
		MemorySize: aws.Int32(256), TracingConfig: &types.TracingConfig{
			Mode: types.TracingModeActive,
		}, VpcConfig: &types.VpcConfig{SubnetIds: []string{"subnet-1"}},
		Environment: &types.Environment{Variables: map[string]string{"A": "b"}}, Runtime: types.RuntimePython313,
	}
	got := as[types.FunctionConfiguration](in)
	if *got.MemorySize != 256 || got.TracingConfig.Mode != types.TracingModeActive ||
		got.VpcConfig.SubnetIds[0] != "subnet-1" || got.Environment.Variables["A"] != "b" ||
		got.Runtime != types.RuntimePython313 {
		t.Errorf("got %+v", got)
	}
}
