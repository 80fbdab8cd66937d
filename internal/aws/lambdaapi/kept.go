package lambdaapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// keptFor is the time for which the pages of a list that could not be read to its end are kept.
const keptFor = 2 * time.Minute

// A KeptList has the pages of a list until it is read to its end, or found to have none. After another error, the next
// reading goes on from there: the list may have more pages than the request quota allows at once.
type KeptList struct {
	// Cache of the session.
	Cache *readcache.Cache

	// Now is the time of the reconcile.
	Now time.Time

	// For names who reads the list.
	For string

	read []readcache.Key
}

// A keptPage is a page, and how many bytes were received for it.
type keptPage struct {
	result any
	bytes  int
}

// Options configures the client that reads the list.
func (l *KeptList) Options(o *lambda.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("KeptPages", l.page), middleware.Before)
	})
}

func (l *KeptList) page(ctx context.Context, in middleware.InitializeInput,
	next middleware.InitializeHandler,
) (out middleware.InitializeOutput, _ middleware.Metadata, err error) {
	input, _ := json.Marshal(in.Parameters) //nolint:errchkjson // Texts and numbers always become JSON.
	key := readcache.Key{Operation: middleware.GetOperationName(ctx), Of: l.For + string(input)}
	l.read = append(l.read, key)
	fetched := false
	page, err := readcache.Read(ctx, l.Cache, key, readcache.Freshness{Now: l.Now, Since: l.Now.Add(-keptFor)},
		func(ctx context.Context) (keptPage, error) {
			fetched = true
			before := rest(ctx)
			page, _, err := next.HandleInitialize(ctx, in)
			return keptPage{result: page.Result, bytes: before - rest(ctx)}, err
		})
	if !fetched {
		Received(ctx, page.bytes)
	}
	if err == nil && (token(page.result) == "" || len(l.read) == MostPages || rest(ctx) < 0) {
		for _, k := range l.read {
			l.Cache.Forget(k)
		}
	}
	out.Result = page.result
	return out, middleware.Metadata{}, err
}
