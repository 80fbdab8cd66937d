package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

const (
	// maxName limits the name of an object, and maxFunctionName that of a Function, as AWS does.
	maxName         = 100
	maxFunctionName = 64

	// suffixLength is the length of the suffix of a name that several resources would have.
	suffixLength = 6
)

// invalid matches what the name of an object may not have.
var invalid = regexp.MustCompile(`[^a-z0-9-]`)

// objectName returns the name of an object that names of AWS result in.
func objectName(most int, parts ...string) string {
	name := invalid.ReplaceAllString(strings.ToLower(strings.Join(parts, "-")), "-")
	if name = strings.Trim(name, "-"); name == "" {
		return "unnamed-" + suffixOf(strings.Join(parts, "-"))
	}
	if len(name) <= most {
		return name
	}
	return withSuffix(most, name, strings.Join(parts, "-"))
}

// suffixOf returns a suffix that depends only on what it stands for.
func suffixOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])[:suffixLength]
}

// withSuffix returns a name with a suffix, shortened so that it is valid.
func withSuffix(most int, name, id string) string {
	name = strings.TrimRight(name[:min(len(name), most-suffixLength-1)], "-")
	return name + "-" + suffixOf(id)
}

// longest returns how long the name of an object of a kind may be.
func longest(kind string) int {
	if kind == v1beta1.FunctionKind {
		return maxFunctionName
	}
	return maxName
}

// assignNames returns the names of objects by kind and ID. If several resources of a kind would have the same name, one
// whose name in AWS is that name keeps it, and all others get a suffix, which depends on their ID only.
func assignNames(all []entry) map[string]string {
	count := map[string]int{}
	for _, e := range all {
		count[e.kind+"/"+objectName(longest(e.kind), e.parts...)]++
	}
	out := map[string]string{}
	for _, e := range all {
		name := objectName(longest(e.kind), e.parts...)
		if count[e.kind+"/"+name] > 1 && name != e.id {
			name = withSuffix(longest(e.kind), name, e.id)
		}
		out[e.kind+"/"+e.id] = name
	}
	return out
}
