package awsdouble

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

const lostTo = "The function could not be updated due to a concurrent update operation."

func TestTheLaterOfTwoChangesIsRefused(t *testing.T) {
	name := aws.String("f")
	update := func(c *lambda.Client) error {
		_, err := c.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: name, Timeout: aws.Int32(9)})
		return err
	}
	reserve := func(c *lambda.Client) error {
		_, err := c.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{FunctionName: name, ReservedConcurrentExecutions: aws.Int32(9)})
		return err
	}
	events := func(c *lambda.Client) error {
		_, err := c.PutFunctionEventInvokeConfig(t.Context(), &lambda.PutFunctionEventInvokeConfigInput{FunctionName: name, MaximumRetryAttempts: aws.Int32(1)})
		return err
	}
	tag := func(c *lambda.Client) error {
		_, err := c.TagResource(t.Context(), &lambda.TagResourceInput{Resource: aws.String("arn:aws:lambda:eu-west-1:123456789012:function:f"), Tags: map[string]string{"a": "b"}})
		return err
	}
	permit := func(sid string) func(*lambda.Client) error {
		return func(c *lambda.Client) error { return allow(t, c, sid) }
	}
	cases := map[string]struct {
		reason    string
		options   Options
		operation string
		first     func(*lambda.Client) error
		then      func(*lambda.Client) error
		want      string
	}{
		"Configuration": {
			reason: "A function is changed by one call at a time.", options: Options{Conflicts: Refused},
			operation: "UpdateFunctionConfiguration", first: update, then: reserve, want: lostTo,
		},
		"Permissions": {
			reason: "Its permissions are changed with it.", options: Options{Conflicts: Refused},
			operation: "AddPermission", first: permit("one"), then: permit("two"), want: lostTo,
		},
		"EventInvokeConfig": {
			reason: "What is set for asynchronous invocation has words of its own.", options: Options{Conflicts: Refused},
			operation: "PutFunctionEventInvokeConfig", first: events, then: events,
			want: "The EventInvokeConfig for function arn:aws:lambda:eu-west-1:123456789012:function:f:$LATEST could not be updated due to a concurrent update operation.",
		},
		"Apart": {
			reason: "What is set for asynchronous invocation is changed apart from the function.", options: Options{Conflicts: Refused},
			operation: "PutFunctionEventInvokeConfig", first: events, then: update,
		},
		"Tags": {
			reason: "Tags are changed apart from the function.", options: Options{Conflicts: Refused},
			operation: "UpdateFunctionConfiguration", first: update, then: tag,
		},
		"Serialized": {
			reason:    "Without the option no change is refused.",
			operation: "AddPermission", first: permit("one"), then: permit("two"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := start(t, tc.options)
			c := client(s)
			create(t, c, zipFunction(t, "f"))
			get(t, c, "f")
			held := s.Hold(tc.operation)
			first := make(chan error, 1)
			go func() { first <- tc.first(c) }()
			<-held.Arrived()
			err := tc.then(c)
			held.Release()
			if tc.want != "" {
				wantError(t, err, "ResourceConflictException", tc.want)
			} else if err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if err := <-first; err != nil {
				t.Errorf("the one that came first: %v", err)
			}
			get(t, c, "f")
			if err := tc.then(c); err != nil && tc.want != "" {
				t.Errorf("when tried again: %v", err)
			}
		})
	}
}

func TestAPermissionMayGetLost(t *testing.T) {
	s := start(t, Options{Conflicts: Lost})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	if err := allow(t, c, "zero"); err != nil {
		t.Fatal(err)
	}
	held := s.Hold("AddPermission")
	first := make(chan error, 1)
	go func() { first <- allow(t, c, "one") }()
	<-held.Arrived()
	if err := allow(t, c, "two"); err != nil {
		t.Fatal(err)
	}
	held.Release()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	sids := []string{}
	for _, sid := range []string{"zero", "one", "two"} {
		if s.homes["123456789012/eu-west-1"].functions["f"].policies["arn:aws:lambda:eu-west-1:123456789012:function:f"].index(sid) >= 0 {
			sids = append(sids, sid)
		}
	}
	if want := []string{"zero", "one"}; !slices.Equal(sids, want) {
		t.Errorf("statements: %v, want %v", sids, want)
	}
}

func TestCallsThatLoseByAFault(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	s.Fail(Fault{Operation: "AddPermission", Times: 2, Error: ConcurrentUpdate()})
	wantError(t, allow(t, c, "one"), "ResourceConflictException", lostTo)
	wantError(t, allow(t, c, "one"), "ResourceConflictException", lostTo)
	if err := allow(t, c, "one"); err != nil {
		t.Error(err)
	}
}
