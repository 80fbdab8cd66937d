// Package node replaces the nodes of a cluster without nodes: it runs the pods of the Deployments in a namespace as
// processes of this machine, and updates the Deployments' status accordingly. It supports what Crossplane's packages
// use of pods: the first container's program, arguments, environment and mounted Secrets, and the ServiceAccount,
// with whose rights the process runs.
package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// pollInterval is the time between two checks of the Deployments.
const pollInterval = 200 * time.Millisecond

// Options configure a node.
type Options struct {
	// Config is an administrator's client configuration.
	Config *rest.Config

	// Namespace of the Deployments.
	Namespace string

	// Program returns the path of the program that an image runs.
	Program func(ctx context.Context, image string) (string, error)

	// Environment returns additional environment variables of a container, as a cluster's admission webhooks add
	// them. The folder is the process's own. Nil adds none.
	Environment func(ctx context.Context, account *corev1.ServiceAccount, folder string) ([]string, error)

	// Ports are the ports on this machine of the containers' ports that differ, for probes.
	Ports map[int32]int

	// Log receives messages about what is started and stopped, Trouble about what ends by itself and about errors.
	// Default: messages are discarded.
	Log, Trouble io.Writer
}

// A Node runs processes until it is stopped.
type Node struct {
	options Options
	kube    client.Client
	folder  *process.Folder

	mu       sync.Mutex
	pods     map[string]*pod   // by Deployment and number
	crashes  map[string]*crash // by Deployment and number
	programs map[string]string // by the images that run them instead of their own

	cancel context.CancelFunc
	done   chan struct{}
}

// Start starts to watch the Deployments.
func Start(o Options) (*Node, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Trouble == nil {
		o.Trouble = io.Discard
	}
	kube, err := client.New(o.Config, client.Options{})
	if err != nil {
		return nil, fmt.Errorf("cannot make the node's client: %w", err)
	}
	folder, err := process.NewFolder()
	if err != nil {
		return nil, fmt.Errorf("cannot make the node's folder: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := &Node{
		options: o, kube: kube, folder: folder, cancel: cancel, done: make(chan struct{}),
		pods: map[string]*pod{}, crashes: map[string]*crash{}, programs: map[string]string{},
	}
	go n.run(ctx)
	return n, nil
}

// Stop ends all processes and removes their files.
func (n *Node) Stop() error {
	n.cancel()
	<-n.done
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		p.process.Kill()
	}
	return n.folder.Remove()
}

// Running returns the processes that run the images of a repository, such as 127.0.0.1:5000/provider-lambda.
func (n *Node) Running(repository string) []*process.Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []*process.Process
	for _, name := range slices.Sorted(maps.Keys(n.pods)) {
		if p := n.pods[name]; strings.HasPrefix(p.image, repository+":") {
			all = append(all, p.process)
		}
	}
	return all
}

// Logs returns the logs of all processes, by their names.
func (n *Node) Logs() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	logs := map[string]string{}
	for name, p := range n.pods {
		text, err := os.ReadFile(p.process.Log())
		if err != nil {
			text = []byte(err.Error())
		}
		logs[name] = string(text)
	}
	return logs
}

func (n *Node) run(ctx context.Context) {
	defer close(n.done)
	logged := ""
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		err := n.sync(ctx)
		if err != nil && err.Error() != logged && ctx.Err() == nil {
			logged = err.Error()
			logf(n.options.Trouble, "%s", logged)
		}
	}, pollInterval)
}

// sync checks all Deployments: it ends what they no longer specify, then starts what they do.
func (n *Node) sync(ctx context.Context) error {
	l := &appsv1.DeploymentList{}
	if err := n.kube.List(ctx, l, client.InNamespace(n.options.Namespace)); err != nil {
		return fmt.Errorf("cannot list Deployments: %w", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.end(l.Items)
	var errs []error
	for i := range l.Items {
		d := &l.Items[i]
		if err := n.start(ctx, d); err != nil {
			errs = append(errs, fmt.Errorf("cannot run Deployment %s: %w", d.GetName(), err))
		}
		if err := n.writeStatus(ctx, d); err != nil {
			errs = append(errs, fmt.Errorf("cannot update the status of Deployment %s: %w", d.GetName(), err))
		}
	}
	return errors.Join(errs...)
}

// end ends the pods that no Deployment specifies, and records those that have ended by themselves.
func (n *Node) end(deployments []appsv1.Deployment) {
	wanted := map[string]string{}
	for i := range deployments {
		d := &deployments[i]
		for number := range replicas(d) {
			wanted[podName(d, number)] = n.fingerprint(d)
		}
	}
	for name, p := range n.pods {
		switch {
		case p.hasEnded():
			n.crashes[name] = n.crashes[name].again(p)
			n.logCrash(name)
		case wanted[name] != p.fingerprint:
			p.stop()
			logf(n.options.Log, "%s was stopped", name)
		default:
			continue
		}
		delete(n.pods, name)
	}
	maps.DeleteFunc(n.crashes, func(name string, c *crash) bool { return wanted[name] != c.pod.fingerprint })
}

func (n *Node) start(ctx context.Context, d *appsv1.Deployment) error {
	for number := range replicas(d) {
		name := podName(d, number)
		if n.pods[name] != nil || n.crashes[name].rests() {
			continue
		}
		p, err := n.startPod(ctx, d, name)
		if err != nil {
			return err
		}
		n.pods[name] = p
		logf(n.options.Log, "%s runs %s", name, p.image)
	}
	return nil
}

func logf(to io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(to, format+"\n", args...)
}
