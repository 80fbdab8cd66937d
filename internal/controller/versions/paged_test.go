package versions

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
)

// paged is an endpoint with a list of pages, of one version each, that have some bytes. A call takes 50 ms.
type paged struct {
	now   time.Time
	pages int
	bytes int
	calls int
}

// Do answers with a page.
func (p *paged) Do(q *http.Request) (*http.Response, error) {
	p.now = p.now.Add(50 * time.Millisecond)
	p.calls++
	lambdaapi.Received(q.Context(), p.bytes)
	n, _ := strconv.Atoi(q.URL.Query().Get("Marker"))
	next := ""
	if n++; n < p.pages {
		next = fmt.Sprintf(`,"NextMarker":"%d"`, n)
	}
	body := fmt.Sprintf(`{"Versions":[{"Version":"%d"}]%s}`, n, next)
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{},
		Body:       io.NopCloser(strings.NewReader(body)),
	}, nil
}

// client returns a client of the endpoint.
func (p *paged) client(options ...func(*middleware.Stack) error) *lambda.Client {
	return lambda.New(lambda.Options{
		Region: "eu-west-1", HTTPClient: p, Retryer: aws.NopRetryer{}, APIOptions: options,
		Credentials: credentials.NewStaticCredentialsProvider("AKIAFAKE", "fake", ""),
	})
}

// TestListWithoutEnd checks that a list that has no end, or is too long, is read no further, and that its pages are not
// kept.
func TestListWithoutEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		bytes int
		most  int
	}{
		"Endless": {most: lambdaapi.MostPages},
		"Large":   {bytes: 4 << 20, most: 17},
	} {
		t.Run(name, func(t *testing.T) {
			p := &paged{pages: 10 * lambdaapi.MostPages, bytes: tc.bytes}
			cache := &readcache.Cache{}
			for reading := range 2 {
				_, err := List(t.Context(), p.client(), lambdaapi.KeptList{Cache: cache, Now: p.now, For: "a"}, "cart")
				if want := (reading + 1) * tc.most; err == nil || p.calls != want {
					t.Errorf("after reading %d, %d pages were read, want %d: %v", reading, p.calls, want, err)
				}
			}
		})
	}
}

// TestListBeyondQuota lists more pages than the request quota allows at once, as reconciles do: each waits until it has
// the calls that the earlier ones waited for.
func TestListBeyondQuota(t *testing.T) {
	p := &paged{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), pages: 40}
	limiter := quota.New(func() time.Time { return p.now },
		map[quota.Bucket]quota.Rate{quota.ControlPlane: {PerSecond: 3, Burst: 10}})
	scope, caller := quota.Scope{
		Account: "111122223333",
		Region:  "eu-west-1",
	}, quota.Caller{
		ID:       "a",
		Priority: quota.User,
	}
	api := p.client(
		func(s *middleware.Stack) error { return s.Finalize.Add(limiter.Middleware(scope), middleware.After) },
	)
	ctx, cache := quota.WithCaller(t.Context(), caller), &readcache.Cache{}
	for attempt := range 10 {
		for wait := time.Duration(1); wait > 0; p.now = p.now.Add(wait) {
			wait = limiter.Reserve(scope, caller, slices.Repeat([]string{CallList}, min(attempt+1, 9))...)
		}
		all, err := List(ctx, api, lambdaapi.KeptList{Cache: cache, Now: p.now, For: "a"}, "cart")
		limiter.Release(scope, caller.ID)
		wait, deferred := quota.Deferred(err)
		switch {
		case err == nil && len(all) == p.pages && Highest(all) == p.pages && p.calls == p.pages:
			return
		case !deferred:
			t.Fatalf("%d versions of %d are listed by %d calls, %v", len(all), p.pages, p.calls, err)
		}
		p.now = p.now.Add(wait)
	}
	t.Errorf("a list of %d pages is not read to its end by %d calls", p.pages, p.calls)
}
