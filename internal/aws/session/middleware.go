package session

import (
	"context"
	"errors"
	"time"

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

	clock *Clock
	now   func() time.Time
}

// middlewares returns the middleware of the calls to STS that are made for a config. A session adds the rest.
func (r *Resolver) middlewares(s settings) middlewares {
	return middlewares{
		endpoint: s.Endpoint, untrusted: s.foreign(), tracer: r.options.Tracer,
		recorder: r.options.Measure,
	}
}

// addTo adds the middleware to a stack of the SDK, in the order in which a call passes it. It is the only place that
// decides the order. lambdaapi.AtMostOnce adds one more for a single call, which is then the last of all.
func (m middlewares) addTo(stack *middleware.Stack) error {
	const first, last, before, after = middleware.Before, middleware.After, middleware.Before, middleware.After
	byRetry := func(w middleware.FinalizeMiddleware, at middleware.RelativePosition) error {
		return stack.Finalize.Insert(w, "Retry", at)
	}
	return errors.Join(
		// Once for each call. The SDK has already set service, operation, region and signing name.
		// Replaces what the SDK has set, so it comes after that.
		add(stack.Initialize.Add, signingOverride(m.endpoint), last),
		// Around all that can fail, so that a span has the final error.
		add(stack.Initialize.Add, telemetry.Call(m.tracer), last),
		add(stack.Initialize.Add, m.breakers.Middleware(m.breaker), last), // Around the retries: a call counts once.
		// Around the retries: it sees the results of all attempts.
		add(byRetry, m.limiter.PreferAnswer(), before),
		// Around all of an attempt, so that it sees deferred ones too.
		add(byRetry, telemetry.Attempt(m.tracer), after),

		// For each attempt, after the SDK has fetched credentials and signed the request.
		add(stack.Finalize.Add, m.reportRefused(), last),
		// After credentials and signing, which may fail and would waste a token.
		add(stack.Finalize.Add, m.limiter.Middleware(m.scope), last),
		// After the limiter and close to the network: the lease is checked when the request leaves.
		add(stack.Finalize.Add, m.fence.middleware(), last),

		// Around the SDK's deserializer, which makes errors of what a host answers, below limiter and fence, to count
		// only what is sent.
		add(stack.Deserialize.Add, m.recorder.Middleware(), first),
		// Above the recorder, which counts by AWS's codes.
		add(stack.Deserialize.Add, m.distrust(), first),
		// Below what reads the body of the response, which takes a while.
		add(stack.Deserialize.Add, m.clock.Middleware(m.now), last),
	)
}

// add adds a middleware to a step by one of the step's functions, unless it is nil.
func add[M comparable](to func(M, middleware.RelativePosition) error, m M, at middleware.RelativePosition) error {
	var none M
	if m == none {
		return nil
	}
	return to(m, at)
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
