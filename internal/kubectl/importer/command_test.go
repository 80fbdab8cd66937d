package importer

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// checkout makes the function of docs/kubectl-lambda-import.md.
func (e *env) checkout(t *testing.T, tags map[string]string) {
	t.Helper()
	ctx, name := t.Context(), aws.String("Checkout_API")
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.lambda.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: name,
		Role:         aws.String("arn:aws:iam::123456789012:role/checkout"),
		Handler:      aws.String("index.handler"),
		Runtime:      types.RuntimePython313,
		Code:         &types.FunctionCode{ZipFile: awsdouble.Zip(nil)},
		Publish:      true,
		MemorySize:   aws.Int32(256),
		Tags:         tags,
		Environment:  &types.Environment{Variables: map[string]string{"PASSWORD": canary}},
	}))
	must(
		e.lambda.CreateAlias(
			ctx,
			&lambda.CreateAliasInput{FunctionName: name, Name: aws.String("live"), FunctionVersion: aws.String("1")},
		),
	)
	must(e.lambda.AddPermission(ctx, &lambda.AddPermissionInput{
		FunctionName: name,
		Qualifier:    aws.String("live"),
		StatementId:  aws.String("uploads"),
		Action:       aws.String("lambda:InvokeFunction"),
		Principal: aws.String(
			"s3.amazonaws.com",
		),
		SourceArn:     aws.String("arn:aws:s3:::uploads"),
		SourceAccount: aws.String(awsdouble.DefaultAccount),
	}))
	must(e.lambda.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
		FunctionName: aws.String(
			"Checkout_API:live",
		),
		EventSourceArn: aws.String("arn:aws:sqs:eu-central-1:123456789012:orders"),
		BatchSize:      aws.Int32(5),
	}))
	e.aws.ResetCalls()
}

// TestDirectory checks the files of an import: what they have, and who may read those with secrets.
func TestDirectory(t *testing.T) {
	e := newEnv(t)
	e.random(t, 7, 8)
	e.checkout(t, map[string]string{"team": "shop"})
	read := func() (map[string]string, string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "new")
		code, out, errOut := e.run(t, "--region", testRegion, "-n", "shop", "-o", dir)
		if code != 0 || out != "" {
			t.Fatalf("exit code %d, output %q\n%s", code, out, errOut)
		}
		if strings.Contains(errOut, canary) || strings.Contains(errOut, "\x1b") {
			t.Errorf("the summary has a secret or a color: %s", errOut)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, entry := range entries {
			b, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[entry.Name()] = string(b)
			info, err := entry.Info()
			if err != nil {
				t.Fatal(err)
			}
			if secret := strings.HasSuffix(
				entry.Name(),
				".secret.yaml",
			); secret != strings.Contains(string(b), canary) ||
				secret && info.Mode().Perm() != modeSecret {
				t.Errorf(
					"%s has mode %s, and secrets: %t",
					entry.Name(),
					info.Mode(),
					strings.Contains(string(b), canary),
				)
			}
		}
		calls := len(e.aws.Calls())
		code, _, refused := e.run(t, "--region", testRegion, "-o", dir)
		if code != 2 || !strings.Contains(refused, "is not empty") || len(e.aws.Calls()) != calls {
			t.Errorf(
				"exit code %d for a directory that is not empty, after %d calls: %s",
				code,
				len(e.aws.Calls())-calls,
				refused,
			)
		}
		return got, errOut
	}
	first, summary := read()
	again, _ := read()
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("another import has other files: -first, +again:\n%s", diff)
	}
	if !strings.Contains(summary, "Imported 9 functions") ||
		!strings.Contains(summary, "Applying them changes nothing in AWS but tags.") {
		t.Errorf("summary:\n%s", summary)
	}
	for _, call := range e.aws.Calls() {
		if !strings.HasPrefix(call.Operation, "Get") && !strings.HasPrefix(call.Operation, "List") {
			t.Errorf("the import has called %s", call.Operation)
		}
	}
}

