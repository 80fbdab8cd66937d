package providerconfig

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	xpproviderconfig "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/providerconfig"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/configusage"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../../../package/crds"}, Controllers: true}}

func TestMain(m *testing.M) { suite.Main(m) }

func testScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, corev1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// eventually waits until a condition holds. Kubernetes tries to delete a namespace again after ever longer delays, of
// up to a minute.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("%s: not so after 3 minutes", what)
}

// TestNamespaceDeletion deletes a namespace with all its objects, and a resource whose deletion in
// AWS takes a while. The config and its Secret stay until then.
func TestNamespaceDeletion(t *testing.T) {
	cluster := suite.Cluster(t)
	scheme := testScheme(t)
	ctx, cancel := context.WithCancel(t.Context())
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	resolver := &fakeIdentifier{identify: func() (session.Identity, error) {
		return session.Identity{Account: "123456789012"}, nil
	}}
	o := Options{
		Options: controller.DefaultOptions(), Resources: mgr.GetClient(), Resolver: resolver,
		Accounts: account.New(time.Now), Events: driftevents.New(driftevents.Options{}),
		Breakers: breaker.New(time.Now, rand.Float64), Now: time.Now,
	}
	o.Logger = logging.NewNopLogger()
	if err := Setup(mgr, o); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("manager: %v", err)
		}
	})
	kube, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	there := func(o client.Object) bool {
		t.Helper()
		err := kube.Get(t.Context(), client.ObjectKeyFromObject(o), o)
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
		return !kerrors.IsNotFound(err)
	}

	namespace := cluster.Namespace(t)
	c, s, f := pc(), secret("aws"), &v1beta1.Function{}
	for _, o := range []client.Object{c, s} {
		o.SetNamespace(namespace)
		o.SetUID("")
		o.SetGeneration(0)
		if err := kube.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	manifest := `
spec:
  providerConfigRef: {kind: ProviderConfig, name: default}
  forProvider:
    region: eu-west-1
    role: arn:aws:iam::123456789012:role/orders
    runtime: nodejs22.x
    handler: index.handler
    code: {inline: {index.js: "exports.handler = async () => {}"}}
`
	if err := yaml.Unmarshal([]byte(manifest), f); err != nil {
		t.Fatal(err)
	}
	f.SetNamespace(namespace)
	f.SetName("orders")
	f.SetFinalizers([]string{managedFinalizer})
	if err := kube.Create(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	tracker := configusage.NewTracker(kube)
	if err := tracker.Track(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the config is ready and has a user", func() bool {
		return there(c) && c.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue && c.Status.Users == 1
	})
	eventually(
		t,
		"the Secret is protected",
		func() bool { return there(s) && controllerutil.ContainsFinalizer(s, SecretFinalizer) },
	)

	if err := kube.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the config says what holds it back", func() bool {
		return there(c) &&
			strings.Contains(
				c.GetCondition(xpproviderconfig.TypeTerminating).Message,
				"Function "+namespace+"/orders still uses this config",
			)
	})
	usage := &v1beta1.ProviderConfigUsage{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: string(f.GetUID())}}
	eventually(t, "all of it is being deleted", func() bool {
		return there(f) && there(s) && there(usage) && !f.GetDeletionTimestamp().IsZero() &&
			!s.GetDeletionTimestamp().IsZero() &&
			!usage.GetDeletionTimestamp().IsZero()
	})
	if err := tracker.Track(t.Context(), f); err != nil {
		t.Errorf("Track in a namespace that is being deleted: %v", err)
	}

	// Longer than a Secret without users is kept.
	waitUntil := s.GetDeletionTimestamp().Add(secretGrace + recheckUsages + 2*time.Second)
	for time.Now().Before(waitUntil) {
		if !there(s) || !there(c) {
			t.Fatal("Secret or config are gone before the resource that needs them")
		}
		time.Sleep(500 * time.Millisecond)
	}

	// The resource is deleted in AWS: its controller removes the finalizer.
	controllerutil.RemoveFinalizer(f, managedFinalizer)
	if err := kube.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func() bool {
		err := kube.Get(t.Context(), types.NamespacedName{Name: namespace}, &corev1.Namespace{})
		return kerrors.IsNotFound(err)
	})
	if len(resolver.forgot) == 0 {
		t.Error("what is cached of the config outlives it")
	}
}

