package session

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// TestCannotAuthenticate checks that an error says that AWS does not accept credentials only if AWS said so.
func TestCannotAuthenticate(t *testing.T) {
	sts := func(err error) error {
		return &smithy.OperationError{ServiceID: "STS", OperationName: "GetCallerIdentity", Err: err}
	}
	unsent := func(err error) error {
		return sts(&smithyhttp.RequestSendError{Err: &url.Error{
			Op: "Post", URL: "https://sts.eu-west-1.amazonaws.com/",
			Err: err,
		}})
	}
	answer := func(status int, code, message string) error {
		return sts(&smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}},
			Err:      &smithy.GenericAPIError{Code: code, Message: message},
		})
	}
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"NoHost": {"Nobody was asked.", unsent(&net.DNSError{
			Err: "no such host", Name: "sts.eu-west-1.amazonaws.com",
			IsNotFound: true,
		}), "cannot resolve sts.eu-west-1.amazonaws.com: check the region and the endpoint"},
		"Timeout": {
			"Nobody has answered.", unsent(context.DeadlineExceeded),
			"no answer from sts.eu-west-1.amazonaws.com in time",
		},
		"Failed": {
			"AWS could not tell.", answer(503, "ServiceUnavailable", "try later"),
			"try later (ServiceUnavailable)",
		},
		"Denied": {"AWS knows them.", answer(403, "AccessDenied", "Not authorized to perform "+
			"sts:AssumeRoleWithWebIdentity"), "Not authorized to perform sts:AssumeRoleWithWebIdentity"},
		"Expired": {
			"AWS has said so.",
			answer(403, "ExpiredToken", "The token has expired"),
			"the credentials or the token have expired: renew them (AWS does not accept the credentials: ExpiredToken)",
		},
		"Unknown": {
			"AWS has said so.", answer(403, "InvalidClientTokenId", "x"),
			"check the credentials (AWS does not accept the credentials: InvalidClientTokenId)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := cannotAuthenticate(tc.err)
			got := awserr.CauseFirst(err).Error()
			if !strings.Contains(got, tc.want) {
				t.Errorf("%s\ngot  %s\nwant %s", tc.reason, got, tc.want)
			}
			if message := strings.Contains(got, "does not accept"); message != awserr.IsUnauthenticated(err) {
				t.Errorf("%s\n%s", tc.reason, got)
			}
		})
	}
}

// TestWaysOut checks what the error of a resource that is being deleted recommends if its namespace
// is being deleted too.
func TestWaysOut(t *testing.T) {
	const out = "If the namespace is being deleted too, nothing can be created in it: set spec.providerConfigRef to a " +
		"working config, or spec.managementPolicies to [Observe]"
	aws := secret(ns, "aws", map[string]string{"creds": "nonsense"})
	none := namespaced(func(s *v1beta1.ProviderConfigSpec) { s.Credentials.SecretRef.Name = "none" })
	pod := namespaced(func(s *v1beta1.ProviderConfigSpec) {
		s.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceIRSA}
	})
	cases := map[string]struct {
		reason string
		config *v1beta1.ProviderConfig
		front  string
		help   bool
	}{
		"NoConfig": {
			reason: "The config cannot be created.",
			front:  `ProviderConfig "default" of namespace "team-a" does not exist`, help: true,
		},
		"NoSecret": {
			reason: "A missing Secret is named, with what to do.", config: none,
			front: "Secret team-a/none does not exist", help: true,
		},
		"Refused": {
			reason: "A source that is not allowed is named, with what to do.", config: pod,
			front: "credentials.source IRSA would use", help: true,
		},
		"Nonsense": {reason: "What is there can be corrected.", config: namespaced(), front: "in key"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{}, aws.DeepCopy())
			if tc.config != nil {
				if err := e.kube.Create(t.Context(), tc.config); err != nil {
					t.Fatal(err)
				}
			}
			f := function("ProviderConfig", "default")
			_, alive := e.Resolve(t.Context(), f, region)
			f.SetDeletionTimestamp(&metav1.Time{Time: e.now()})
			_, going := e.Resolve(t.Context(), f, region)
			if alive == nil || strings.Contains(alive.Error(), out) {
				t.Errorf("%s\na resource that stays says %v", tc.reason, alive)
			}
			if got := awserr.CauseFirst(going).Error(); strings.Contains(got, out) != tc.help ||
				!strings.HasPrefix(got, tc.front) {
				t.Errorf("%s\na resource that is being deleted says %s", tc.reason, got)
			}
			if diff := cmp.Diff(IsRefused(alive), IsRefused(going)); diff != "" {
				t.Errorf("%s\nrefused: %s", tc.reason, diff)
			}
		})
	}
}
