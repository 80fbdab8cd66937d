package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/identity"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/packages"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	// Provider is the name of the provider's package.
	Provider = "provider-lambda"

	// Function is the name of the composition function's package.
	Function = "function-patch-and-transform"

	// functionVersion is the tag of the function's package, and functionExample its manifest.
	functionVersion = "v0.10.7"
	functionExample = "examples/composition/functions/patch-and-transform.yaml"

	// upstream is the prefix of the images of functions in the manifest.
	upstream = "xpkg.crossplane.io/crossplane-contrib/"

	// probesPort is the port of the provider's probes in its pod.
	probesPort = 8081

	// timeout is the longest time until a package is healthy. A machine that also compiles is slow.
	timeout = 3 * time.Minute
)

// configs are the packages' runtime configurations, and what Crossplane is told of their images. The function has the
// name that it has upstream, and comes from the platform's registry. It listens at an address of its own, whatever its
// manifest says.
const configs = `
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: provider-lambda
spec:
  serviceAccountTemplate:
    metadata:
      name: provider-lambda
      annotations:
        eks.amazonaws.com/role-arn: %[1]s
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            ports:
            - name: probes
              containerPort: %[2]d
            readinessProbe:
              httpGet:
                path: /readyz
                port: probes
---
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: function-patch-and-transform
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            args:
            - --address=%[3]s
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata:
  name: upstream
spec:
  matchImages:
  - prefix: %[4]s
  rewriteImage:
    prefix: %[5]s/
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata:
  name: function-patch-and-transform
spec:
  matchImages:
  - prefix: %[5]s/function-patch-and-transform
  runtime:
    configRef:
      name: function-patch-and-transform
`

// InstallFunction installs the composition function as the examples do, and returns when it is healthy.
func (p *Platform) InstallFunction(ctx context.Context) error {
	image, err := packages.PushFunction(ctx, p.Registry.Host, p.Programs, Function, functionVersion)
	if err != nil {
		return fmt.Errorf("cannot push the function's package: %w", err)
	}
	manifest, err := os.ReadFile(filepath.Join(p.Root, functionExample))
	if err != nil {
		return err
	}
	if err := Apply(ctx, p.Kube, "", manifest); err != nil {
		return err
	}
	return p.Healthy(ctx, "Function", Function, upstream+strings.TrimPrefix(image, p.Registry.Host+"/"))
}

// InstallProvider installs the provider from a pushed package, and returns when it is healthy.
func (p *Platform) InstallProvider(ctx context.Context, image string) error {
	if err := p.CLI(ctx, "xpkg", "install", "provider", image, Provider, "--runtime-config="+Provider); err != nil {
		return err
	}
	return p.Healthy(ctx, "Provider", Provider, image)
}

// UpdateProvider updates the provider to another package, and returns when that is healthy.
func (p *Platform) UpdateProvider(ctx context.Context, image string) error {
	if err := p.CLI(ctx, "xpkg", "update", "provider", image, Provider); err != nil {
		return err
	}
	return p.Healthy(ctx, "Provider", Provider, image)
}

// Configure applies the default ClusterProviderConfig, with the double's endpoint and the role of the provider's
// ServiceAccount.
func (p *Platform) Configure(ctx context.Context) error {
	pc := &v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		Spec: v1beta1.ClusterProviderConfigSpec{
			Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceIRSA},
			ConnectionSpec: v1beta1.ConnectionSpec{Endpoint: &v1beta1.EndpointConfig{
				URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(p.Double.URL())},
			}},
		},
	}
	return create(ctx, p.Kube, pc)
}

// CLI runs Crossplane's CLI, as an administrator.
func (p *Platform) CLI(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, p.program("crossplane"), args...) //nolint:gosec // It was built for this.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+p.folder.File(adminKubeconfig))
	if out, err := process.Output(cmd); err != nil {
		return fmt.Errorf("cannot run crossplane %v: %w\n%s", args, err, out)
	}
	return nil
}

// crashes is the number of times that a package's process may crash before waiting for it fails.
const crashes = 3

// Healthy waits until a package, Provider or Function, is installed from an image, and healthy. It fails at once if
// the package's process ends by itself repeatedly. The image has the name that the package's manifest has.
func (p *Platform) Healthy(ctx context.Context, kind, name, image string) error {
	pkg := &unstructured.Unstructured{}
	pkg.SetGroupVersionKind(schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: kind})
	var crashed error
	err := p.Until(ctx, kind+" "+name+" is healthy", timeout, func(ctx context.Context) error {
		resolved := strings.Replace(image, upstream, p.Registry.Host+"/", 1)
		if crashed = p.Node.Crashed(resolved, crashes); crashed != nil {
			return nil //nolint:nilerr // That ends the waiting, and is returned below.
		}
		if err := p.Kube.Get(ctx, client.ObjectKey{Name: name}, pkg); err != nil {
			return err
		}
		if got, _, _ := unstructured.NestedString(pkg.Object, "status", "currentIdentifier"); got != image {
			return fmt.Errorf("it is at %q", got)
		}
		return errors.Join(ConditionTrue(pkg, "Installed"), ConditionTrue(pkg, "Healthy"))
	})
	return errors.Join(err, crashed)
}

// ConditionTrue returns an error with a condition's message unless the condition is true.
func ConditionTrue(u *unstructured.Unstructured, condition string) error {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		m, ok := c.(map[string]any)
		if !ok || m["type"] != condition {
			continue
		}
		if m["status"] == "True" {
			return nil
		}
		return fmt.Errorf("%s is %v: %v: %v", condition, m["status"], m["reason"], m["message"])
	}
	return fmt.Errorf("there is no condition %s", condition)
}

// ProviderClient returns a client with the rights that Crossplane granted the provider.
func (p *Platform) ProviderClient(ctx context.Context) (client.Client, error) {
	c, err := identity.Config(ctx, p.Cluster.Config, Namespace, Provider)
	if err != nil {
		return nil, err
	}
	return client.New(c, client.Options{Scheme: p.Kube.Scheme()})
}

// configurePackages applies the packages' runtime configurations, and what Crossplane is told of their images.
func (p *Platform) configurePackages(ctx context.Context) error {
	text := fmt.Sprintf(configs, Role, probesPort, p.function, upstream, p.Registry.Host)
	return Apply(ctx, p.Kube, "", []byte(text))
}

// environment returns environment variables that set a pod apart from one on a cluster: all processes listen on
// loopback and need ports of their own. They are no arguments in a runtime configuration, so that a user's runtime
// configurations work as they do on a cluster. The lease is short, since the RBAC manager revokes an old revision's
// rights before that can release its lease.
func (p *Platform) environment(ctx context.Context, account *corev1.ServiceAccount, folder string) ([]string, error) {
	env, err := p.injectRole(ctx, account, folder)
	if err != nil || !strings.HasPrefix(account.GetName(), Provider) {
		return env, err
	}
	env = append(env, "METRICS_BIND_ADDRESS="+p.Metrics, "PROVIDER_LAMBDA_HEALTH_PROBE_BIND_ADDRESS="+p.probes,
		"PROVIDER_LAMBDA_LEADER_ELECTION_LEASE_DURATION=5s", "PROVIDER_LAMBDA_LEADER_ELECTION_RENEW_DEADLINE=4s")
	return append(env, p.options.ProviderEnv...), nil
}
