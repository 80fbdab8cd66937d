package awserr

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
)

// answer returns the SDK's error for a response of AWS.
func answer(service, operation string, status int, code, message string) error {
	return &smithy.OperationError{ServiceID: service, OperationName: operation, Err: &awshttp.ResponseError{
		RequestID: "0c1b2a39-4857-4669-8574-839201abcdef",
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}},
			Err:      &smithy.GenericAPIError{Code: code, Message: message},
		},
	}}
}

// classes returns the names of all predicates that hold for an error.
func classes(err error) string {
	is := []string{}
	for _, c := range []struct {
		name string
		fn   func(error) bool
	}{
		{"notFound", IsNotFound},
		{"accessDenied", IsAccessDenied},
		{"unauthenticated", IsUnauthenticated},
		{"conflict", IsConflict},
		{"alreadyExists", IsAlreadyExists},
		{"inProgress", IsInProgress},
		{"preconditionFailed", IsPreconditionFailed},
		{"throttled", IsThrottled},
		{"replicated", IsReplicated},
		{"mayPass", func(err error) bool { _, ok := MayPass(err); return ok }},
		{"terminal", IsTerminal},
		{"transient", IsTransient},
	} {
		if c.fn(err) {
			is = append(is, c.name)
		}
	}
	return strings.Join(is, " ")
}

