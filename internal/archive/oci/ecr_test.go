package oci

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/ecr/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"oras.land/oras-go/v2/registry"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

func TestECRRegion(t *testing.T) {
	cases := map[string]struct{ reason, host, want string }{
		"Private": {
			"The hosts of private registries.", "123456789012.dkr.ecr.eu-central-1.amazonaws.com", "eu-central-1",
		},
		"China": {"Those in China.", "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn", "cn-north-1"},
		"Sovereign": {
			"Those in the European Sovereign Cloud.", "123456789012.dkr.ecr.eusc-de-east-1.amazonaws.eu",
			"eusc-de-east-1",
		},
		"Isolated": {
			"Those in isolated partitions.",
			"123456789012.dkr.ecr.us-iso-east-1.c2s.ic.gov",
			"us-iso-east-1",
		},
		"FIPS":      {"Those of FIPS.", "123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"},
		"DualStack": {"Those of IPv6.", "123456789012.dkr-ecr.eu-west-1.on.aws", "eu-west-1"},
		"DualStackChina": {
			"Those of IPv6 in China.", "123456789012.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn", "cn-north-1",
		},
		"Suffix": {"Another domain.", "123456789012.dkr.ecr.eu-west-1.amazonaws.com.example", ""},
		"Inside": {"Another domain with such a name.", "x.123456789012.dkr.ecr.eu-west-1.amazonaws.com", ""},
		"Port":   {"AWS has no other port.", "123456789012.dkr.ecr.eu-west-1.amazonaws.com:8443", ""},
		"Public": {"Public registries take no credentials.", "public.ecr.aws", ""},
		"Other":  {"Other registries.", "ghcr.io", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ecrRegion(tc.host); got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// fakeECR issues tokens.
type fakeECR struct {
	region string
	calls  *[]string
	err    error
}

func (f fakeECR) GetAuthorizationToken(context.Context, *ecr.GetAuthorizationTokenInput,
	...func(*ecr.Options),
) (*ecr.GetAuthorizationTokenOutput, error) {
	*f.calls = append(*f.calls, f.region)
	token := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "AWS:%d", len(*f.calls)))
	return &ecr.GetAuthorizationTokenOutput{AuthorizationData: []types.AuthorizationData{{
		AuthorizationToken: &token,
	}}}, f.err
}

func TestECR(t *testing.T) {
	now := time.Date(2026, time.November, 24, 13, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	var calls []string
	api := func(region string) ECRAPI { return fakeECR{region: region, calls: &calls} }
	e := NewECR(api, "eu-new-1", &readcache.Cache{}, clock)
	password := func(host string) string {
		t.Helper()
		c, err := (Auth{ECR: e}).credential(t.Context(), registry.Reference{Registry: host, Repository: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return c.Username + ":" + c.Password
	}
	const host = "123456789012.dkr.ecr.eu-west-1.amazonaws.com"
	got := []string{password(host), password("210987654321.dkr.ecr.eu-west-1.amazonaws.com"), password("ghcr.io")}
	now = now.Add(45 * time.Minute)
	got = append(got, password(host))
	now = now.Add(10 * time.Minute)
	got = append(got, password(host), password("123456789012.dkr.ecr.eu-west-2.amazonaws.com"))
	want := []string{"AWS:1", "AWS:1", ":", "AWS:1", "AWS:2", "AWS:3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a token is for all registries of a region: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"eu-west-1", "eu-west-1", "eu-west-2"}, calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	secret := pullSecret(t, host, "shop", "secret")
	c, err := (Auth{ECR: e, PullSecrets: []PullSecret{secret}}).credential(t.Context(),
		registry.Reference{Registry: host, Repository: "a"})
	if c.Username != "shop" || err != nil || len(calls) != 3 {
		t.Errorf("a pull secret that fits is preferred, got %q: %v", c.Username, err)
	}
}

// TestRegionsOfECR checks that AWS is not asked in a region that a user has made up, and that a region that does not
// answer keeps no other one waiting.
func TestRegionsOfECR(t *testing.T) {
	var calls []string
	hangs, hung := make(chan struct{}), make(chan struct{})
	e := NewECR(func(region string) ECRAPI {
		if region == "ap-south-2" {
			close(hung)
			<-hangs
		}
		return fakeECR{region: region, calls: &calls}
	}, "eu-new-1", &readcache.Cache{}, time.Now)
	of := func(region string) string {
		c, err := (Auth{ECR: e}).credential(
			t.Context(),
			registry.Reference{Registry: "123456789012.dkr.ecr." + region + ".amazonaws.com"},
		)
		if err != nil {
			t.Error(err)
		}
		return c.Username
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { of("ap-south-2") })
	<-hung
	got := []string{of("s3"), of("fips-us-east-1"), of("eu-new-2"), of("eu-new-1"), of("us-east-1")}
	if diff := cmp.Diff([]string{"", "", "", "AWS", "AWS"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	close(hangs)
	waiting.Wait()
	if diff := cmp.Diff([]string{"eu-new-1", "us-east-1", "ap-south-2"}, calls); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestECRErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		out    *ecr.GetAuthorizationTokenOutput
		err    error
		want   string
	}{
		"Error": {
			"An error of AWS says where.", nil, errors.New("denied"),
			"cannot get credentials for Amazon ECR in eu-west-1: denied",
		},
		"Empty": {"AWS always returns a token.", &ecr.GetAuthorizationTokenOutput{}, nil, "is not one"},
		"Malformed": {
			"It is base64.", &ecr.GetAuthorizationTokenOutput{AuthorizationData: []types.AuthorizationData{{
				AuthorizationToken: ptr.To("secret!"),
			}}}, nil, "is not one",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := NewECR(func(string) ECRAPI { return answerECR{tc.out, tc.err} }, "", &readcache.Cache{}, time.Now)
			_, err := e.credential(t.Context(), "eu-west-1")
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret!") {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

type answerECR struct {
	out *ecr.GetAuthorizationTokenOutput
	err error
}

func (a answerECR) GetAuthorizationToken(context.Context, *ecr.GetAuthorizationTokenInput,
	...func(*ecr.Options),
) (*ecr.GetAuthorizationTokenOutput, error) {
	return a.out, a.err
}
