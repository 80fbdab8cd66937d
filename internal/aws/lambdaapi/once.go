package lambdaapi

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// An AtMostOnce must not be made twice. The zero value is a call that was not sent.
type AtMostOnce struct{ sent atomic.Bool }

// Options configures the client that makes the call.
func (c *AtMostOnce) Options(o *lambda.Options) {
	o.Retryer = aws.NopRetryer{}
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		// The last step before the request is sent: what comes before it, such as fetching credentials, has no effect.
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("SentOnce", c.send), middleware.After)
	})
}

func (c *AtMostOnce) send(ctx context.Context, in middleware.DeserializeInput,
	next middleware.DeserializeHandler,
) (middleware.DeserializeOutput, middleware.Metadata, error) {
	c.sent.Store(true)
	return next.HandleDeserialize(ctx, in)
}

// MayHaveRun reports whether a call that ended with an error may have had an effect.
func (c *AtMostOnce) MayHaveRun(err error) bool {
	return err != nil && c.sent.Load() && !unconnected(err) && !awserr.IsRefused(err)
}

// unconnected reports whether there was no connection on which to send the request.
func unconnected(err error) bool {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return true
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted
}
