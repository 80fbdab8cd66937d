package awsdouble

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

func TestFaults(t *testing.T) {
	cases := map[string]struct {
		reason  string
		fault   Error
		want    string
		message string
	}{
		"Throttle": {
			reason: "A throttle has Lambda's code.", fault: Throttle(), want: "TooManyRequestsException",
			message: "Rate exceeded",
		},
		"AccessDenied": {
			reason: "A denial is no modelled exception, and names who may not do what to what.",
			fault:  AccessDenied("lambda:GetFunction"), want: "AccessDeniedException",
			message: "User: arn:aws:iam::123456789012:user/double is not authorized to perform: lambda:GetFunction " +
				"on resource: arn:aws:lambda:eu-west-1:123456789012:function:f because no identity-based policy " +
				"allows the lambda:GetFunction action",
		},
		"Failure": {
			reason: "A 500 is a ServiceException.", fault: ServiceFailure(), want: "ServiceException",
			message: "An error occurred and the request cannot be processed.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := start(t, Options{})
			c := client(s)
			create(t, c, zipFunction(t, "f"))
			s.Fail(Fault{Operation: "GetFunction", Resource: "f", Error: tc.fault})
			_, err := c.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: aws.String("f")})
			wantError(t, err, tc.want, tc.message)
			get(t, c, "f")
		})
	}
}

func TestDropBeforeAndAfterTheEffect(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		drop   Drop
		exists bool
	}{
		"Before": {reason: "Nothing happened.", drop: DropBefore, exists: false},
		"After":  {reason: "Only the answer is lost.", drop: DropAfter, exists: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Options{})
			s.Fail(Fault{Operation: "CreateFunction", Drop: tc.drop})
			_, err := client(s).CreateFunction(t.Context(), zipFunction(t, "f"))
			if err == nil {
				t.Fatal("the dropped call succeeded")
			}
			if _, ok := s.Function("f"); ok != tc.exists {
				t.Errorf("%s the function exists: %v", tc.reason, ok)
			}
			if c := s.Calls()[0]; c.Status != 0 || c.Operation != "CreateFunction" || c.Resource != "f" {
				t.Errorf("logged %+v", c)
			}
		})
	}
}

func TestLostAnswerShowsAsAlreadyExists(t *testing.T) {
	s := start(t, Options{})
	s.Fail(Fault{Operation: "CreateFunction", Drop: DropAfter})
	_, err := retrying(s).CreateFunction(t.Context(), zipFunction(t, "f"))
	wantError(t, err, "ResourceConflictException", "Function already exist: f")
	if n := s.Count("CreateFunction"); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

func TestFailedCreationAndUpdate(t *testing.T) {
	s := start(t, Options{})
	c, ctx := client(s), t.Context()
	s.FailCreation("bad", "The subnet has no free addresses.", "SubnetOutOfIPAddresses")
	create(t, c, zipFunction(t, "bad"))
	bad := get(t, c, "bad").Configuration
	if bad.State != types.StateFailed || bad.StateReasonCode != types.StateReasonCodeSubnetOutOfIPAddresses ||
		*bad.StateReason != "The subnet has no free addresses." {
		t.Errorf("failed creation: %q %q", bad.State, bad.StateReasonCode)
	}
	_, err := c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("bad")})
	wantError(t, err, "ResourceConflictException", "")

	create(t, c, zipFunction(t, "f"))
	s.FailUpdate("f", "The key is disabled.", "DisabledKMSKey")
	if _, err = c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f"), Timeout: aws.Int32(7)}); err != nil {
		t.Fatal(err)
	}
	f := get(t, c, "f").Configuration
	if f.State != types.StateActive || f.LastUpdateStatus != types.LastUpdateStatusFailed ||
		f.LastUpdateStatusReasonCode != types.LastUpdateStatusReasonCodeDisabledKMSKey {
		t.Errorf("failed update: %q %q %q", f.State, f.LastUpdateStatus, f.LastUpdateStatusReasonCode)
	}
	if _, err = c.UpdateFunctionConfiguration(ctx,
		&lambda.UpdateFunctionConfigurationInput{FunctionName: aws.String("f")}); err != nil {
		t.Errorf("update after a failed one: %v", err)
	}
	if f = get(t, c, "f").Configuration; f.LastUpdateStatus != types.LastUpdateStatusSuccessful {
		t.Errorf("the planned failure struck twice: %q", f.LastUpdateStatus)
	}
}

