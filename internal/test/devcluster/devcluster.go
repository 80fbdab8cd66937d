// Package devcluster runs a real Kubernetes control plane on this machine, for tests and for the demo: etcd,
// kube-apiserver and, if requested, kube-controller-manager with the controllers that delete namespaces, collect
// garbage and create service accounts. No pod ever runs.
//
// A test package that needs one declares a [Suite]:
//
//	var suite = devcluster.Suite{Options: devcluster.Options{CRDs: []string{"../../package/crds"}}}
//
//	func TestMain(m *testing.M) { suite.Main(m) }
//
//	func TestX(t *testing.T) {
//		c := suite.Cluster(t)
//		ns := c.Namespace(t)
//		...
//	}
//
// Other programs call [Start] and [Cluster.Stop].
//
// The programs come from the folder that KUBEBUILDER_ASSETS names, or else from cluster/dev/ensure.sh, which builds
// them once. Any number of control planes may run at the same time: only the API server listens on a port, a free one
// on loopback. When the process that started a control plane dies, for whatever reason, the programs end with it (on
// Linux) or when the next control plane starts (elsewhere); its files are removed at the next start.
package devcluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// Issuer is the issuer of the tokens of a control plane's ServiceAccounts, their iss.
const Issuer = "https://kubernetes.default.svc"

// Options configure a control plane. The zero value is an API server with only Kubernetes's own kinds and no
// controller.
type Options struct {
	// CRDs are files, and folders of files, of CustomResourceDefinitions that are installed and served once Start
	// returns. Each must contain at least one.
	CRDs []string

	// Crossplane also installs the kinds of Crossplane itself, such as Provider and Composition. Crossplane does not
	// run.
	Crossplane bool

	// Controllers runs kube-controller-manager with DefaultControllers. Without it, a deleted namespace stays
	// Terminating, dependents outlive their owners, and a namespace has no default service account.
	Controllers bool

	// ExtraControllers are further controllers to run, by their names in kube-controller-manager's --controllers.
	// They require Controllers.
	ExtraControllers []string

	// Progress receives messages while the programs are built, which takes minutes. Default: os.Stderr.
	Progress io.Writer
}

// A Cluster is a running control plane.
type Cluster struct {
	// Config is an administrator's client configuration. It has no rate limit.
	Config *rest.Config

	// Kubeconfig is the kubeconfig of that administrator.
	Kubeconfig []byte

	dir       *process.Folder
	processes []*process.Process
	stop      sync.Once
	stopErr   error
}

// Start starts a control plane and returns when it is ready: every health check passes, the CRDs are served and, if
// requested, the controllers run. That takes 3 to 6 seconds on 2 cores once the programs are built. Cancelling ctx
// during the start stops it; afterwards ctx has no effect.
//
// It fails if the programs can be neither found nor built, if there are no CRDs at a path of Options, or if a program
// ends or is not ready within two minutes; the error then shows the end of that program's log.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if len(o.ExtraControllers) > 0 && !o.Controllers {
		return nil, fmt.Errorf("cannot run controllers %v: Options.Controllers is not set", o.ExtraControllers)
	}
	if o.Progress == nil {
		o.Progress = os.Stderr
	}

	if o.Crossplane {
		folder, err := crossplaneCRDs(ctx)
		if err != nil {
			return nil, err
		}
		o.CRDs = append(slices.Clone(o.CRDs), folder)
	}
	crds, err := readCRDs(o.CRDs)
	if err != nil {
		return nil, err
	}

	bin, err := binaries(ctx, o)
	if err != nil {
		return nil, err
	}

	dir, err := process.NewFolder()
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for the control plane: %w", err)
	}

	c := &Cluster{dir: dir}
	if err := c.start(ctx, bin, crds, o); err != nil {
		_ = c.Stop() // Return the first error.
		return nil, err
	}
	return c, nil
}

// Stop ends every program of the control plane, without a grace period since no data is kept, and removes its files.
// It may be called more than once.
func (c *Cluster) Stop() error {
	c.stop.Do(func() {
		for _, p := range slices.Backward(c.processes) {
			p.Kill()
		}
		c.stopErr = c.dir.Remove()
	})
	return c.stopErr
}
