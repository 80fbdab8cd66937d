package session

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/fxamacker/cbor/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// TestManyValues has an endpoint whose answers are no longer than they may be, and have more values than AWS's.
func TestManyValues(t *testing.T) {
	const many = 150_000
	alarms := func(s *Session) error {
		_, err := Client(s, cloudwatch.NewFromConfig).DescribeAlarms(t.Context(), &cloudwatch.DescribeAlarmsInput{})
		return err
	}
	functions := func(s *Session) error {
		_, err := Client(s, lambda.NewFromConfig).ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
		return err
	}
	messages := func(s *Session) error {
		_, err := Client(s, sqs.NewFromConfig).ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: new("x")})
		return err
	}
	invoke := func(s *Session) error {
		_, err := Client(s, lambda.NewFromConfig).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: new("x")})
		return err
	}
	cases := map[string]struct {
		reason string
		status int
		answer []byte
		call   func(*Session) error
		want   bool
	}{
		"Nested": {
			"A value is within another one, and so on.", 200,
			slices.Concat([]byte("\xa1\x61x"), bytes.Repeat([]byte{0xc0}, many), []byte{0}), alarms, true,
		},
		"MembersOfCBOR": {
			"The SDK knows none of the members.", 200,
			slices.Concat([]byte{0xbf}, bytes.Repeat([]byte("\x60\x00"), many), []byte{0xff}), alarms, true,
		},
		"Ambiguous": {
			"Decoders disagree on where the text of two gigabytes begins.",
			200,
			slices.Concat(
				[]byte("\xa1\x61x\x8f\xf8\x18\x5a\x7f\x7f\x7f\x7f"),
				bytes.Repeat([]byte{0xc0}, many),
				[]byte{0},
			),
			alarms,
			true,
		},
		"Members": {
			"The SDK knows none of the members.",
			200,
			[]byte("{" + strings.Repeat(`"":0,`, many) + `"":0}`),
			messages,
			true,
		},
		"Items": {
			"Each of the items takes hundreds of bytes in memory.", 200,
			[]byte(`{"Functions":[` + strings.Repeat(`{},`, many) + `{}]}`), functions, true,
		},
		"Error": {"The error has them.", 400, []byte("{" + strings.Repeat(`"":0,`, many) + `"":0}`), invoke, true},
		"Payload": {
			"A function may return anything.", 200, []byte("[" + strings.Repeat(`0,`, many) + "0]"), invoke, false,
		},
		"Text": {
			"Commas in a text count nothing.", 200,
			[]byte(`{"NextMarker":"\"` + strings.Repeat(`,`, many) + `"}`), functions, false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := hostile(t, 0, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Smithy-Protocol", r.Header.Get("Smithy-Protocol"))
				w.WriteHeader(tc.status)
				_, _ = w.Write(tc.answer)
			})
			err := tc.call(s)
			if _, refused := errors.AsType[*awserr.EndpointError](err); refused != tc.want {
				t.Errorf("%s\nrefused: want %t, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestCountValues counts the values of an answer that arrives byte by byte.
func TestCountValues(t *testing.T) {
	points := make([]float64, 1000)
	for i := range points {
		points[i] = float64(i)
	}
	answer := map[string]any{
		"Id":     strings.Repeat("x", 300),
		"Values": points,
		"Raw":    []byte{1, 2, 3},
		"Big":    1 << 40,
		"None":   nil,
	}
	const want = 1 + 5*2 + 1000
	text, err := cbor.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, len(text)} {
		count, got := cborValues(), 0
		for part := range slices.Chunk(text, size) {
			got = count(part)
		}
		if got != want {
			t.Errorf("in parts of %d bytes: %d values, want %d", size, got, want)
		}
	}
	count := jsonValues()
	for _, part := range []string{`{"a":[1,2],"b`, `\`, `",[{":"\\","c":{}}`} {
		if got := count([]byte(part)); part[0] == '"' && got != 6 {
			t.Errorf("%d values of JSON", got)
		}
	}
}
