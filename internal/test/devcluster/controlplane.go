package devcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// etcd listens on Unix sockets in the folder in which all programs run, so that it needs no port and nobody else can
// reach it. etcd requires a port in the name.
const (
	clientSocket = "etcd.sock:0"
	peerSocket   = "peer.sock:0"
)

// DefaultControllers returns the controllers that Options.Controllers runs. kube-controller-manager discovers a new
// kind within 30 seconds of its CRD; it knows those in Options.CRDs from the start.
func DefaultControllers() []string {
	return []string{"namespace-controller", "garbage-collector-controller", "serviceaccount-controller"}
}

// start starts the programs in bin, each when the previous one is ready.
func (c *Cluster) start(
	ctx context.Context, bin string, crds []*apiextensionsv1.CustomResourceDefinition, o Options,
) error {
	if err := c.configure(); err != nil {
		return err
	}
	if err := c.startEtcd(ctx, bin); err != nil {
		return err
	}
	if err := c.startAPIServer(ctx, bin, o); err != nil {
		return err
	}
	if err := installCRDs(c.Config, crds); err != nil {
		return err
	}
	if !o.Controllers {
		return nil
	}
	return c.startControllerManager(ctx, bin, o)
}

// configure writes the files that the programs read, and sets what clients need.
func (c *Cluster) configure() error {
	creds, err := newCredentials(time.Now())
	if err != nil {
		return err
	}
	address, err := process.FreeAddress()
	if err != nil {
		return err
	}
	c.Config = restConfig(address, creds)
	if c.Kubeconfig, err = Kubeconfig(c.Config, ""); err != nil {
		return err
	}

	for name, content := range map[string][]byte{
		"ca.crt":              creds.ca,
		"apiserver.crt":       creds.serverCert,
		"apiserver.key":       creds.serverKey,
		"service-account.key": creds.serviceAccountKey,
		"kubeconfig":          c.Kubeconfig,
	} {
		if err := os.WriteFile(c.dir.File(name), content, 0o600); err != nil {
			return fmt.Errorf("cannot write the control plane's configuration: %w", err)
		}
	}
	return nil
}

// run starts a program and waits until it is ready.
func (c *Cluster) run(ctx context.Context, path string, ready func(context.Context) error, args ...string) error {
	p, err := process.Start(c.dir, process.Command{Path: path, Args: args})
	if err != nil {
		return err
	}
	c.processes = append(c.processes, p)
	return p.WaitReady(ctx, ready)
}

// startEtcd returns as soon as etcd accepts connections. It may not serve yet, but the API server waits for that
// while it starts itself.
func (c *Cluster) startEtcd(ctx context.Context, bin string) error {
	ready := func(context.Context) error {
		_, err := os.Stat(c.dir.File(clientSocket))
		return err
	}
	return c.run(ctx, filepath.Join(bin, etcd), ready,
		"--data-dir="+c.dir.File("data"),
		"--listen-client-urls=unix://"+clientSocket,
		"--advertise-client-urls=unix://"+clientSocket,
		"--listen-peer-urls=unix://"+peerSocket,
		"--initial-advertise-peer-urls=unix://"+peerSocket,
		"--initial-cluster=default=unix://"+peerSocket,
		"--unsafe-no-fsync", // No data has to survive the process.
	)
}

func (c *Cluster) startAPIServer(ctx context.Context, bin string, o Options) error {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return fmt.Errorf("cannot make a client for the API server: %w", err)
	}
	ready := func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}

	args := []string{
		"--etcd-servers=unix://" + clientSocket,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + c.Config.Host[strings.LastIndexByte(c.Config.Host, ':')+1:],
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--cert-dir=" + c.dir.Path,
		"--tls-cert-file=" + c.dir.File("apiserver.crt"),
		"--tls-private-key-file=" + c.dir.File("apiserver.key"),
		"--client-ca-file=" + c.dir.File("ca.crt"),
		"--service-account-issuer=" + Issuer,
		"--service-account-key-file=" + c.dir.File("service-account.key"),
		"--service-account-signing-key-file=" + c.dir.File("service-account.key"),
		"--authorization-mode=RBAC",
		"--allow-privileged",
		// Load tests measure the provider, not the API server's fairness, and all clients are trusted.
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=0",
		"--max-mutating-requests-inflight=0",
		"--profiling=false",
	}
	if !o.Controllers {
		// It rejects pods in namespaces without a default service account.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	return c.run(ctx, filepath.Join(bin, apiServer), ready, args...)
}

func (c *Cluster) startControllerManager(ctx context.Context, bin string, o Options) error {
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return fmt.Errorf("cannot make a client for the API server: %w", err)
	}
	// It serves no endpoint, so check whether it has done its work.
	ready := func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		if err != nil {
			return errors.New("it has not made the default service account yet")
		}
		return nil
	}
	return c.run(ctx, filepath.Join(bin, controllerManager), ready,
		"--controllers="+strings.Join(append(DefaultControllers(), o.ExtraControllers...), ","),
		"--kubeconfig="+c.dir.File("kubeconfig"),
		"--secure-port=0", // It serves nothing, so it needs no port.
		"--leader-elect=false",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--profiling=false",
	)
}

const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
)

// assetsEnv names the folder in which envtest, too, looks for a control plane.
const assetsEnv = "KUBEBUILDER_ASSETS"

// ensureScript finds or builds the programs. Its path starts at the repository's root.
var ensureScript = filepath.Join("cluster", "dev", "ensure.sh")

// binaries returns the folder with the programs that the options need: KUBEBUILDER_ASSETS if it contains them all,
// otherwise the folder that the script in cluster/dev provides.
func binaries(ctx context.Context, o Options) (string, error) {
	programs := []string{etcd, apiServer}
	if o.Controllers {
		programs = append(programs, controllerManager)
	}

	if dir := os.Getenv(assetsEnv); dir != "" {
		lacking := slices.DeleteFunc(programs, func(p string) bool { return isExecutable(filepath.Join(dir, p)) })
		if len(lacking) == 0 {
			return dir, nil
		}
		_, _ = fmt.Fprintf(o.Progress, "%s is %s, which lacks %s: using the control plane of cluster/dev instead\n",
			assetsEnv, dir, strings.Join(lacking, ", "))
	}

	dir, err := process.Programs(ctx, ensureScript, o.Progress)
	if err != nil {
		return "", fmt.Errorf("cannot provide the dev control plane: %w; or set %s to a folder with %s", err, assetsEnv,
			strings.Join(programs, ", "))
	}
	return dir, nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
