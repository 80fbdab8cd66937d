package awsdouble

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func account(t *testing.T, c *lambda.Client) (*types.AccountLimit, *types.AccountUsage) {
	t.Helper()
	out, err := c.GetAccountSettings(t.Context(), &lambda.GetAccountSettingsInput{})
	if err != nil {
		t.Fatalf("GetAccountSettings: %v", err)
	}
	return out.AccountLimit, out.AccountUsage
}

func TestAccountSettings(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	quiet := cmpopts.IgnoreUnexported(types.AccountLimit{}, types.AccountUsage{})
	limit, usage := account(t, c)
	wantLimit := &types.AccountLimit{
		CodeSizeUnzipped: 262144000, CodeSizeZipped: 52428800, TotalCodeSize: 80530636800,
		ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: aws.Int32(1000),
	}
	if diff := cmp.Diff(wantLimit, limit, quiet); diff != "" {
		t.Errorf("limits of an empty account: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(&types.AccountUsage{}, usage, quiet); diff != "" {
		t.Errorf("usage of an empty account: -want +got:\n%s", diff)
	}

	in := zipFunction(t, "f")
	in.Publish = true
	size := create(t, c, in).CodeSize
	if _, err := c.PublishLayerVersion(ctx, &lambda.PublishLayerVersionInput{
		LayerName: aws.String("l"),
		Content:   &types.LayerVersionContentInput{ZipFile: in.Code.ZipFile},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{
		FunctionName:                 aws.String("f"),
		ReservedConcurrentExecutions: aws.Int32(300),
	}); err != nil {
		t.Fatal(err)
	}
	limit, usage = account(t, c)
	if got := *limit.UnreservedConcurrentExecutions; got != 700 {
		t.Errorf("unreserved: %d, want 700", got)
	}
	if diff := cmp.Diff(&types.AccountUsage{FunctionCount: 1, TotalCodeSize: 3 * size}, usage, quiet); diff != "" {
		t.Errorf("usage: -want +got:\n%s", diff)
	}
}

func TestLimitsOfAnAccountAreKept(t *testing.T) {
	size := int64(len(archive("v1")))
	s := start(t, Options{Limits: Limits{ConcurrentExecutions: 60, MinUnreserved: 10, TotalCodeSize: size}})
	c, ctx := client(s), t.Context()
	create(t, c, zipFunction(t, "f"))

	reserve := func(n int32) error {
		_, err := c.PutFunctionConcurrency(ctx,
			&lambda.PutFunctionConcurrencyInput{FunctionName: aws.String("f"), ReservedConcurrentExecutions: &n})
		return err
	}
	if err := reserve(50); err != nil {
		t.Fatal(err)
	}
	wantError(t, reserve(51), "InvalidParameterValueException", "Specified ReservedConcurrentExecutions for function "+
		"decreases account's UnreservedConcurrentExecution below its minimum value of [10].")

	full := "Code storage limit exceeded."
	_, err := c.CreateFunction(ctx, zipFunction(t, "g"))
	wantError(t, err, "CodeStorageExceededException", full)
	_, err = c.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: aws.String("f")})
	wantError(t, err, "CodeStorageExceededException", full)
	_, err = c.PublishLayerVersion(ctx, &lambda.PublishLayerVersionInput{
		LayerName: aws.String("l"),
		Content:   &types.LayerVersionContentInput{ZipFile: archive("v1")},
	})
	wantError(t, err, "CodeStorageExceededException", full)
	if _, err = c.UpdateFunctionCode(ctx,
		&lambda.UpdateFunctionCodeInput{FunctionName: aws.String("f"), ZipFile: archive("v2")}); err != nil {
		t.Errorf("code that takes the place of other code: %v", err)
	}
	_, err = c.UpdateFunctionCode(ctx,
		&lambda.UpdateFunctionCodeInput{FunctionName: aws.String("f"), ZipFile: archive("longer than before")})
	wantError(t, err, "CodeStorageExceededException", full)
}

// TestStorageIsFreed fills an account's storage several times.
func TestStorageIsFreed(t *testing.T) {
	const fit = 4
	size := int64(len(archive("v1")))
	s := start(t, Options{Limits: Limits{TotalCodeSize: fit * size}})
	c, ctx := client(s), t.Context()
	for range 3 {
		for i := range fit / 2 {
			in := zipFunction(t, fmt.Sprint("f-", i))
			in.Publish = true
			create(t, c, in)
		}
		_, err := c.CreateFunction(ctx, zipFunction(t, "f-full"))
		wantError(t, err, "CodeStorageExceededException", "Code storage limit exceeded.")
		for i := range fit / 2 {
			if _, err := c.DeleteFunction(ctx,
				&lambda.DeleteFunctionInput{FunctionName: aws.String(fmt.Sprint("f-", i))}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
