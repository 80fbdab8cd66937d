package backoff

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

var (
	errInput = &smithy.GenericAPIError{
		Code:    "ValidationException",
		Message: "1 validation error detected: Value at 'role' failed to satisfy constraint",
	}
	errBusy = &smithy.GenericAPIError{
		Code:    "ResourceConflictException",
		Message: "The function could not be updated due to a concurrent update operation.",
	}
	errRole = &smithy.GenericAPIError{
		Code:    "InvalidParameterValueException",
		Message: "The role defined for the function cannot be assumed by Lambda.",
	}
)

func TestClassify(t *testing.T) {
	cases := map[string]struct {
		reason string
		err    error
		want   Class
	}{
		"Input": {
			reason: "Only the user can put it right.",
			err:    fmt.Errorf("cannot create: %w", errInput),
			want:   Terminal,
		},
		"Foreign": {
			reason: "Only the user can resolve a conflict of ownership.",
			err:    ownership.NewForeignError("function cart", nil, ownership.Expected{}),
			want:   Terminal,
		},
		"Busy": {
			reason: "A conflict with another operation passes in seconds.",
			err:    fmt.Errorf("cannot create: %w", errBusy),
			want:   Transient,
		},
		"Role": {
			reason: "A new role takes seconds to be known, a wrong one is the user's to correct.",
			err:    errRole,
			want:   Ambiguous,
		},
		"Invalid": {
			reason: "Only the user can write another spec.",
			err: fmt.Errorf(
				"cannot create: %w",
				reconcile.Invalid(errors.New("spec.forProvider.policy is not a valid policy")),
			),
			want: Terminal,
		},
		"Policy": {reason: "Only the user can change the policies.", err: ErrCannotCreate, want: Terminal},
		"Denied": {
			reason: "A right that was just granted takes minutes to be known.",
			err:    &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"},
			want:   Ambiguous,
		},
		"Expired": {
			reason: "Credentials may be renewed.",
			err:    &smithy.GenericAPIError{Code: "ExpiredTokenException", Message: "no"},
			want:   Ambiguous,
		},
		"Function": {
			reason: "A function that is named may be created at the same time.",
			err: fmt.Errorf(
				"cannot create alias live: %w",
				&smithy.GenericAPIError{
					Code:    "ResourceNotFoundException",
					Message: "Function not found: arn:aws:lambda:eu-west-1:123456789012:function:cart",
				},
			),
			want: Ambiguous,
		},
		"Elsewhere": {
			reason: "A function of another region stays there.",
			err: &smithy.GenericAPIError{
				Code:    "ResourceNotFoundException",
				Message: "Functions from 'eu-north-1' are not reachable in this region ('eu-west-1')",
			},
			want: Terminal,
		},
		"Missing": {
			reason: "A Secret may be applied together with the resource.",
			err:    fmt.Errorf("cannot read: %w", &refs.MissingError{Key: "k"}),
			want:   Ambiguous,
		},
		"Config": {
			reason: "A config may be applied together with the resource.",
			err:    reconcile.Ambiguous(errors.New("cannot use ProviderConfig shop/default")),
			want:   Ambiguous,
		},
		"Outage": {
			reason: "A config whose STS does not answer is not wrong.",
			err:    reconcile.Ambiguous(errBusy),
			want:   Transient,
		},
		"Server": {
			reason: "The API server's trouble passes.",
			err:    reconcile.Ambiguous(kerrors.NewServerTimeout(schema.GroupResource{}, "get", 1)),
			want:   Transient,
		},
		"Later": {
			reason: "A value that another resource does not have yet may appear without the user.",
			err:    errors.New("Role shop/r has no value at status.atProvider.arn yet"),
			want:   Unclassified,
		},
		"Other": {
			reason: "An error of unknown cause may or may not pass.",
			err:    errors.New("boom"),
			want:   Unclassified,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Classify(tc.err); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	s, m := time.Second, time.Minute
	cases := map[string]struct {
		reason string
		class  Class
		want   []time.Duration
		last   time.Duration
	}{
		"Transient": {
			reason: "Seconds.",
			class:  Transient,
			want:   []time.Duration{2 * s, 3 * s, 5 * s, 8 * s, 12 * s, 15 * s, 15 * s},
			last:   m,
		},
		"Terminal": {
			reason: "Ten minutes, soon.",
			class:  Terminal,
			want:   []time.Duration{5 * s, 30 * s, 2 * m, 10 * m, 10 * m},
			last:   10 * m,
		},
		"Unclassified": {
			reason: "A minute, by doubling.",
			class:  Unclassified,
			want:   []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, m, m},
			last:   m,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for i, want := range tc.want {
				if got := Delay(tc.class, i+1); got != want {
					t.Errorf("%s: error %d: want %s, got %s", tc.reason, i+1, want, got)
				}
			}
			if got := Delay(tc.class, 1<<30); got != tc.last {
				t.Errorf("%s: in the long run: want %s, got %s", tc.reason, tc.last, got)
			}
		})
	}
	if got := ThrottledDelay(1 << 30); got != 15*time.Second {
		t.Errorf("throttled: want 15s, got %s", got)
	}
}
