package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap/zapcore"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

// trace reconciles once more, and returns only that trace.
func (e *env) trace(r *tracingtest.Recorder) string {
	e.t.Helper()
	r.Reset()
	if _, err := e.reconciler.Reconcile(e.t.Context(), ctrl.Request{NamespacedName: cart}); err != nil {
		e.t.Fatal(err)
	}
	return strings.Join(r.Traces(), "\n")
}

func TestTraces(t *testing.T) {
	const of = " crossplane.kind=Sample crossplane.name=cart crossplane.outcome="
	cases := map[string]struct {
		reason string
		begin  func(*env)
		want   string
	}{
		"Create": {
			reason: "What is absent is created.",
			begin:  func(*env) {},
			want: "Reconcile Sample crossplane.generation=1" + of + "created crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  Observe crossplane.exists=false crossplane.up_to_date=false\n" +
				"  Create\n",
		},
		"Unchanged": {
			reason: "What is in order is looked at alone.",
			begin:  func(e *env) { e.converge() },
			want: "Reconcile Sample crossplane.generation=1" + of + "unchanged crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  Observe crossplane.exists=true crossplane.up_to_date=true\n",
		},
		"Update": {
			reason: "The update says what it changes.",
			begin: func(e *env) {
				e.converge()
				e.change(func(mg *sample) { mg.Spec.Value = "b" })
			},
			want: "Reconcile Sample crossplane.generation=1" + of + "updated crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  Observe crossplane.exists=true crossplane.up_to_date=false\n" +
				"  Update crossplane.change=value: a -> b\n",
		},
		"Delete": {
			reason: "A resource that is deleted deletes.",
			begin: func(e *env) {
				e.converge()
				e.delete()
			},
			want: "Reconcile Sample crossplane.generation=1" + of + "deleted crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  Observe crossplane.exists=true crossplane.up_to_date=false\n" +
				"  Delete\n",
		},
		"Failed": {
			reason: "An error is set on the span where it occurred and on the root span, with the requeue.",
			begin:  func(e *env) { e.cloud.fail["Create"] = errors.New("no luck") },
			want: "Reconcile Sample crossplane.error_class=unclassified crossplane.generation=1" + of + "failed crossplane.requeue_after=... k8s.namespace.name=shop !no luck\n" +
				"  Observe crossplane.exists=false crossplane.up_to_date=false\n" +
				"  Create !no luck\n",
		},
		"Throttled": {
			reason: "A throttled call is no error of the resource's.",
			begin:  func(e *env) { e.cloud.fail["Get"] = throttle() },
			want:   "Reconcile Sample crossplane.generation=1" + of + "throttled crossplane.requeue_after=... k8s.namespace.name=shop\n  Observe\n",
		},
		"Looks wait": {
			reason: "An observation that waits for quota has its calls in the span.",
			begin:  func(e *env) { e.limiter.wait["Get"] = time.Second },
			want: "Reconcile Sample crossplane.generation=1" + of + "deferred crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  * call deferred crossplane.aws.operations=[\"Get\"] crossplane.wait=...\n",
		},
		"Changes wait": {
			reason: "A change that waits for quota has its calls in the span.",
			begin:  func(e *env) { e.limiter.wait["Create"] = time.Second },
			want: "Reconcile Sample crossplane.generation=1" + of + "deferred crossplane.requeue_after=... k8s.namespace.name=shop\n" +
				"  Observe crossplane.exists=false crossplane.up_to_date=false\n" +
				"    * call deferred crossplane.aws.operations=[\"Create\"] crossplane.wait=...\n",
		},
		"Start": {
			reason: "After a start, what is in order waits for the time of its poll.",
			begin: func(e *env) {
				e.converge()
				e.reconciler = newReconciler(&manager{c: e.server}, e.options, e.kind.Untyped(), e.events)
			},
			want: "Reconcile Sample crossplane.generation=1" + of + "waiting crossplane.requeue_after=... k8s.namespace.name=shop\n",
		},
		"Gone": {
			reason: "Nothing is to be done for what is gone.",
			begin: func(e *env) {
				if err := e.server.Delete(e.t.Context(), e.stored()); err != nil {
					e.t.Fatal(err)
				}
			},
			want: "Reconcile Sample" + of + "gone k8s.namespace.name=shop\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := tracingtest.New(t)
			e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.Tracer = r.Tracer })
			tc.begin(e)
			if diff := cmp.Diff(tc.want, e.trace(r)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLogsNameTheTrace checks that each log line contains the trace id, whether this package
// or the runtime logged it.
func TestLogsNameTheTrace(t *testing.T) {
	out := &bytes.Buffer{}
	r := tracingtest.New(t)
	e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) {
		o.Tracer = r.Tracer
		o.Logger = logging.NewLogrLogger(zap.New(zap.WriteTo(out), zap.Level(zapcore.DebugLevel)))
	})
	e.cloud.fail["Create"] = errors.New("no luck")
	e.trace(r)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) < 3 {
		t.Fatalf("want lines of the runtime and of the gate, got %q", lines)
	}
	for _, l := range lines {
		if !strings.Contains(l, `"trace_id":"`+r.IDs()[0]+`"`) {
			t.Errorf("no trace is named by %s", l)
		}
	}
	out.Reset()
	e.reconciler.Tracer = noop.NewTracerProvider().Tracer("")
	e.reconcile()
	if out.Len() == 0 || strings.Contains(out.String(), "trace_id") {
		t.Errorf("a reconcile that is not traced names no trace, got %s", out)
	}
}

// TestUntracedIsFree checks that functions that use the span allocate nothing if there is none.
func TestUntracedIsFree(t *testing.T) {
	mg, ctx, failure := samples.New(), t.Context(), errors.New("no luck")
	ops := []string{"Get"}
	for what, ctx := range map[string]context.Context{
		"no span":              ctx,
		"a span not sampled":   trace.ContextWithSpan(ctx, noop.Span{}),
		"the root, turned off": trace.ContextWithSpanContext(ctx, trace.SpanContext{}),
	} {
		n := testing.AllocsPerRun(100, func() {
			annotateSpan(ctx, mg)
			addDeferredEvent(ctx, time.Second, ops...)
			endSpan(ctx, outcomeCreated)
			endSpanWithError(ctx, backoff.Terminal, failure)
		})
		if n > 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// BenchmarkReconcile reconciles a converged resource, with and without traces.
func BenchmarkReconcile(b *testing.B) {
	sdk := sdktrace.NewTracerProvider(sdktrace.WithBatcher(tracetest.NewNoopExporter()))
	never := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	for name, tracer := range map[string]trace.Tracer{
		"off": nil, "not sampled": never.Tracer(""), "on": sdk.Tracer(""),
	} {
		b.Run(name, func(b *testing.B) {
			e := newEnv(b, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.Tracer = tracer })
			e.converge()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.reconciler.Reconcile(b.Context(), ctrl.Request{NamespacedName: cart}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