// TestAdmission has the API server validate configs, good and bad.
func TestAdmission(t *testing.T) {
	cluster := suite.Cluster(t)
	kube, err := client.New(cluster.Config, client.Options{Scheme: testScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	namespace := cluster.Namespace(t)
	const (
		roleARN  = "arn:aws:iam::123456789012:role/r"
		keys     = "credentials: {source: Secret, secretRef: {name: aws, key: creds}}\n"
		anywhere = "credentials: {source: Secret, secretRef: {name: aws, namespace: other, key: creds}}\n"
	)
	cases := map[string]struct {
		cluster bool
		spec    string
		want    string
	}{
		"Secret":        {spec: keys},
		"SeparateKeys":  {spec: "credentials: {source: Secret, secretRef: {name: aws}}"},
		"ClusterSecret": {cluster: true, spec: anywhere},
		"IRSA":          {cluster: true, spec: "credentials: {source: IRSA}"},
		"WebIdentity": {
			spec: "credentials: {source: WebIdentity, webIdentity: {roleARN: '" + roleARN + "', tokenConfig: {source: Secret, secretRef: {name: t, key: token}}}}",
		},
		"Chain": {
			spec: keys + "assumeRoleChain: [{roleARN: '" + roleARN + "', externalID: ab, tags: [{key: team, value: a}], transitiveTagKeys: [team, crossplane-namespace], resourceTags: [Namespace]}]",
		},
		"StaticEndpoint": {
			spec: "credentials: {source: None}\nendpoint: {url: {type: Static, static: 'http://127.0.0.1:4566'}, services: [lambda], hostnameImmutable: true}",
		},
		"DynamicEndpoint": {
			spec: keys + "endpoint: {url: {type: Dynamic, dynamic: {protocol: https, host: amazonaws.com}}, partitionId: aws}",
		},
		"Tags": {spec: keys + "tags: {team: a}\nignoreTags: {keys: [a], keyPrefixes: [b]}"},
		"AllowedNamespaces": {
			cluster: true,
			spec:    anywhere + "allowedNamespaces: {names: [a], selector: {matchLabels: {aws: 'yes'}}}",
		},
		"Flags": {
			cluster: true,
			spec:    anywhere + "skip_credentials_validation: true\nskip_region_validation: true\nskip_metadata_api_check: true\nskip_requesting_account_id: true\ns3_use_path_style: true",
		},
		"Regions": {spec: keys + "regions: [eu-example-1]"},
		"Tenants": {
			cluster: true,
			spec:    anywhere + "namespaceIsolation: None\nfunctionNames: [{prefixes: ['{namespace}_', '']}, {namespaces: [shop], prefixes: [legacy-]}]",
		},

		"BadRegion": {spec: keys + "regions: [eu-central-1a]", want: "this is not the name of a region"},
		"FIPSRegion": {
			cluster: true,
			spec:    anywhere + "regions: [fips-us-east-1]",
			want:    "this names an endpoint, not a region",
		},
		"NoIsolation":     {cluster: true, spec: anywhere + "namespaceIsolation: Never", want: "Unsupported value"},
		"NoFunctionNames": {cluster: true, spec: anywhere + "functionNames: []", want: "functionNames"},
		"NoPrefixes": {
			cluster: true,
			spec:    anywhere + "functionNames: [{namespaces: [shop]}]",
			want:    "prefixes",
		},
		"BadPrefix": {
			cluster: true,
			spec:    anywhere + "functionNames: [{prefixes: ['{name}-']}]",
			want:    "a prefix must have only letters, digits, hyphens and underscores",
		},
		"NoSource":       {spec: "credentials: {}", want: "credentials.source"},
		"UnknownSource":  {spec: "credentials: {source: Upbound}", want: "Unsupported value"},
		"NamespacedEnv":  {spec: "credentials: {source: Environment}", want: "Unsupported value"},
		"NamespacedFile": {spec: "credentials: {source: Filesystem}", want: "Unsupported value"},
		"NoSecret":       {spec: "credentials: {source: Secret}", want: "source Secret needs secretRef"},
		"ClusterNoSecret": {
			cluster: true,
			spec:    "credentials: {source: Secret}",
			want:    "source Secret needs secretRef",
		},
		"NoNamespace": {cluster: true, spec: keys, want: "namespace"},
		"UnusedSecret": {
			spec: "credentials: {source: IRSA, secretRef: {name: a}}",
			want: "secretRef is used only with source Secret",
		},
		"UnusedWebIdentity": {
			spec: "credentials: {source: IRSA, webIdentity: {roleARN: '" + roleARN + "'}}",
			want: "webIdentity is used only with source WebIdentity",
		},
		"UnusedProfile": {spec: "credentials: {source: IRSA, profile: a}", want: "profile selects a section"},
		"NoWebIdentity": {spec: "credentials: {source: WebIdentity}", want: "source WebIdentity needs webIdentity"},
		"NoTokenSecret": {
			spec: "credentials: {source: WebIdentity, webIdentity: {roleARN: '" + roleARN + "', tokenConfig: {source: Secret}}}",
			want: "source Secret needs secretRef",
		},
		"NoTokenKey": {
			spec: "credentials: {source: WebIdentity, webIdentity: {roleARN: '" + roleARN + "', tokenConfig: {source: Secret, secretRef: {name: a}}}}",
			want: "the key that holds the token",
		},
		"NoTokenFile": {
			cluster: true,
			spec:    "credentials: {source: WebIdentity, webIdentity: {roleARN: '" + roleARN + "', tokenConfig: {source: Filesystem}}}",
			want:    "source Filesystem needs fs.path",
		},
		"NoPath": {
			cluster: true,
			spec:    "credentials: {source: Filesystem}",
			want:    "source Filesystem needs fs.path",
		},
		"UnusedEnv": {
			cluster: true,
			spec:    "credentials: {source: IRSA, env: {name: A}}",
			want:    "env is used only with source Environment",
		},
		"UnusedFile": {
			cluster: true,
			spec:    "credentials: {source: IRSA, fs: {path: /a}}",
			want:    "fs is used only with source Filesystem",
		},
		"BadRole": {spec: keys + "assumeRoleChain: [{roleARN: r}]", want: "assumeRoleChain[0].roleARN"},
		"NoRole":  {spec: keys + "assumeRoleChain: [{externalID: abc}]", want: "assumeRoleChain[0].roleARN"},
		"ShortDuration": {
			spec: keys + "assumeRoleChain: [{roleARN: '" + roleARN + "', durationSeconds: 60}]",
			want: "900",
		},
		"UnknownTransitive": {
			spec: keys + "assumeRoleChain: [{roleARN: '" + roleARN + "', transitiveTagKeys: [team]}]",
			want: "each entry of transitiveTagKeys must be the key",
		},
		"UnknownTag": {
			spec: keys + "assumeRoleChain: [{roleARN: '" + roleARN + "', resourceTags: [Label]}]",
			want: "Unsupported value",
		},
		"NoneNoEndpoint": {spec: "credentials: {source: None}", want: "set endpoint, or choose another source"},
		"ClusterNone": {
			cluster: true,
			spec:    "credentials: {source: None}",
			want:    "set endpoint, or choose another source",
		},
		"NoStatic":  {spec: keys + "endpoint: {url: {type: Static}}", want: "type Static needs static"},
		"NoDynamic": {spec: keys + "endpoint: {url: {type: Dynamic}}", want: "type Dynamic needs dynamic"},
		"NotHTTP": {
			spec: keys + "endpoint: {url: {type: Static, static: 'file:///etc/passwd'}}",
			want: "url.static",
		},
		"UserInURL": {
			spec: keys + "endpoint: {url: {type: Static, static: 'http://a:b@c'}}",
			want: "url.static",
		},
		"QueueURL": {
			spec: keys + "driftEvents: {queueARN: 'https://sqs.eu-central-1.amazonaws.com/123456789012/drift'}",
			want: "queueARN must be the ARN of a standard queue",
		},
		"FIFOQueue": {
			spec: keys + "driftEvents: {queueARN: 'arn:aws:sqs:eu-central-1:123456789012:drift.fifo'}",
			want: "queueARN must be the ARN of a standard queue",
		},
		"OtherARN": {
			spec: keys + "driftEvents: {queueARN: 'arn:aws:sns:eu-central-1:123456789012:drift'}",
			want: "queueARN must be the ARN of a standard queue",
		},
		"NoQueueARN": {spec: keys + "driftEvents: {showSourceIP: true}", want: "queueARN: Required value"},
		"Queue": {
			spec: keys + "driftEvents: {queueARN: 'arn:aws-us-gov:sqs:us-gov-west-1:123456789012:drift'}",
		},
		"BadCABundle": {spec: keys + "caBundle: nonsense", want: "caBundle must contain at least one PEM block"},
		"AWSTag":      {spec: keys + "tags: {'AWS:x': z}", want: "must not start with aws:"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.spec), &spec); err != nil {
				t.Fatal(err)
			}
			o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
			o.SetGroupVersionKind(v1beta1.ClusterProviderConfigGroupVersionKind)
			o.SetName(strings.ToLower(name))
			if !tc.cluster {
				o.SetGroupVersionKind(v1beta1.ProviderConfigGroupVersionKind)
				o.SetNamespace(namespace)
			}
			err := kube.Create(t.Context(), o, client.DryRunAll)
			if tc.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestNoOtherNamespace sets a namespace where a namespaced config has no field for one: it is
// pruned, so that no code can read it.
func TestNoOtherNamespace(t *testing.T) {
	cluster := suite.Cluster(t)
	kube, err := client.New(cluster.Config, client.Options{Scheme: testScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"credentials": map[string]any{
		"source": "Secret", "secretRef": map[string]any{"name": "aws", "key": "creds", "namespace": "kube-system"},
	}}}}
	o.SetGroupVersionKind(v1beta1.ProviderConfigGroupVersionKind)
	o.SetNamespace(cluster.Namespace(t))
	o.SetName("default")
	if err := kube.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, found, err := unstructured.NestedString(o.Object, "spec", "credentials", "secretRef", "namespace")
	if err != nil || found {
		t.Errorf("secretRef.namespace is kept as %q (%v)", got, err)
	}
}
