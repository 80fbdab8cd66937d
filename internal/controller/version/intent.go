package version

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
)

// intent is what was to be published by the last call of PublishVersion, noted before
// it.
type intent struct {
	// before is the highest number that a version had then. Numbers only ever grow, so
	// that a version of a higher one was published by that call or later, and one of
	// this or a lower number was there already: AWS answers with that one where nothing
	// has changed since.
	before int
	// fingerprint of the function's code and configuration, without its description.
	fingerprint string
}

// intentOf is the intent that a resource noted itself, if it noted one.
func intentOf(mg metav1.Object) (intent, bool) {
	rest, mine := strings.CutPrefix(mg.GetAnnotations()[ownership.AnnotationIntent], string(mg.GetUID())+"/")
	before, sum, ok := strings.Cut(rest, "/")
	n, err := strconv.Atoi(before)
	if !mine || !ok || err != nil {
		return intent{}, false
	}
	return intent{before: n, fingerprint: sum}, true
}

func (i intent) annotation(mg metav1.Object) map[string]string {
	return map[string]string{ownership.AnnotationIntent: fmt.Sprintf("%s/%d/%s", mg.GetUID(), i.before, i.fingerprint)}
}

// published is the version among those of a function that the intent led to, or "".
func (i intent) published(versions []listed) string {
	for _, v := range versions {
		if v.number > i.before && v.content.Fingerprint() == i.fingerprint {
			return strconv.Itoa(v.number)
		}
	}
	return ""
}

// listed is a version with a number, as ListVersionsByFunction tells it.
type listed struct {
	number  int
	content fingerprint.Content
}

// highest number of the versions, 0 if there is none.
func highest(versions []listed) int {
	n := 0
	for _, v := range versions {
		n = max(n, v.number)
	}
	return n
}

// number of a version, 0 for one without.
func number(version string) int {
	n, err := strconv.Atoi(version)
	if err != nil {
		return 0
	}
	return n
}
