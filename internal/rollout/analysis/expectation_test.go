package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

func TestExpectInvocation(t *testing.T) {
	type args struct {
		expect        *string
		payload       string
		functionError string
		status        int32
		duration      time.Duration
	}
	type want struct{ result, value, message string }
	const field = "spec.rollout.preTraffic[smoke].invoke.expect"
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"Default": {
			"Without an expectation, a function must not fail.",
			args{nil, `{"a": 1}`, "", 200, 120 * time.Millisecond},
			want{"Success", "120 ms", ""},
		},
		"DefaultFailed": {"If it does, that is said.", args{
			nil, `{"errorMessage": "secret"}`, "Unhandled", 200,
			time.Second,
		}, want{
			"Failure", "1000 ms",
			`the function returned an error (Unhandled): expect is not met: functionError == ""`,
		}},
		"DefaultLong": {"A response that is not looked at may be long.", args{
			nil, strings.Repeat("x", 6<<20), "",
			200, time.Second,
		}, want{"Success", "1000 ms", ""}},
		"Met": {
			"An expectation of all variables.",
			args{
				new(`payload.ok && statusCode == 200 && durationMillis < 200 && functionError == ""`), `{"ok": true}`,
				"", 200, 100 * time.Millisecond,
			},
			want{"Success", "100 ms", ""},
		},
		"Unmet": {"One that is not met.", args{
			new(`payload.ok == true`), `{"ok": false, "why": "secret"}`, "",
			200, 0,
		}, want{"Failure", "0 ms", "expect is not met: payload.ok == true"}},
		"Slow": {"One of the duration.", args{
			new("durationMillis < 100"), "", "", 200,
			100 * time.Millisecond,
		}, want{"Failure", "100 ms", "expect is not met: durationMillis < 100"}},
		"String": {"A response that is not JSON is a string.", args{
			new(`payload == "pong"`), "pong", "", 200,
			0,
		}, want{"Success", "0 ms", ""}},
		"Empty": {"So is none.", args{new(`payload == ""`), "", "", 200, 0}, want{"Success", "0 ms", ""}},
		"Null": {"A function without a response returns null.", args{
			new(`payload == null`), "null", "", 200,
			0,
		}, want{"Success", "0 ms", ""}},
		"NotUTF8": {
			"Other bytes are replaced.",
			args{new(`payload.size() == 2`), "a\xff", "", 200, 0},
			want{"Success", "0 ms", ""},
		},
		"Missing": {
			"A response without what is expected fails.",
			args{new("payload.ok"), `{}`, "", 200, 0},
			want{"Failure", "0 ms", field + " cannot be evaluated at 1:8: there is no such field"},
		},
		"MissingFailed": {
			"And says that the function failed.",
			args{new("payload.ok"), `{}`, "weird secret", 200, 0},
			want{
				"Failure", "0 ms",
				"the function returned an error: " + field + " cannot be evaluated at 1:8: there is no such field",
			},
		},
		"OtherType": {"So does a response of another type.", args{
			new("payload.n > 5"), `{"n": "secret"}`, "", 200,
			0,
		}, want{"Failure", "0 ms", field + " cannot be evaluated at 1:11: a value has another type"}},
		"Invalid": {"An expression that is not valid is not the function's fault.", args{
			new("payload.ok &&"),
			`{}`, "", 200, 0,
		}, want{"Error", "", field + " is not valid: 1:14: Syntax error"}},
		"NotBool": {
			"Nor is one that is not bool.",
			args{new("statusCode"), `{}`, "", 200, 0},
			want{"Error", "", field + " is not valid: 1:1: it is of type int, not bool"},
		},
		"Long": {
			"Nor is a response that is not parsed.",
			args{new("payload.ok"), strings.Repeat(" ", 1<<20) + "{}", "", 200, 0},
			want{"Error", "", field + " cannot be evaluated: the response has more than 1024 KiB"},
		},
		"Costly": {
			"Nor is one that takes too long.",
			args{
				new("payload.all(a, payload.all(b, payload.all(c, a + b + c > 0.0)))"),
				"[" + strings.Repeat("1,", 999) + "1]", "", 200, 0,
			},
			want{
				"Error", "0 ms",
				field + " cannot be evaluated: its evaluation takes too long",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			test := &v1beta1.RolloutSmokeTest{Name: "smoke", Invoke: v1beta1.RolloutInvoke{Expect: tc.args.expect}}
			m := ExpectInvocation(test, []byte(tc.args.payload), tc.args.functionError, tc.args.status,
				tc.args.duration)
			if m.CheckID != (rollout.CheckID{Type: rollout.CheckPreTraffic, Name: "smoke"}) {
				t.Errorf("the measurement is of %v", m.CheckID)
			}
			if !strings.HasPrefix(m.Message, tc.want.message) || tc.want.message == "" && m.Message != "" ||
				strings.Contains(m.Message, "secret") {
				t.Errorf("%s\nthe message is %q, not %q", tc.reason, m.Message, tc.want.message)
			}
			if diff := cmp.Diff([]string{tc.want.result, tc.want.value}, []string{m.Result, m.Value}); diff != "" {
				t.Errorf("%s\n-want +got\n%s", tc.reason, diff)
			}
		})
	}
}
