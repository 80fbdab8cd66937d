package awsdouble

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

func durableFunction(t *testing.T, name string) *lambda.CreateFunctionInput {
	t.Helper()
	in := zipFunction(t, name)
	in.DurableConfig = &types.DurableConfig{ExecutionTimeout: aws.Int32(60)}
	return in
}

func TestSettingsOfDurableFunctions(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	out := create(t, c, durableFunction(t, "d"))
	if d := out.DurableConfig; *d.ExecutionTimeout != 60 || *d.RetentionPeriodInDays != 14 || d.KMSKeyArn != nil {
		t.Errorf("created: %+v", *d)
	}
	get(t, c, "d")
	up, err := c.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String(
		"d"), DurableConfig: &types.DurableConfig{RetentionPeriodInDays: aws.Int32(3)}})
	if err != nil || *up.DurableConfig.ExecutionTimeout != 60 || *up.DurableConfig.RetentionPeriodInDays != 3 {
		t.Errorf("what is not sent is kept: %+v, %v", up, err)
	}
	in := durableFunction(t, "e")
	in.DurableConfig = &types.DurableConfig{RetentionPeriodInDays: aws.Int32(3)}
	_, err = c.CreateFunction(ctx, in)
	wantError(t, err, "InvalidParameterValueException",
		"You cannot create a function with a durable configuration without an executionTimeout")
	create(t, c, zipFunction(t, "f"))
	get(t, c, "f")
	_, err = c.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
		FunctionName:  aws.String("f"),
		DurableConfig: durableFunction(t, "f").DurableConfig,
	})
	wantError(t, err, "InvalidParameterValueException", "You cannot add a durable configuration to a function that "+
		"was originally created with no durable configuration")
	_, err = c.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("d")})
	wantError(t, err, "InvalidParameterValueException",
		"You cannot invoke a durable function using an unqualified ARN.")
}

func TestADurableFunctionIsDeletedAfterItsExecutions(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, ExecutionDuration: time.Hour})
	c, ctx := client(s), t.Context()
	name, deleteIt := aws.String("d"), &lambda.DeleteFunctionInput{FunctionName: aws.String("d")}
	create(t, c, durableFunction(t, "d"))
	invoked := &lambda.InvokeInput{FunctionName: name, Qualifier: aws.String("$LATEST")}
	if _, err := c.Invoke(ctx, invoked); err != nil {
		t.Fatal(err)
	}
	clk.move(time.Minute)
	if _, err := c.DeleteFunction(ctx, deleteIt); err != nil {
		t.Fatal(err)
	}
	clk.move(58 * time.Minute)
	if got := get(t, c, "d").Configuration; got.State != types.StateDeleting ||
		got.StateReasonCode != types.StateReasonCodeDrainingDurableExecutions {
		t.Errorf("while executions go on: %s, %s", got.State, got.StateReasonCode)
	}
	refused := "The operation cannot be performed at this time. The function is currently in the following state: " +
		"Deleting"
	_, err := c.Invoke(ctx, invoked)
	wantError(t, err, "ResourceConflictException", refused)
	_, err = c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: name, Timeout: aws.Int32(9)})
	wantError(t, err, "ResourceConflictException", refused)
	_, err = c.DeleteFunction(ctx, deleteIt)
	wantError(t, err, "ResourceConflictException", refused)
	_, err = c.CreateFunction(ctx, durableFunction(t, "d"))
	wantError(t, err, "ResourceConflictException", "Function already exist: d")
	clk.move(time.Minute)
	_, err = c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: name})
	wantError(t, err, "ResourceNotFoundException", "")
	if _, there := s.Function("d"); there {
		t.Error("the function is still there")
	}
}

func TestWhatIsRefusedWhilePending(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Minute})
	c, ctx := client(s), t.Context()
	name := aws.String("f")
	create(t, c, zipFunction(t, "f"))
	calls := map[string]func() error{
		"PutRuntimeManagementConfig": func() error {
			_, err := c.PutRuntimeManagementConfig(ctx,
				&lambda.PutRuntimeManagementConfigInput{FunctionName: name, UpdateRuntimeOn: types.UpdateRuntimeOnAuto})
			return err
		},
		"DeleteFunction": func() error {
			_, err := c.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: name})
			return err
		},
	}
	for _, call := range calls {
		wantError(t, call(), "ResourceConflictException",
			"The operation cannot be performed at this time. The function is currently in the following state: Pending")
	}
	if _, err := c.GetRuntimeManagementConfig(ctx,
		&lambda.GetRuntimeManagementConfigInput{FunctionName: name}); err != nil {
		t.Errorf("a read: %v", err)
	}
	clk.move(time.Minute)
	for _, operation := range []string{"PutRuntimeManagementConfig", "DeleteFunction"} {
		if err := calls[operation](); err != nil {
			t.Errorf("%s once it is active: %v", operation, err)
		}
	}
}
