package session

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A wire receives requests in place of the network.
type wire struct{ urls, signed []string }

var errWire = errors.New("not sent")

// Do records the URL of a request and what it was signed for.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	u := *r.URL
	u.RawQuery = ""
	w.urls = append(w.urls, u.String())
	if m := accessKey.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		w.signed = append(w.signed, m[3]+" in "+m[2])
	}
	return nil, errWire
}

// TestEndpoints sends a call of each of three services, and checks the URLs.
func TestEndpoints(t *testing.T) {
	dynamic := func(host string) *v1beta1.EndpointConfig {
		return &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
			Type:    v1beta1.EndpointURLTypeDynamic,
			Dynamic: &v1beta1.DynamicURLConfig{Protocol: "https", Host: host},
		}}
	}
	type going struct{ Lambda, S3, STS, Signed string }
	aws1 := going{
		Lambda: "https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/orders",
		S3:     "https://code.s3.eu-west-1.amazonaws.com/orders.zip",
		STS:    "https://sts.eu-west-1.amazonaws.com/",
		Signed: "lambda in eu-west-1",
	}
	with := func(g going, change func(*going)) going { change(&g); return g }
	cases := map[string]struct {
		reason string
		spec   v1beta1.ConnectionSpec
		env    map[string]string
		region string
		want   going
	}{
		"AWS": {reason: "By default, calls go to AWS.", want: aws1},
		"Partition": {
			reason: "China is another partition.", region: "cn-north-1",
			want: going{
				Lambda: "https://lambda.cn-north-1.amazonaws.com.cn/2015-03-31/functions/orders",
				S3:     "https://code.s3.cn-north-1.amazonaws.com.cn/orders.zip",
				STS:    "https://sts.cn-north-1.amazonaws.com.cn/", Signed: "lambda in cn-north-1",
			},
		},
		"Static": {
			reason: "One URL for all, and buckets in the path of an address.",
			spec:   v1beta1.ConnectionSpec{Endpoint: static("http://127.0.0.1:4566")},
			want: going{
				Lambda: "http://127.0.0.1:4566/2015-03-31/functions/orders",
				S3:     "http://127.0.0.1:4566/code/orders.zip", STS: "http://127.0.0.1:4566/",
				Signed: "lambda in eu-west-1",
			},
		},
		"Services": {
			reason: "One service's URL.",
			spec:   v1beta1.ConnectionSpec{Endpoint: static("https://vpce-1.example.org", "lambda")},
			want:   with(aws1, func(g *going) { g.Lambda = "https://vpce-1.example.org/2015-03-31/functions/orders" }),
		},
		"ServicesDespiteEnvironment": {
			reason: "A URL of the environment holds for the others.",
			spec:   v1beta1.ConnectionSpec{Endpoint: static("https://vpce-1.example.org", "lambda")},
			env:    map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
			want: going{
				Lambda: "https://vpce-1.example.org/2015-03-31/functions/orders",
				S3:     "http://127.0.0.1:1/code/orders.zip", STS: "http://127.0.0.1:1/", Signed: "lambda in eu-west-1",
			},
		},
		"Dynamic": {
			reason: "A URL by service and region.",
			spec:   v1beta1.ConnectionSpec{Endpoint: dynamic("aws.example.org")},
			want: going{
				Lambda: "https://lambda.eu-west-1.aws.example.org/2015-03-31/functions/orders",
				S3:     "https://code.s3.eu-west-1.aws.example.org/orders.zip",
				STS:    "https://sts.eu-west-1.aws.example.org/", Signed: "lambda in eu-west-1",
			},
		},
		"Immutable": {
			reason: "A host that must not change keeps buckets in the path.",
			spec: v1beta1.ConnectionSpec{Endpoint: func() *v1beta1.EndpointConfig {
				e := static("https://s3.example.org", "s3")
				e.HostnameImmutable = new(true)
				return e
			}()},
			want: with(aws1, func(g *going) { g.S3 = "https://s3.example.org/code/orders.zip" }),
		},
		"PathStyle": {
			reason: "Buckets in the path wherever they are.",
			spec:   v1beta1.ConnectionSpec{S3UsePathStyle: true},
			want:   with(aws1, func(g *going) { g.S3 = "https://s3.eu-west-1.amazonaws.com/code/orders.zip" }),
		},
		"Signing": {
			reason: "What calls are signed for can be said.",
			spec: v1beta1.ConnectionSpec{
				Endpoint: &v1beta1.EndpointConfig{
					URL:         v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeAuto},
					SigningName: new("faas"), SigningRegion: new("us-east-1"), Services: []string{"lambda"},
				},
			},
			want: with(aws1, func(g *going) { g.Signed = "faas in us-east-1" }),
		},
		"FIPS": {
			reason: "Validated cryptography.", region: "us-east-1",
			spec: v1beta1.ConnectionSpec{UseFIPSEndpoint: true},
			want: going{
				Lambda: "https://lambda-fips.us-east-1.amazonaws.com/2015-03-31/functions/orders",
				S3:     "https://code.s3-fips.us-east-1.amazonaws.com/orders.zip",
				STS:    "https://sts-fips.us-east-1.amazonaws.com/", Signed: "lambda in us-east-1",
			},
		},
		"DualStack": {
			reason: "IPv6 as well.",
			spec:   v1beta1.ConnectionSpec{UseDualStackEndpoint: true},
			want: going{
				Lambda: "https://lambda.eu-west-1.api.aws/2015-03-31/functions/orders",
				S3:     "https://code.s3.dualstack.eu-west-1.amazonaws.com/orders.zip",
				STS:    "https://sts.eu-west-1.api.aws/", Signed: "lambda in eu-west-1",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cleanEnvironment(t)
			for k, v := range tc.env {
				t.Setenv(k, v)
			}
			where := region
			if tc.region != "" {
				where = tc.region
			}
			tc.spec.SkipRequestingAccountID = true
			b := newEnv(t, Options{}, namespaced(func(s *v1beta1.ProviderConfigSpec) { s.ConnectionSpec = tc.spec }),
				secret(ns, "aws", map[string]string{"creds": ini}))
			t.Setenv("AWS_ENDPOINT_URL_STS", "")
			s, err := b.Resolve(t.Context(), function("ProviderConfig", "default"), where)
			if err != nil {
				t.Fatal(err)
			}
			w := &wire{}
			s.AWS.HTTPClient = w
			s.AWS.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
			ctx := t.Context()
			_, err1 := Client(s, lambda.NewFromConfig).GetFunction(ctx,
				&lambda.GetFunctionInput{FunctionName: new("orders")})
			_, err2 := Client(s, s3.NewFromConfig).HeadObject(ctx, &s3.HeadObjectInput{
				Bucket: new("code"),
				Key:    new("orders.zip"),
			})
			_, err3 := Client(s, sts.NewFromConfig).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
			if len(w.urls) != 3 || len(w.signed) == 0 {
				t.Fatalf("%d requests were sent: %v", len(w.urls), errors.Join(err1, err2, err3))
			}
			got := going{Lambda: w.urls[0], S3: w.urls[1], STS: w.urls[2], Signed: w.signed[0]}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSTSRegion has a provider whose network reaches only the STS of its own region.
func TestSTSRegion(t *testing.T) {
	cases := map[string]struct {
		reason   string
		own      string
		resource string
		want     string
	}{
		"Own": {
			"The provider's own region is sure to be reachable.", "eu-central-1", "us-east-1",
			"eu-central-1",
		},
		"Partition": {"It is of no use for another partition.", "eu-central-1", "cn-north-1", "cn-north-1"},
		"Unknown":   {"Outside AWS there is none.", "", "eu-west-1", "eu-west-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, Options{})
			if tc.own != "" {
				e.environ["AWS_REGION"] = tc.own
			}
			if got := e.stsRegion(tc.resource); got != tc.want {
				t.Errorf("\n%s\ngot %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestSTSOfOneRegionRefuses has a provider outside AWS, and a resource in a region that its account has not enabled.
func TestSTSOfOneRegionRefuses(t *testing.T) {
	const disabled = "me-central-1"
	tagged := role(roleTwo)
	tagged.ResourceTags = []string{"Name"}
	cases := map[string]struct {
		reason string
		chain  []v1beta1.AssumeRoleOptions
		code   string
	}{
		"Keys": {"Keys are unknown in a region that is not enabled.", nil, "InvalidClientTokenId"},
		"Role": {
			"STS is not activated there.",
			[]v1beta1.AssumeRoleOptions{role(roleOne)},
			"RegionDisabledException",
		},
		"Tagged": {
			"The same for each resource.",
			[]v1beta1.AssumeRoleOptions{role(roleOne), tagged},
			"RegionDisabledException",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := namespaced(func(s *v1beta1.ProviderConfigSpec) { s.AssumeRoleChain = tc.chain })
			e := newEnv(t, Options{}, c, secret(ns, "aws", map[string]string{"creds": ini}))
			e.sts.refuseWith(disabled, tc.code)
			there, here := function("ProviderConfig", "default"), function("ProviderConfig", "default")
			there.SetName("there")
			if _, err := e.Resolve(t.Context(), there, disabled); err == nil {
				t.Fatal("want an error")
			}
			e.wait(longestBackoff)
			keyOf(t, e.resolve(t, here))
			if _, err := e.Identify(t.Context(), c); err != nil {
				t.Errorf("%s\nthe config works, but is not Ready: %v", tc.reason, err)
			}
			e.wait(longestBackoff)
			s, err := e.Resolve(t.Context(), there, disabled)
			if err != nil {
				t.Fatalf("%s\nwhat another region has fetched is valid in all: %v", tc.reason, err)
			}
			keyOf(t, s)
			e.wait(time.Hour)
			keyOf(t, s)
		})
	}
}

// TestHomeRegion checks configs that no resource has used.
func TestHomeRegion(t *testing.T) {
	const china = "arn:aws-cn:iam::111111111111:role/one"
	cases := map[string]struct {
		reason string
		web    string
		chain  []v1beta1.AssumeRoleOptions
		want   string
	}{
		"Keys": {reason: "Keys have no partition.", want: "us-east-1"},
		"Role": {
			reason: "A role has one.", chain: []v1beta1.AssumeRoleOptions{role(china)},
			want: "cn-north-1",
		},
		"WebIdentity": {reason: "So has the role of a token.", web: china, want: "cn-north-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := namespaced(func(s *v1beta1.ProviderConfigSpec) {
				s.AssumeRoleChain = tc.chain
				if tc.web == "" {
					return
				}
				s.Credentials = v1beta1.ProviderCredentials{
					Source: v1beta1.CredentialsSourceWebIdentity,
					WebIdentity: &v1beta1.WebIdentityOptions{
						WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: &tc.web},
						TokenConfig: &v1beta1.WebIdentityTokenConfig{
							Source:    v1beta1.CredentialsSourceSecret,
							SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
						},
					},
				}
			})
			e := newEnv(t, Options{}, c, secret(ns, "aws", map[string]string{"creds": ini}))
			if _, err := e.Identify(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if got := e.sts.of("GetCallerIdentity")[0].Get("signedRegion"); got != tc.want {
				t.Errorf("\n%s\nSTS is called in %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestIdentityOfOtherPartition has a resource in a partition to which the credentials do not belong.
func TestIdentityOfOtherPartition(t *testing.T) {
	c := namespaced()
	e := newEnv(t, Options{}, c, secret(ns, "aws", map[string]string{"creds": ini}))
	e.environ["AWS_REGION"] = region
	e.sts.refuseWith("cn-north-1", "InvalidClientTokenId")
	f := function("ProviderConfig", "default")
	e.resolve(t, f)
	if _, err := e.Resolve(t.Context(), f, "cn-north-1"); err == nil {
		t.Fatal("want an error")
	}
	if _, err := e.Identify(t.Context(), c); err != nil {
		t.Errorf("the error of one resource is shown as that of the config: %v", err)
	}
}