// TestAnswers has responses that AWS returned, or that are analogous where passingMessages says so,
// and checks everything that is derived from each.
func TestAnswers(t *testing.T) {
	f, err := os.Open("testdata/answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		row := strings.Split(s.Text(), "\t")
		if row[0] == "status" {
			continue
		}
		rows++
		status, code, is, field, message := row[0], row[1], row[2], row[3], row[4]
		t.Run(fmt.Sprintf("%s/%.60s", code, message), func(t *testing.T) {
			n, err := strconv.Atoi(status)
			if err != nil {
				t.Fatal(err)
			}
			e := answer("Lambda", "CreateFunction", n, code, message)
			if diff := cmp.Diff(is, classes(e)); diff != "" {
				t.Errorf("classes: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(field, Field(e)); diff != "" {
				t.Errorf("Field: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(is, classes(Sanitize(e))); diff != "" {
				t.Errorf("classes of a sanitized error: -want, +got:\n%s", diff)
			}
			if got := len([]rune(Sanitize(e).Error())); got > maxLength+100 {
				t.Errorf("Sanitize: %d characters", got)
			}
		})
	}
	if rows < 80 {
		t.Errorf("read %d rows, want all", rows)
	}
}

// sendError returns the SDK's error for a call without a response.
func sendError(err error) error {
	return &smithy.OperationError{ServiceID: "Lambda", OperationName: "GetFunction", Err: &smithyhttp.RequestSendError{
		Err: &url.Error{Op: "Get", URL: "https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/orders", Err: err},
	}}
}

func TestConnectionErrors(t *testing.T) {
	reset := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	cases := map[string]struct {
		reason string
		err    error
		is     string
		clean  string
	}{
		"Reset": {
			"A connection that drops is tried again.", sendError(reset), "transient",
			"lambda.eu-west-1.amazonaws.com closed the connection before it answered",
		},
		"Refused": {
			"An endpoint that is restarting is tried again.", sendError(refused), "transient",
			"lambda.eu-west-1.amazonaws.com refused the connection",
		},
		"HalfRead": {
			"Half an answer is none.", &smithy.OperationError{
				ServiceID:     "Lambda",
				OperationName: "GetFunction", Err: &smithy.DeserializationError{Err: io.ErrUnexpectedEOF},
			}, "transient",
			"AWS closed the connection before it answered",
		},
		"Deadline": {
			"A call that took too long is tried again.", sendError(context.DeadlineExceeded), "transient",
			"no answer from lambda.eu-west-1.amazonaws.com in time",
		},
		"NoHost": {
			"A name that does not exist is the user's to correct.",
			sendError(&net.DNSError{Err: "no such host", Name: "lambda.eu-west-1.amazonaws.com", IsNotFound: true}), "",
			"cannot resolve lambda.eu-west-1.amazonaws.com: check the region and the endpoint",
		},
		"PlainHTTP": {
			"An endpoint of http that is named with https is the user's to correct.",
			sendError(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), "",
			"lambda.eu-west-1.amazonaws.com does not answer with TLS: correct the scheme or the port of the endpoint",
		},
		"Canceled": {
			"A call that the provider itself gave up is not tried again.", sendError(context.Canceled), "",
			"the call to lambda.eu-west-1.amazonaws.com was canceled",
		},
		"Nil":   {"No error is nothing.", nil, "", ""},
		"Other": {"What is not of AWS stays as it is.", errors.New("boom"), "", "boom"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.is, classes(tc.err)); diff != "" {
				t.Errorf("\n%s\nclasses: -want, +got:\n%s", tc.reason, diff)
			}
			got := ""
			if err := Sanitize(tc.err); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.clean, got); diff != "" {
				t.Errorf("\n%s\nClean: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	seconds := "2"
	withHeader := func(v string) error {
		return &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{
				StatusCode: http.StatusTooManyRequests,
				Header:     http.Header{"Retry-After": {v}},
			}},
			Err: &types.TooManyRequestsException{},
		}
	}
	cases := map[string]struct {
		reason string
		err    error
		want   time.Duration
		ok     bool
	}{
		"Typed": {
			"The modelled field counts.", &types.TooManyRequestsException{RetryAfterSeconds: &seconds},
			2 * time.Second, true,
		},
		"Header":   {"The header counts.", withHeader("0.5"), 500 * time.Millisecond, true},
		"Unsaid":   {"AWS seldom says.", &types.TooManyRequestsException{}, 0, false},
		"Nonsense": {"What is not a number is not obeyed.", withHeader("soon"), 0, false},
		"NaN":      {"Not even this one.", withHeader("NaN"), 0, false},
		"Negative": {"The past is not waited for.", withHeader("-3"), 0, false},
		"TooLong":  {"Nobody waits an hour on a stranger's word.", withHeader("3600"), time.Minute, true},
		"None":     {"No error, no wait.", nil, 0, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := RetryAfter(tc.err)
			if got != tc.want || ok != tc.ok {
				t.Errorf("\n%s\nRetryAfter: got %v, %v, want %v, %v", tc.reason, got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestFieldOfMissingParameters(t *testing.T) {
	params := smithy.InvalidParamsError{Context: "CreateFunctionInput"}
	nested := smithy.InvalidParamsError{Context: "VpcConfig"}
	nested.Add(smithy.NewErrParamRequired("SubnetIds"))
	params.AddNested("VpcConfig", nested)
	err := &smithy.OperationError{ServiceID: "Lambda", OperationName: "CreateFunction", Err: params}
	if got := Field(err); got != "vpcConfig.subnetIds" {
		t.Errorf("Field: got %q", got)
	}
	if !IsTerminal(err) {
		t.Errorf("an input that the SDK refuses is terminal")
	}
}

func TestFieldIsSpelledAsSpecDoes(t *testing.T) {
	for at, want := range map[string]string{
		"kMSKeyArn": "kmsKeyArn", "code.sourceKMSKeyArn": "code.sourceKmsKeyArn",
		"memorySize": "memorySize",
	} {
		err := answer("Lambda", "CreateFunction", 400, "ValidationException",
			"1 validation error detected: Value 'x' at '"+at+"' failed to satisfy constraint: Member must not be null")
		if got := Field(err); got != want {
			t.Errorf("Field of what AWS calls %s: want %s, got %s", at, want, got)
		}
	}
}

func TestFieldOfConfigurations(t *testing.T) {
	for message, want := range map[string]string{
		"Specified ConcurrentExecutions for function is greater than account's unreserved concurrency [1000].":                                                          "provisionedConcurrentExecutions",
		"Requested Provisioned Concurrency should not be greater than the reservedConcurrentExecution for function":                                                     "provisionedConcurrentExecutions",
		"Provisioned Concurrency Configs cannot be applied to unpublished function versions.":                                                                           "qualifier",
		"You can't leave AllowOrigins as empty when Cors is enabled.":                                                                                                   "cors.allowOrigins",
		"You can't specify the function as a destination for itself.":                                                                                                   "destinationConfig",
		"The provided destination config DestinationConfig(onSuccess=null, onFailure=OnFailure(destination=arn:aws:lambda:eu-central-1:1:function:layers)) is invalid.": "destinationConfig",
		"Number of tags exceeds resource tag limit.":                                                                                                                    "tags",
		"Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10":                                                               "maximumBatchingWindowInSeconds",
		"Number of items in AdditionalVersionWeights cannot be greater than 1":                                                                                          "routingConfig",
		"Invalid function version 2. Function version 2 is already included in routing configuration.":                                                                  "routingConfig",
		"$LATEST is not supported for an alias pointing to more than 1 version":                                                                                         "routingConfig",
	} {
		if got := Field(answer("Lambda", "Put", 400, "InvalidParameterValueException", message)); got != want {
			t.Errorf("Field of %q: want %s, got %s", message, want, got)
		}
	}
}
