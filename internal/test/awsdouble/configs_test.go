package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var fn = aws.String("f")

func TestCORSIsReplacedKeptAndCleared(t *testing.T) {
	c := client(start(t, Options{}))
	create(t, c, zipFunction(t, "f"))
	if _, err := c.CreateFunctionUrlConfig(t.Context(), &lambda.CreateFunctionUrlConfigInput{
		FunctionName: fn, AuthType: types.FunctionUrlAuthTypeNone, InvokeMode: types.InvokeModeResponseStream,
		Cors: &types.Cors{
			AllowOrigins: []string{"https://a.example"}, AllowHeaders: []string{"Content-Type"},
			MaxAge: aws.Int32(5),
		},
	}); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		reason string
		update *lambda.UpdateFunctionUrlConfigInput
		want   *types.Cors
		mode   types.InvokeMode
	}{
		{
			reason: "What is not sent is kept, and names of headers are in lower case.",
			update: &lambda.UpdateFunctionUrlConfigInput{AuthType: types.FunctionUrlAuthTypeAwsIam},
			want: &types.Cors{
				AllowOrigins: []string{"https://a.example"}, AllowHeaders: []string{"content-type"},
				MaxAge: aws.Int32(5),
			},
			mode: types.InvokeModeResponseStream,
		},
		{
			reason: "The block is replaced as a whole.",
			update: &lambda.UpdateFunctionUrlConfigInput{
				Cors:       &types.Cors{AllowOrigins: []string{"*"}},
				InvokeMode: types.InvokeModeBuffered,
			},
			want: &types.Cors{AllowOrigins: []string{"*"}},
			mode: types.InvokeModeBuffered,
		},
		{
			reason: "An empty block clears it.",
			update: &lambda.UpdateFunctionUrlConfigInput{Cors: &types.Cors{}},
			mode:   types.InvokeModeBuffered,
		},
	}
	for _, s := range steps {
		s.update.FunctionName = fn
		if _, err := c.UpdateFunctionUrlConfig(t.Context(), s.update); err != nil {
			t.Fatal(err)
		}
		got, err := c.GetFunctionUrlConfig(t.Context(), &lambda.GetFunctionUrlConfigInput{FunctionName: fn})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.want, got.Cors, cmpopts.IgnoreUnexported(types.Cors{})); diff != "" ||
			got.InvokeMode != s.mode {
			t.Errorf("%s\nmode %s, -want +got:\n%s", s.reason, got.InvokeMode, diff)
		}
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	c := client(start(t, Options{}))
	publishTwo(t, c)
	alias(t, c, "live", "1", nil)
	alias(t, c, "edge", "$LATEST", nil)
	provision := func(qualifier string, n int32) error {
		_, err := c.PutProvisionedConcurrencyConfig(t.Context(),
			&lambda.PutProvisionedConcurrencyConfigInput{
				FunctionName: fn, Qualifier: &qualifier,
				ProvisionedConcurrentExecutions: &n,
			})
		return err
	}
	invoke := func(in *lambda.PutFunctionEventInvokeConfigInput) error {
		in.FunctionName = fn
		_, err := c.PutFunctionEventInvokeConfig(t.Context(), in)
		return err
	}
	manage := func(in *lambda.PutRuntimeManagementConfigInput) error {
		in.FunctionName = fn
		_, err := c.PutRuntimeManagementConfig(t.Context(), in)
		return err
	}
	if err := provision("live", 5); err != nil {
		t.Fatal(err)
	}
	runtime := aws.String("arn:aws:lambda:eu-west-1::runtime:abc")
	const invalid, conflicts, missing = "InvalidParameterValueException", "ResourceConflictException",
		"ResourceNotFoundException"
	cases := map[string]struct {
		reason        string
		err           error
		code, message string
	}{
		"Latest": {
			reason: "Only what is published is provisioned.", err: provision("$LATEST", 1),
			code:    invalid,
			message: "Provisioned Concurrency Configs cannot be applied to unpublished function versions.",
		},
		"AliasOfLatest": {
			reason: "An alias of what is not published is no better.", err: provision("edge", 1),
			code:    invalid,
			message: "Provisioned Concurrency Configs cannot be applied to unpublished function versions.",
		},
		"Overlap": {
			reason: "A version under a provisioned alias is not provisioned too.", err: provision("1", 1),
			code: conflicts, message: "Version is pointed by a Provisioned Concurrency alias",
		},
		"NoAlias": {
			reason: "The alias must be there.", err: provision("gone", 1), code: missing,
			message: "Cannot find alias arn: " + functionARN + ":gone",
		},
		"NoVersion": {
			reason: "The version must be there.", err: provision("9", 1), code: missing,
			message: "Function not found: " + functionARN + ":9",
		},
		"None": {
			reason: "The model wants one execution at least.", err: provision("2", 0), code: "ValidationException",
			message: "1 validation error detected: Value '0' at 'provisionedConcurrentExecutions' failed to satisfy " +
				"constraint: Member must have value greater than or equal to 1",
		},
		"NoSettings": {
			reason: "An asynchronous invocation without settings is none.",
			err:    invoke(&lambda.PutFunctionEventInvokeConfigInput{}),
			code:   invalid, message: "You must specify at least one of error handling or destination setting.",
		},
		"Itself": {
			reason: "A function does not call itself for ever.",
			err: invoke(&lambda.PutFunctionEventInvokeConfigInput{DestinationConfig: &types.DestinationConfig{
				OnSuccess: &types.OnSuccess{Destination: aws.String(functionARN)},
			}}),
			code: invalid, message: "You can't specify the function as a destination for itself.",
		},
		"ManualWithoutRuntime": {
			reason: "Manual needs a runtime.",
			err:    manage(&lambda.PutRuntimeManagementConfigInput{UpdateRuntimeOn: types.UpdateRuntimeOnManual}),
			code:   invalid, message: "RuntimeVersionArn is required when UpdateRuntimeOn is Manual.",
		},
		"AutoWithRuntime": {
			reason: "Nothing else takes one.",
			err: manage(&lambda.PutRuntimeManagementConfigInput{
				UpdateRuntimeOn:   types.UpdateRuntimeOnAuto,
				RuntimeVersionArn: runtime,
			}),
			code: invalid, message: "RuntimeVersionArn can only be specified when UpdateRuntimeOn is Manual.",
		},
		"RuntimeOfAlias": {
			reason: "An alias has no runtime of its own.",
			err: manage(&lambda.PutRuntimeManagementConfigInput{
				UpdateRuntimeOn: types.UpdateRuntimeOnAuto,
				Qualifier:       aws.String("gone"),
			}),
			code: missing, message: "Function not found: " + functionARN + ":gone",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			wantError(t, tc.err, tc.code, tc.message)
		})
	}
}

