package platform

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/identity"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	// Provider is the name of the provider's package.
	Provider = "provider-lambda"

	// Function is the name of the composition function's package.
	Function = "function-patch-and-transform"

	// functionVersion is the tag of the function's package.
	functionVersion = "v0.10.7"

	// timeout is the longest time until a package is healthy. A machine that also compiles is slow.
	timeout = 3 * time.Minute
)

// runtimeConfigs are the differences from a cluster: all processes listen on loopback and need ports of their own.
// The lease is short, since the RBAC manager revokes an old revision's rights before that can release its lease.
const runtimeConfigs = `
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: provider-lambda
spec:
  serviceAccountTemplate:
    metadata:
      name: provider-lambda
      annotations:
        eks.amazonaws.com/role-arn: %[4]s
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            args:
            - --leader-election-lease-duration=5s
            - --leader-election-renew-deadline=4s
            - --metrics-bind-address=%[6]s
            - --health-probe-bind-address=%[1]s%[5]s
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
`

// InstallFunction installs the composition function, and returns when it is healthy.
func (p *Platform) InstallFunction(ctx context.Context) error {
	image, err := p.Registry.PushFunction(ctx, p.Programs, Function, functionVersion)
	if err != nil {
		return fmt.Errorf("cannot push the function's package: %w", err)
	}
	if err := p.CLI(ctx, "xpkg", "install", "function", image, Function, "--runtime-config="+Function); err != nil {
		return err
	}
	return p.Healthy(ctx, "Function", Function, image)
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
// the package's process ends by itself repeatedly.
func (p *Platform) Healthy(ctx context.Context, kind, name, image string) error {
	pkg := &unstructured.Unstructured{}
	pkg.SetGroupVersionKind(schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: kind})
	var crashed error
	err := p.Until(ctx, kind+" "+name+" is healthy", timeout, func(ctx context.Context) error {
		if crashed = p.Node.Crashed(image, crashes); crashed != nil {
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

// configurePackages applies the DeploymentRuntimeConfigs.
func (p *Platform) configurePackages(ctx context.Context) error {
	probes, err := freeAddress()
	if err != nil {
		return err
	}
	if p.Metrics, err = freeAddress(); err != nil {
		return err
	}
	address, err := net.ResolveTCPAddr("tcp", probes)
	if err != nil {
		return err
	}
	var more strings.Builder
	for _, a := range p.options.ProviderArgs {
		_, _ = fmt.Fprintf(&more, "\n            - %q", a)
	}
	text := fmt.Sprintf(runtimeConfigs, probes, address.Port, p.options.functions[Function], Role, more.String(),
		p.Metrics)
	return Apply(ctx, p.Kube, "", []byte(text))
}

// freeAddress returns a free address on loopback.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It returns at once.
	if err != nil {
		return "", fmt.Errorf("cannot find a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}
