// Package once makes calls that must not be made twice, such as Lambda's Invoke: the SDK
// does not try them again, and of one that failed it is known whether it may have had
// its effect.
package once

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

// A Call that must not be made twice. The zero value is one that was not sent.
type Call struct{ sent atomic.Bool }

// Options of the client that makes the call.
func (c *Call) Options(o *lambda.Options) {
	o.Retryer = aws.NopRetryer{}
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		// The last step before the request goes out: all before it, such as getting
		// credentials, has no effect.
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("SentOnce", c.send), middleware.After)
	})
}

func (c *Call) send(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	c.sent.Store(true)
	return next.HandleDeserialize(ctx, in)
}

// MayHaveRun tells whether a call that ended with an error may have had its effect.
func (c *Call) MayHaveRun(err error) bool {
	return err != nil && c.sent.Load() && !unconnected(err) && !awserr.IsRefused(err)
}

// unconnected says that there was no connection to send a request on.
func unconnected(err error) bool {
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return true
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return untrusted
}
