package kubectl

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/json"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Source has the flags that name the objects of a command, in files or in the cluster.
type Source struct {
	filenames     []string
	kustomize     string
	recursive     bool
	allNamespaces bool
}

// AddFlags adds the flags of kubectl to a command: usage says what the files contain, and all what --all-namespaces
// does.
func (s *Source) AddFlags(cmd *cobra.Command, usage, all string) {
	files := genericclioptions.FileNameFlags{
		Usage: usage, Filenames: &s.filenames, Kustomize: &s.kustomize, Recursive: &s.recursive,
	}
	files.AddFlags(cmd.Flags())
	cmd.Flags().BoolVarP(&s.allNamespaces, "all-namespaces", "A", s.allNamespaces, all)
}

// FromFiles reports whether the flags name files.
func (s *Source) FromFiles() bool { return len(s.filenames) > 0 || s.kustomize != "" }

// clusterScoped are the kinds without a namespace that a plan reads.
var clusterScoped = []string{v1beta1.ClusterProviderConfigKind, "Namespace"}

// Read reads the objects of the files, "-" for the standard input, or those of the cluster that arguments name as those
// of kubectl get do. Objects of files that have no namespace get that of the command. It returns an error if one has
// another namespace than the user has named, as kubectl does, and tells the user if the cluster has no such objects.
func (s *Source) Read(f *Factory, args ...string) ([]*unstructured.Unstructured, error) {
	namespace, err := f.Namespace()
	if err != nil && !s.FromFiles() {
		return nil, err
	}
	b := resource.NewBuilder(f.Config).Unstructured().ContinueOnError()
	if s.FromFiles() {
		b = s.files(f, b.Local())
	} else {
		b = b.NamespaceParam(namespace).DefaultNamespace().AllNamespaces(s.allNamespaces).
			ResourceTypeOrNameArgs(true, args...).Latest()
	}
	infos, err := b.Flatten().Do().Infos()
	if err != nil {
		return nil, err
	}
	out := make([]*unstructured.Unstructured, 0, len(infos))
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%T is not an object", info.Object)
		}
		out = append(out, u)
		switch of := u.GetNamespace(); {
		case !s.FromFiles(), slices.Contains(clusterScoped, u.GetKind()):
		case of == "":
			u.SetNamespace(namespace)
		case of != namespace && ptr.Deref(f.Config.Namespace, "") != "":
			return nil, fmt.Errorf("the namespace %q of %s %s does not match the namespace %q: set --namespace=%s, or "+
				"leave the flag out", of, u.GetKind(), u.GetName(), namespace, of)
		}
	}
	namespaced := func(u *unstructured.Unstructured) bool { return u.GetNamespace() != "" }
	if !s.FromFiles() && !s.allNamespaces && !slices.ContainsFunc(out, namespaced) {
		f.TellEmpty(namespace)
	}
	return out, nil
}

// files returns a builder that reads the files.
func (s *Source) files(f *Factory, b *resource.Builder) *resource.Builder {
	stdin := func(name string) bool { return name == "-" }
	files := resource.FilenameOptions{Filenames: s.filenames, Kustomize: s.kustomize, Recursive: s.recursive}
	if slices.ContainsFunc(files.Filenames, stdin) {
		b = b.Stream(f.In, "STDIN")
		files.Filenames = slices.DeleteFunc(slices.Clone(files.Filenames), stdin)
	}
	return b.FilenameParam(false, &files)
}

// Typed returns an object as its own type, or as it is if the scheme does not have its kind. It returns an error that
// names the field if the object does not fit its type, and if strict is true also for unknown kinds and fields of this
// provider, which the API server rejects.
func Typed(scheme *runtime.Scheme, u *unstructured.Unstructured, strict bool) (client.Object, error) {
	gvk := u.GroupVersionKind()
	strict = strict && gvk.Group == v1beta1.SchemeGroupVersion.Group
	obj, err := scheme.New(gvk)
	switch {
	case runtime.IsNotRegisteredError(err) && !strict:
		return u, nil
	case runtime.IsNotRegisteredError(err):
		return nil, fmt.Errorf("cannot read %s: %s has no kind %s: correct its apiVersion or kind", u.GetName(),
			gvk.GroupVersion(), gvk.Kind)
	case err != nil:
		return nil, err
	}
	b, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	unknown, err := json.UnmarshalStrict(b, obj)
	if err == nil && strict && len(unknown) > 0 {
		err = runtime.NewStrictDecodingError(unknown)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	out, ok := obj.(client.Object)
	if !ok {
		return u, nil
	}
	return out, nil
}
