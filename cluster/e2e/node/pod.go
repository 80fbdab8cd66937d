package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/identity"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// A pod is a process that replaces a pod.
type pod struct {
	deployment  string
	image       string
	program     string
	fingerprint string
	probe       *corev1.Probe
	ready       bool // at the last check
	process     *process.Process
}

// grace is the longest time that a process may take to end, as in Kubernetes.
const grace = 30 * time.Second

// stop stops a process as a cluster does: it is terminated, and killed if it does not end in time.
func (p *pod) stop() {
	p.process.Terminate()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.process.Done():
	case <-timer.C:
		p.process.Kill()
	}
}

func (p *pod) hasEnded() bool {
	select {
	case <-p.process.Done():
		return true
	default:
		return false
	}
}

func replicas(d *appsv1.Deployment) int32 { return ptr.Deref(d.Spec.Replicas, 1) }

func podName(d *appsv1.Deployment, number int32) string {
	return fmt.Sprintf("%s-%d", d.GetName(), number)
}

// fingerprint returns a hash of a Deployment's specification and of the program that replaces its image's: if it
// changes, the pod is replaced.
func (n *Node) fingerprint(d *appsv1.Deployment) string {
	b, err := json.Marshal(d.Spec.Template)
	if err != nil {
		panic(err) // The API server sent it as JSON.
	}
	b = append(append(b, d.GetUID()...), n.programs[d.Spec.Template.Spec.Containers[0].Image]...)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// startPod starts the program of a Deployment's first container.
func (n *Node) startPod(ctx context.Context, d *appsv1.Deployment, name string) (*pod, error) {
	spec := d.Spec.Template.Spec
	c := spec.Containers[0]
	program, err := n.program(ctx, c.Image)
	if err != nil {
		return nil, err
	}
	// Each start has a folder of its own, so that no process sees the files of an earlier one.
	folder, err := os.MkdirTemp(n.folder.Path, name+"-")
	if err != nil {
		return nil, err
	}
	env, err := n.environment(ctx, d, folder)
	if err != nil {
		return nil, err
	}
	mounts, err := n.mount(ctx, spec, d.GetNamespace(), folder)
	if err != nil {
		return nil, err
	}
	for i := range env {
		env[i] = mounts.Replace(env[i])
	}
	p, err := process.Start(n.folder, process.Command{Name: name, Path: program, Args: c.Args, Env: env})
	if err != nil {
		return nil, err
	}
	return &pod{
		deployment: d.GetName(), image: c.Image, program: program, fingerprint: n.fingerprint(d),
		probe: c.ReadinessProbe, process: p,
	}, nil
}

// environment returns a pod's environment: its container's variables, and its access to the API server as its
// ServiceAccount.
func (n *Node) environment(ctx context.Context, d *appsv1.Deployment, folder string) ([]string, error) {
	spec, namespace := d.Spec.Template.Spec, d.GetNamespace()
	kubeconfig, err := identity.Kubeconfig(ctx, n.options.Config, namespace, spec.ServiceAccountName)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		return nil, err
	}
	env := []string{"KUBECONFIG=" + file, "HOME=" + folder, "TMPDIR=" + folder}
	for _, e := range spec.Containers[0].Env {
		v, err := value(e, d)
		if err != nil {
			return nil, err
		}
		env = append(env, e.Name+"="+v)
	}
	if n.options.Environment == nil {
		return env, nil
	}
	account := &corev1.ServiceAccount{}
	if err := n.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: spec.ServiceAccountName},
		account); err != nil {
		return nil, fmt.Errorf("cannot read the ServiceAccount: %w", err)
	}
	more, err := n.options.Environment(ctx, account, folder)
	return append(env, more...), err
}

// labelPath matches a label in a fieldRef.
var labelPath = regexp.MustCompile(`^metadata\.labels\['(.+)'\]$`)

// value returns the value of an environment variable.
func value(e corev1.EnvVar, d *appsv1.Deployment) (string, error) {
	if e.ValueFrom == nil {
		return e.Value, nil
	}
	if f := e.ValueFrom.FieldRef; f != nil {
		if f.FieldPath == "metadata.namespace" {
			return d.GetNamespace(), nil
		}
		if m := labelPath.FindStringSubmatch(f.FieldPath); m != nil {
			return d.Spec.Template.GetLabels()[m[1]], nil
		}
	}
	return "", fmt.Errorf("this node cannot set environment variable %s: it knows values, metadata.namespace and "+
		"labels", e.Name)
}

// mount writes the Secrets that a container mounts into its folder. It returns a replacer of the container's paths by
// the actual ones. An emptyDir needs nothing: TMPDIR is the container's folder.
func (n *Node) mount(ctx context.Context, spec corev1.PodSpec, namespace, folder string) (*strings.Replacer, error) {
	secrets, empty := map[string]string{}, map[string]bool{}
	for _, v := range spec.Volumes {
		empty[v.Name] = v.EmptyDir != nil
		if v.Secret != nil {
			secrets[v.Name] = v.Secret.SecretName
		}
	}
	var paths []string
	for _, m := range spec.Containers[0].VolumeMounts {
		if empty[m.Name] {
			continue
		}
		name, ok := secrets[m.Name]
		if !ok {
			return nil, fmt.Errorf("this node cannot mount volume %s: it knows Secrets and emptyDirs", m.Name)
		}
		to := filepath.Join(folder, "volumes", m.Name)
		if err := n.writeSecret(ctx, client.ObjectKey{Namespace: namespace, Name: name}, to); err != nil {
			return nil, err
		}
		paths = append(paths, m.MountPath, to)
	}
	return strings.NewReplacer(paths...), nil
}

func (n *Node) writeSecret(ctx context.Context, key client.ObjectKey, to string) error {
	s := &corev1.Secret{}
	if err := n.kube.Get(ctx, key, s); err != nil {
		return fmt.Errorf("cannot read Secret %s: %w", key, err)
	}
	if len(s.Data) == 0 {
		return fmt.Errorf("secret %s is empty so far", key)
	}
	return WriteFiles(to, s.Data)
}

// WriteFiles writes files to a folder that only this user may read.
func WriteFiles(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
