package platform

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/identity"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/node"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

const (
	// Namespace of Crossplane and its packages.
	Namespace = "crossplane-system"

	// initTimeout is the longest time that Crossplane's initialization may take. It is repeated until the API server
	// serves what it has just installed.
	initTimeout = 2 * time.Minute
)

// startCrossplane installs Crossplane as its Helm chart does, and starts its two programs with the same
// ServiceAccounts and rights. The API server calls its webhooks at their own address instead of that of a Service.
func (p *Platform) startCrossplane(ctx context.Context) error {
	if err := create(ctx, p.Kube, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
		return err
	}
	chart, err := os.ReadFile(filepath.Join(p.Programs, "chart.yaml"))
	if err != nil {
		return err
	}
	if err := Apply(ctx, p.Kube, Namespace, chart, "Deployment", "Service"); err != nil {
		return fmt.Errorf("cannot install Crossplane's chart: %w", err)
	}
	core, err := p.as(ctx, "crossplane")
	if err != nil {
		return err
	}
	if err := p.initialise(ctx, core); err != nil {
		return fmt.Errorf("cannot initialise Crossplane: %w", err)
	}
	if err := p.writeCertificates(ctx); err != nil {
		return fmt.Errorf("cannot write Crossplane's certificates: %w", err)
	}
	hooks, err := p.prepareWebhooks()
	if err != nil {
		return err
	}
	args := []string{
		"core", "start", "--webhook-port=" + hooks.port, "--metrics-port=0", "--health-probe-port=0",
		"--cache-dir=" + p.folder.File("xpkg"), "--tls-client-certs-dir=" + p.folder.File("certs"),
		"--tls-server-certs-dir=" + hooks.folder,
	}
	if p.options.WatchRefill > 0 {
		args = append(args, fmt.Sprintf("--circuit-breaker-refill-rate=%d", p.options.WatchRefill))
	}
	if err := p.startProgram("crossplane", core, args...); err != nil {
		return err
	}
	if err := p.registerWebhooks(ctx, hooks); err != nil {
		return err
	}
	manager, err := p.as(ctx, "rbac-manager")
	if err != nil {
		return err
	}
	return p.startProgram("rbac-manager", manager, "rbac", "start",
		"--provider-clusterrole=crossplane:allowed-provider-permissions")
}

// initialise runs what the init container of Crossplane's Deployment does. It is repeated while the API server does
// not yet serve what the previous run installed.
func (p *Platform) initialise(ctx context.Context, env []string) error {
	args := []string{
		"core", "init", "--enable-webhooks=false", "--service-account=crossplane",
		"--tlsca-secret-name=crossplane-root-ca", "--tls-server-secret-name=crossplane-tls-server",
		"--tls-client-secret-name=crossplane-tls-client",
	}
	for _, a := range p.options.Activations {
		args = append(args, "--activation="+a)
	}
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	for {
		init, err := process.Start(p.folder, process.Command{
			Name: "init", Path: p.program("crossplane-core"),
			Args: args, Env: append(env, "CRDS_PATH="+filepath.Join(p.Programs, "crds")),
		})
		if err != nil {
			return err
		}
		select {
		case <-init.Done():
		case <-ctx.Done():
			init.Kill()
			return fmt.Errorf("%w:\n%s", ctx.Err(), init.Tail())
		}
		if init.Succeeded() {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w:\n%s", ctx.Err(), init.Tail())
		}
	}
}

// writeCertificates writes the certificate with which Crossplane calls functions.
func (p *Platform) writeCertificates(ctx context.Context) error {
	s := &corev1.Secret{}
	if err := p.Kube.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: "crossplane-tls-client"}, s); err != nil {
		return err
	}
	if err := os.MkdirAll(p.folder.File("xpkg"), 0o700); err != nil {
		return err
	}
	return node.WriteFiles(p.folder.File("certs"), s.Data)
}

// startProgram starts one of Crossplane's programs.
func (p *Platform) startProgram(name string, env []string, args ...string) error {
	started, err := process.Start(p.folder,
		process.Command{Name: name, Path: p.program("crossplane-core"), Args: args, Env: env})
	if err != nil {
		return err
	}
	p.processes = append(p.processes, started)
	return nil
}

// as returns the environment of a program that acts as a ServiceAccount.
func (p *Platform) as(ctx context.Context, account string) ([]string, error) {
	k, err := identity.Kubeconfig(ctx, p.Cluster.Config, Namespace, account)
	if err != nil {
		return nil, err
	}
	file := p.folder.File(account + ".kubeconfig")
	if err := os.WriteFile(file, k, 0o600); err != nil {
		return nil, err
	}
	return append(os.Environ(), "KUBECONFIG="+file, "POD_NAMESPACE="+Namespace,
		"FUNCTION_ADDRESSES="+Function+"."+Namespace+"="+p.function), nil
}

// program returns the path of a program that cluster/crossplane builds.
func (p *Platform) program(name string) string { return filepath.Join(p.Programs, name) }

// webhooks are Crossplane's webhooks: the address that serves them, and the folder with the certificate for it.
type webhooks struct {
	address, port, folder string
	certificate           []byte
}

// prepareWebhooks chooses an address for Crossplane's webhooks, and writes a certificate for it. The certificate that
// Crossplane makes is for its Service, which nothing here serves.
func (p *Platform) prepareWebhooks() (w webhooks, err error) {
	if w.address, err = process.FreeAddress(); err != nil {
		return w, err
	}
	if _, w.port, err = net.SplitHostPort(w.address); err != nil {
		return w, err
	}
	s := httptest.NewTLSServer(http.NotFoundHandler()) // It has a certificate for loopback addresses.
	defer s.Close()
	pair := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return w, fmt.Errorf("cannot write the key of Crossplane's webhooks: %w", err)
	}
	w.folder = p.folder.File("webhooks")
	w.certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	return w, node.WriteFiles(w.folder, map[string][]byte{
		"tls.crt": w.certificate,
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	})
}

// registerWebhooks has the API server ask Crossplane before it deletes what a Usage protects, as the initialisation of
// Crossplane does with its Service.
func (p *Platform) registerWebhooks(ctx context.Context, w webhooks) error {
	return create(ctx, p.Kube, &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "crossplane-no-usages"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "nousages.protection.crossplane.io",
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionv1.Fail),
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
				"crossplane.io/in-use": "true",
			}},
			ClientConfig: admissionv1.WebhookClientConfig{
				URL:      ptr.To("https://" + w.address + "/validate-no-usages"),
				CABundle: w.certificate,
			},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Delete},
				Rule: admissionv1.Rule{
					APIGroups: []string{"*"}, APIVersions: []string{"*"},
					Resources: []string{"*"},
				},
			}},
		}},
	})
}
