package cloudwatch

import (
	"context"

	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"time"
)

func (b *Batcher) measure(ctx context.Context, api API, now time.Time, due map[string]*request) map[string]answer[rollout.Sample] {
	return nil
}
func (b *Batcher) describe(ctx context.Context, api API, now time.Time, due map[string]string) map[string]answer[State] {
	return nil
}
