package session

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestFence checks that a fence decides about each attempt, and that a refused attempt is not sent.
func TestFence(t *testing.T) {
	lost := errors.New("lost")
	cases := map[string]struct {
		reason string
		// answers has a result of the fence for each attempt. Nil is no fence.
		answers   []error
		faults    int
		want      error
		requested int
		sent      int
	}{
		"None": {reason: "Without a fence, all pass.", sent: 1},
		"Open": {reason: "A fence that agrees changes nothing.", answers: []error{nil}, requested: 1, sent: 1},
		"Shut": {reason: "What is refused is not sent.", answers: []error{lost, lost}, want: lost, requested: 1},
		"Between": {
			reason: "Permission is requested for a second attempt, too.", answers: []error{nil, lost},
			faults: 1, want: lost, requested: 2, sent: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := awsdouble.New(awsdouble.Options{})
			d.Start()
			t.Cleanup(d.Close)
			if tc.faults > 0 {
				d.Fail(awsdouble.Fault{Operation: "ListFunctions", Times: tc.faults, Error: awsdouble.ServiceFailure()})
			}
			requested := 0
			var f Fence
			if tc.answers != nil {
				f = func(ctx context.Context, attempt func(context.Context) error) error {
					requested++
					if err := tc.answers[requested-1]; err != nil {
						return err
					}
					return attempt(ctx)
				}
			}
			cfg := d.Config("eu-central-1")
			cfg.Retryer = newRetryer
			cfg.APIOptions = append(cfg.APIOptions, middlewares{fence: f}.addTo)
			_, err := lambda.NewFromConfig(cfg).ListFunctions(t.Context(),
				&lambda.ListFunctionsInput{MaxItems: aws.Int32(1)})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: got %v, want %v", tc.reason, err, tc.want)
			}
			if diff := cmp.Diff([]int{tc.requested, tc.sent}, []int{requested, d.Count("")}); diff != "" {
				t.Errorf("%s: asked and sent, -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFenceEndsAnAttempt checks that the fence's context ends an attempt that is under way.
func TestFenceEndsAnAttempt(t *testing.T) {
	d := awsdouble.New(awsdouble.Options{})
	d.Start()
	t.Cleanup(d.Close)
	allowed := d.Hold("ListFunctions")
	t.Cleanup(allowed.Release)
	lost, attempts := errors.New("lost"), 0
	cfg := d.Config("eu-central-1")
	cfg.Retryer = newRetryer
	f := Fence(func(ctx context.Context, attempt func(context.Context) error) error {
		attempts++
		ctx, cancel := context.WithCancelCause(ctx)
		go func() {
			<-allowed.Arrived()
			cancel(lost)
		}()
		return errors.Join(attempt(ctx), context.Cause(ctx))
	})
	cfg.APIOptions = append(cfg.APIOptions, middlewares{fence: f}.addTo)
	_, err := lambda.NewFromConfig(cfg).ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
	if !errors.Is(err, lost) || attempts != 1 {
		t.Errorf("want one attempt that ends with %v, got %d: %v", lost, attempts, err)
	}
}
