package campaign

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// Canary is part of every secret in a simulation: in variables, payloads, code and
// Secrets. It has characters that JSON and URLs escape.
const Canary = "hunter2<canary>&%"

// CanaryWord is in its place where AWS accepts only letters and digits.
const CanaryWord = "hunter2canary"

// leaked returns the form in which a text contains a secret of the simulation, empty if it contains none.
func leaked(text string) string {
	return cmp.Or(findPlanted(text, Canary), findPlanted(text, CanaryWord))
}

// leaks returns the places of secrets of the simulation other than those that the user
// chose: what the provider has logged, written to the cluster or to the change log,
// measured or traced.
func (s *Simulation) leaks() []string {
	s.Helper()
	var out []string
	for name, l := range map[string]*Logs{"log": s.Logs, "change log": s.Changes} {
		if text := l.String(); leaked(text) != "" {
			for line := range strings.Lines(text) {
				if form := leaked(line); form != "" {
					out = append(out, fmt.Sprintf("%s, %s: %s", name, form, line))
				}
			}
		}
	}
	for _, o := range s.Cluster.Objects() {
		if o.GetKind() == "Secret" || o.GetKind() == "ConfigMap" {
			continue
		}
		b := string(written(o))
		if form := leaked(b); form != "" {
			out = append(out, fmt.Sprintf("%s %s, %s: %s", o.GetKind(), o.GetName(), form, b))
		}
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		s.Errorf("cannot gather metrics: %v", err)
	}
	for _, f := range families {
		if m := f.String(); leaked(m) != "" {
			out = append(out, "metric: "+m)
		}
	}
	for _, span := range s.spans.GetSpans() {
		if leaked(fmt.Sprint(describe(span))) != "" {
			out = append(out, "span: "+span.Name)
		}
	}
	return out
}

// written returns what the provider may have written of an object: all but its spec.
func written(o *unstructured.Unstructured) []byte {
	if o.GetKind() != "Event" {
		o = o.DeepCopy()
		delete(o.Object, "spec")
	}
	b, err := json.Marshal(o.Object)
	if err != nil {
		panic(err) // A tree of JSON values can be marshalled.
	}
	return b
}

// describe returns the text of a span.
func describe(s tracetest.SpanStub) []any { return []any{s.Name, s.Attributes, s.Events, s.Status} }

// changeLog writes the entries of a process's change log to the simulation's, a line of JSON each.
type changeLog struct{ *Logs }

// Log writes an entry.
func (l changeLog) Log(
	_ context.Context, mg resource.Managed, op v1alpha1.OperationType, changeErr error, ad managed.AdditionalDetails,
) error {
	b, err := json.Marshal(map[string]any{
		"operation": op, "snapshot": mg, "error": fmt.Sprint(changeErr),
		"details": ad,
	})
	if err != nil {
		return err
	}
	_, err = l.Write(append(b, '\n'))
	return err
}
