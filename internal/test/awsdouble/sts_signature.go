package awsdouble

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	signatureMismatch = "The request signature we calculated does not match the signature you provided. Check your " +
		"AWS Secret Access Key and signing method. Consult the service documentation for details."
	tokenInvalid = "The security token included in the request is invalid."
	tokenExpired = "The security token included in the request is expired"
)

// authorization matches a SigV4 header.
var authorization = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/,\s]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request,` +
	` ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$`)

// unsigned are operations that are not signed: a token identifies the caller.
var unsigned = map[string]bool{
	"AssumeRoleWithWebIdentity": true,
	"AssumeRoleForPodIdentity":  true,
	"GetToken":                  true,
	"GetMetadata":               true,
}

// authenticate rejects callers that are not who their access key says, in strict mode.
func (s *Server) authenticate(r *request) {
	if !s.options.StrictCredentials || unsigned[r.operation] {
		return
	}
	m := authorization.FindStringSubmatch(r.http.Header.Get("Authorization"))
	if m == nil {
		panic(refusal(r.service, "MissingAuthenticationTokenException", "Missing Authentication Token"))
	}
	k, ok := s.iam.keys[m[1]]
	if !ok || k.token != r.http.Header.Get("X-Amz-Security-Token") {
		panic(refusal(r.service, "UnrecognizedClientException", tokenInvalid))
	}
	if !k.expires.IsZero() && !s.options.Now().Before(k.expires) {
		panic(refusal(r.service, "ExpiredTokenException", tokenExpired))
	}
	if !signedBy(r, m[1], k, m[5], m[6]) {
		panic(refusal(r.service, "InvalidSignatureException", signatureMismatch))
	}
}

// addressed returns the service of a call without a signature, or "" if the call is for the node.
func addressed(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonEC2ContainerRegistry"):
		return serviceECR
	case strings.HasPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS"):
		return serviceSQS
	case strings.HasPrefix(r.URL.Path, "/20"):
		return serviceLambda
	case findRoute(localRoutes, &request{http: r}) != nil:
		return ""
	default:
		return serviceS3
	}
}

// A signer signs a call for a service in a region, at a time.
type signer func(call *http.Request, keys aws.Credentials, payload, service, region string, at time.Time) error

// @contextcheck(req_has_ctx)
// newSigner returns a signer that signs as the SDK does, in the context of a call.
func newSigner(hr *http.Request) signer {
	return func(call *http.Request, keys aws.Credentials, payload, //nolint:contextcheck // The context is that of hr.
		service,
		region string,
		at time.Time,
	) error {
		return v4.NewSigner().SignHTTP(hr.Context(), keys, call, payload, service, region, at,
			func(o *v4.SignerOptions) {
				o.DisableURIPathEscaping = service == serviceS3
			})
	}
}

// signedBy computes a call's signature again and compares it.
func signedBy(r *request, id string, k *key, signedHeaders, signature string) bool {
	at, err := time.Parse("20060102T150405Z", r.http.Header.Get("X-Amz-Date"))
	if err != nil {
		return false
	}
	payload := r.payload
	if sent := r.http.Header.Get("X-Amz-Content-Sha256"); sent != "" {
		if len(sent) == len(payload) && sent != payload {
			return false
		}
		payload = sent
	}
	again := unsignedCopy(r.http, strings.Split(signedHeaders, ";"))
	keys := aws.Credentials{AccessKeyID: id, SecretAccessKey: k.secret, SessionToken: k.token}
	if r.sign(again, keys, payload, r.service, r.region, at) != nil {
		return false
	}
	want := authorization.FindStringSubmatch(again.Header.Get("Authorization"))
	return want != nil && want[5] == signedHeaders &&
		subtle.ConstantTimeCompare([]byte(want[6]), []byte(signature)) == 1
}

// unsignedCopy returns a copy of a call with the headers that were signed, and no body.
func unsignedCopy(hr *http.Request, headers []string) *http.Request {
	u := *hr.URL
	c := &http.Request{Method: hr.Method, URL: &u, Host: hr.Host, Header: http.Header{}}
	for _, h := range headers {
		if h == "content-length" {
			c.ContentLength = hr.ContentLength
		} else if v := hr.Header.Values(h); len(v) > 0 {
			c.Header[http.CanonicalHeaderKey(h)] = v
		}
	}
	return c
}

// refusal returns the error of a rejected call in the form of its service.
func refusal(service, code, message string) *Error {
	e := &Error{Status: http.StatusForbidden, Code: code, Message: message}
	switch service {
	case serviceSTS:
		e.Code = stsCodes[code]
	case serviceS3:
		other := s3Refusals[code]
		e.Status, e.Code, e.Message = other.Status, other.Code, other.Message
	case serviceECR:
		e.Status = http.StatusBadRequest
	}
	return e
}

// stsCodes are STS's codes for those of other services.
var stsCodes = map[string]string{
	"MissingAuthenticationTokenException": "MissingAuthenticationToken",
	"UnrecognizedClientException":         "InvalidClientTokenId",
	"ExpiredTokenException":               "ExpiredToken",
	"InvalidSignatureException":           "SignatureDoesNotMatch",
}

// s3Refusals are S3's errors for those of other services.
var s3Refusals = map[string]Error{
	"MissingAuthenticationTokenException": {
		Status: http.StatusForbidden, Code: "AccessDenied",
		Message: "Access Denied",
	},
	"UnrecognizedClientException": {
		Status: http.StatusForbidden, Code: "InvalidAccessKeyId",
		Message: "The AWS Access Key Id you provided does not exist in our records.",
	},
	"ExpiredTokenException": {
		Status: http.StatusBadRequest, Code: "ExpiredToken",
		Message: "The provided token has expired.",
	},
	"InvalidSignatureException": {
		Status: http.StatusForbidden, Code: "SignatureDoesNotMatch",
		Message: "The request signature we calculated does not match the signature you provided. Check your key and " +
			"signing method.",
	},
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
