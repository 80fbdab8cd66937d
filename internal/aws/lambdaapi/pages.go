package lambdaapi

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// MostPages is the maximum number of pages of one list. AWS's pages have 50 items and more, and
// no list that the provider reads to its end is nearly as long.
const MostPages = 200

// mostBytes is the maximum length of all pages of one list, in bytes: those of 10,000 versions of functions. A reader
// keeps all pages, and a page may have several times the length of AWS's.
const mostBytes = 64 << 20

// unread is the key of a context's rest of mostBytes.
type unread struct{}

// Received counts bytes of an answer that were received, if a list is read with the context.
func Received(ctx context.Context, bytes int) {
	if left, ok := ctx.Value(unread{}).(*int); ok {
		*left -= bytes
	}
}

// rest returns how many bytes the pages of the list that is read with the context may still have.
func rest(ctx context.Context) int {
	left, ok := ctx.Value(unread{}).(*int)
	if !ok {
		return mostBytes
	}
	return *left
}

// A Paginator reads the pages of a list with the options O of a service. The SDK's paginators are ones.
type Paginator[P, O any] interface {
	HasMorePages() bool
	NextPage(ctx context.Context, opts ...func(*O)) (*P, error)
}

// Each iterates over the pages of a list, which are read with the options. It ends after an error, of which one is that
// the list has no end: each page may name a next one, or all pages the same.
func Each[P, O any](ctx context.Context, what string, list Paginator[P, O], opts ...func(*O)) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		last, left := "", mostBytes
		ctx := context.WithValue(ctx, unread{}, &left)
		for read := 0; list.HasMorePages(); read++ {
			var page *P
			var err error
			if left < 0 {
				yield(nil, awserr.Endless(what, fmt.Sprintf("is longer than %d MiB", mostBytes>>20)))
				return
			}
			endless := read == MostPages
			if !endless {
				page, err = list.NextPage(ctx, opts...)
				endless = err == nil && last != "" && last == token(page)
			}
			if endless {
				page, err = nil, awserr.Endless(what, fmt.Sprintf("has no end after %d pages", read))
			}
			if !yield(page, err) || err != nil {
				return
			}
			last = token(page)
		}
	}
}

// token returns what a page names the next one by, empty for the last page.
func token(page any) string {
	v := reflect.ValueOf(page).Elem()
	for _, name := range []string{"NextMarker", "NextToken"} {
		if t := v.FieldByName(name); t.IsValid() && !t.IsNil() {
			return t.Elem().String()
		}
	}
	return ""
}

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
