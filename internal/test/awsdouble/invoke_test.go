package awsdouble

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestInvoke(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	durable := zipFunction(t, "d")
	durable.DurableConfig = &types.DurableConfig{ExecutionTimeout: aws.Int32(60)}
	create(t, c, durable)
	tenants := zipFunction(t, "t")
	tenants.TenancyConfig = &types.TenancyConfig{TenantIsolationMode: types.TenantIsolationModePerTenant}
	create(t, c, tenants)
	var ran []Invoked
	s.OnInvoke("f", func(in Invoked) Returned {
		ran = append(ran, in)
		if strings.Contains(string(in.Payload), "boom") {
			return Returned{
				Payload: []byte(`{"errorMessage":"boom"}`), Error: "Unhandled",
				Log: strings.Repeat("x", maxLogTail) + "END",
			}
		}
		return Returned{Payload: []byte(`{"ok":true}`), Log: "START END"}
	})
	context := base64.StdEncoding.EncodeToString([]byte(`{"custom":{}}`))
	type want struct {
		out     *lambda.InvokeOutput
		ran     []Invoked
		code    string
		message string
	}
	cases := map[string]struct {
		reason string
		in     lambda.InvokeInput
		want   want
	}{
		"Synchronous": {
			reason: "The result and what ran are told, and the log on request.",
			in:     lambda.InvokeInput{Payload: []byte(`{"a":1}`), LogType: types.LogTypeTail, ClientContext: &context},
			want: want{
				out: &lambda.InvokeOutput{StatusCode: 200, ExecutedVersion: aws.String("$LATEST"), Payload: []byte(
					`{"ok":true}`), LogResult: aws.String(base64.StdEncoding.EncodeToString([]byte("START END")))},
				ran: []Invoked{{Version: "$LATEST", Payload: []byte(`{"a":1}`), ClientContext: context}},
			},
		},
		"NoPayload": {
			reason: "A function may be invoked with nothing.",
			want: want{
				out: &lambda.InvokeOutput{
					StatusCode: 200, ExecutedVersion: aws.String("$LATEST"),
					Payload: []byte(`{"ok":true}`),
				},
				ran: []Invoked{{Version: "$LATEST", Payload: []byte{}}},
			},
		},
		"FunctionError": {
			reason: "An error of the function is no error of the call. The log's end is told.",
			in:     lambda.InvokeInput{Payload: []byte(`"boom"`), LogType: types.LogTypeTail},
			want: want{
				out: &lambda.InvokeOutput{
					StatusCode: 200, ExecutedVersion: aws.String("$LATEST"),
					FunctionError: aws.String(
						"Unhandled"), Payload: []byte(`{"errorMessage":"boom"}`),
					LogResult: aws.String(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(
						"x", maxLogTail-3) + "END"))),
				},
				ran: []Invoked{{Version: "$LATEST", Payload: []byte(`"boom"`)}},
			},
		},
		"Asynchronous": {
			reason: "The caller of an event sees nothing of its outcome.",
			in:     lambda.InvokeInput{Payload: []byte(`[1]`), InvocationType: types.InvocationTypeEvent},
			want: want{
				out: &lambda.InvokeOutput{StatusCode: 202},
				ran: []Invoked{{Version: "$LATEST", Payload: []byte(`[1]`), Asynchronous: true}},
			},
		},
		"DryRun": {
			reason: "Nothing runs.",
			in:     lambda.InvokeInput{InvocationType: types.InvocationTypeDryRun},
			want:   want{out: &lambda.InvokeOutput{StatusCode: 204}},
		},
		"NoJSON": {
			reason: "A payload is JSON.", in: lambda.InvokeInput{Payload: []byte("{")},
			want: want{
				code:    "InvalidRequestContentException",
				message: "Could not parse request body into json: Could not parse payload into json",
			},
		},
		"NoContext": {reason: "A context is an encoded object.", in: lambda.InvokeInput{ClientContext: aws.String(
			"{}")}, want: want{
			code:    "InvalidRequestContentException",
			message: "Client context must be a valid Base64-encoded JSON object.",
		}},
		"TooLarge": {
			reason: "Events are smaller.",
			in: lambda.InvokeInput{InvocationType: types.InvocationTypeEvent, Payload: []byte(
				`"` + strings.Repeat("x", maxEventPayload) + `"`)}, want: want{
				code:    "RequestTooLargeException",
				message: "1048578 byte payload is too large for the Event invocation type (limit 1048576 bytes)",
			},
		},
		"NoFunction": {
			reason: "The function is not there.", in: lambda.InvokeInput{FunctionName: aws.String("nope")},
			want: want{
				code:    "ResourceNotFoundException",
				message: "Function not found: arn:aws:lambda:eu-west-1:123456789012:function:nope:$LATEST",
			},
		},
		"NoTenant": {reason: "An isolated function runs for a tenant.", in: lambda.InvokeInput{FunctionName: aws.String(
			"t")}, want: want{code: "InvalidParameterValueException", message: "The invoked function is enabled with " +
			"tenancy configuration. Add a valid tenant ID in your request and try again."}},
		"Tenant": {
			reason: "And for a tenant it does.",
			in: lambda.InvokeInput{FunctionName: aws.String("t"), TenantId: aws.String(
				"blue")}, want: want{out: &lambda.InvokeOutput{
				StatusCode: 200, ExecutedVersion: aws.String("$LATEST"),
				Payload: []byte("null"),
			}},
		},
		"NotIsolated": {
			reason: "Other functions have no tenants.",
			in:     lambda.InvokeInput{TenantId: aws.String("blue")},
			want: want{code: "InvalidParameterValueException", message: "The invoked function is not enabled with " +
				"tenancy configuration. Remove the tenant ID from your request and try again."},
		},
		"NotDurable": {
			reason: "Executions have names where they last.",
			in: lambda.InvokeInput{DurableExecutionName: aws.String(
				"x")}, want: want{
				code:    "InvalidParameterValueException",
				message: "A name of a durable execution is for durable functions.",
			},
		},
		"Durable": {
			reason: "The execution is told.",
			in: lambda.InvokeInput{FunctionName: aws.String("d:$LATEST"), DurableExecutionName: aws.String(
				"x"), Payload: []byte("1")}, want: want{out: &lambda.InvokeOutput{
				StatusCode:      200,
				ExecutedVersion: aws.String("$LATEST"), Payload: []byte("null"),
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ran = nil
			if tc.in.FunctionName == nil {
				tc.in.FunctionName = aws.String("f")
			}
			out, err := c.Invoke(t.Context(), &tc.in)
			if tc.want.code != "" {
				wantError(t, err, tc.want.code, tc.want.message)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ignored := cmpopts.IgnoreFields(lambda.InvokeOutput{}, "ResultMetadata", "DurableExecutionArn")
			if diff := cmp.Diff(tc.want.out, out, ignored,
				cmpopts.IgnoreUnexported(lambda.InvokeOutput{})); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want.ran, ran); diff != "" {
				t.Errorf("%s: -want to run +ran:\n%s", tc.reason, diff)
			}
			if durable := strings.Contains(aws.ToString(out.DurableExecutionArn),
				"/durable-execution/x/"); durable != (name == "Durable") {
				t.Errorf("%s: got execution %v", tc.reason, out.DurableExecutionArn)
			}
		})
	}
}

