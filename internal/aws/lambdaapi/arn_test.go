package lambdaapi

import "testing"

func TestARN(t *testing.T) {
	cases := map[string]struct{ of, want string }{
		"Alias": {
			of:   "arn:aws:lambda:eu-central-1:123456789012:function:f:live",
			want: "arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-central-1:123456789012:function:f:live/invocations",
		},
		"China": {
			of:   "arn:aws-cn:lambda:cn-north-1:123456789012:function:f",
			want: "arn:aws-cn:apigateway:cn-north-1:lambda:path/2015-03-31/functions/arn:aws-cn:lambda:cn-north-1:123456789012:function:f/invocations",
		},
		"None": {of: "f", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := InvokeARN(tc.of); got != tc.want {
				t.Errorf("ARN(%q) = %q, want %q", tc.of, got, tc.want)
			}
		})
	}
}