// TestNothing checks that an import of nothing leaves no directory behind.
func TestNothing(t *testing.T) {
	e := newEnv(t)
	dir := filepath.Join(t.TempDir(), "new")
	code, _, errOut := e.run(t, "--region", testRegion, "-l", "team=shop", "-o", dir)
	if _, err := os.Stat(dir); code != 0 || !os.IsNotExist(err) || !strings.Contains(errOut, "Imported 0 functions") {
		t.Errorf("exit code %d, directory: %v\n%s", code, err, errOut)
	}
}

// TestDeletedLayer imports a function with a version of a layer that was deleted, which AWS keeps for the function.
func TestDeletedLayer(t *testing.T) {
	e := newEnv(t)
	e.checkout(t, nil)
	out, err := e.lambda.PublishLayerVersion(
		t.Context(),
		&lambda.PublishLayerVersionInput{
			LayerName: aws.String("old"),
			Content:   &types.LayerVersionContentInput{ZipFile: awsdouble.Zip(nil)},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.lambda.UpdateFunctionConfiguration(
		t.Context(),
		&lambda.UpdateFunctionConfigurationInput{
			FunctionName: aws.String("Checkout_API"),
			Layers:       []string{*out.LayerVersionArn},
		},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := e.lambda.DeleteLayerVersion(
		t.Context(),
		&lambda.DeleteLayerVersionInput{LayerName: aws.String("old"), VersionNumber: aws.Int64(out.Version)},
	); err != nil {
		t.Fatal(err)
	}
	code, manifests, summary := e.run(t, "--region", testRegion, "-n", "shop")
	if code != 0 || strings.Contains(manifests, "kind: LayerVersion") ||
		!strings.Contains(manifests, "- "+*out.LayerVersionArn) {
		t.Errorf(
			"exit code %d, want the function with the ARN of the layer, and no LayerVersion:\n%s%s",
			code,
			manifests,
			summary,
		)
	}
}

// TestTags imports functions with tags that the API server rejects in a manifest.
func TestTags(t *testing.T) {
	many := map[string]string{}
	for i := range 45 {
		many[fmt.Sprintf("tag-%d", i)] = "x"
	}
	cases := map[string]struct {
		reason string
		tags   map[string]string
		want   string
	}{
		"Many": {
			reason: "The provider needs six of the 50 tags that AWS allows.",
			tags:   many,
			want:   "tags[tag-0]: removed",
		},
		"Reserved": {
			reason: "The prefix is that of the provider.",
			tags:   map[string]string{"crossplane-team": "shop"},
			want:   "tags[crossplane-team]: removed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.checkout(t, tc.tags)
			code, manifests, summary := e.run(t, "--region", testRegion, "-n", "shop")
			if code != 1 || strings.Contains(manifests, "  tags:\n") ||
				!strings.Contains(manifests, "# It is only observed") ||
				!strings.Contains(summary, tc.want) {
				t.Errorf("%s\nexit code %d\n%s%s", tc.reason, code, manifests, summary)
			}
		})
	}
}

// TestMappingWithTheARNOfItsFunction imports a mapping whose ARN begins with that of its function, as fakecloud answers:
// the tags that are read by it are those of the function.
func TestMappingWithTheARNOfItsFunction(t *testing.T) {
	e := newEnv(t)
	e.checkout(t, map[string]string{"team": "shop"})
	edit := regexp.MustCompile(`"EventSourceMappingArn":"[^"]*"`)
	e.aws.Fail(awsdouble.Fault{
		Operation: "ListEventSourceMappings", Times: -1,
		Answer: func(status int, body []byte) (int, []byte) {
			return status, edit.ReplaceAll(body, []byte(`"EventSourceMappingArn":"`+
				`arn:aws:lambda:eu-central-1:123456789012:function:Checkout_API"`))
		},
	})
	code, manifests, summary := e.run(t, "--region", testRegion, "-n", "shop")
	_, mapping, _ := strings.Cut(manifests, "kind: EventSourceMapping\n")
	mapping, _, _ = strings.Cut(mapping, "---\n")
	if code != 0 || mapping == "" || strings.Contains(mapping, "team: shop") {
		t.Errorf("exit code %d, want a mapping without the tags of its function:\n%s%s", code, mapping, summary)
	}
}

// TestLackingOperations imports a function from an emulator that answers pages, as moto and kumo do, to the operations
// that it lacks.
func TestLackingOperations(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusNotImplemented} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			e := newEnv(t)
			e.checkout(t, nil)
			for _, lacking := range []string{
				"ListCodeSigningConfigs", "ListProvisionedConcurrencyConfigs", "GetFunctionRecursionConfig",
				"GetRuntimeManagementConfig",
			} {
				e.aws.Fail(awsdouble.Fault{
					Operation: lacking, Times: -1,
					Answer: func(int, []byte) (int, []byte) { return status, []byte("<!doctype html>") },
				})
			}
			code, manifests, summary := e.run(t, "--region", testRegion, "-n", "shop")
			if code != 1 || !strings.Contains(manifests, "kind: Function\n") ||
				!strings.Contains(summary, "its recursive loop detection could not be read") {
				t.Errorf("exit code %d, want the function, and what could not be read:\n%s%s", code, manifests, summary)
			}
		})
	}
}

