package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pkgv1beta1 "github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
)

// podLabels are what Crossplane puts on the pods of a Provider, and selects them by.
func podLabels() map[string]string {
	return map[string]string{
		"pkg.crossplane.io/provider": "provider-lambda",
		"pkg.crossplane.io/revision": "provider-lambda-0123456789ab",
	}
}

// deployment is what Crossplane makes of a DeploymentRuntimeConfig: its own settings
// where the config has none, and its labels, ports, variables and mounts besides.
func deployment(c *pkgv1beta1.DeploymentRuntimeConfig) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "crossplane-system",
		Name:      "provider-lambda-0123456789ab",
	}}
	if t := c.Spec.DeploymentTemplate; t != nil && t.Spec != nil {
		d.Spec = *t.Spec.DeepCopy()
	}
	if d.Spec.Selector == nil {
		d.Spec.Selector = &metav1.LabelSelector{}
	}
	if d.Spec.Template.Labels == nil {
		d.Spec.Template.Labels = map[string]string{}
	}
	d.Spec.Selector.MatchLabels = podLabels()
	maps.Copy(d.Spec.Template.Labels, podLabels())

	p := &d.Spec.Template.Spec
	if !slices.ContainsFunc(p.Containers, isRuntime) {
		p.Containers = append(p.Containers, corev1.Container{Name: "package-runtime"})
	}
	user := ptr.To[int64](2000)
	if p.SecurityContext == nil {
		p.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true), RunAsUser: user, RunAsGroup: user}
	}
	for _, secret := range []string{"client", "server"} {
		p.Volumes = append(p.Volumes, corev1.Volume{
			Name:         "tls-" + secret + "-certs",
			VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}},
		})
	}
	r := &p.Containers[slices.IndexFunc(p.Containers, isRuntime)]
	r.Image = "registry.example.org/provider-lambda:v0.1.0"
	if r.SecurityContext == nil {
		r.SecurityContext = &corev1.SecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: user, RunAsGroup: user, AllowPrivilegeEscalation: ptr.To(false),
			Privileged: ptr.To(false),
		}
	}
	r.Ports = append(r.Ports, corev1.ContainerPort{Name: "metrics", ContainerPort: 8080},
		corev1.ContainerPort{Name: "webhook", ContainerPort: 9443})
	r.VolumeMounts = append(r.VolumeMounts,
		corev1.VolumeMount{Name: "tls-client-certs", MountPath: "/tls/client"},
		corev1.VolumeMount{Name: "tls-server-certs", MountPath: "/tls/server"})
	r.Env = append(r.Env, corev1.EnvVar{Name: "TLS_SERVER_CERTS_DIR", Value: "/tls/server"},
		corev1.EnvVar{Name: "REVISION_UID", Value: "uid"})
	return d
}

func isRuntime(c corev1.Container) bool { return c.Name == "package-runtime" }

// acceptRuntime tells why the API server would refuse what Crossplane makes of a
// DeploymentRuntimeConfig, or the provider its flags.
func acceptRuntime(t *testing.T, c client.Client, config *pkgv1beta1.DeploymentRuntimeConfig) error {
	t.Helper()
	d := deployment(config)
	known := flags(t, "../cmd/provider/flags.go")
	for _, arg := range d.Spec.Template.Spec.Containers[slices.IndexFunc(d.Spec.Template.Spec.Containers,
		isRuntime)].Args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !slices.Contains(known, name) {
			return fmt.Errorf("the provider has no flag %s", arg)
		}
	}
	if err := ensureNamespace(t, c, d.GetNamespace(), ""); err != nil {
		return err
	}
	return c.Create(t.Context(), d, client.DryRunAll)
}

// runtimeExample is a file of examples/runtimeconfig.
type runtimeExample struct {
	config     *pkgv1beta1.DeploymentRuntimeConfig
	budgets    []*policyv1.PodDisruptionBudget
	priorities map[string]int32
}

func runtimeExamples(t *testing.T, c client.Client) map[string]runtimeExample {
	t.Helper()
	files, err := filepath.Glob("../examples/runtimeconfig/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no examples of DeploymentRuntimeConfigs: %v", err)
	}
	found := map[string]runtimeExample{}
	for _, file := range files {
		e := runtimeExample{priorities: map[string]int32{}}
		for _, u := range objects(t, file) {
			if err := accept(t, c, u); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			switch u.GetKind() {
			case "DeploymentRuntimeConfig":
				e.config = into(t, u, &pkgv1beta1.DeploymentRuntimeConfig{})
			case "PodDisruptionBudget":
				e.budgets = append(e.budgets, into(t, u, &policyv1.PodDisruptionBudget{}))
			case "PriorityClass":
				e.priorities[u.GetName()] = into(t, u, &schedulingv1.PriorityClass{}).Value
			}
		}
		if e.config == nil {
			t.Fatalf("%s has no DeploymentRuntimeConfig", file)
		}
		found[strings.TrimSuffix(filepath.Base(file), ".yaml")] = e
	}
	return found
}

func objects(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := manifests.Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

func into[T any](t *testing.T, u *unstructured.Unstructured, o *T) *T {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
		t.Fatal(err)
	}
	return o
}

