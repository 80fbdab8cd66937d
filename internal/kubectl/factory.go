package kubectl

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldManager is the name under which the plugin's changes appear in metadata.managedFields.
const FieldManager = "kubectl-lambda"

// Limits of the requests to the API server, as kubectl has them for discovery. Those of client-go, 5 requests a second,
// would make a plan of 1000 manifests take minutes.
const (
	requestsPerSecond = 50
	requestBurst      = 300
)

// A Factory gives commands what they need: clients as kubectl's flags ask for them, streams and a clock.
type Factory struct {
	genericiooptions.IOStreams

	// Config has kubectl's flags, such as --namespace and --context.
	Config *genericclioptions.ConfigFlags

	// Now returns the current time.
	Now func() time.Time

	// Version of the plugin.
	Version string
}

// NewFactory returns a factory with kubectl's defaults. What commands write to a terminal is escaped.
func NewFactory(streams genericiooptions.IOStreams, now func() time.Time, version string) *Factory {
	streams.Out, streams.ErrOut = asTerminal(streams.Out), asTerminal(streams.ErrOut)
	config := genericclioptions.NewConfigFlags(true)
	config.WrapConfigFn = func(c *rest.Config) *rest.Config {
		c.UserAgent = FieldManager + "/" + version
		c.QPS, c.Burst = requestsPerSecond, requestBurst
		c.WarningHandler = rest.NewWarningWriter(streams.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
		return c
	}
	return &Factory{IOStreams: streams, Config: config, Now: now, Version: version}
}

// Client returns a client for all kinds.
func (f *Factory) Client() (dynamic.Interface, error) {
	config, err := f.Config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}

// Resources returns a client for the resources of a kind in the namespace that the flags or the kubeconfig name.
func (f *Factory) Resources(k Kind) (dynamic.ResourceInterface, error) {
	client, err := f.Client()
	if err != nil {
		return nil, err
	}
	namespace, err := f.Namespace()
	if err != nil {
		return nil, err
	}
	return client.Resource(k.Resource).Namespace(namespace), nil
}

// Namespace returns the namespace that the flags or the kubeconfig name. With an error, it is the default one.
func (f *Factory) Namespace() (string, error) {
	namespace, _, err := f.Config.ToRawKubeConfigLoader().Namespace()
	if err != nil || namespace == "" {
		return metav1.NamespaceDefault, err
	}
	return namespace, nil
}

// ClusterClient returns a client of the cluster for the kinds of a scheme.
func (f *Factory) ClusterClient(scheme *runtime.Scheme) (client.Client, error) {
	config, err := f.Config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	mapper, err := f.Config.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
}

// TellEmpty tells the user that a namespace has no resources, as kubectl does: it may be a misspelt one.
func (f *Factory) TellEmpty(namespace string) {
	_, _ = fmt.Fprintf(f.ErrOut, "No resources found in %s namespace.\n", namespace)
}

// Wait waits, such as until the quota of AWS allows the next call. It returns the error of a context that has ended.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-clock.RealClock{}.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
