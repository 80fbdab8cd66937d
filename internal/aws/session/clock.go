package session

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A Clock shows AWS's time, by the dates of its responses: the provider's clock may be minutes ahead or behind. A nil
// Clock, and one that has seen no response, show the provider's time.
type Clock struct{ ahead atomic.Int64 }

// Time returns AWS's time at a time of the provider.
func (c *Clock) Time(at time.Time) time.Time {
	if c == nil {
		return at
	}
	return at.Add(time.Duration(c.ahead.Load()))
}

// Middleware returns the middleware that sets the clock, nil if there is none. now is the provider's clock. AWS has
// dated a response between the request and its arrival, and dates have no fractions of a second: a clock that agrees
// with that is kept as it is, however long the response took.
func (c *Clock) Middleware(now func() time.Time) middleware.DeserializeMiddleware {
	if c == nil {
		return nil
	}
	return middleware.DeserializeMiddlewareFunc("Clock", func(ctx context.Context, in middleware.DeserializeInput,
		next middleware.DeserializeHandler) (
		middleware.DeserializeOutput, middleware.Metadata, error,
	) {
		sent := now()
		out, md, err := next.HandleDeserialize(ctx, in)
		// What stands before AWS answers with errors only.
		if res, ok := out.RawResponse.(*smithyhttp.Response); ok && res.StatusCode < http.StatusMultipleChoices {
			if date, err := http.ParseTime(res.Header.Get("Date")); err == nil {
				ahead := max(time.Duration(c.ahead.Load()), date.Sub(now()))
				c.ahead.Store(int64(min(ahead, date.Add(time.Second).Sub(sent))))
			}
		}
		return out, md, err
	})
}
