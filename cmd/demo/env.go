package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

const (
	namespace = "default"
	region    = "eu-central-1"

	// pollInterval is short, so that the demo detects drift without waiting ten minutes.
	pollInterval = 5 * time.Second
)

// env is the environment of the demo.
type env struct {
	flags   flags
	cluster *devcluster.Cluster
	double  *awsdouble.Server

	// registry has the artifacts of signed.
	registry *registry.Registry

	kube client.Client
	aws  *lambda.Client

	table *table

	// metrics is the address of the provider's metrics.
	metrics string

	// customers invoke the alias while and after it has a rollout.
	customers *customers

	// failed receives the error if the provider ends by itself.
	failed chan error

	// ends end what was started, the last one first.
	ends []func()
}

// startEnv starts the control plane, the double and the provider.
func startEnv(ctx context.Context, f flags) (e *env, err error) {
	e = &env{flags: f, table: &table{out: os.Stdout}, failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			e.stop()
		}
	}()
	if err := e.startCluster(ctx); err != nil {
		return e, err
	}
	e.startDouble()
	for _, start := range []func(context.Context) error{e.applyPolicy, e.startProvider, e.configure} {
		if err := start(ctx); err != nil {
			return e, err
		}
	}
	e.startTraffic(ctx)
	return e, nil
}

func (e *env) startCluster(ctx context.Context) error {
	sectionf("Starting etcd, kube-apiserver and kube-controller-manager")
	began := time.Now()
	var err error
	if e.cluster, err = devcluster.Start(ctx,
		devcluster.Options{CRDs: []string{e.flags.CRDs}, Controllers: true}); err != nil {
		return err
	}
	e.ends = append(e.ends, func() {
		if err := e.cluster.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	})
	if err := os.MkdirAll(filepath.Dir(e.flags.Kubeconfig), 0o750); err != nil {
		return fmt.Errorf("cannot make the kubeconfig's folder: %w", err)
	}
	if err := e.cluster.WriteKubeconfig(e.flags.Kubeconfig); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme)); err != nil {
		return err
	}
	e.kube, err = client.New(e.cluster.Config, client.Options{Scheme: scheme})
	fmt.Printf("    ready at %s after %s. In another terminal:\n    export KUBECONFIG=%s\n", e.cluster.Config.Host,
		time.Since(began).Round(precision), e.kubeconfig())
	return err
}

// kubeconfig returns the absolute path of the kubeconfig.
func (e *env) kubeconfig() string {
	path, err := filepath.Abs(e.flags.Kubeconfig)
	if err != nil {
		return e.flags.Kubeconfig
	}
	return path
}

// startDouble starts the double of AWS with Lambda's real quotas, and creates what the examples reference.
func (e *env) startDouble() {
	sectionf("Starting the double of AWS, with Lambda's real request quotas")
	e.double = awsdouble.New(awsdouble.Lifelike())
	e.double.Start()
	e.ends = append(e.ends, e.double.Close)
	e.double.PutExamples()
	e.aws = lambda.NewFromConfig(e.double.Config(region))
	fmt.Printf("    ready at %s\n", e.double.URL())
}

// configure applies a ClusterProviderConfig with the double's endpoint: the only difference from a real account.
func (e *env) configure(ctx context.Context) error {
	pc := &v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		Spec: v1beta1.ClusterProviderConfigSpec{
			Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceNone},
			ConnectionSpec: v1beta1.ConnectionSpec{Endpoint: &v1beta1.EndpointConfig{
				URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(e.double.URL())},
			}},
		},
	}
	if err := e.kube.Create(ctx, pc); err != nil {
		return fmt.Errorf("cannot create the ClusterProviderConfig: %w", err)
	}
	return e.kube.Get(ctx, client.ObjectKey{Name: namespace}, &corev1.Namespace{})
}

// background runs a function beside the steps, until the function that it returns ends it, or the demo ends.
func (e *env) background(ctx context.Context, run func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	end = func() {
		cancel()
		running.Wait()
	}
	e.ends = append(e.ends, end)
	return end
}

func (e *env) stop() {
	for _, end := range slices.Backward(e.ends) {
		end()
	}
}