func TestRoleNotReadyUntil(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now})
	s.RoleNotReadyUntil(clk.now().Add(10 * time.Second))
	_, err := client(s).CreateFunction(t.Context(), zipFunction(t, "f"))
	wantError(t, err, "InvalidParameterValueException",
		"The role defined for the function cannot be assumed by Lambda.")
	clk.move(10 * time.Second)
	create(t, client(s), zipFunction(t, "f"))
}

func TestEditsByHand(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	before := get(t, c, "f").Configuration
	if !s.EditFunction("f", func(f *Function) { f.MemorySize, f.Tags["by"] = 512, "hand" }) {
		t.Fatal("no such function")
	}
	after := get(t, c, "f")
	if *after.Configuration.MemorySize != 512 || after.Tags["by"] != "hand" ||
		*after.Configuration.RevisionId == *before.RevisionId {
		t.Errorf("edited function: %+v", after)
	}
	s.SetVersionInactive("f", latestVersion)
	if f := get(t, c, "f").Configuration; f.State != types.StateInactive ||
		f.StateReasonCode != types.StateReasonCodeIdle {
		t.Errorf("inactive function: %q %q", f.State, f.StateReasonCode)
	}
	if s.EditFunction("absent", func(*Function) {}) {
		t.Error("edited a function that is not there")
	}
}

func TestQuotas(t *testing.T) {
	clk := newClock()
	s := start(t, Options{Now: clk.now, Quotas: LambdaQuotas()})
	c, ctx := client(s), t.Context()
	create(t, c, zipFunction(t, "f"))
	list := func() error {
		_, err := c.ListFunctions(ctx, &lambda.ListFunctionsInput{})
		return err
	}
	for i := range 14 {
		if err := list(); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	wantError(t, list(), "TooManyRequestsException", "Rate exceeded")
	for range 100 {
		get(t, c, "f")
	}
	_, err := c.GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: aws.String("f")})
	wantError(t, err, "TooManyRequestsException", "")
	other := clientOf(s.Config("us-east-1"))
	if _, err := other.ListFunctions(ctx, &lambda.ListFunctionsInput{}); err != nil {
		t.Errorf("another region shares the quota: %v", err)
	}
	clk.move(67 * time.Millisecond)
	if err := list(); err != nil {
		t.Errorf("after a token's time: %v", err)
	}
	if n := s.Throttled(); n != 2 {
		t.Errorf("Throttled() = %d, want 2", n)
	}
	last := s.Calls()[15]
	if last.Status != http.StatusTooManyRequests || last.ErrorCode != "TooManyRequestsException" {
		t.Errorf("logged %+v", last)
	}
	s.ResetCalls()
	if diff := cmp.Diff([]int{0, 0}, []int{s.Count(""), s.Throttled()}); diff != "" {
		t.Errorf("after ResetCalls: %s", diff)
	}
}

func TestRewrittenAnswer(t *testing.T) {
	s := New(Options{})
	s.Start()
	defer s.Close()
	s.Fail(Fault{Operation: "ListFunctions", Answer: func(status int, body []byte) (int, []byte) {
		if status != http.StatusOK || len(body) == 0 {
			t.Errorf("the answer is %d with %d bytes before it is rewritten", status, len(body))
		}
		return http.StatusBadGateway, []byte("<html>")
	}})
	c := lambda.NewFromConfig(s.Config("eu-central-1"), func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	if _, err := c.ListFunctions(t.Context(), &lambda.ListFunctionsInput{}); err == nil {
		t.Error("the first answer is to be the rewritten one")
	}
	if _, err := c.ListFunctions(t.Context(), &lambda.ListFunctionsInput{}); err != nil {
		t.Errorf("the second answer is to be AWS's: %v", err)
	}
}