// Each example is accepted, names what there is, and selects the provider's pods.
func TestRuntimeExamples(t *testing.T) {
	c := strict(t)
	for name, e := range runtimeExamples(t, c) {
		t.Run(name, func(t *testing.T) {
			d := deployment(e.config)
			pod := d.Spec.Template
			if class := pod.Spec.PriorityClassName; class != "" && e.priorities[class] == 0 {
				t.Errorf("there is no PriorityClass %s", class)
			}
			for _, s := range pod.Spec.TopologySpreadConstraints {
				selects(t, "the topology spread", s.LabelSelector, pod.Labels)
			}
			for _, b := range e.budgets {
				selects(t, "the disruption budget", b.Spec.Selector, pod.Labels)
				if b.GetNamespace() != d.GetNamespace() {
					t.Errorf("the disruption budget is in %s, the pods are in %s", b.GetNamespace(), d.GetNamespace())
				}
			}
			probesListen(t, pod.Spec.Containers)
			collectsInTime(t, pod.Spec.Containers)
		})
	}
}

// TestCopiesAreSelected checks that the Deployments which share the work with the one of Crossplane are accepted, and
// that what selects the provider's pods selects theirs.
func TestCopiesAreSelected(t *testing.T) {
	c := strict(t)
	selectors := map[string]*metav1.LabelSelector{}
	for field, file := range map[string]string{
		"podSelector": "../examples/networkpolicy/provider.yaml", "selector": "../observability/podmonitor.yaml",
	} {
		u := objects(t, file)[0]
		matched, _, err := unstructured.NestedStringMap(u.Object, "spec", field, "matchLabels")
		if err != nil {
			t.Fatal(err)
		}
		selectors[u.GetKind()] = &metav1.LabelSelector{MatchLabels: matched}
	}
	for _, name := range []string{"selectors", "ring"} {
		for _, u := range objects(t, "../examples/sharding/"+name+".yaml") {
			if u.GetKind() != "Deployment" {
				continue
			}
			if err := accept(t, c, u); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			pod := into(t, u, &appsv1.Deployment{}).Spec.Template
			for kind, selector := range selectors {
				selects(t, "the "+kind, selector, pod.Labels)
			}
			if !slices.ContainsFunc(pod.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool {
				return p.Name == "metrics" && p.ContainerPort == 8080
			}) {
				t.Errorf("%s has no port of metrics", u.GetName())
			}
		}
	}
}

func selects(t *testing.T, what string, s *metav1.LabelSelector, of map[string]string) {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(of)) {
		t.Errorf("%s selects %v, and not the pods, which have %v: %v", what, selector, of, err)
	}
}

// probesListen checks that probes ask where the provider listens by default.
func probesListen(t *testing.T, containers []corev1.Container) {
	t.Helper()
	ports := map[string]int32{}
	for _, p := range containers[slices.IndexFunc(containers, isRuntime)].Ports {
		ports[p.Name] = p.ContainerPort
	}
	documented := strings.Contains(read(t, "install.md"), "| `--health-probe-bind-address` | `:8081` |")
	for _, c := range containers {
		for _, p := range []*corev1.Probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
			if p != nil && (ports[p.HTTPGet.Port.StrVal] != 8081 || !documented) {
				t.Errorf("a probe asks port %s, which is %d", p.HTTPGet.Port.String(), ports[p.HTTPGet.Port.StrVal])
			}
		}
	}
}

// collectsInTime checks that Go's limit leaves a tenth of the pod's for what Go does not
// count.
func collectsInTime(t *testing.T, containers []corev1.Container) {
	t.Helper()
	r := containers[slices.IndexFunc(containers, isRuntime)]
	i := slices.IndexFunc(r.Env, func(e corev1.EnvVar) bool { return e.Name == "GOMEMLIMIT" })
	if limited := !r.Resources.Limits.Memory().IsZero(); limited != (i >= 0) {
		t.Fatalf("memory is limited: %t, and GOMEMLIMIT is set: %t", limited, i >= 0)
	}
	if i < 0 {
		return
	}
	soft, err := resource.ParseQuantity(strings.TrimSuffix(r.Env[i].Value, "B"))
	if err != nil {
		t.Fatal(err)
	}
	if percent := 100 * soft.Value() / r.Resources.Limits.Memory().Value(); percent < 88 || percent > 90 {
		t.Errorf("GOMEMLIMIT is %d %% of the limit, want 90", percent)
	}
}

// What says that it is hardened runs where only that may.
func TestHardenedExamplesAreRestricted(t *testing.T) {
	c := strict(t)
	if err := ensureNamespace(t, c, "restricted", "restricted"); err != nil {
		t.Fatal(err)
	}
	hardened := map[string]bool{"hardened": true, "production": true}
	for name, e := range runtimeExamples(t, c) {
		t.Run(name, func(t *testing.T) {
			d := deployment(e.config)
			pod := &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
			pod.Namespace, pod.Name, pod.Spec.PriorityClassName = "restricted", name, ""
			err := c.Create(t.Context(), pod, client.DryRunAll)
			if (err == nil) != hardened[name] {
				t.Errorf("in a namespace that enforces the Pod Security Standard restricted: %v", err)
			}
		})
	}
}
