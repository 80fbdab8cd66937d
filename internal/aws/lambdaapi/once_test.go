package lambdaapi

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

func TestCall(t *testing.T) {
	ended, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	cases := map[string]struct {
		reason string
		ctx    context.Context
		fault  *awsdouble.Fault
		change func(*aws.Config)
		calls  int
		runs   int
		want   bool
	}{
		"Succeeds": {reason: "Nothing failed, so nothing is in doubt.", calls: 1, runs: 1},
		"BrokenAfter": {
			reason: "The function ran, but the response was lost.",
			fault:  &awsdouble.Fault{Drop: awsdouble.DropAfter}, calls: 1, runs: 1, want: true,
		},
		"BrokenBefore": {
			reason: "The function did not run, but the client cannot know that.",
			fault:  &awsdouble.Fault{Drop: awsdouble.DropBefore}, calls: 1, want: true,
		},
		"ServerFault": {
			reason: "AWS itself does not say whether it ran.",
			fault:  &awsdouble.Fault{Error: awsdouble.ServiceFailure()}, calls: 1, want: true,
		},
		"NoSubnet": {
			reason: "The error says that the function did not run.",
			fault:  &awsdouble.Fault{Error: awsdouble.Error{Status: 502, Code: "InvalidSubnetIDException"}}, calls: 1,
		},
		"GatewayFault": {
			reason: "What is between us and AWS knows nothing.",
			fault:  &awsdouble.Fault{Error: awsdouble.Error{Status: 502, Code: "BadGateway"}}, calls: 1, want: true,
		},
		"Throttled": {
			reason: "A call that is refused has no effect.",
			fault:  &awsdouble.Fault{Error: awsdouble.Throttle()}, calls: 1,
		},
		"Denied": {
			reason: "A call that is denied has no effect.",
			fault:  &awsdouble.Fault{Error: awsdouble.AccessDenied("lambda:InvokeFunction")}, calls: 1,
		},
		"NoConnection": {
			reason: "Nothing was sent.",
			change: func(c *aws.Config) { c.BaseEndpoint = aws.String("http://" + closed(t)) },
		},
		"NoCredentials": {
			reason: "Without credentials, nothing was sent.",
			change: func(c *aws.Config) { c.Credentials = broken{} },
		},
		"NoTime": {reason: "The time was up before it was sent.", ctx: ended},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := awsdouble.New(awsdouble.Options{})
			d.Start()
			t.Cleanup(d.Close)
			cfg := d.Config("eu-central-1")
			c := lambda.NewFromConfig(cfg)
			if _, err := c.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
				FunctionName: aws.String("f"), Role: aws.String(
					"arn:aws:iam::123456789012:role/r"), PackageType: types.PackageTypeImage,
				Code: &types.FunctionCode{ImageUri: aws.String("123456789012.dkr.ecr.eu-central-1.amazonaws.com/f:1")},
			}); err != nil {
				t.Fatal(err)
			}
			runs := 0
			d.OnInvoke("f", func(awsdouble.Invoked) awsdouble.Returned { runs++; return awsdouble.Returned{} })
			if tc.fault != nil {
				tc.fault.Operation = "Invoke"
				d.Fail(*tc.fault)
			}
			if tc.change != nil {
				tc.change(&cfg)
			}
			ctx := t.Context()
			if tc.ctx != nil {
				ctx = tc.ctx
			}
			call := &AtMostOnce{}
			_, err := lambda.NewFromConfig(cfg).Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String("f")},
				call.Options)
			if got := call.MayHaveRun(err); got != tc.want {
				t.Errorf("%s: want %t, got %t: %v", tc.reason, tc.want, got, err)
			}
			if got := d.Count("Invoke"); got != tc.calls {
				t.Errorf("want %d calls, for none is made twice, got %d", tc.calls, got)
			}
			if runs != tc.runs {
				t.Errorf("want %d runs, got %d", tc.runs, runs)
			}
		})
	}
}

// closed returns an address on which nothing listens.
func closed(t *testing.T) string {
	t.Helper()
	address, err := process.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// broken credentials cannot be fetched.
type broken struct{}

func (broken) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{}, errors.New("no credentials")
}
