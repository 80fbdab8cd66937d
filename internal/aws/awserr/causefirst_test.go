package awserr

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCauseFirst(t *testing.T) {
	role := answer("Lambda", "CreateFunction", 400, "InvalidParameterValueException",
		"The role defined for the function cannot be assumed by Lambda.")
	wrap := func(err error, context ...string) error {
		for _, c := range context {
			err = fmt.Errorf("%s: %w", c, err)
		}
		return err
	}
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Answer": {
			reason: "AWS's message comes first, its code last.",
			err:    wrap(Sanitize(role), "cannot create function pay", "AWS does not accept spec.forProvider.role"),
			want: "The role defined for the function cannot be assumed by Lambda. (AWS does not accept " +
				"spec.forProvider.role: cannot create function pay: InvalidParameterValueException)",
		},
		"CleanedLast": {
			reason: "Whatever was first, the wrap or the cleaning.",
			err:    Sanitize(wrap(role, "cannot create function pay")),
			want: "The role defined for the function cannot be assumed by Lambda. (cannot create function pay: " +
				"InvalidParameterValueException)",
		},
		"Twice": {
			reason: "Applying CauseFirst twice changes nothing.",
			err:    CauseFirst(wrap(CauseFirst(wrap(Sanitize(role), "cannot create function pay")), "cannot go on")),
			want: "The role defined for the function cannot be assumed by Lambda. (cannot go on: cannot create " +
				"function pay: InvalidParameterValueException)",
		},
		"Code": {
			reason: "The error may consist of only a code.",
			err: wrap(
				Sanitize(answer("Lambda", "GetFunction", 400, "OddException", "")),
				"cannot read function pay",
			),
			want: "OddException (cannot read function pay)",
		},
		"NoAnswer": {
			reason: "A host that is not found.",
			err: wrap(Sanitize(sendError(&net.DNSError{
				Err: "no such host", Name: "lambda.eu-west-1.amazonaws.com",
				IsNotFound: true,
			})), "cannot read function pay"),
			want: "cannot resolve lambda.eu-west-1.amazonaws.com: check the region and the endpoint (cannot read " +
				"function pay)",
		},
		"Long": {
			reason: "The status has the message three times, and names of spec may be of any length.",
			err: wrap(
				fmt.Errorf("Function shop/%s does not exist", strings.Repeat("x", 1<<20)),
				"cannot resolve spec.forProvider.functionNameRef",
			),
			want: "Function shop/" + strings.Repeat(
				"x",
				maxCause-len("Function shop/")-len("..."),
			) + "... (cannot resolve spec.forProvider.functionNameRef)",
		},
		"Own": {
			reason: "Errors of the provider's own.",
			err: wrap(errors.New(`Secret shop/db has no key "password"`),
				"cannot read spec.forProvider.environment.envFrom"),
			want: `Secret shop/db has no key "password" (cannot read spec.forProvider.environment.envFrom)`,
		},
		"Telling": {
			reason: "Not all that comes first is a mere context.",
			err:    wrap(errors.New("boom"), "AWS answers that it already exists, but it cannot be found"),
			want:   "AWS answers that it already exists, but it cannot be found: boom",
		},
		"Suffix": {
			reason: "What is added behind stays there.",
			err:    fmt.Errorf("%w, as of now", wrap(errors.New("boom"), "cannot read it")),
			want:   "cannot read it: boom, as of now",
		},
		"Plain": {reason: "An error that is not of AWS is returned as it is.", err: errors.New("boom"), want: "boom"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := CauseFirst(tc.err)
			if diff := cmp.Diff(tc.want, got.Error()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(Code(tc.err), Code(got)); diff != "" {
				t.Errorf("%s\nCode: -want, +got:\n%s", tc.reason, diff)
			}
			if again := CauseFirst(got); again.Error() != got.Error() {
				t.Errorf("%s\nagain: %s", tc.reason, again)
			}
		})
	}
	if CauseFirst(nil) != nil {
		t.Error("no error is nothing")
	}
}
