package manager

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// crossplanesRules returns what Crossplane's RBAC manager grants to a provider with the capability safe-start: in
// particular no deletion of its own kinds, no events.k8s.io and no namespaces.
func crossplanesRules(safeStart bool) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{
		{
			APIGroups: []string{v1beta1.Group}, Resources: []string{"*", "*/status"},
			Verbs: []string{"get", "list", "watch", "update", "patch", "create"},
		},
		{APIGroups: []string{v1beta1.Group}, Resources: []string{"*/finalizers"}, Verbs: []string{"update"}},
		{APIGroups: []string{"", "coordination.k8s.io"}, Resources: []string{
			"secrets", "configmaps", "events",
			"leases",
		}, Verbs: []string{"*"}},
	}
	if safeStart {
		rules = append(rules, rbacv1.PolicyRule{
			APIGroups: []string{"apiextensions.k8s.io"},
			Resources: []string{"customresourcedefinitions"}, Verbs: []string{"get", "list", "watch"},
		})
	}
	return rules
}

// as returns a configuration with the rights that Crossplane grants to a provider.
func (e *env) as(user string, rules []rbacv1.PolicyRule) *rest.Config {
	e.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	e.create(role, binding)
	e.Cleanup(func() {
		e.stop() // It has its rights until it ends.
		e.drop(role, binding)
	})
	cfg := rest.CopyConfig(e.cluster.Config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	return cfg
}

// TestWorksWithCrossplanesRights runs a provider that watches all namespaces, as most do. It has a control plane of
// its own, or it would reconcile what other tests left behind.
func TestWorksWithCrossplanesRights(t *testing.T) {
	t.Parallel()
	c := newCluster(t, suite.Options)
	for name, safeStart := range map[string]bool{"safe-start": true, "no-safe-start": false} {
		t.Run(name, func(t *testing.T) {
			e := newEnvOn(t, c, awsdouble.Options{})
			e.stop() // Another provider takes over.
			features := &feature.Flags{}
			features.Enable(feature.EnableBetaManagementPolicies)
			ctx, cancel := context.WithCancel(t.Context())
			mgr, err := New(ctx, e.as("provider-lambda-"+name, crossplanesRules(safeStart)), Options{
				Options: controller.Options{
					PollInterval: time.Hour, MaxConcurrentReconciles: 10,
					Features: features,
				},
				Log:                     e.logs.logger(),
				MinPollInterval:         time.Second,
				SafeStart:               true,
				LeaderElection:          true,
				LeaderElectionNamespace: e.ns,
				Config: session.Options{
					AllowNamespacedEndpoints: true, AllowLoopbackEndpoints: true,
					NamespacedEndpointHosts: []string{"*", "127.0.0.1"},
				},
			})
			if err != nil {
				cancel()
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- mgr.Start(ctx) }()
			t.Cleanup(func() {
				cancel()
				if err := <-done; err != nil {
					t.Errorf("the provider ended: %v", err)
				}
				if t.Failed() {
					t.Log(e.logs)
				}
			})

			f := e.function("cart")
			e.create(f)
			e.ready(f)
			e.until("events are there", func() bool { return strings.Contains(e.events("cart"), "Created") })
			if err := e.kube.Delete(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			e.until("the Function is gone", func() bool {
				return kerrors.IsNotFound(e.kube.Get(t.Context(), client.ObjectKeyFromObject(f), f))
			})
			u := &v1beta1.ProviderConfigUsageList{}
			e.until("the usage is gone", func() bool {
				if err := e.kube.List(t.Context(), u, client.InNamespace(e.ns)); err != nil {
					t.Fatal(err)
				}
				return len(u.Items) == 0
			})
		})
	}
}

func TestClusterID(t *testing.T) {
	t.Parallel()
	c := suite.Cluster(t)
	scheme, err := testScheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(c.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{}
	if err := admin.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, ns); err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: kube.TrustConfigMap}}
	if err := admin.Get(t.Context(), client.ObjectKeyFromObject(cm), cm); err != nil {
		t.Fatal(err)
	}
	e := &env{TB: t, cluster: c, kube: admin, stop: func() {}}
	as := func(user string, rules ...rbacv1.PolicyRule) client.Client {
		k, err := client.New(e.as(user, rules), client.Options{Scheme: scheme})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	cases := map[string]struct {
		reason string
		live   client.Client
		given  string
		want   string
		err    string
	}{
		"Given": {reason: "The user's word.", live: admin, given: "prod eu/1", want: "prod eu/1"},
		"Illegal": {
			reason: "AWS would refuse the tag.", live: admin, given: "a,b",
			err: "cannot be the value of an AWS tag",
		},
		"Admin": {reason: "More rights must not make it another cluster.", live: admin, want: string(cm.GetUID())},
		"Crossplane": {
			reason: "Crossplane grants ConfigMaps, not namespaces.",
			live:   as("id-crossplane", crossplanesRules(true)...), want: string(cm.GetUID()),
		},
		"Namespace": {
			reason: "Without permission to read ConfigMaps, the UID of a namespace identifies the cluster.",
			live: as("id-namespace", rbacv1.PolicyRule{
				APIGroups: []string{""}, Resources: []string{"namespaces"},
				Verbs: []string{"get"},
			}), want: string(ns.GetUID()),
		},
		"Nothing": {reason: "Says what to grant.", live: as("id-nothing"), err: "set --cluster-id"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := clusterID(t.Context(), tc.live, tc.given)
			if got != tc.want || (err == nil) != (tc.err == "") ||
				(err != nil && !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("%s: want %q, %q, got %q, %v", tc.reason, tc.want, tc.err, got, err)
			}
		})
	}
}

// TestRightsThatComeLater starts a provider before Crossplane's RBAC manager has bound its role, as happens with each
// installation.
func TestRightsThatComeLater(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	e.stop() // Another provider takes over.
	const user = "provider-lambda-early"
	cfg := rest.CopyConfig(e.cluster.Config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	said := make(chan struct{})
	l := funcr.New(func(_, args string) {
		if strings.Contains(args, "Waiting until the provider may list its own kinds") {
			close(said)
		}
	}, funcr.Options{})

	k, err := client.New(cfg, client.Options{Scheme: e.kube.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- awaitRights(t.Context(), k, nil, l) }()
	select {
	case <-said:
	case err := <-done:
		t.Fatalf("a provider without rights did not wait: %v", err)
	}
	e.as(user, crossplanesRules(true))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got, err := mayWatchDefinitions(t.Context(), k); !got || err != nil {
		t.Errorf("what is asked next is not granted: %t, %v", got, err)
	}
}

func TestMayWatchDefinitions(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	for name, want := range map[string]bool{"defs-yes": true, "defs-no": false} {
		k, err := client.New(e.as(name, crossplanesRules(want)), client.Options{Scheme: e.kube.Scheme()})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := mayWatchDefinitions(t.Context(), k); got != want || err != nil {
			t.Errorf("%s: want %t, got %t, %v", name, want, got, err)
		}
	}
}

func TestOnlyNamesAndVersionsAreKept(t *testing.T) {
	in := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "db", UID: "u", ResourceVersion: "7",
		Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"big": "blob"},
	}}
	out, err := nameAndVersion(in)
	if err != nil {
		t.Fatal(err)
	}
	m := out.(*metav1.PartialObjectMetadata)
	if m.Labels != nil || m.Annotations != nil || m.Name != "db" || m.Namespace != "shop" || m.UID != "u" ||
		m.ResourceVersion != "7" {
		t.Errorf("got %+v", m)
	}
}