// TestMovedAlias imports an alias while AWS moves its provisioned concurrency to another version.
func TestMovedAlias(t *testing.T) {
	e := newEnv(t)
	e.checkout(t, nil)
	name := aws.String("Checkout_API")
	if _, err := e.lambda.UpdateFunctionConfiguration(
		t.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: name, Timeout: aws.Int32(9)},
	); err != nil {
		t.Fatal(err)
	}
	v, err := e.lambda.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: name})
	if err != nil {
		t.Fatal(err)
	}
	e.aws.EditAlias(*name, "live", func(a *awsdouble.Alias) {
		a.FunctionVersion, a.RoutingConfig = *v.Version, &awsdouble.Routing{
			AdditionalVersionWeights: map[string]float64{"1": 1},
		}
	})
	code, manifests, summary := e.run(t, "--region", testRegion, "-n", "shop")
	if code != 0 || strings.Contains(manifests, "routingConfig") ||
		!strings.Contains(manifests, "name: checkout-api-v2\n") {
		t.Errorf(
			"exit code %d, want the new version without a weight, which the API server rejects:\n%s%s",
			code,
			manifests,
			summary,
		)
	}
}

// TestStream checks what is written to the standard output, with and without secrets.
func TestStream(t *testing.T) {
	e := newEnv(t)
	e.checkout(t, nil)
	code, out, errOut := e.run(t, "--region", testRegion, "-n", "shop")
	if code != 0 || strings.Contains(out+errOut, canary) ||
		!strings.Contains(out, "# Secret checkout-api-environment is left out") {
		t.Errorf("exit code %d\n%s\n%s", code, out, errOut)
	}
	for _, want := range []string{
		"kind: Function\n", "kind: Alias\n", "kind: Version\n", "kind: Permission\n", "kind: EventSourceMapping\n", "crossplane.io/external-name: Checkout_API\n",
		"functionVersionRef:\n      name: checkout-api-v1\n", "qualifierRef:\n      name: checkout-api-live\n", "secretRef:\n          name: checkout-api-environment\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output has no %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "functionName:") || strings.Contains(out, "status:") {
		t.Errorf("the output has a name where a reference is possible, or a status:\n%s", out)
	}
	if _, out, _ := e.run(t, "--region", testRegion, "--show-secrets"); !strings.Contains(out, "PASSWORD: "+canary) {
		t.Errorf("--show-secrets shows none:\n%s", out)
	}
	if _, out, _ := e.run(
		t,
		"--region",
		testRegion,
		"--inline-environment",
	); strings.Contains(out, canary) ||
		!strings.Contains(out, "# Function checkout-api is left out") {
		t.Errorf("inline values are shown:\n%s", out)
	}
	if _, out, _ := e.run(
		t,
		"--region",
		testRegion,
		"--inline-environment",
		"--show-secrets",
	); !strings.Contains(out, "PASSWORD: "+canary) ||
		strings.Contains(out, "kind: Secret") {
		t.Errorf("inline values:\n%s", out)
	}
}

