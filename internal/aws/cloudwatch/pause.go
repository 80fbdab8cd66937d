package cloudwatch

import (
	"errors"
	"sync"
	"time"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/delay"
)

const (
	// firstPause is the pause after the first call that was throttled. It doubles with each further one.
	firstPause = 30 * time.Second

	// longestPause is the maximum pause.
	longestPause = 5 * time.Minute
)

// errPaused is the answer of requests whose calls are not made.
var errPaused = errors.New("CloudWatch throttles this account's requests in this region: it is not called for a while")

// A pause keeps calls back after some were throttled. Its zero value keeps none back.
type pause struct {
	mu        sync.Mutex
	throttles int
	from, end time.Time
}

// over reports whether calls may be made.
func (p *pause) over(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Before from, the clock was set back.
	return !now.Before(p.end) || now.Before(p.from.Add(-skew))
}

func (p *pause) record(now time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.throttles, p.end = 0, time.Time{}
	case awserr.IsThrottled(err):
		d := delay.Doubling(firstPause, p.throttles+1, longestPause)
		if after, ok := awserr.RetryAfter(err); ok {
			d = max(d, after)
		}
		p.throttles++
		p.from, p.end = now, now.Add(d)
	}
}