func TestInvokeInState(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, CreateDuration: time.Second})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	in := &lambda.InvokeInput{FunctionName: aws.String("f")}
	_, err := c.Invoke(t.Context(), in)
	wantError(t, err, "ResourceConflictException",
		"The operation cannot be performed at this time. The function is currently in the following state: Pending")
	clk.move(time.Second)
	if _, err := c.Invoke(t.Context(), in); err != nil {
		t.Error(err)
	}
	if _, err := c.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{FunctionName: aws.String(
		"f"), ReservedConcurrentExecutions: aws.Int32(0)}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Invoke(t.Context(), in)
	wantNoConcurrency(t, err)
}

// wantNoConcurrency checks that an invocation was refused because its function has no concurrency.
func wantNoConcurrency(t *testing.T, err error) {
	t.Helper()
	wantError(t, err, "TooManyRequestsException", "Rate Exceeded.")
	throttled := &types.TooManyRequestsException{}
	if !errors.As(err, &throttled) ||
		throttled.Reason != types.ThrottleReasonReservedFunctionConcurrentInvocationLimitExceeded {
		t.Errorf("reason %q", throttled.Reason)
	}
}

// TestInvokeWithoutUnreservedConcurrency checks that a function without a reservation is not invoked if the others have
// reserved all concurrency of the account.
func TestInvokeWithoutUnreservedConcurrency(t *testing.T) {
	s := start(t, Options{Limits: Limits{ConcurrentExecutions: 20, MinUnreserved: -1}}) // All of it may be reserved.
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	create(t, c, zipFunction(t, "g"))
	if _, err := c.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{
		FunctionName: aws.String("f"), ReservedConcurrentExecutions: aws.Int32(20),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("f")}); err != nil {
		t.Errorf("the reservation is not used: %v", err)
	}
	_, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("g")})
	wantNoConcurrency(t, err)
}

// TestInvokeByWeight checks that the invocations of an alias are divided by its weights.
func TestInvokeByWeight(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	publishTwo(t, c)
	in := &lambda.InvokeInput{FunctionName: aws.String("f"), Qualifier: aws.String("live")}
	if _, err := c.CreateAlias(t.Context(), &lambda.CreateAliasInput{
		FunctionName: in.FunctionName, Name: in.Qualifier, FunctionVersion: aws.String("1"),
		RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"2": .3}},
	}); err != nil {
		t.Fatal(err)
	}
	count := func() map[string]int {
		ran := map[string]int{}
		for range 100 {
			out, err := c.Invoke(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			ran[*out.ExecutedVersion]++
		}
		return ran
	}
	if diff := cmp.Diff(map[string]int{"1": 70, "2": 30}, count()); diff != "" {
		t.Errorf("with a weight: -want +got:\n%s", diff)
	}
	if _, err := c.UpdateAlias(t.Context(), &lambda.UpdateAliasInput{
		FunctionName: in.FunctionName, Name: in.Qualifier,
		RoutingConfig: &types.AliasRoutingConfiguration{},
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"1": 100}, count()); diff != "" {
		t.Errorf("without: -want +got:\n%s", diff)
	}
}

func TestDurableExecutionRunsOnce(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	f := zipFunction(t, "f")
	f.DurableConfig = &types.DurableConfig{ExecutionTimeout: aws.Int32(60)}
	create(t, c, f)
	runs := 0
	s.OnInvoke("f", func(Invoked) Returned { runs++; return Returned{} })
	in := &lambda.InvokeInput{
		FunctionName: aws.String("f"), Qualifier: aws.String("$LATEST"),
		DurableExecutionName: aws.String("x"), Payload: []byte("1"),
	}
	for range 2 {
		if _, err := c.Invoke(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 1 {
		t.Errorf("an execution of one name must run once, ran %d times", runs)
	}
	in.Payload = []byte("2")
	_, err := c.Invoke(t.Context(), in)
	wantError(t, err, "DurableExecutionAlreadyStartedException",
		"Durable execution x has been started with another payload.")
}
