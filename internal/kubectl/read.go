package kubectl

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// NewScheme returns a scheme with the kinds of the provider and of Kubernetes.
func NewScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1beta1.AddToScheme} {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ReadFiles reads the objects of files, which may be "-" for the standard input.
func (f *Factory) ReadFiles(files resource.FilenameOptions) ([]*resource.Info, error) {
	b := resource.NewBuilder(f.Config).Unstructured().ContinueOnError().Local()
	stdin := func(name string) bool { return name == "-" }
	if slices.ContainsFunc(files.Filenames, stdin) {
		b = b.Stream(f.In, "STDIN")
		files.Filenames = slices.DeleteFunc(slices.Clone(files.Filenames), stdin)
	}
	return b.FilenameParam(false, &files).Flatten().Do().Infos()
}

// ReadCluster reads the objects of the cluster that arguments name as those of kubectl get do.
func (f *Factory) ReadCluster(namespace string, all bool, args ...string) ([]*resource.Info, error) {
	return resource.NewBuilder(f.Config).Unstructured().ContinueOnError().NamespaceParam(namespace).DefaultNamespace().AllNamespaces(all).
		ResourceTypeOrNameArgs(true, args...).Latest().Flatten().Do().Infos()
}
