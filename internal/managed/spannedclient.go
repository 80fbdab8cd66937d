package managed

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
)

// spannedClient makes a span of each thing that the runtime has an external client do.
type spannedClient[T Managed] struct {
	xpmanaged.TypedExternalClient[T]

	tracer trace.Tracer
}

// Observe the external resource.
func (s *spannedClient[T]) Observe(ctx context.Context, mg T) (xpmanaged.ExternalObservation, error) {
	ctx, span := s.tracer.Start(ctx, "Observe")
	defer span.End()
	o, err := s.TypedExternalClient.Observe(ctx, mg)
	if err == nil {
		span.SetAttributes(keyExists.Bool(o.ResourceExists), keyUpToDate.Bool(o.ResourceUpToDate))
	}
	conclude(span, err)
	return o, err
}

// Create the external resource.
func (s *spannedClient[T]) Create(ctx context.Context, mg T) (xpmanaged.ExternalCreation, error) {
	ctx, span := s.tracer.Start(ctx, "Create")
	defer span.End()
	c, err := s.TypedExternalClient.Create(ctx, mg)
	conclude(span, err, change(ctx)...)
	return c, err
}

// Update the external resource.
func (s *spannedClient[T]) Update(ctx context.Context, mg T) (xpmanaged.ExternalUpdate, error) {
	ctx, span := s.tracer.Start(ctx, "Update")
	defer span.End()
	u, err := s.TypedExternalClient.Update(ctx, mg)
	conclude(span, err, change(ctx)...)
	return u, err
}

// Delete the external resource.
func (s *spannedClient[T]) Delete(ctx context.Context, mg T) (xpmanaged.ExternalDelete, error) {
	ctx, span := s.tracer.Start(ctx, "Delete")
	defer span.End()
	d, err := s.TypedExternalClient.Delete(ctx, mg)
	conclude(span, err, change(ctx)...)
	return d, err
}

// conclude a span.
func conclude(span trace.Span, err error, kv ...attribute.KeyValue) {
	span.SetAttributes(kv...)
	if err != nil && !isPassing(err) {
		failedSpan(span, err)
	}
}

// change that a call makes, as the event of it tells.
func change(ctx context.Context) []attribute.KeyValue {
	summary := attemptFrom(ctx).ChangeSummary()
	if summary == "" {
		return nil
	}
	return []attribute.KeyValue{keyChange.String(summary)}
}
