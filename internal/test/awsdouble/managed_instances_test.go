package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// managedFunction returns the input of a function on managed instances.
func managedFunction(t *testing.T, name string) *lambda.CreateFunctionInput {
	t.Helper()
	in := zipFunction(t, name)
	in.Runtime, in.MemorySize = types.RuntimePython313, aws.Int32(2048)
	in.CapacityProviderConfig = &types.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArn: aws.String(capacityArn),
		},
	}
	return in
}

func TestLatestOfManagedInstancesTakesNoCalls(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Minute, UpdateDuration: time.Minute})
	c, ctx := client(s), t.Context()
	capacityProvider(t, c)
	out := create(t, c, managedFunction(t, "f"))
	on := out.CapacityProviderConfig.LambdaManagedInstancesCapacityProviderConfig
	if *on.ExecutionEnvironmentMemoryGiBPerVCpu != 2 || *on.PerExecutionEnvironmentMaxConcurrency != 16 {
		t.Errorf("what was not sent is %v, %v", *on.ExecutionEnvironmentMemoryGiBPerVCpu,
			*on.PerExecutionEnvironmentMaxConcurrency)
	}
	if l := out.LoggingConfig; l.LogFormat != types.LogFormatJson ||
		l.ApplicationLogLevel != types.ApplicationLogLevelInfo {
		t.Errorf("logging: %+v", *l)
	}
	clk.move(time.Minute)
	if got := get(t, c, "f").Configuration; got.State != types.StateActiveNonInvocable ||
		got.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		t.Errorf("$LATEST: %s, %s", got.State, got.LastUpdateStatus)
	}
	_, err := c.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("f"), Qualifier: aws.String("$LATEST")})
	wantError(t, err, "ResourceConflictException", "The operation cannot be performed at this time. The function is "+
		"currently in the following state: ActiveNonInvocable")
	_, err = c.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("f")})
	wantError(t, err, "ResourceNotFoundException", "")

	up, err := c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Timeout: aws.Int32(5400)})
	if err != nil || up.State != types.StateActiveNonInvocable ||
		up.LastUpdateStatus != types.LastUpdateStatusInProgress {
		t.Errorf("while $LATEST is updated: %+v, %v", up, err)
	}
	clk.move(time.Minute)
	if got := get(t, c, "f").Configuration; got.State != types.StateActiveNonInvocable ||
		got.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		t.Errorf("$LATEST after the update: %s, %s", got.State, got.LastUpdateStatus)
	}
}

func TestPublishedVersionsRunOnManagedInstances(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Minute})
	c, ctx := client(s), t.Context()
	capacityProvider(t, c)
	create(t, c, managedFunction(t, "f"))
	clk.move(time.Minute)

	for _, to := range []types.FunctionVersionLatestPublished{"", types.FunctionVersionLatestPublishedLatestPublished} {
		v, err := c.PublishVersion(ctx, &lambda.PublishVersionInput{FunctionName: aws.String("f"), PublishTo: to})
		if err != nil || v.State != types.StatePending {
			t.Fatalf("PublishVersion(%q): %+v, %v", to, v, err)
		}
		clk.move(time.Minute)
		got, err := c.GetFunctionConfiguration(ctx,
			&lambda.GetFunctionConfigurationInput{FunctionName: aws.String("f"), Qualifier: v.Version})
		if err != nil || got.State != types.StateActive {
			t.Errorf("version %s: %s, %v", *v.Version, got.State, err)
		}
	}
	ran, err := c.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("f")})
	if err != nil || *ran.ExecutedVersion != publishedVersion {
		t.Errorf("an invocation without a qualifier: %+v, %v", ran, err)
	}
	_, err = c.PutProvisionedConcurrencyConfig(ctx,
		&lambda.PutProvisionedConcurrencyConfigInput{FunctionName: aws.String(
			"f"), Qualifier: aws.String("1"), ProvisionedConcurrentExecutions: aws.Int32(1)})
	wantError(t, err, "InvalidParameterValueException", "")
}

func TestWhatManagedInstancesDoNotTake(t *testing.T) {
	small := "Lambda Managed Instance functions must have memory size greater than or equal to 2048"
	cases := map[string]struct {
		reason        string
		create        func(*lambda.CreateFunctionInput)
		update        *lambda.UpdateFunctionConfigurationInput
		code, message string
	}{
		"Text": {
			reason: "Logs are always JSON.",
			create: func(in *lambda.CreateFunctionInput) {
				in.LoggingConfig = &types.LoggingConfig{LogFormat: types.LogFormatText}
			},
			update: &lambda.UpdateFunctionConfigurationInput{LoggingConfig: &types.LoggingConfig{
				LogFormat: types.LogFormatText,
			}},
			code: "InvalidParameterValueException",
		},
		"LittleMemory": {
			reason:  "An instance is shared by larger environments.",
			create:  func(in *lambda.CreateFunctionInput) { in.MemorySize = aws.Int32(2047) },
			update:  &lambda.UpdateFunctionConfigurationInput{MemorySize: aws.Int32(128)},
			code:    "ValidationException",
			message: small,
		},
		"DefaultMemory": {
			reason:  "The default of functions is too little.",
			create:  func(in *lambda.CreateFunctionInput) { in.MemorySize = nil },
			code:    "ValidationException",
			message: small,
		},
		"VPC": {
			reason: "The network is the capacity provider's.",
			create: func(in *lambda.CreateFunctionInput) {
				in.VpcConfig = &types.VpcConfig{SubnetIds: []string{"subnet-1"}, SecurityGroupIds: []string{"sg-1"}}
			},
			update: &lambda.UpdateFunctionConfigurationInput{VpcConfig: &types.VpcConfig{
				SubnetIds: []string{"subnet-1"}, SecurityGroupIds: []string{"sg-1"},
			}},
			code:    "InvalidParameterValueException",
			message: "You can't use Lambda Managed Instance functions with VPC configurations.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, ctx := client(start(t, Options{})), t.Context()
			in := managedFunction(t, "bad")
			tc.create(in)
			_, err := c.CreateFunction(ctx, in)
			wantError(t, err, tc.code, tc.message)
			if tc.update == nil {
				return
			}
			create(t, c, managedFunction(t, "f"))
			get(t, c, "f")
			tc.update.FunctionName = aws.String("f")
			_, err = c.UpdateFunctionConfiguration(ctx, tc.update)
			wantError(t, err, tc.code, tc.message)
		})
	}
}

func TestAFunctionIsMovedToManagedInstancesOnlyWhenCreated(t *testing.T) {
	c, ctx := client(start(t, Options{})), t.Context()
	create(t, c, zipFunction(t, "f"))
	_, err := c.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName:           aws.String("f"),
		CapacityProviderConfig: managedFunction(t, "f").CapacityProviderConfig,
	})
	wantError(t, err, "InvalidParameterValueException",
		"CapacityProviderConfig isn't supported for Lambda Default functions.")

	create(t, c, managedFunction(t, "g"))
	get(t, c, "g")
	up, err := c.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(
		"g"), LoggingConfig: &types.LoggingConfig{SystemLogLevel: types.SystemLogLevelWarn}})
	if err != nil || up.LoggingConfig.LogFormat != types.LogFormatJson ||
		up.LoggingConfig.SystemLogLevel != types.SystemLogLevelWarn {
		t.Errorf("levels of logs: %+v, %v", up, err)
	}
}
