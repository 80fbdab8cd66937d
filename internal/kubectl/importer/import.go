package importer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
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

// Import returns the manifests of the functions of an account in a region, and of what belongs to them.
func Import(ctx context.Context, o Options) (*Result, error) {
	rec := &recorder{}
	s := o.Session.Derive(rec.addTo)
	r := &reader{Options: o, api: session.Client(s, lambda.NewFromConfig), recorder: rec}
	a, err := r.read(ctx, s.Identity.Account, s.AWS.Region)
	if err != nil {
		return nil, err
	}
	b := newBuilder(o, s, a, r)
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	b.prove(ctx)
	calls := int(rec.calls.Load())
	return &Result{Items: b.items, Functions: len(a.functions), Managed: a.managed, Calls: calls}, ctx.Err()
}

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

// An Item is a manifest that was written.
type Item struct {
	// Kind and Name of the object, and AWSName of what it describes in AWS.
	Kind, Name, AWSName string

	// File is the name of the manifest's file, without an ending.
	File string

	// Resource is the managed resource, or Secret the Secret. The other one is nil.
	Resource reconcile.Managed
	Secret   *corev1.Secret

	// Sensitive reports whether the manifest has secrets.
	Sensitive bool

	// Comments explain the manifest.
	Comments []string

	// Limits name settings that the manifest cannot express, and the reasons why applying it would change something.
	Limits []string

	// Warnings are for the user before applying the manifest, even if it is proven.
	Warnings []string

	// locked reports whether the Limits allow only to observe.
	locked bool
}

// A Result has the manifests of an import.
type Result struct {
	// Items are sorted as they are written: what functions share, and then the functions by their names.
	Items []*Item

	// Functions is the number of functions.
	Functions int

	// Managed has the functions that were left out, with the resource of the cluster that manages each.
	Managed map[string]string

	// Calls is the number of calls of AWS.
	Calls int
}

// Unproven returns the items for which the planner has not proven that applying the manifest changes nothing but tags,
// or from which something is left out.
func (r *Result) Unproven() []*Item {
	var out []*Item
	for _, i := range r.Items {
		if len(i.Limits) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// Resources returns how many managed resources there are.
func (r *Result) Resources() int {
	n := 0
	for _, i := range r.Items {
		if i.Resource != nil {
			n++
		}
	}
	return n
}
