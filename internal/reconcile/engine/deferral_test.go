package engine

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

// TestStatusIsHeldBack checks that the status Creating is written only if it lasts.
func TestStatusIsHeldBack(t *testing.T) {
	cases := map[string]struct {
		reason string
		delay  time.Duration
		// quota is how long the second reconcile has to wait for quota.
		quota time.Duration
		// after is the time between the two reconciles.
		after time.Duration
		want  []xpv2.ConditionReason
		next  time.Duration
	}{
		"Written": {
			reason: "Without a delay, each status is written.",
			after:  time.Second,
			want:   []xpv2.ConditionReason{"Creating", "Available"},
			next:   time.Second,
		},
		"HeldBack": {
			reason: "The next status follows in a moment.",
			delay:  StatusDelay,
			after:  time.Second,
			want:   []xpv2.ConditionReason{"", "Available"},
			next:   time.Second,
		},
		"QuotaSoon": {
			reason: "The next observation waits for quota.",
			delay:  StatusDelay,
			quota:  time.Minute,
			after:  time.Second,
			want:   []xpv2.ConditionReason{"", ""},
			next:   time.Second,
		},
		"QuotaLate": {
			reason: "It waits for long, so that users should know.",
			delay:  StatusDelay,
			quota:  time.Minute,
			after:  StatusDelay,
			want:   []xpv2.ConditionReason{"", "Creating"},
			next:   time.Second,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.StatusDelay = tc.delay })
			next := e.reconcile()
			got := []xpv2.ConditionReason{e.stored().GetCondition(xpv2.TypeReady).Reason}
			if next != tc.next {
				t.Errorf("%s\nwant the next reconcile after %s, got %s", tc.reason, tc.next, next)
			}
			e.clock = e.clock.Add(tc.after)
			e.limiter.wait["Get"] = tc.quota
			if next = e.reconcile(); tc.quota > 0 && tc.after < tc.delay && next != tc.delay-tc.after {
				t.Errorf("%s\nwant the status to be written after %s, got %s", tc.reason, tc.delay-tc.after, next)
			}
			got = append(got, e.stored().GetCondition(xpv2.TypeReady).Reason)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nstored: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStatusOfReadyResourceIsNotHeldBack checks that a resource does not stay Ready after it was
// deleted in AWS and is created again.
func TestStatusOfReadyResourceIsNotHeldBack(t *testing.T) {
	e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.StatusDelay = StatusDelay })
	e.converge()
	e.cloud.there = false
	e.reconcile()
	if got := e.stored().GetCondition(xpv2.TypeReady).Reason; got != xpv2.ReasonCreating {
		t.Errorf("want Creating, got %s", got)
	}
}

// TestUnwrittenStatusIsNotRetriedWithoutBound checks that AWS is called ever less often while the API server refuses
// the status of a resource that is being created.
func TestUnwrittenStatusIsNotRetriedWithoutBound(t *testing.T) {
	e := newEnv(t, samples.New(), func(o *Options, _ *reconcile.Kind[*sample]) { o.StatusDelay = StatusDelay })
	e.server = interceptor.NewClient(
		e.server.(client.WithWatch),
		interceptor.Funcs{ //nolint:forcetypeassert // The fake client is one.
			SubResourceUpdate: func(
				context.Context, client.Client, string, client.Object, ...client.SubResourceUpdateOption,
			) error {
				return errors.New("refused")
			},
		},
	)
	e.reconciler = newReconciler(&manager{c: e.server}, e.options, observedBy(e, e.cloud), e.events)
	for end := e.clock.Add(time.Hour); e.clock.Before(end); {
		e.clock = e.clock.Add(max(e.reconcile(), time.Millisecond))
	}
	if n := len(e.cloud.calls); n > 120 {
		t.Errorf("%d calls of AWS in an hour", n)
	}
}
