package rebuild

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// definitions and metadata are the parts of the package besides the provider, by their paths in the repository.
	definitions = "package/crds"
	metadata    = "crossplane.yaml"
)

// A due is the work that a change calls for.
type due struct {
	generate bool // code and definitions of the API types
	install  bool // the package
	program  bool // the provider's program, which the package holds too
}

// of returns what has to be done after files have changed.
func (d due) of(changed []string) due {
	for _, name := range changed {
		switch {
		case !strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "go."):
			d.install = true
		case strings.HasPrefix(name, "apis/") && !strings.HasPrefix(path.Base(name), "zz_generated."):
			d.generate, d.program = true, true
		default:
			d.program = true
		}
	}
	return d
}

// first describes the first step.
func (d due) first() string {
	switch {
	case d.generate:
		return "generating code and definitions of the API types, which takes a while"
	case d.install:
		return "building the package, and moving the provider to it"
	}
	return "building the provider"
}

// own are folders of code that also runs in the program that rebuilds the provider.
var own = []string{
	"internal/test/awsdouble/", "internal/test/devcluster/", "internal/test/manifests/", "internal/test/process/",
	"internal/test/registry/",
}

// split splits files into those of the rebuilding program, and those of the provider.
func split(files []string) (mine, rest []string) {
	for _, name := range files {
		if slices.ContainsFunc(own, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			mine = append(mine, name)
		} else {
			rest = append(rest, name)
		}
	}
	return mine, rest
}

// names returns the names of files, as a sentence lists them.
func names(files []string) string {
	const few = 3
	if len(files) == 1 {
		return files[0] + " has changed"
	}
	if len(files) <= few {
		return strings.Join(files, ", ") + " have changed"
	}
	return fmt.Sprintf("%d files have changed, %s among them", len(files), files[0])
}
