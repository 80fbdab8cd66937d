package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
)

// TestPlainFunctionName checks that a reference that was resolved to an ARN becomes a plain
// name, or is refused before AWS is called about a function of the same name elsewhere.
func TestPlainFunctionName(t *testing.T) {
	const account = "123456789012"
	cases := map[string]struct {
		reason  string
		name    string
		account string
		deleted bool
		want    string
		err     string
	}{
		"Plain": {reason: "A plain name stays.", name: "cart", account: account, want: "cart"},
		"ARN": {
			reason:  "An ARN of the session's account is one of its names.",
			name:    "arn:aws:lambda:eu-central-1:123456789012:function:cart",
			account: account,
			want:    "cart",
		},
		"PartialARN": {
			reason:  "A partial ARN of the session's account names the same function.",
			name:    "123456789012:function:cart",
			account: account,
			want:    "cart",
		},
		"OtherAccount": {
			reason:  "The same name in this account is another function.",
			name:    "arn:aws:lambda:eu-central-1:210987654321:function:cart",
			account: account,
			err:     "is a function of account 210987654321, but the provider config uses account 123456789012",
		},
		"OtherRegion": {
			reason:  "The same name in another region is another function.",
			name:    "arn:aws:lambda:eu-west-1:123456789012:function:cart",
			account: account,
			err:     "is a function in region eu-west-1",
		},
		"UnknownAccount": {
			reason:  "The account is not known.",
			name:    "123456789012:function:cart",
			account: "config:prod",
			err:     "the account of the provider config is not known",
		},
		"Qualified": {
			reason:  "A version is no function.",
			name:    "cart:3",
			account: account,
			err:     "names a version or an alias",
		},
		"Other": {
			reason:  "The ARN of another service is rejected.",
			name:    "arn:aws:sqs:eu-central-1:123456789012:cart",
			account: account,
			err:     "neither the name nor the ARN of a function",
		},
		"Deleted": {
			reason:  "Nothing was made for what is refused.",
			name:    "arn:aws:lambda:eu-central-1:210987654321:function:cart",
			account: account,
			deleted: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &v1beta1.FunctionURL{}
			mg.Spec.ForProvider.FunctionName = ptr.To(tc.name)
			if tc.deleted {
				mg.DeletionTimestamp = ptr.To(metav1.NewTime(time.Unix(1, 0)))
			}
			s := &session.Session{
				AWS:      aws.Config{Region: "eu-central-1"},
				Identity: session.Identity{Account: tc.account},
			}
			err := reconcile.PlainFunctionName(mg, s)
			field := mg.Spec.ForProvider.FunctionName
			if tc.err == "" && (err != nil || ptr.Deref(field, "") != tc.want) {
				t.Errorf("%s\ngot %q, %v, want %q", tc.reason, ptr.Deref(field, ""), err, tc.want)
			}
			if tc.err != "" &&
				(err == nil || !strings.Contains(err.Error(), tc.err) || backoff.Classify(err) != backoff.Terminal) {
				t.Errorf("%s\ngot %q, %v, want a terminal error with %q", tc.reason, ptr.Deref(field, ""), err, tc.err)
			}
		})
	}
}
