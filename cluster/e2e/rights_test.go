package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// TestRights checks the rights that Crossplane's RBAC manager grants, with the token of the provider's
// ServiceAccount.
func TestRights(t *testing.T) {
	e := newEnv(t)
	e.provider()
	kube, err := e.ProviderClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		ask     authorizationv1.ResourceAttributes
		allowed bool
	}{
		"OwnKinds": {
			reason:  "The provider reconciles its kinds.",
			ask:     authorizationv1.ResourceAttributes{Group: group, Resource: "functions", Verb: "update"},
			allowed: true,
		},
		"OwnStatus": {reason: "The provider reports status.", ask: authorizationv1.ResourceAttributes{
			Group:    group,
			Resource: "functions", Subresource: "status", Verb: "update",
		}, allowed: true},
		"Secrets": {
			reason: "Environment variables come from them.",
			ask:    authorizationv1.ResourceAttributes{Resource: "secrets", Verb: "get"}, allowed: true,
		},
		"Definitions": {
			reason: "Safe start waits for them.",
			ask: authorizationv1.ResourceAttributes{
				Group:    "apiextensions.k8s.io",
				Resource: "customresourcedefinitions", Verb: "watch",
			}, allowed: true,
		},
		"Deletion": {
			reason: "Nobody but a user deletes a resource.",
			ask:    authorizationv1.ResourceAttributes{Group: group, Resource: "functions", Verb: "delete"},
		},
		"Namespaces": {
			reason: "Namespaces can only be read after an administrator grants it.",
			ask:    authorizationv1.ResourceAttributes{Resource: "namespaces", Verb: "get"},
		},
		"OthersKinds": {
			reason: "Other providers' kinds can only be read after an administrator grants it.",
			ask:    authorizationv1.ResourceAttributes{Group: "iam.aws.m.upbound.io", Resource: "roles", Verb: "get"},
		},
		"Everything": {
			reason: "The provider has no administrator's permissions.",
			ask:    authorizationv1.ResourceAttributes{Group: "*", Resource: "*", Verb: "*"},
		},
		"Definitions+": {
			reason: "The provider creates no CRDs.",
			ask: authorizationv1.ResourceAttributes{
				Group:    "apiextensions.k8s.io",
				Resource: "customresourcedefinitions", Verb: "create",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &tc.ask,
			}}
			if err := kube.Create(t.Context(), review); err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != tc.allowed {
				t.Errorf("%s: allowed is %t", tc.reason, review.Status.Allowed)
			}
		})
	}
}

// TestRoleOfServiceAccount checks how the provider authenticates to AWS: as the role in its ServiceAccount's
// annotation, with a token that the double verifies with the API server's keys.
func TestRoleOfServiceAccount(t *testing.T) {
	e := newEnv(t)
	ns := e.namespace()
	e.apply(ns, function("irsa"))
	e.ready("Function", ns, "irsa")
	calls := map[string]int{}
	for _, c := range e.Double.Calls() {
		calls[c.Operation]++
	}
	if calls["AssumeRoleWithWebIdentity"] == 0 || calls["AssumeRole"] != 0 {
		t.Errorf("want the role to be assumed by a token, got %v", calls)
	}
	for name, log := range e.Logs() {
		for _, secret := range e.Double.IssuedSecrets() {
			if strings.Contains(log, secret) {
				t.Errorf("%s logs a secret of the role's session", name)
			}
		}
	}
}

// roles is a minimal definition of another provider's kind.
const roles = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: roles.iam.aws.m.upbound.io
spec:
  group: iam.aws.m.upbound.io
  names: {kind: Role, plural: roles, singular: role, listKind: RoleList}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// TestFieldsOfOtherProviders reads a role's ARN from another provider's object, before and after the grant in
// docs/install.md.
func TestFieldsOfOtherProviders(t *testing.T) {
	e := newEnv(t)
	ns := e.namespace()
	e.apply("", roles)
	e.apply(ns, `
apiVersion: iam.aws.m.upbound.io/v1beta1
kind: Role
metadata:
  name: functions
status:
  atProvider:
    arn: arn:aws:iam::123456789012:role/functions
`)
	e.apply(ns, strings.Replace(function("from"), "    role: arn:aws:iam::123456789012:role/functions\n", `
    roleFrom:
      apiVersion: iam.aws.m.upbound.io/v1beta1
      kind: Role
      name: functions
      fieldPath: status.atProvider.arn
`, 1))
	e.until("the Function says what is lacking", func(context.Context) error {
		u, err := e.get(group+"/v1beta1", "Function", ns, "from")
		if err != nil {
			return err
		}
		return conditionMessage(u, "Synced", "iam.aws.m.upbound.io")
	})
	e.apply("", e.manifest("docs/install.md", "provider-lambda-extra"))
	e.ready("Function", ns, "from")
}

// manifest returns the YAML snippet of a page that contains a text.
func (e *env) manifest(page, text string) string {
	e.Helper()
	b, err := os.ReadFile(filepath.Join(e.Root, page))
	if err != nil {
		e.Fatal(err)
	}
	for i, part := range strings.Split(string(b), "```") {
		if body, ok := strings.CutPrefix(part, "yaml\n"); i%2 == 1 && ok && strings.Contains(body, text) {
			return body
		}
	}
	e.Fatalf("%s has no YAML with %s", page, text)
	return ""
}
