package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Canary is part of every secret in a simulation: variables, payloads, code, what Secrets hold.
const Canary = "hunter2canary"

// Leaks are the places, other than those that the user has put it to, where a secret of the
// simulation is: what the provider has logged, written to the cluster, measured or traced.
func (s *Simulation) Leaks() []string {
	s.Helper()
	var out []string
	for line := range strings.Lines(s.Logs.String()) {
		if strings.Contains(line, Canary) {
			out = append(out, "log: "+line)
		}
	}
	for _, o := range s.Cluster.Objects() {
		if o.GetKind() == "Secret" || o.GetKind() == "ConfigMap" {
			continue
		}
		if b := written(o); bytes.Contains(b, []byte(Canary)) {
			out = append(out, fmt.Sprintf("%s %s: %s", o.GetKind(), o.GetName(), b))
		}
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		s.Errorf("cannot gather metrics: %v", err)
	}
	for _, f := range families {
		if m := f.String(); strings.Contains(m, Canary) {
			out = append(out, "metric: "+m)
		}
	}
	for _, span := range s.spans.GetSpans() {
		if strings.Contains(fmt.Sprint(describe(span)), Canary) {
			out = append(out, "span: "+span.Name)
		}
	}
	return out
}

// written is what the provider may have written of an object: all but its spec.
func written(o *unstructured.Unstructured) []byte {
	if o.GetKind() != "Event" {
		o = o.DeepCopy()
		delete(o.Object, "spec")
	}
	b, err := json.Marshal(o.Object)
	if err != nil {
		panic(err) // A tree of JSON values has JSON.
	}
	return b
}

// describe a span.
func describe(s tracetest.SpanStub) []any { return []any{s.Name, s.Attributes, s.Events, s.Status} }