func TestOverlapFromTheOtherSide(t *testing.T) {
	c := client(start(t, Options{}))
	publishTwo(t, c)
	alias(t, c, "live", "1", nil)
	put := func(qualifier string) error {
		_, err := c.PutProvisionedConcurrencyConfig(t.Context(),
			&lambda.PutProvisionedConcurrencyConfigInput{
				FunctionName: fn, Qualifier: &qualifier,
				ProvisionedConcurrentExecutions: aws.Int32(1),
			})
		return err
	}
	if err := put("1"); err != nil {
		t.Fatal(err)
	}
	wantError(t, put("live"), "ResourceConflictException",
		"Alias can't be used for Provisioned Concurrency configuration on an already Provisioned version")
}

func TestProvisionedConcurrencyFollowsTheClock(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, ProvisionDuration: time.Minute})
	c := client(s)
	publishTwo(t, c)
	q := aws.String("1")
	put := func(n int32) *lambda.PutProvisionedConcurrencyConfigOutput {
		t.Helper()
		out, err := c.PutProvisionedConcurrencyConfig(t.Context(),
			&lambda.PutProvisionedConcurrencyConfigInput{
				FunctionName: fn, Qualifier: q,
				ProvisionedConcurrentExecutions: &n,
			})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := func(status types.ProvisionedConcurrencyStatusEnum, allocated int32, reason string) {
		t.Helper()
		got, err := c.GetProvisionedConcurrencyConfig(t.Context(),
			&lambda.GetProvisionedConcurrencyConfigInput{FunctionName: fn, Qualifier: q})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != status || *got.AllocatedProvisionedConcurrentExecutions != allocated ||
			aws.ToString(got.StatusReason) != reason {
			t.Errorf("status %s, allocated %d, reason %q", got.Status, *got.AllocatedProvisionedConcurrentExecutions,
				aws.ToString(got.StatusReason))
		}
	}
	if put(10).Status != types.ProvisionedConcurrencyStatusEnumInProgress {
		t.Error("the call itself does not wait")
	}
	want(types.ProvisionedConcurrencyStatusEnumInProgress, 0, "")
	_, err := c.PutProvisionedConcurrencyConfig(t.Context(), &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: fn, Qualifier: q, ProvisionedConcurrentExecutions: aws.Int32(20),
	})
	wantError(t, err, "ResourceConflictException", "A previous request is being processed. Please try again shortly")
	clk.move(time.Minute)
	want(types.ProvisionedConcurrencyStatusEnumReady, 10, "")
	put(20)
	want(types.ProvisionedConcurrencyStatusEnumInProgress, 10, "")
	clk.move(time.Minute)
	s.FailProvisioning("f", "FUNCTION_ERROR_INIT_FAILURE")
	put(30)
	clk.move(time.Minute)
	want(types.ProvisionedConcurrencyStatusEnumFailed, 0, "FUNCTION_ERROR_INIT_FAILURE")

	list, err := c.ListProvisionedConcurrencyConfigs(t.Context(),
		&lambda.ListProvisionedConcurrencyConfigsInput{FunctionName: fn})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(list.ProvisionedConcurrencyConfigs); n != 1 ||
		*list.ProvisionedConcurrencyConfigs[0].FunctionArn != functionARN+":1" {
		t.Errorf("the list has %d, want that of version 1 with its ARN", n)
	}
	if _, err := c.DeleteProvisionedConcurrencyConfig(t.Context(),
		&lambda.DeleteProvisionedConcurrencyConfigInput{FunctionName: fn, Qualifier: q}); err != nil {
		t.Fatal(err)
	}
	_, err = c.GetProvisionedConcurrencyConfig(t.Context(),
		&lambda.GetProvisionedConcurrencyConfigInput{FunctionName: fn, Qualifier: q})
	wantError(t, err, "ProvisionedConcurrencyConfigNotFoundException",
		"No Provisioned Concurrency Config found for this function")
}

