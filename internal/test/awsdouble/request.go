package awsdouble

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/smithy-go"
)

// The supported services, by the names in a signature's credential scope.
const (
	serviceLambda     = "lambda"
	serviceS3         = "s3"
	serviceSTS        = "sts"
	serviceIAM        = "iam"
	serviceECR        = "ecr"
	serviceCloudWatch = "monitoring"
	serviceSQS        = "sqs"
	serviceLogs       = "logs"
)

// maxRequest is the largest request body that Lambda reads, in bytes.
const maxRequest = 70167211

// request is one parsed call.
type request struct {
	http      *http.Request
	body      []byte
	form      url.Values
	vars      map[string]string
	service   string
	operation string
	// status of the operation's response, and its input in the model with its constraints, if its route has them.
	status    int
	input     *smithy.Schema
	members   []member
	accessKey string
	account   string
	region    string
	// home is the state of the account and region that the operation sees.
	home *home
	// caller is the principal of the access key.
	caller *principal
	// payload is the SHA-256 of the body as it was sent, in hex. It and the signer are set in strict mode only.
	payload string
	sign    signer
	// policies are the policies at the arrival of the call, if permissions may get lost.
	policies map[string]*policy
	// items is the number of metrics or alarms that the call asks for.
	items int
}

var credential = regexp.MustCompile(`Credential=([^/,\s]+)/\d{8}/([^/]+)/([^/]+)/aws4_request`)

// parse reads a request's body, its signer and its service.
func (s *Server) parse(r *http.Request) (*request, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("cannot read the request's body: %w", err)
	}
	body, err := plainBody(r, raw)
	if err != nil {
		return nil, fmt.Errorf("cannot read the request's body: %w", err)
	}
	req := &request{http: r, body: body, region: "us-east-1"}
	if s.options.StrictCredentials {
		req.payload, req.sign = hashOf(raw), newSigner(r)
	}
	if m := credential.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		req.accessKey, req.region, req.service = m[1], m[2], m[3]
	}
	req.caller = s.principalOf(req.accessKey, req.region)
	req.account = req.caller.account
	if s.options.StrictCredentials && req.service == "" {
		req.service = addressed(r)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		if req.form, err = url.ParseQuery(string(body)); err != nil {
			return nil, fmt.Errorf("cannot parse the request's form: %w", err)
		}
		if req.service != serviceIAM {
			req.service = serviceSTS
		}
	}
	return req, nil
}

// plainBody returns the whole body, decompressed if the SDK compressed it.
func plainBody(r *http.Request, raw []byte) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return raw, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// decoded returns the JSON body as a T. An empty body leaves it unset.
func decoded[T any](r *request) T {
	var v T
	r.decode(&v)
	return v
}

// peeked returns the JSON body as a T, unset if it cannot be decoded.
func peeked[T any](r *request) T {
	var v T
	_ = json.Unmarshal(r.body, any(&v)) // The operation rejects it.
	return v
}

// decode decodes the JSON body into v. An empty body leaves v unchanged.
func (r *request) decode(v any) {
	if len(r.body) == 0 {
		return
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		panic(apiError(http.StatusBadRequest, "SerializationException", "%v", err))
	}
}

// query returns the first value of a query parameter.
func (r *request) query(name string) string { return r.http.URL.Query().Get(name) }

// Operation returns the service and the operation of a request to AWS, and the variables of its path, such as
// FunctionName. All are empty for a request that the double does not know. The body stays readable.
func Operation(hr *http.Request) (service, operation string, vars map[string]string) {
	body := []byte(nil)
	if hr.Body != nil {
		body, _ = io.ReadAll(hr.Body) // A request that cannot be read has no operation.
	}
	hr.Body = io.NopCloser(bytes.NewReader(body))
	r, err := New(Options{}).parse(hr)
	hr.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || find(r) == nil {
		return "", "", nil
	}
	return r.service, r.operation, r.vars
}
