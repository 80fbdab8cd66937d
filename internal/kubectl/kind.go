package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A Kind is a kind whose resources commands take by name.
type Kind struct {
	// Resource is the kind's name in URLs.
	Resource schema.GroupVersionResource

	// Singular and Short are the other names that kubectl knows.
	Singular, Short string
}

// Aliases is the kind Alias.
var Aliases = Kind{v1beta1.SchemeGroupVersion.WithResource("aliases"), "alias", "lambdaalias"}

// Functions is the kind Function.
var Functions = Kind{v1beta1.SchemeGroupVersion.WithResource("functions"), "function", "lambdafn"}

// Full returns the name of a resource with its type, such as "alias.lambda.aws.m.crossplane.io/live".
func (k Kind) Full(name string) string {
	return k.Singular + "." + k.Resource.Group + "/" + name
}

// Name returns the name of a resource that an argument names: alone, or after the type and a slash.
func (k Kind) Name(arg string) (string, error) {
	typ, name, typed := strings.Cut(arg, "/")
	if !typed {
		typ, name = k.Singular, arg
	}
	if !slices.Contains(k.types(), strings.ToLower(typ)) {
		return "", fmt.Errorf("%q is not of type %s: name it %s/NAME, or NAME alone", arg, k.Singular, k.Singular)
	}
	if name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("arguments in %s/NAME form must have a single resource and name, not %q", k.Singular, arg)
	}
	return name, nil
}

// Arg returns the name of the resource that the only argument of a command names.
func (k Kind) Arg(cmd *cobra.Command, args []string) (string, error) {
	if len(args) != 1 {
		return "", UsageErrorf(cmd, "exactly one %s is required, got %d", strings.ToUpper(k.Singular), len(args))
	}
	return k.Name(args[0])
}

// types returns what may stand before the slash.
func (k Kind) types() []string {
	group, version := k.Resource.Group, k.Resource.Version
	out := []string{k.Short}
	for _, n := range []string{k.Singular, k.Resource.Resource} {
		out = append(out, n, n+"."+group, n+"."+version+"."+group)
	}
	return out
}
