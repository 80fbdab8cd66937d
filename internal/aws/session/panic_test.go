package session

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/panics"
)

// TestPanicsReachThoseWhoWait checks that a panic in a shared fetch is an error for all who wait
// for it. Nobody hangs, the process goes on, and a later call fetches again.
func TestPanicsReachThoseWhoWait(t *testing.T) {
	cases := map[string]struct {
		reason string
		call   func(ctx context.Context, now func() time.Time, release <-chan struct{}, broken *bool) func() error
	}{
		"Memo": {reason: "Such as an identity.", call: func(ctx context.Context, now func() time.Time,
			release <-chan struct{}, broken *bool,
		) func() error {
			m := &cached[int]{now: now}
			return func() error {
				_, err := m.get(ctx, func(context.Context) (int, error) {
					<-release
					if *broken {
						panic("secret")
					}
					return 1, nil
				})
				return err
			}
		}},
		"Renewal": {
			reason: "A panic in the renewal of credentials reaches the waiting caller.",
			call: func(ctx context.Context, now func() time.Time, release <-chan struct{}, broken *bool) func() error {
				r := (&Resolver{now: now}).renew("Secret",
					aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
						<-release
						if *broken {
							panic("secret")
						}
						return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
					}), nil)
				return func() error {
					_, err := r.Retrieve(ctx)
					return err
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, broken, clock := make(chan struct{}), true, time.Unix(0, 0)
				call := tc.call(t.Context(), func() time.Time { return clock }, release, &broken)
				var wg sync.WaitGroup
				for range 5 {
					wg.Go(func() {
						if _, ok := errors.AsType[*panics.Error](call()); !ok {
							t.Errorf("%s: want the panic as an error", tc.reason)
						}
					})
				}
				synctest.Wait()
				close(release)
				wg.Wait()
				broken, clock = false, clock.Add(longestBackoff)
				if err := call(); err != nil {
					t.Errorf("%s: what is put right works again, got %v", tc.reason, err)
				}
			})
		})
	}
}
