package importer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// Options has the options of Import.
type Options struct {
	// Session calls AWS, and waits for its quotas.
	Session *session.Session

	// Scheme has all kinds of the provider, and Secrets.
	Scheme *runtime.Scheme

	// Namespace of the objects, and Config, to which they refer. Nil refers to none, which means the default.
	Namespace string
	Config    *xpv2.ProviderConfigReference

	// Names and Selector select functions. Without them, all are imported.
	Names    []string
	Selector Selector

	// Inline writes values of environment variables into the Functions instead of Secrets.
	Inline bool

	// Adopt lets the objects adopt what another cluster or another object owns.
	Adopt bool

	// ClusterID is the --cluster-id of the provider. It tells what the cluster owns already.
	ClusterID string

	// Manager returns the namespace and name of the existing resource of the cluster that manages what has tags. It is
	// empty if there is none, or the cluster is not known.
	Manager func(ctx context.Context, tags map[string]string) string

	// Now is the clock.
	Now func() time.Time

	// Progress is called while functions are read and while their manifests are proven.
	Progress func(phase Phase, done, total int)
}

// A Phase is a part of an import.
type Phase string

// The phases.
const (
	Reading Phase = "Reading functions"
	Proving Phase = "Proving manifests"
)

// A Selector selects functions by their tags: all of its requirements must be met. Its zero value selects all.
type Selector []requirement

// A requirement is that a tag exists, and has a value unless any is accepted.
type requirement struct {
	key, value string
	any        bool
}

// ParseSelector parses texts such as team=shop, or team, which accepts any value.
func ParseSelector(texts []string) (Selector, error) {
	var out Selector
	for _, t := range texts {
		key, value, valued := strings.Cut(t, "=")
		if key == "" || strings.HasSuffix(key, "!") {
			return nil, fmt.Errorf("invalid selector %q: use the form tag=value, or tag", t)
		}
		out = append(out, requirement{key: key, value: value, any: !valued})
	}
	return out, nil
}

// Matches reports whether tags meet all requirements.
func (s Selector) Matches(tags map[string]string) bool {
	for _, r := range s {
		if v, ok := tags[r.key]; !ok || !r.any && v != r.value {
			return false
		}
	}
	return true
}
