package session

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// counted returns the counters of a Recorder by their label values.
func counted(t *testing.T, r *telemetry.Recorder, name string) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(r); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			if f.GetName() == name {
				got[strings.Join(values, " ")] = m.GetCounter().GetValue()
			}
		}
	}
	return got
}

func TestRefreshesAreCounted(t *testing.T) {
	web := func(s *v1beta1.ProviderConfigSpec) {
		s.Credentials = v1beta1.ProviderCredentials{
			Source: v1beta1.CredentialsSourceWebIdentity,
			WebIdentity: &v1beta1.WebIdentityOptions{
				WebIdentityRole: v1beta1.WebIdentityRole{RoleARN: new(webRole)},
				TokenConfig: &v1beta1.WebIdentityTokenConfig{
					Source:    v1beta1.CredentialsSourceSecret,
					SecretRef: &v1beta1.LocalCredentialsSecretSelector{Name: "aws", Key: "creds"},
				},
			},
		}
		s.AssumeRoleChain = []v1beta1.AssumeRoleOptions{role(roleOne)}
	}
	b := newDoubleEnv(t)
	b.options.Measure = telemetry.New(b.now)
	token, err := b.issuer.Token(subject, "sts.amazonaws.com", b.now().Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{namespaced(web), secret(ns, "aws", map[string]string{"creds": token})} {
		if err := b.kube.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	f := function("ProviderConfig", "default")
	for range 2 {
		if err := b.call(t, f); err != nil {
			t.Fatal(err)
		}
		b.wait(58 * time.Minute)
	}
	b.double.AddRole(awsdouble.Role{ARN: roleOne}) // It trusts nobody any more.
	if err := b.call(t, f); err != nil {
		t.Errorf("credentials in hand are good for two minutes more: %v", err)
	}

	want := map[string]float64{"ok AssumeRole": 2, "failed AssumeRole": 1, "ok WebIdentity": 3, "failed WebIdentity": 0}
	if diff := cmp.Diff(want, counted(t, b.options.Measure, "provider_lambda_credential_refreshes_total")); diff != "" {
		t.Errorf("refreshes: -want, +got:\n%s", diff)
	}
	requests := counted(t, b.options.Measure, "provider_lambda_aws_requests_total")
	want = map[string]float64{
		"AssumeRole ok STS": 2, "AssumeRole denied STS": 1, "AssumeRoleWithWebIdentity ok STS": 3,
		"GetCallerIdentity ok STS": 1, "GetFunction not_found Lambda": 3,
	}
	if diff := cmp.Diff(want, requests); diff != "" {
		t.Errorf("requests: -want, +got:\n%s", diff)
	}
}
