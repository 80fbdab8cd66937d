// Package accounts makes random accounts in a double of AWS: functions with all settings, and with all that may belong
// to them, as someone has made them without the provider.
package accounts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const (
	region = "eu-central-1"
	here   = ":" + region + ":" + awsdouble.DefaultAccount + ":"
	image  = awsdouble.DefaultAccount + ".dkr.ecr." + region + ".amazonaws.com/repo"
)

// An Account is one that is being made.
type Account struct {
	*rand.Rand

	// Lambda is the account's client, and Double its double.
	Lambda *lambda.Client
	Double *awsdouble.Server

	// Secret is part of the value of each environment variable.
	Secret string

	// Unversioned makes no versions: all aliases are of $LATEST.
	Unversioned bool

	layers    []string
	signing   []string
	instances string
	functions []string
}

// names result in the same name of an object, or in one that is not valid.
var names = []string{
	"checkout", "Checkout", "CHECKOUT", "shop_api", "shop-api", "_", "Orders-2",
	"a_function_with_a_name_of_64_characters_which_is_the_most_of_aws",
}

func (a *Account) maybe() bool { return a.IntN(2) == 0 }

func pick[T any](a *Account, of ...T) T { return of[a.IntN(len(of))] }

func some[T any](a *Account, of ...T) *T {
	if a.maybe() {
		return nil
	}
	v := pick(a, of...)
	return &v
}

func (a *Account) subset(of ...string) []string {
	out := []string{}
	for _, s := range of {
		if a.maybe() {
			out = append(out, s)
		}
	}
	return out
}

func (a *Account) texts(value string, keys ...string) map[string]string {
	out := map[string]string{}
	for _, k := range a.subset(keys...) {
		out[k] = value + fmt.Sprint(a.IntN(3))
	}
	return out
}

// Make makes an account with so many functions.
func (a *Account) Make(ctx context.Context, n int) error {
	a.Double.PutImage("repo", "1", "sha256:"+digest)
	for _, step := range []func(context.Context) error{a.makeSigning, a.makeLayers, a.makeInstances} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	names := slices.Clone(names)
	a.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range n {
		name := fmt.Sprintf("function-%d", i)
		if i < len(names) {
			name = names[i]
		}
		a.functions = append(a.functions, name)
		if err := a.makeFunction(ctx, name); err != nil {
			return fmt.Errorf("function %s: %w", name, err)
		}
	}
	return nil
}

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func (a *Account) makeSigning(ctx context.Context) error {
	for i := range 2 {
		out, err := a.Lambda.CreateCodeSigningConfig(ctx, &lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{"arn:aws:signer" + here +
				"/signing-profiles/p/abcdefghi" + fmt.Sprint(i)}},
			CodeSigningPolicies: &types.CodeSigningPolicies{UntrustedArtifactOnDeployment: types.CodeSigningPolicyWarn},
			Description:         some(a, "releases"),
			Tags:                a.texts("", "team", "cost"),
		})
		if err != nil {
			return err
		}
		a.signing = append(a.signing, *out.CodeSigningConfig.CodeSigningConfigArn)
	}
	return nil
}

func (a *Account) makeLayers(ctx context.Context) error {
	for _, name := range []string{"common", "Common", "tracing"} {
		out, err := a.Lambda.PublishLayerVersion(ctx, &lambda.PublishLayerVersionInput{
			LayerName: &name, Content: &types.LayerVersionContentInput{ZipFile: awsdouble.Zip(nil)},
			Description: some(a, "shared"), LicenseInfo: some(a, "MIT"),
			CompatibleRuntimes: []types.Runtime{types.RuntimePython313},
		})
		if err != nil {
			return err
		}
		a.layers = append(a.layers, *out.LayerVersionArn)
		if _, err := a.Lambda.AddLayerVersionPermission(ctx, &lambda.AddLayerVersionPermissionInput{
			LayerName: &name, VersionNumber: &out.Version, StatementId: aws.String("partner"),
			Action: aws.String("lambda:GetLayerVersion"), Principal: aws.String("210987654321"),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (a *Account) makeInstances(ctx context.Context) error {
	out, err := a.Lambda.CreateCapacityProvider(ctx, &lambda.CreateCapacityProviderInput{
		CapacityProviderName: aws.String("instances"),
		PermissionsConfig: &types.CapacityProviderPermissionsConfig{CapacityProviderOperatorRoleArn: aws.String(
			"arn:aws:iam::" + awsdouble.DefaultAccount + ":role/operator")},
		VpcConfig: &types.CapacityProviderVpcConfig{
			SubnetIds:        []string{"subnet-0123456789abcdef0"},
			SecurityGroupIds: []string{"sg-0123456789abcdef0"},
		},
		Tags: a.texts("", "team"),
	})
	if err == nil {
		a.instances = *out.CapacityProvider.CapacityProviderArn
	}
	return err
}
