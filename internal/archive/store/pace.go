package store

import (
	"context"
	"io"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

var errSlow = errors.New("the server sends too slowly")

// timely returns a writer that ends another one if that writes too slowly.
func timely(write writer) writer {
	return func(ctx context.Context, w io.Writer) error {
		ctx, end := context.WithCancelCause(ctx)
		defer end(nil)
		//nolint:forbidigo // It ends a download in the background. No code waits for it.
		p := &paced{to: w, began: time.Now(), timer: time.AfterFunc(silence, func() { end(errSlow) })}
		defer p.timer.Stop()
		err := write(ctx, p)
		if err != nil && errors.Is(context.Cause(ctx), errSlow) {
			return errSlow
		}
		return err
	}
}

// A paced writer has a timer that ends a download.
type paced struct {
	to    io.Writer
	began time.Time
	moved int64
	timer *time.Timer
}

// Write writes bytes, which gives the download more time.
func (p *paced) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.moved += int64(n)
	left := silence + time.Duration(p.moved)*perMiB/(1<<20) - time.Since(p.began) //nolint:forbidigo // As above.
	p.timer.Reset(min(silence, left))
	return n, err
}
