package session

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// TestClock checks that the clock of a session shows AWS's time, as far as a response tells it, whatever the provider's
// clock shows and however long the response takes.
func TestClock(t *testing.T) {
	type response struct {
		// at is when AWS dates the response, by its clock. It was sent and has arrived before and after.
		at          time.Duration
		sent, takes time.Duration
		status      int
		date        string
	}
	const minute = time.Minute
	cases := map[string]struct {
		reason string
		// ahead is how much AWS's clock is ahead of the provider's.
		ahead     time.Duration
		responses []response
		want      time.Duration
	}{
		"None": {reason: "Without a response, AWS's time is not known.", ahead: minute},
		"Same": {
			reason:    "Clocks that agree are not corrected.",
			responses: []response{{sent: 100 * time.Millisecond, takes: 100 * time.Millisecond}},
		},
		"Slow": {
			reason:    "Nor are they by a response that takes long.",
			responses: []response{{sent: minute, takes: minute}},
		},
		"Ahead": {
			reason:    "AWS's clock is ahead.",
			ahead:     30 * minute,
			responses: []response{{}},
			want:      30 * minute,
		},
		"Behind": {
			reason:    "AWS's clock is behind.",
			ahead:     -30 * minute,
			responses: []response{{}},
			want:      -30*minute + time.Second,
		},
		"Set": {
			reason:    "The provider's clock was set in between: the last response counts.",
			responses: []response{{at: -minute}, {at: minute}},
			want:      minute,
		},
		"FirstSlow": {
			reason:    "A quick response is more precise than a slow one.",
			ahead:     minute,
			responses: []response{{takes: 20 * time.Second}, {}},
			want:      minute,
		},
		"Error": {
			reason:    "A proxy that answers in AWS's place has a clock of its own.",
			ahead:     minute,
			responses: []response{{status: http.StatusBadGateway}},
		},
		"NoDate":     {reason: "A response may have no date.", ahead: minute, responses: []response{{date: "none"}}},
		"NotTheDate": {reason: "Or none that is valid.", ahead: minute, responses: []response{{date: "yesterday"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now, c := epoch, &Clock{}
			for _, r := range tc.responses {
				res := &http.Response{StatusCode: max(r.status, http.StatusOK), Header: http.Header{}}
				_, _, err := c.Middleware(func() time.Time { return now }).
					HandleDeserialize(t.Context(), middleware.DeserializeInput{},
						middleware.DeserializeHandlerFunc(func(context.Context, middleware.DeserializeInput) (
							out middleware.DeserializeOutput, md middleware.Metadata, err error,
						) {
							now = now.Add(r.sent)
							switch date := now.Add(tc.ahead + r.at).UTC().Format(http.TimeFormat); r.date {
							case "":
								res.Header.Set("Date", date)
							case "none":
							default:
								res.Header.Set("Date", r.date)
							}
							now = now.Add(r.takes)
							out.RawResponse = &smithyhttp.Response{Response: res}
							return out, md, nil
						}))
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := c.Time(now).Sub(now); got != tc.want {
				t.Errorf("%s\nAWS's clock is ahead by %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestClockOfASession checks that the calls of a session set its clock, which sessions that are derived from it share.
func TestClockOfASession(t *testing.T) {
	b := newDoubleEnv(t, namespaced(), secret(ns, "aws", map[string]string{"creds": ini}))
	ahead := awsdouble.New(awsdouble.Options{Now: func() time.Time { return b.now().Add(time.Hour) }})
	ahead.Start()
	t.Cleanup(ahead.Close)
	s := b.resolve(t, function("ProviderConfig", "default"))
	s.AWS.BaseEndpoint = aws.String(ahead.URL())
	if _, err := Client(s, lambda.NewFromConfig).ListFunctions(t.Context(), &lambda.ListFunctionsInput{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Session{s, s.Derive()} {
		if got := s.Clock.Time(b.now()).Sub(b.now()); got != time.Hour {
			t.Errorf("AWS's clock is ahead by %s", got)
		}
	}
	if got := (&Session{}).Clock.Time(epoch); got != epoch {
		t.Errorf("a session without a clock shows %s", got)
	}
}