func TestProvisionedConcurrencyComesOutOfAReservation(t *testing.T) {
	c := client(start(t, Options{}))
	publishTwo(t, c)
	if _, err := c.PutFunctionConcurrency(t.Context(),
		&lambda.PutFunctionConcurrencyInput{FunctionName: fn, ReservedConcurrentExecutions: aws.Int32(5)}); err != nil {
		t.Fatal(err)
	}
	in := &lambda.PutProvisionedConcurrencyConfigInput{
		FunctionName: fn, Qualifier: aws.String("1"),
		ProvisionedConcurrentExecutions: aws.Int32(6),
	}
	_, err := c.PutProvisionedConcurrencyConfig(t.Context(), in)
	wantError(t, err, "InvalidParameterValueException",
		"Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function")
	in.ProvisionedConcurrentExecutions = aws.Int32(5)
	if _, err := c.PutProvisionedConcurrencyConfig(t.Context(), in); err != nil {
		t.Error(err)
	}
}

func TestARuntimeIsManagedForEachVersion(t *testing.T) {
	c := client(start(t, Options{}))
	publishTwo(t, c)
	runtime := "arn:aws:lambda:eu-west-1::runtime:abc"
	if _, err := c.PutRuntimeManagementConfig(t.Context(), &lambda.PutRuntimeManagementConfigInput{
		FunctionName:    fn,
		UpdateRuntimeOn: types.UpdateRuntimeOnManual, RuntimeVersionArn: &runtime,
	}); err != nil {
		t.Fatal(err)
	}
	for qualifier, want := range map[string]types.UpdateRuntimeOn{
		"$LATEST": types.UpdateRuntimeOnManual,
		"1":       types.UpdateRuntimeOnAuto,
	} {
		got, err := c.GetRuntimeManagementConfig(t.Context(),
			&lambda.GetRuntimeManagementConfigInput{FunctionName: fn, Qualifier: &qualifier})
		if err != nil {
			t.Fatal(err)
		}
		if got.UpdateRuntimeOn != want || *got.FunctionArn != functionARN+":"+qualifier {
			t.Errorf("%s: %s of %s, want %s", qualifier, got.UpdateRuntimeOn, *got.FunctionArn, want)
		}
	}
	if got := *get(t, c, "f").Configuration.RuntimeVersionConfig.RuntimeVersionArn; got != runtime {
		t.Errorf("the function runs %s, want %s", got, runtime)
	}
}

func TestURLRemainsWithoutItsAlias(t *testing.T) {
	c := client(start(t, Options{}))
	publishTwo(t, c)
	alias(t, c, "live", "1", nil)
	if _, err := c.CreateFunctionUrlConfig(t.Context(), &lambda.CreateFunctionUrlConfigInput{
		FunctionName: fn,
		Qualifier:    aws.String("live"), AuthType: types.FunctionUrlAuthTypeNone,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeleteAlias(t.Context(),
		&lambda.DeleteAliasInput{FunctionName: fn, Name: aws.String("live")}); err != nil {
		t.Fatal(err)
	}
	list, err := c.ListFunctionUrlConfigs(t.Context(), &lambda.ListFunctionUrlConfigsInput{FunctionName: fn})
	if err != nil || len(list.FunctionUrlConfigs) != 1 {
		t.Errorf("%v, %v, want the URL of the alias that is gone", list, err)
	}
	if _, err := c.DeleteFunctionUrlConfig(t.Context(),
		&lambda.DeleteFunctionUrlConfigInput{FunctionName: fn, Qualifier: aws.String("live")}); err != nil {
		t.Error(err)
	}
	_, err = c.GetFunctionUrlConfig(t.Context(),
		&lambda.GetFunctionUrlConfigInput{FunctionName: fn, Qualifier: aws.String("12")})
	wantError(t, err, "ValidationException", `1 validation error detected: Value '12' at 'qualifier' failed to `+
		`satisfy constraint: Member must satisfy regular expression pattern: ((?!^\d+$)^[0-9a-zA-Z-_]+$)`)
}
