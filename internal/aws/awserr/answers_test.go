package awserr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// TestForeign has an endpoint answer with what a tenant must not read.
func TestForeign(t *testing.T) {
	const secret = "hunter2"
	inner := func(err error) error {
		op, _ := errors.AsType[*smithy.OperationError](err)
		return op.Err
	}
	unreadable := func(status int) error {
		return &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
			Err:      &smithy.DeserializationError{Err: fmt.Errorf("unexpected JSON type %s", secret)},
		}
	}
	send := func(err error) error { return &smithyhttp.RequestSendError{Err: err} }
	cases := map[string]struct {
		reason    string
		service   string
		err       error
		want      string
		transient bool
	}{
		"JSON": {
			"Of what is no answer of AWS, the status is told.", "Lambda", unreadable(200),
			"the endpoint did not answer as AWS does: HTTP 200", false,
		},
		"ServerDown": {
			"Whatever it says, a server's fault may pass.", "Lambda", unreadable(503),
			"the endpoint did not answer as AWS does: HTTP 503", true,
		},
		"OtherCode": {
			"Another API has codes and messages too.", "Lambda",
			inner(answer("Lambda", "GetFunction", 403, "Forbidden",
				"secrets is forbidden: User "+secret)), "the endpoint did not answer as AWS does: HTTP 403", false,
		},
		"Code": {
			"A code is not quoted either.", "Lambda",
			inner(answer("Lambda", "GetFunction", 500, secret,
				secret)), "the endpoint did not answer as AWS does: HTTP 500", true,
		},
		"NoHTTP": {
			"What speaks another protocol is quoted by net/http.", "Lambda",
			send(fmt.Errorf("malformed HTTP response %q", secret)), "the endpoint did not answer as AWS does", true,
		},
		"Lambda": {
			"An error of Lambda's is told.", "Lambda",
			inner(answer("Lambda", "GetFunction", 404, "ResourceNotFoundException",
				"Function not found: orders")), "ResourceNotFoundException: Function not found: orders", false,
		},
		"S3": {
			"S3 has others.", "S3", inner(answer("S3", "HeadObject", 403, "Forbidden", "Forbidden")),
			"Forbidden", false,
		},
		"Silent": {
			"What the provider has found out itself is told.", "Lambda", send(&SilentError{Host: "h"}),
			"no answer from h in time", true,
		},
		"Refused": {
			"So is that nobody listens.", "Lambda", send(syscall.ECONNREFUSED), "AWS refused the connection",
			true,
		},
		"DNS": {
			"So is that there is no such host.", "Lambda", send(&net.DNSError{Name: "h", IsNotFound: true}),
			"cannot resolve AWS", false,
		},
		"Ended": {
			"So is that the provider gave up.", "Lambda", send(context.Canceled),
			"the call to AWS was canceled", false,
		},
		"Host": {
			"So is that it did not call.", "Lambda", send(NotAllowed(egress.Hosts{}.Check("h", "443"))),
			"the endpoint of a namespaced config cannot be called: host h is not allowed", false,
		},
		"Redirect": {
			"So is where it did not go.", "Lambda", send(Redirect("h", 307)),
			"h redirects calls (HTTP 307), which the provider does not follow", false,
		},
		"Oversize": {
			"So is what it did not read.", "Lambda", unreadableFor(Oversize("h", 1<<20)),
			"h answered with more than 1 MB", false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := Foreign(tc.service, tc.err)
			got := Sanitize(&smithy.OperationError{ServiceID: tc.service, OperationName: "GetFunction", Err: err})
			if !strings.HasPrefix(got.Error(), tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
			for _, text := range []string{got.Error(), err.Error(), Code(got), Message(got)} {
				if strings.Contains(text, secret) {
					t.Errorf("%s\nit quotes what the endpoint said: %s", tc.reason, text)
				}
			}
			if IsTransient(err) != tc.transient {
				t.Errorf("%s\ntransient: %t, want %t", tc.reason, IsTransient(err), tc.transient)
			}
			if a, b := StatusCode(tc.err), StatusCode(err); a != b {
				t.Errorf("%s\nthe status was %d and is %d", tc.reason, a, b)
			}
		})
	}
	if Foreign("Lambda", nil) != nil {
		t.Error("no error is none")
	}
}

func unreadableFor(err error) error {
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusOK}},
		Err:      &smithy.DeserializationError{Err: fmt.Errorf("failed to decode response body, %w", err)},
	}
}

// TestModelledCodesAreKnown compares the codes of Lambda and STS with the SDK's models.
func TestModelledCodesAreKnown(t *testing.T) {
	code := regexp.MustCompile(`(?s)\) ErrorCode\(\) string \{.*?return "(\w+)"`)
	for service, module := range map[string]string{"Lambda": "lambda", "STS": "sts"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}",
			"github.com/aws/aws-sdk-go-v2/service/"+module).Output()
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "types", "errors.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := code.FindAllStringSubmatch(string(b), -1)
		if len(found) == 0 {
			t.Errorf("%s has no errors", module)
		}
		for _, m := range found {
			if !isErrorOf(service, m[1]) {
				t.Errorf("%s has errors of code %s, which are not known", service, m[1])
			}
		}
	}
}
