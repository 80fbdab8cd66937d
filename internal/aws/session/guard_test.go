package session

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// TestGuard has namespaced configs that name hosts, and the addresses of these hosts.
func TestGuard(t *testing.T) {
	const (
		listed  = "ask the provider's operator for --namespaced-endpoint-host="
		own     = "loopback, link-local or reserved"
		cluster = "its address is private"
	)
	cases := map[string]struct {
		reason  string
		allowed []string
		host    string
		address string
		want    string
	}{
		"Public": {"A public host, where none are listed.", nil, "aws.example.org", "93.184.216.34", ""},
		"Listed": {
			"A host that is listed.",
			[]string{"aws.example.org"},
			"AWS.example.org.", "93.184.216.34",
			"",
		},
		"Pattern": {
			"One that a pattern matches.",
			[]string{"*.example.org"},
			"code.s3.eu.example.org",
			"93.184.216.34", "",
		},
		"Unlisted": {
			"One that is not listed.",
			[]string{"*.example.org"},
			"example.com", "93.184.216.34",
			listed,
		},
		"Suffix": {
			"One that only ends like it.",
			[]string{"*.example.org"},
			"badexample.org", "93.184.216.34",
			listed,
		},
		"Metadata": {"The node's metadata service.", nil, "169.254.169.254", "169.254.169.254", own},
		"MetadataNamed": {
			"It is not called, whatever is listed.",
			[]string{"169.254.169.254"},
			"169.254.169.254",
			"169.254.169.254", own,
		},
		"MetadataV6":    {"Nor by IPv6.", []string{"fd00:ec2::254"}, "fd00:ec2::254", "fd00:ec2::254", own},
		"PodIdentity":   {"Nor the agent of EKS Pod Identity.", nil, "fd00:ec2::23", "fd00:ec2::23", own},
		"Loopback":      {"Nor the pod itself.", []string{"localhost"}, "localhost", "127.0.0.1", own},
		"LoopbackV6":    {"Nor the pod by IPv6.", []string{"*"}, "localhost", "::1", own},
		"Mapped":        {"Nor in another spelling.", nil, "h", "::ffff:127.0.0.1", own},
		"Compatible":    {"Nor in an old one.", nil, "h", "::127.0.0.1", own},
		"NAT64":         {"Nor through a translator.", nil, "h", "64:ff9b::a9fe:a9fe", own},
		"SixToFour":     {"Nor through a tunnel.", nil, "h", "2002:a9fe:a9fe::1", own},
		"Zone":          {"Nor on a link.", nil, "h", "fe80::1%eth0", own},
		"Unspecified":   {"Nor by no address, which is this host.", nil, "h", "0.0.0.0", own},
		"UnspecifiedV6": {"Nor by none of IPv6.", nil, "h", "::", own},
		"Multicast":     {"Nor many at a time.", nil, "h", "224.0.0.1", own},
		"Broadcast":     {"Nor all.", nil, "h", "255.255.255.255", own},
		"Private":       {"A service of the cluster.", nil, "kubernetes.default.svc", "10.96.0.1", cluster},
		"PrivatePattern": {
			"A pattern does not open the cluster.",
			[]string{"*"},
			"kubernetes.default.svc", "10.96.0.1",
			cluster,
		},
		"PrivateNamed":   {"Its name does.", []string{"localstack.aws.svc"}, "localstack.aws.svc", "10.96.0.7", ""},
		"PrivateAddress": {"So does its address.", []string{"192.168.1.7"}, "192.168.1.7", "192.168.1.7", ""},
		"Carrier":        {"Addresses that carriers share are those of pods on EKS.", nil, "h", "100.64.3.4", cluster},
		"UniqueLocal":    {"So are local ones of IPv6.", nil, "h", "fd12::1", cluster},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			hosts := (&Resolver{options: Options{NamespacedEndpointHosts: tc.allowed}}).endpointHosts()
			err := hosts.Check(tc.host, "443")
			if err == nil {
				err = hosts.CheckAddress(tc.host, "443", netip.MustParseAddr(tc.address))
			}
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// internal returns the URL of a service that only the provider can reach, and the number of its calls.
func internal(t *testing.T) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(s.Close)
	return s.URL, calls
}

// TestInternalHosts has a namespaced config whose host resolves to an address that only the provider can reach.
func TestInternalHosts(t *testing.T) {
	target, calls := internal(t)
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		t.Run(host, func(t *testing.T) {
			config := namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.Endpoint = static("http://" + host + ":" + u.Port())
				s.SkipRequestingAccountID, s.SkipCredentialsValidation = true, true
			})
			e := newEnv(t, Options{}, config, secret(ns, "aws", map[string]string{"creds": ini}))
			e.options.AllowLoopbackEndpoints = false
			s, err := e.Resolve(t.Context(), function("ProviderConfig", "default"), region)
			if err == nil {
				_, err = Client(s, lambda.NewFromConfig).GetFunction(t.Context(),
					&lambda.GetFunctionInput{FunctionName: new("x")})
			}
			if err == nil || !strings.Contains(awserr.Sanitize(err).Error(),
				"is not allowed: its address is loopback, link-local or reserved") ||
				awserr.IsTransient(err) {
				t.Errorf("got %v", awserr.Sanitize(err))
			}
			config.Generation++
			config.Spec.SkipRequestingAccountID, config.Spec.SkipCredentialsValidation = false, false
			if _, err := e.Identify(t.Context(), config); err == nil ||
				!strings.Contains(err.Error(), "is not allowed") {
				t.Errorf("a config that calls STS there says so itself, got %v", err)
			}
		})
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the host was called %d times", n)
	}
}

// TestNoWayAround has a proxy that would call the host in the provider's place.
func TestNoWayAround(t *testing.T) {
	shared := &http.Transport{Proxy: http.ProxyFromEnvironment, DialTLSContext: (&net.Dialer{}).DialContext}
	if got := guarded(shared, egress.Hosts{}); got.Proxy != nil || got.DialTLSContext != nil {
		t.Error("a tenant's host is called past the guard")
	}
}

// TestClusterConfigsAreNotGuarded has an administrator's config that names a host on the node.
func TestClusterConfigsAreNotGuarded(t *testing.T) {
	target, calls := internal(t)
	e := newEnv(t, Options{}, cluster(func(s *v1beta1.ClusterProviderConfigSpec) {
		s.Credentials.Source = v1beta1.CredentialsSourceNone
		s.Endpoint, s.SkipRequestingAccountID = static(target), true
	}))
	e.options.AllowNamespacedEndpoints, e.options.AllowLoopbackEndpoints = false, false
	s := e.resolve(t, function("ClusterProviderConfig", "default"))
	_, _ = Client(s, s3.NewFromConfig).HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: new("b"), Key: new("k")})
	if calls.Load() == 0 {
		t.Error("the host was not called")
	}
}
