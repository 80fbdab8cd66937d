package status

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

func TestRefresh(t *testing.T) {
	const group = "/aws/lambda/checkout"
	cases := map[string]struct {
		reason string
		before func(*testing.T, *awsdouble.Server, *cloudwatchlogs.Client)
		want   string
	}{
		"Never": {
			reason: "A log group without a retention keeps everything, so the page says what to do.",
			before: func(_ *testing.T, s *awsdouble.Server, _ *cloudwatchlogs.Client) {
				s.PutLog("eu-central-1", group, "s", "hello", at)
			},
			want: "Logs:         /aws/lambda/checkout, never expires: set a retention for the log group",
		},
		"Days": {
			reason: "The retention of a log group is shown.",
			before: func(t *testing.T, s *awsdouble.Server, c *cloudwatchlogs.Client) {
				t.Helper()
				s.PutLog("eu-central-1", group, "s", "hello", at)
				if _, err := c.PutRetentionPolicy(t.Context(), &cloudwatchlogs.PutRetentionPolicyInput{
					LogGroupName: aws.String(group), RetentionInDays: aws.Int32(30),
				}); err != nil {
					t.Fatal(err)
				}
			},
			want: "Logs:         /aws/lambda/checkout, expires after 30 days\n",
		},
		"Other": {
			reason: "The log group of another function whose name begins alike is another one.",
			before: func(_ *testing.T, s *awsdouble.Server, _ *cloudwatchlogs.Client) {
				s.PutLog("eu-central-1", group+"-v2", "s", "hello", at)
			},
			want: "retention of the log: the account of the credentials of this machine does not have its log group",
		},
		"Denied": {
			reason: "What the user may not read is named, and the page is shown.",
			before: func(_ *testing.T, s *awsdouble.Server, _ *cloudwatchlogs.Client) {
				s.Fail(
					awsdouble.Fault{
						Operation: "DescribeLogGroups",
						Error:     awsdouble.AccessDenied("logs:DescribeLogGroups"),
					},
				)
			},
			want: "cannot read the retention of log group /aws/lambda/checkout: ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := awsdouble.New(awsdouble.Options{})
			s.Start()
			t.Cleanup(s.Close)
			tc.before(t, s, cloudwatchlogs.NewFromConfig(s.Config("eu-central-1")))
			e := newEnv(t, "shop.yaml")
			plugintest.SetMachine(t, s.URL(), "hunter2")
			code := e.run(t, "checkout", "--refresh")
			if out := e.out.String(); code != 0 || !strings.Contains(out, tc.want) {
				t.Errorf("%s: exit code %d: want %q in:\n%s%s", tc.reason, code, tc.want, out, e.errOut.String())
			}
		})
	}
}
