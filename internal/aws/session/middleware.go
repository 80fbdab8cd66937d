package session

import (
	"context"
	"errors"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
)

// middlewares is the configuration of the provider's middleware. Fields that are zero add nothing:
// calls to STS that fetch credentials have no limiter, fence and breakers.
type middlewares struct {
	endpoint *v1beta1.EndpointConfig
	// untrusted is true if a tenant chose the endpoint.
	untrusted bool
	tracer    trace.Tracer
	recorder  *telemetry.Recorder

	limiter  *quota.Limiter
	scope    quota.Scope
	fence    Fence
	breakers *breaker.Breakers
	breaker  breaker.Key
	refused  func(error)
}

// middlewares returns the middleware of the calls to STS that are made for a config. A session adds the rest.
func (r *Resolver) middlewares(s settings) middlewares {
	return middlewares{
		endpoint: s.Endpoint, untrusted: s.foreign(), tracer: r.options.Tracer,
		recorder: r.options.Measure,
	}
}

// list returns the middleware in the order in which a call passes it. It is the only place that
// decides the order. once.Call adds one more for a single call, which is then the last of all.
func (m middlewares) list() []placed {
	const retry = "Retry"
	return []placed{
		// Once for each call. The SDK has already set service, operation, region and signing name.
		// Replaces what the SDK has set, so it comes after that.
		{middleware: signingOverride(m.endpoint)},
		// Around all that can fail, so that a span has the final error.
		{middleware: telemetry.Call(m.tracer)},
		{middleware: m.breakers.Middleware(m.breaker)}, // Around the retries: a call counts once.
		// Around the retries: it sees the results of all attempts.
		{middleware: m.limiter.PreferAnswer(), before: retry},
		// Around all of an attempt, so that it sees deferred ones too.
		{middleware: telemetry.Attempt(m.tracer), after: retry},

		{middleware: m.reportRefused()},

		// For each attempt, after the SDK has fetched credentials and signed the request.
		// After credentials and signing, which may fail and would waste a token.
		{middleware: m.limiter.Middleware(m.scope)},
		// After the limiter and close to the network: the lease is checked when the request leaves.
		{middleware: m.fence.middleware()},
		// Around the SDK's deserializer, which makes errors of what a host answers.
		{middleware: m.distrust()},
		// Below distrust, to count by AWS's codes; below limiter and fence, to count only what is sent.
		{middleware: m.recorder.Middleware()},
	}
}

// placed is a middleware and the one that it stands next to. Without a neighbour, a middleware of the steps Initialize
// and Finalize is the last of its step. One of the step Deserialize comes before the SDK's own.
type placed struct {
	middleware    any
	before, after string
}

func (m middlewares) addTo(stack *middleware.Stack) error {
	var errs []error
	last := "" // of the step Deserialize
	for _, at := range m.list() {
		switch step := at.middleware.(type) {
		case middleware.InitializeMiddleware:
			errs = append(errs, stack.Initialize.Add(step, middleware.After))
		case middleware.FinalizeMiddleware:
			errs = append(errs, at.addTo(stack.Finalize, step))
		case middleware.DeserializeMiddleware:
			if last == "" {
				errs = append(errs, stack.Deserialize.Add(step, middleware.Before))
			} else {
				errs = append(errs, stack.Deserialize.Insert(step, last, middleware.After))
			}
			last = step.ID()
		}
	}
	return errors.Join(errs...)
}

func (at placed) addTo(step *middleware.FinalizeStep, m middleware.FinalizeMiddleware) error {
	switch {
	case at.before != "":
		return step.Insert(m, at.before, middleware.Before)
	case at.after != "":
		return step.Insert(m, at.after, middleware.After)
	default:
		return step.Add(m, middleware.After)
	}
}

// signingOverride returns the middleware that signs calls for the service and the region that an
// endpoint of a config names, nil if it names none.
func signingOverride(e *v1beta1.EndpointConfig) middleware.InitializeMiddleware {
	if e == nil || (e.SigningName == nil && e.SigningRegion == nil) {
		return nil
	}
	return middleware.InitializeMiddlewareFunc("SigningOverride",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			middleware.InitializeOutput, middleware.Metadata, error,
		) {
			if overrides(e, awsmiddleware.GetServiceID(ctx)) {
				// The options that the SDK recommends instead exist only on the clients of single services.
				if e.SigningName != nil {
					ctx = awsmiddleware.SetSigningName(ctx, *e.SigningName) //nolint:staticcheck // See above.
				}
				if e.SigningRegion != nil {
					ctx = awsmiddleware.SetSigningRegion(ctx, *e.SigningRegion) //nolint:staticcheck // See above.
				}
			}
			return next.HandleInitialize(ctx, in)
		})
}

// reportRefused returns the middleware that reports the error of an attempt, nil for calls that fetch credentials: they
// report it themselves.
func (m middlewares) reportRefused() middleware.FinalizeMiddleware {
	if m.refused == nil {
		return nil
	}
	return middleware.FinalizeMiddlewareFunc("ReportRefused", func(ctx context.Context, in middleware.FinalizeInput,
		next middleware.FinalizeHandler) (
		middleware.FinalizeOutput, middleware.Metadata, error,
	) {
		out, md, err := next.HandleFinalize(ctx, in)
		m.refused(err)
		return out, md, err
	})
}

// A Fence makes each attempt of each call of AWS's services, or refuses it with an error, which becomes the error of
// the call. The context that it passes to the attempt ends when the attempt must stop.
type Fence func(ctx context.Context, attempt func(context.Context) error) error

// middleware returns the middleware that makes attempts through the fence, nil if there is none.
func (f Fence) middleware() middleware.FinalizeMiddleware {
	if f == nil {
		return nil
	}
	return middleware.FinalizeMiddlewareFunc("Fence", func(ctx context.Context, in middleware.FinalizeInput,
		next middleware.FinalizeHandler) (
		out middleware.FinalizeOutput, md middleware.Metadata, err error,
	) {
		err = f(ctx, func(ctx context.Context) (err error) {
			out, md, err = next.HandleFinalize(ctx, in)
			return err
		})
		return out, md, err
	})
}

// distrust returns the middleware that does not quote the errors of an endpoint that a tenant chose,
// unless they are AWS's own. It is nil for other endpoints.
func (m middlewares) distrust() middleware.DeserializeMiddleware {
	if !m.untrusted {
		return nil
	}
	return middleware.DeserializeMiddlewareFunc("Distrust", func(ctx context.Context, in middleware.DeserializeInput,
		next middleware.DeserializeHandler) (
		middleware.DeserializeOutput, middleware.Metadata, error,
	) {
		out, md, err := next.HandleDeserialize(ctx, in)
		if service := awsmiddleware.GetServiceID(ctx); overrides(m.endpoint, service) {
			err = awserr.Foreign(service, err)
		}
		return out, md, err
	})
}
