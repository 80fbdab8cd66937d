package function

import (
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestInvocationsOfAnotherAccount checks that the metrics of a function of another account are not taken from the
// function of that name in the own account, which may not be invoked at all.
func TestInvocationsOfAnotherAccount(t *testing.T) {
	cases := map[string]struct {
		reason  string
		name    string
		account string
		unknown bool
	}{
		"Name": {reason: "A name is of the own account.", name: "f", account: awsdouble.DefaultAccount},
		"Own": {
			reason:  "An ARN of the own account.",
			name:    awsdouble.DefaultAccount + ":function:f",
			account: awsdouble.DefaultAccount,
		},
		"Other": {
			reason:  "CloudWatch has metrics of the own account only.",
			name:    "210987654321:function:f",
			account: awsdouble.DefaultAccount,
			unknown: true,
		},
		"UnknownOwn": {
			reason:  "The account of the config is not known.",
			name:    "210987654321:function:f",
			unknown: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := awsdouble.New(awsdouble.Options{})
			d.Start()
			defer d.Close()
			f := &v1beta1.Function{}
			meta.SetExternalName(f, tc.name)
			c := &connector{o: engine.Options{Now: func() time.Time { return testenv.Start }}}
			s := &session.Session{AWS: d.Config(testenv.Region), Identity: session.Identity{Account: tc.account}}
			_, _, err := c.invocations(t.Context(), f, s, time.Hour)
			if (err != nil) != tc.unknown || tc.unknown && len(d.Calls()) > 0 {
				t.Errorf("%s: error %v after %d calls, want one: %t", tc.reason, err, len(d.Calls()), tc.unknown)
			}
		})
	}
}
