package importer

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/plugintest"
)

// testConfigs are a config of each kind, with the endpoint of a double, and the Secret of their credentials.
const testConfigs = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: aws, namespace: shop}
data:
  credentials: %[2]s
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ProviderConfig
metadata: {name: team, namespace: shop}
spec:
  credentials: {source: Secret, secretRef: {name: aws, key: credentials}}
  endpoint: {url: {type: Static, static: %[1]q}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ClusterProviderConfig
metadata: {name: platform}
spec:
  credentials: {source: Secret, secretRef: {namespace: shop, name: aws, key: credentials}}
  endpoint: {url: {type: Static, static: %[1]q}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ClusterProviderConfig
metadata: {name: elsewhere}
spec: {credentials: {source: IRSA}}
status: {accountId: "210987654321"}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ClusterProviderConfig
metadata: {name: empty}
spec:
  credentials: {source: Secret, secretRef: {namespace: shop, name: missing, key: credentials}}
`

// TestManaged imports on the cluster that manages the function already, and after its resource was deleted there.
func TestManaged(t *testing.T) {
	e := newEnv(t)
	c := e.connect(t)
	system, err := c.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).
		Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e.checkout(t, map[string]string{
		ownership.TagUID: "u", ownership.TagCluster: string(system.GetUID()), ownership.TagName: "greet",
		ownership.TagNamespace: "shop", ownership.TagKind: "function.lambda.aws.m.crossplane.io",
	})
	const skipped = "Skipped: function Checkout_API is already managed by shop/greet\n"
	code, out, errOut := e.run(t, "--region", testRegion)
	if strings.Contains(errOut, skipped) {
		t.Errorf("exit code %d: a function is skipped whose resource does not exist:\n%s\n%s", code, out, errOut)
	}
	plugintest.Create(t, c, `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: greet, namespace: shop}
spec: {forProvider: {region: eu-central-1}}
`)
	code, out, errOut = e.run(t, "--region", testRegion)
	if code != 0 || strings.Contains(out, "kind:") || !strings.Contains(errOut, skipped) ||
		strings.Contains(errOut, "adopt") {
		t.Errorf("exit code %d, want %q:\n%s\n%s", code, skipped, out, errOut)
	}
}

// TestManagedWithoutRights imports without the right to read the ID of the cluster, whose Function of the tags exists.
func TestManagedWithoutRights(t *testing.T) {
	e := newEnv(t)
	c := e.connect(t)
	e.forbidden = []string{"configmaps/extension-apiserver-authentication"}
	plugintest.Create(t, c, `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata: {name: greet, namespace: shop}
spec: {forProvider: {region: eu-central-1}}
`)
	fn := e.cluster.Object(v1beta1.FunctionGroupVersionKind, types.NamespacedName{Namespace: "shop", Name: "greet"})
	e.checkout(t, map[string]string{
		ownership.TagUID: string(fn.GetUID()), ownership.TagCluster: "c", ownership.TagName: "greet",
		ownership.TagNamespace: "shop", ownership.TagKind: "function.lambda.aws.m.crossplane.io",
	})
	const skipped = "Skipped: function Checkout_API is already managed by shop/greet\n"
	code, out, errOut := e.run(t, "--region", testRegion)
	if code != 0 || strings.Contains(out, "kind:") || !strings.Contains(errOut, skipped) ||
		!strings.Contains(errOut, "set --cluster-id") ||
		strings.Contains(errOut, "adopt") {
		t.Errorf("exit code %d, want %q, and a warning:\n%s\n%s", code, skipped, out, errOut)
	}
}

// TestProviderConfig imports with the credentials and the endpoint of a config in the cluster, and not with those of
// the machine.
func TestProviderConfig(t *testing.T) {
	cases := map[string]struct {
		reason string
		config string
		named  bool
		own    bool
		code   int
		out    string
		errOut string
	}{
		"ProviderConfig": {
			reason: "A config of the namespace.",
			config: "ProviderConfig/team",
			named:  true,
			out:    "kind: ProviderConfig\n    name: team\n",
			errOut: "Imported 1 functions",
		},
		"ClusterProviderConfig": {
			reason: "A config of the cluster.",
			config: "platform",
			out:    "kind: ClusterProviderConfig\n    name: platform\n",
			errOut: "Imported 1 functions",
		},
		"TenantsEndpoint": {
			reason: "The endpoint of a namespaced config is not called unless the user names it.",
			config: "ProviderConfig/team",
			code:   2,
			errOut: "endpoint is not allowed in a namespaced config",
		},
		"Missing": {
			reason: "A config that does not exist.",
			config: "other",
			code:   2,
			errOut: "error: --provider-config other: ClusterProviderConfig \"other\" does not exist: create it, or " +
				"correct --provider-config; to read AWS with",
		},
		"AnotherAccount": {
			reason: "The credentials of this machine are of another account than the config's.",
			config: "elsewhere",
			own:    true,
			out:    "name: elsewhere\n",
			errOut: "warning: ClusterProviderConfig \"elsewhere\" reaches account 210987654321, and the credentials of this machine are of account 123456789012",
		},
		"OwnMissing": {
			reason: "A config may be created after the import.", config: "other", own: true, out: "name: other\n",
			errOut: "warning: cannot tell which account and tags ClusterProviderConfig other has: ",
		},
		"NoSecret": {reason: "A config without credentials.", config: "empty", code: 2, errOut: "missing"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.checkout(t, nil)
			c := e.connect(t)
			plugintest.Create(
				t,
				c,
				fmt.Sprintf(
					testConfigs,
					e.aws.URL(),
					base64.StdEncoding.EncodeToString(
						[]byte("[default]\naws_access_key_id = FROMSECRET\naws_secret_access_key = s3cr3tkey\n"),
					),
				),
			)
			if !tc.own {
				t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1") // Nothing listens there.
			}
			args := []string{"--region", testRegion, "--provider-config", tc.config}
			if tc.named {
				args = append(args, "--aws-endpoint-url", e.aws.URL())
			}
			if tc.own {
				args = append(args, "--aws-default-chain")
			}
			code, out, errOut := e.run(t, args...)
			if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errOut, tc.errOut) ||
				strings.Contains(out+errOut, "s3cr3tkey") {
				t.Errorf("%s\nexit code %d, want %d\n%s\n%s", tc.reason, code, tc.code, out, errOut)
			}
			if code == 0 && !strings.Contains(out, "namespace: shop\n") {
				t.Errorf("%s\nthe manifests are not in the namespace of the context:\n%s", tc.reason, out)
			}
			for _, c := range e.aws.Calls() {
				if (c.AccessKey != "FROMSECRET") != tc.own {
					t.Errorf("%s was called by %s", c.Operation, c.AccessKey)
				}
			}
		})
	}
}

// others are resources of other namespaces that name the function Checkout_API, and one of the namespace that is
// imported to.
const others = `
apiVersion: v1
kind: Namespace
metadata: {name: partner}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Permission
metadata: {name: allow, namespace: partner}
spec: {forProvider: {region: eu-central-1, functionName: Checkout_API, action: "lambda:InvokeFunction", principal: s3.amazonaws.com}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: EventSourceMapping
metadata: {name: orders, namespace: partner}
spec: {forProvider: {region: eu-central-1, functionName: "arn:aws:lambda:eu-central-1:123456789012:function:Checkout_API", eventSourceArn: "arn:aws:sqs:eu-central-1:123456789012:orders"}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata: {name: referring, namespace: partner}
spec: {forProvider: {region: eu-central-1, functionNameRef: {name: observed}, functionVersion: "1"}}
status: {atProvider: {functionName: Checkout_API, aliasArn: "arn:aws:lambda:eu-central-1:123456789012:function:Checkout_API:referring"}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: ResourcePolicy
metadata: {name: referring, namespace: partner}
spec: {forProvider: {region: eu-central-1, resourceArnRef: {name: observed}, policy: "{}"}}
status: {atProvider: {resourceArn: "arn:aws:lambda:eu-central-1:123456789012:function:Checkout_API"}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: FunctionURL
metadata: {name: other-region, namespace: partner}
spec: {forProvider: {region: eu-west-1, functionName: Checkout_API, authType: NONE}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: FunctionURL
metadata: {name: left, namespace: partner}
spec: {managementPolicies: [Observe, Create], forProvider: {region: eu-central-1, functionName: Checkout_API, authType: NONE}}
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Permission
metadata: {name: own, namespace: shop}
spec: {forProvider: {region: eu-central-1, functionName: Checkout_API, action: "lambda:InvokeFunction", principal: s3.amazonaws.com}}
`

// TestOthers checks that an import warns of what the provider will delete of other namespaces, in the manifest and in
// the summary, and of nothing else.
func TestOthers(t *testing.T) {
	e := newEnv(t)
	e.checkout(t, nil)
	c := e.connect(t)
	plugintest.Create(
		t,
		c,
		fmt.Sprintf(
			testConfigs,
			e.aws.URL(),
			base64.StdEncoding.EncodeToString(
				[]byte("[default]\naws_access_key_id = A\naws_secret_access_key = s3cr3tkey\n"),
			),
		)+"---"+others,
	)
	code, out, errOut := e.run(
		t,
		"--region",
		testRegion,
		"--provider-config",
		"platform",
		"--inline-environment",
		"--show-secrets",
	)
	want := `what these resources of namespace partner have created is deleted in AWS: Alias referring, EventSourceMapping orders, Permission allow, ResourcePolicy referring; to keep it, first set the annotation lambda.aws.m.crossplane.io/allowed-namespaces of this Function to "partner"`
	if code != 0 || strings.Count(errOut, want) != 1 || strings.Count(out, want) != 1 {
		t.Errorf("exit code %d, want this warning once:\n%s\ngot:\n%s\n%s", code, want, errOut, out)
	}
	if strings.Contains(errOut, "other-region") || strings.Contains(errOut, "left") ||
		strings.Contains(errOut, "Permission own") {
		t.Errorf("it warns of what is not deleted:\n%s", errOut)
	}
}
