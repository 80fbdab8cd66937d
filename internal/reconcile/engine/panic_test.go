package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// password is a secret that a panic may contain and that must not be shown.
const password = "hunter2"

// panicking is a cloud with a bug in one of its methods.
type panicking struct {
	*cloud

	in string
}

func (p *panicking) broken(method string) {
	if p.in == method {
		panic(password)
	}
}

func (p *panicking) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	p.broken("Observe")
	out, err := p.cloud.Observe(ctx, f, mg)
	if out.Call == nil {
		return out, err
	}
	do, verb := out.Call.Do, string(out.Call.Verb)
	out.Call.Do = func(ctx context.Context) (reconcile.Result, error) {
		p.broken(verb)
		return do(ctx)
	}
	return out, err
}

// TestPanics checks that a bug in a kind is reported on the resource, leaves no reservations,
// and is not repeated at a high rate.
func TestPanics(t *testing.T) {
	update := func(e *env) { e.change(func(mg *sample) { mg.Spec.Value = "b"; mg.Generation = 2 }) }
	cases := map[string]struct {
		reason string
		change func(e *env)
	}{
		"Observe":  {reason: "An odd answer."},
		"Create":   {reason: "An odd answer to a create.", change: func(e *env) { e.cloud.there = false }},
		"Update":   {reason: "An odd answer to an update.", change: update},
		"Delete":   {reason: "An odd answer to a deletion.", change: func(e *env) { e.delete() }},
		"Observer": {reason: "Before any call."},
		"Reads":    {reason: "Before the runtime has begun."},
		"Region":   {reason: "A panic while the region is resolved."},
		"Fields":   {reason: "A panic while fields of other objects are read."},
	}
	for in, tc := range cases {
		t.Run(in, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.converge()
			client, k := &panicking{cloud: e.cloud, in: in}, e.kind
			k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] {
				client.broken("Observer")
				return client
			}
			k.Reads = func(*sample) []string { client.broken("Reads"); return []string{"Get"} }
			k.Region = func(*sample) string { client.broken("Region"); return "eu-west-1" }
			log := &lines{}
			o := e.options
			o.Logger = log
			k.Fields = func(*sample) []v1beta1.FieldSelector { client.broken("Fields"); return nil }
			o.Fields = refs.NewFieldReader(refs.FieldReaderOptions{})
			e.reconciler = newReconciler(&manager{c: e.server}, o, k.Untyped(), e.events)
			e.reconciler.states.MarkChanged(cart, "Secret db")
			if tc.change != nil {
				tc.change(e)
			}
			reserved := len(e.limiter.requested)
			e.limiter.released = 0

			waits := []time.Duration{e.reconcile(), e.reconcile(), e.reconcile(), e.reconcile()}
			if diff := cmp.Diff(
				[]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute},
				waits,
			); diff != "" {
				t.Errorf("%s: it is tried ever more seldom: -want, +got:\n%s", tc.reason, diff)
			}
			c := e.stored().GetCondition(xpv2.TypeSynced)
			if c.Status != corev1.ConditionFalse || c.Reason != xpv2.ReasonReconcileError ||
				!strings.Contains(c.Message, "bug of the provider") ||
				c.ObservedGeneration == 0 {
				t.Errorf("%s: want a condition, got %+v", tc.reason, c)
			}
			if n := e.events.count(v1beta1.EventProviderPanicked); n != 1 {
				t.Errorf("%s: want one event, got %v", tc.reason, e.events.all)
			}
			if len(e.limiter.requested) > reserved && e.limiter.released == 0 {
				t.Errorf("%s: what was reserved was not given back", tc.reason)
			}
			if !strings.Contains(log.String(), "panic_test.go:") {
				t.Errorf("%s: want the stack in the log, got %s", tc.reason, log)
			}
			if all := c.Message + strings.Join(e.events.all, "") + log.String(); strings.Contains(all, password) {
				t.Errorf("%s: what it panicked with was told: %s", tc.reason, all)
			}

			client.in = ""
			e.change(func(mg *sample) { mg.Annotations = map[string]string{"changed": "true"} })
			e.reconcile()
			if in == "Delete" {
				return
			}
			if c := e.stored().GetCondition(xpv2.TypeSynced); c.Status != corev1.ConditionTrue {
				t.Errorf("%s: what is put right is Synced again, got %+v", tc.reason, c)
			}
		})
	}
}

// lines are the logged lines.
type lines struct {
	with []any
	text *strings.Builder
}

func (l *lines) add(msg string, keysAndValues ...any) {
	if l.text == nil {
		l.text = &strings.Builder{}
	}
	_, _ = fmt.Fprintln(l.text, append(append([]any{msg}, l.with...), keysAndValues...)...)
}

func (l *lines) Info(msg string, keysAndValues ...any)  { l.add(msg, keysAndValues...) }
func (l *lines) Debug(msg string, keysAndValues ...any) { l.add(msg, keysAndValues...) }

func (l *lines) WithValues(keysAndValues ...any) logging.Logger {
	l.add("")
	return &lines{with: append(slices.Clone(l.with), keysAndValues...), text: l.text}
}

func (l *lines) String() string { return l.text.String() }
