package samples

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gitRepository returns a GitRepository that verifies commits.
func gitRepository(namespace string) string {
	return `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {namespace: ` + namespace + `, name: shop}
spec:
  interval: 1m
  url: https://example.org/shop
  verify: {mode: HEAD, secretRef: {name: shop-signers}}`
}

// TestFluxSourcesPolicy checks who may decide which code is verified. RBAC allows each user everything.
func TestFluxSourcesPolicy(t *testing.T) {
	const (
		refused = "only the platform team may say which signers of code are trusted"
		tenant  = "tenant"
		flux    = "system:serviceaccount:flux-system:source-controller"
	)
	secret := func(name string) string {
		return `{apiVersion: v1, kind: Secret, metadata: {namespace: verified, name: ` + name + `}}`
	}
	create := func(manifest string) func(*testing.T, client.Client) error {
		return func(t *testing.T, c client.Client) error {
			t.Helper()
			return c.Create(t.Context(), parse(t, manifest)[0], client.DryRunAll)
		}
	}
	patch := func(text string, subresource ...string) func(*testing.T, client.Client) error {
		return func(t *testing.T, c client.Client) error {
			t.Helper()
			u, p := parse(t, gitRepository("verified"))[0], client.RawPatch(
				"application/merge-patch+json",
				[]byte(text),
			)
			if len(subresource) > 0 {
				return c.SubResource(subresource[0]).Patch(t.Context(), u, p, client.DryRunAll)
			}
			return c.Patch(t.Context(), u, p, client.DryRunAll)
		}
	}
	const verified = `{"status": {"conditions": [{"type": "SourceVerified", "status": "True", "reason": "Succeeded",
		"message": "verified", "lastTransitionTime": "2026-11-24T00:00:00Z"}]}}`
	cases := map[string]struct {
		reason, user, group string
		do                  func(*testing.T, client.Client) error
		want                string
	}{
		"Source": {
			reason: "A source names the keys that it is verified with.", user: tenant,
			do: create(gitRepository("verified")), want: refused,
		},
		"OCISource": {
			reason: "The same is true of the other kind that Flux verifies.", user: tenant, want: refused,
			do: create(`{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {namespace: verified,
				name: shop}, spec: {interval: 1m, url: "oci://example.org/shop"}}`),
		},
		"ChangedSource": {
			reason: "A changed spec can name other keys.", user: tenant, want: refused,
			do: patch(`{"spec": {"verify": {"secretRef": {"name": "mine"}}}}`),
		},
		"Status": {
			reason: "A status claims what is verified.",
			user:   tenant,
			do:     patch(verified, "status"),
			want:   refused,
		},
		"Keys": {
			reason: "Whoever writes the keys chooses the signers.", user: tenant, do: create(secret("shop-signers")),
			want: refused,
		},
		"OtherSecret": {reason: "Other Secrets are the tenant's.", user: tenant, do: create(secret("database"))},
		"BucketOfATenant": {
			reason: "Flux verifies no buckets, so none counts as verified.", user: tenant,
			do: create(`{apiVersion: source.toolkit.fluxcd.io/v1, kind: Bucket, metadata: {namespace: verified,
				name: shop}, spec: {interval: 1m, bucketName: shop, endpoint: example.org}}`),
		},
		"Reconcile": {
			reason: "A tenant may ask Flux to fetch a source at once.", user: tenant,
			do: patch(`{"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": "now"}}}`),
		},
		"OtherNamespace": {
			reason: "Nobody requires verified code there.", user: tenant, do: create(gitRepository("shop")),
		},
		"PlatformTeam": {
			reason: "The team decides whom to trust.", user: "alice", group: "platform-team",
			do: patch(`{"spec": {"verify": {"secretRef": {"name": "our-signers"}}}}`),
		},
		"Flux": {reason: "Flux says what it has verified.", user: flux, do: patch(verified, "status")},
	}
	withPolicies(t)
	as := func(t *testing.T, user, group string) client.Client {
		t.Helper()
		config := rest.CopyConfig(suite.Cluster(t).Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:masters", group}}
		c, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return client.WithFieldValidation(c, metav1.FieldValidationStrict)
	}
	source := parse(t, gitRepository("verified"))[0]
	if err := as(t, "alice", "platform-team").Create(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.do(t, as(t, tc.user, tc.group))
			if got := fmt.Sprint(err); (err == nil) != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nthe API server answers %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