func TestExitCodes(t *testing.T) {
	foreign := map[string]string{
		ownership.TagUID:       "u",
		ownership.TagCluster:   "other",
		ownership.TagName:      "checkout",
		ownership.TagNamespace: "shop",
		ownership.TagKind:      "function.lambda.aws.m.crossplane.io",
	}
	cases := map[string]struct {
		reason string
		tags   map[string]string
		before func(e *env)
		args   []string
		code   int
		out    string
		errOut string
	}{
		"NoRegion": {reason: "A region is required.", code: 2, errOut: "--region is required"},
		"Selector": {
			reason: "A selector is a tag.",
			args:   []string{"--region", testRegion, "-l", "=x"},
			code:   2,
			errOut: "invalid selector",
		},
		"Config": {
			reason: "A config has one of two kinds.",
			args:   []string{"--region", testRegion, "--provider-config", "Pod/x"},
			code:   2,
			errOut: "invalid provider config",
		},
		"NoFunction": {
			reason: "A function that is named must exist.",
			args:   []string{"--region", testRegion, "other"},
			code:   2,
			errOut: "function other does not exist in this region",
		},
		"UnknownRegion": {
			reason: "An endpoint of one's own answers for any region, so a misspelt one is named.",
			args:   []string{"--region", "eu-centra-1"},
			errOut: "warning: eu-centra-1 is no region of AWS that this version knows",
		},
		"Unselected": {
			reason: "Nothing is imported that is not selected.",
			args:   []string{"--region", testRegion, "-l", "team=cart"},
			errOut: "Imported 0 functions from AWS account 123456789012, region eu-central-1: 0 resources, 0 Secrets, 0 files, by ",
		},
		"Selected": {
			reason: "What has the tag is.",
			tags:   map[string]string{"team": "shop"},
			args:   []string{"--region", testRegion, "-l", "team=shop"},
			errOut: "Imported 1 functions",
			out:    "team: shop",
		},
		"Named": {
			reason: "A function that is named is imported.",
			args:   []string{"--region", testRegion, "Checkout_API"},
			errOut: "Imported 1 functions",
		},
		"Ref": {
			reason: "The manifests refer to a config.",
			args:   []string{"--region", testRegion, "--provider-config", "ProviderConfig/shop", "--aws-default-chain"},
			out:    "providerConfigRef:\n    kind: ProviderConfig\n    name: shop\n",
		},
		"Foreign": {
			reason: "What another cluster owns is only observed.",
			tags:   foreign,
			args:   []string{"--region", testRegion},
			code:   1,
			errOut: "Not proven: Function checkout-api (Checkout_API): ",
			out:    "# It is only observed, so that applying the manifest changes nothing.",
		},
		"Adopt": {
			reason: "With --adopt, what another cluster owns is adopted.",
			tags:   foreign,
			args:   []string{"--region", testRegion, "--adopt"},
			out:    `lambda.aws.m.crossplane.io/adopt: "true"`,
		},
		"Denied": {
			reason: "What cannot be read is named.",
			args:   []string{"--region", testRegion},
			code:   1,
			errOut: "the policy of Checkout_API could not be read: AccessDeniedException",
			before: func(e *env) {
				e.aws.Fail(
					awsdouble.Fault{
						Operation: "GetPolicy",
						Times:     -1,
						Error:     awsdouble.AccessDenied("lambda:GetPolicy"),
					},
				)
			},
		},
		"SigningDenied": {
			reason: "Code signing configs that cannot be read end nothing.",
			args:   []string{"--region", testRegion},
			code:   1,
			errOut: "its code signing config could not be read: AccessDeniedException",
			before: func(e *env) {
				e.aws.Fail(
					awsdouble.Fault{
						Operation: "ListCodeSigningConfigs",
						Times:     -1,
						Error:     awsdouble.AccessDenied("lambda:ListCodeSigningConfigs"),
					},
				)
			},
		},
		"SigningBroken": {
			reason: "An endpoint that does not answer ends the import.",
			args:   []string{"--region", testRegion},
			code:   2,
			errOut: "InvalidClientTokenId",
			before: func(e *env) {
				e.aws.Fail(
					awsdouble.Fault{
						Operation: "ListCodeSigningConfigs",
						Times:     -1,
						Error: awsdouble.Error{
							Status:  403,
							Code:    "InvalidClientTokenId",
							Message: "The security token is invalid.",
						},
					},
				)
			},
		},
		"TagsDenied": {
			reason: "Nothing is selected by tags that cannot be read.",
			args:   []string{"--region", testRegion, "-l", "team=shop"},
			code:   2,
			errOut: "cannot read function Checkout_API: cannot select it by its tags, grant lambda:ListTags on it: User: ",
			tags:   map[string]string{"team": "shop"},
			before: func(e *env) {
				e.aws.SetPolicy(
					awsdouble.Allow{
						Actions: []string{
							"lambda:Get*",
							"lambda:ListFunctions",
							"lambda:ListEventSourceMappings",
							"lambda:ListCodeSigningConfigs",
						},
						Resources: []string{"*"},
					},
				)
			},
		},
		"LayerPolicyDenied": {
			reason: "The policy of a layer that cannot be read is named.",
			args:   []string{"--region", testRegion},
			code:   1,
			errOut: "Not proven: LayerVersion common-1 (arn:aws:lambda:eu-central-1:123456789012:layer:common:1): its policy could not be read: AccessDeniedException",
			before: func(e *env) {
				layer, err := e.lambda.PublishLayerVersion(
					t.Context(),
					&lambda.PublishLayerVersionInput{
						LayerName: aws.String("common"),
						Content:   &types.LayerVersionContentInput{ZipFile: awsdouble.Zip(nil)},
					},
				)
				if err != nil {
					panic(err)
				}
				if _, err := e.lambda.UpdateFunctionConfiguration(
					t.Context(),
					&lambda.UpdateFunctionConfigurationInput{
						FunctionName: aws.String("Checkout_API"),
						Layers:       []string{*layer.LayerVersionArn},
					},
				); err != nil {
					panic(err)
				}
				e.aws.Fail(
					awsdouble.Fault{
						Operation: "GetLayerVersionPolicy",
						Times:     -1,
						Error:     awsdouble.AccessDenied("lambda:GetLayerVersionPolicy"),
					},
				)
			},
		},
		"FiltersDenied": {
			reason: "Filters that cannot be decrypted are named, and not left out.",
			args:   []string{"--region", testRegion},
			code:   1,
			errOut: "AWS does not return its filter criteria: make its KMS key usable, and import it again",
			before: func(e *env) {
				if _, err := e.lambda.CreateEventSourceMapping(t.Context(), &lambda.CreateEventSourceMappingInput{
					FunctionName: aws.String(
						"Checkout_API",
					),
					EventSourceArn: aws.String("arn:aws:sqs:eu-central-1:123456789012:filtered"),
					KMSKeyArn:      aws.String("arn:aws:kms:eu-central-1:123456789012:key/k"),
					FilterCriteria: &types.FilterCriteria{
						Filters: []types.Filter{{Pattern: aws.String(`{"body":{"a":["b"]}}`)}},
					},
				}); err != nil {
					panic(err)
				}
				e.aws.SetPolicy(
					awsdouble.Allow{Actions: []string{"lambda:Get*", "lambda:List*"}, Resources: []string{"*"}},
				)
			},
		},
		"AllDenied": {
			reason: "Without the list, there is nothing to import.",
			args:   []string{"--region", testRegion},
			code:   2,
			errOut: "AccessDeniedException",
			before: func(e *env) {
				e.aws.Fail(
					awsdouble.Fault{
						Operation: "ListFunctions",
						Times:     -1,
						Error:     awsdouble.AccessDenied("lambda:ListFunctions"),
					},
				)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.checkout(t, tc.tags)
			if tc.before != nil {
				tc.before(e)
			}
			code, out, errOut := e.run(t, tc.args...)
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errOut, tc.errOut) {
				t.Errorf("%s\nexit code %d, want %d\n%s\n%s", tc.reason, code, tc.code, out, errOut)
			}
		})
	}
}
