package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/cloudtrail"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/memory"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

const (
	eventAccount = "123456789012"
	alice        = "arn:aws:sts::123456789012:assumed-role/ops/alice"
	ownIdentity  = "arn:aws:sts::123456789012:assumed-role/provider/provider-lambda"
)

// eventAt returns an event about function cart by someone.
func eventAt(at time.Time, by string) cloudtrail.Event {
	return cloudtrail.Event{
		Kind:    cloudtrail.Call,
		Account: eventAccount,
		Region:  "eu-west-1",
		Time:    at,
		Subject: cloudtrail.Subject{
			Account:  eventAccount,
			Region:   "eu-west-1",
			Function: functionname.Name{Function: "cart"},
		},
		By: cloudtrail.Origin{
			Principal: by,
			Agent:     "aws-cli/2.15",
			Operation: "UpdateFunctionConfiguration",
			SourceIP:  "192.0.2.1",
			Time:      at,
			Provider:  by == ownIdentity,
		},
	}
}

// delays records what is enqueued.
type delays struct {
	watch.Queue

	added []string
}

func (d *delays) AddAfter(r ctrl.Request, after time.Duration) {
	d.added = append(d.added, fmt.Sprintf("%s %s", r, after))
}

// subscriber returns the subscriber of a kind whose samples own the function in their value.
func subscriber(t *testing.T, e *env, all ...*sample) (*watch.EventSubscriber, *delays) {
	t.Helper()
	s := runtime.NewScheme()
	if err := samples.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	typed := e.kind
	typed.Owns = func(mg *sample) []tenancy.Target { return tenancy.Functions(&mg.Spec.Value) }
	k := typed.Untyped()
	b := fake.NewClientBuilder().
		WithScheme(s).
		WithIndex(&sample{}, watch.EventIndex, func(o client.Object) []string {
			return watch.EventKeys(k, o.(*sample)) //nolint:forcetypeassert // There is no other.
		}).
		WithIndex(&sample{}, watch.ConfigIndex, func(o client.Object) []string {
			return []string{watch.ConfigKey(watch.ConfigOf(o.(*sample)))} //nolint:forcetypeassert // As above.
		})
	for _, mg := range all {
		b.WithObjects(mg)
	}
	q, queue := &delays{}, &watch.WorkQueue{}
	if err := queue.Start(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return &watch.EventSubscriber{
		Kind:      k,
		Resources: b.Build(),
		States:    e.reconciler.states,
		Poll:      e.options.poll(),
		Now:       e.options.Now,
		Queue:     queue,
	}, q
}

func configuredSample(namespace, name, function, kind string) *sample {
	mg := samples.New()
	mg.SetNamespace(namespace)
	mg.SetName(name)
	mg.Spec.Value = function
	mg.Spec.ProviderConfigReference = &xpv2.ProviderConfigReference{Kind: kind, Name: "default"}
	return mg
}

func TestNotify(t *testing.T) {
	e := newEnv(t, samples.New())
	shared := configuredSample("shop", "cart", "cart", v1beta1.ClusterProviderConfigKind)
	all := []*sample{
		shared,
		configuredSample("shop", "second", "cart", v1beta1.ClusterProviderConfigKind),
		configuredSample("shop", "other", "other", v1beta1.ClusterProviderConfigKind),
		configuredSample("tenant", "cart", "cart", v1beta1.ProviderConfigKind),
	}
	now := e.clock
	toCluster := map[driftevents.Config]bool{{Kind: v1beta1.ClusterProviderConfigKind, Name: "default"}: false}
	cases := map[string]struct {
		reason  string
		event   cloudtrail.Event
		configs map[driftevents.Config]bool
		prepare func(*memory.Store)
		want    []string
		outcome driftevents.Outcome
		origin  string
	}{
		"Matched": {
			reason:  "the resources of the config that are about the function are reconciled, and those of other configs are not",
			event:   eventAt(now, alice),
			configs: toCluster,
			want:    []string{"shop/cart 1s", "shop/second 1s"},
			outcome: driftevents.Matched,
			origin:  alice + " with aws-cli/2.15 (UpdateFunctionConfiguration) at 2026-01-01T00:00:00Z",
		},
		"Tenant": {
			reason: "the queue of a ProviderConfig is for the resources of this config alone",
			event: eventAt(
				now,
				alice,
			),
			configs: map[driftevents.Config]bool{
				{Kind: v1beta1.ProviderConfigKind, Namespace: "tenant", Name: "default"}: true,
			},
			want:    []string{"tenant/cart 1s"},
			outcome: driftevents.Matched,
		},
		"SourceIP": {
			reason: "the source IP address is shown if asked for",
			event: eventAt(
				now,
				alice,
			),
			configs: map[driftevents.Config]bool{{Kind: v1beta1.ClusterProviderConfigKind, Name: "default"}: true},
			want:    []string{"shop/cart 1s", "shop/second 1s"},
			outcome: driftevents.Matched,
			origin:  alice + " with aws-cli/2.15 from 192.0.2.1 (UpdateFunctionConfiguration) at 2026-01-01T00:00:00Z",
		},
		"OtherAccount": {
			reason: "a function of the same name in another account is another one",
			event:  eventAt(now, alice), configs: toCluster,
			prepare: func(s *memory.Store) {
				for _, n := range []string{"cart", "second"} {
					s.RecordSession(
						types.NamespacedName{Namespace: "shop", Name: n},
						&session.Session{Identity: session.Identity{Account: "999999999999", ARN: ""}},
						"",
					)
				}
			},
		},
		"UnknownAccount": {
			reason: "an account that is not known may be the one",
			event:  eventAt(now, alice), configs: toCluster,
			prepare: func(s *memory.Store) {
				s.RecordSession(
					cart,
					&session.Session{Identity: session.Identity{Account: "unknown-1a2b3c4d", ARN: ""}},
					"",
				)
			},
			want: []string{"shop/cart 1s", "shop/second 1s"}, outcome: driftevents.Matched,
			origin: alice + " with aws-cli/2.15 (UpdateFunctionConfiguration) at 2026-01-01T00:00:00Z",
		},
		"Own": {
			reason: "a call of the provider is none of someone else, also for the resources that it was not about",
			event:  eventAt(now, ownIdentity), configs: toCluster,
			prepare: func(s *memory.Store) {
				for _, n := range []string{"cart", "second"} {
					s.RecordSession(
						types.NamespacedName{Namespace: "shop", Name: n},
						&session.Session{Identity: session.Identity{Account: eventAccount, ARN: ownIdentity}},
						"",
					)
				}
			},
			outcome: driftevents.Own,
		},
		"OwnUnknown": {
			reason: "a user agent alone proves nothing",
			event:  eventAt(now, ownIdentity), configs: toCluster,
			want: []string{"shop/cart 1s", "shop/second 1s"}, outcome: driftevents.Matched,
			origin: ownIdentity + " with aws-cli/2.15 (UpdateFunctionConfiguration) at 2026-01-01T00:00:00Z",
		},
		"Outdated": {
			reason: "AWS was found up to date after the call",
			event:  eventAt(now.Add(-time.Minute), alice), configs: toCluster,
			prepare: func(s *memory.Store) {
				for _, n := range []string{"cart", "second"} {
					recordUpToDate(s, n, now)
				}
			},
			outcome: driftevents.Outdated,
		},
		"JustObserved": {
			reason: "an observation shortly after the call may not have seen its effect",
			event:  eventAt(now.Add(-5*time.Second), alice), configs: toCluster,
			prepare: func(s *memory.Store) { recordUpToDate(s, cart.Name, now) },
			want:    []string{"shop/cart 1s", "shop/second 1s"}, outcome: driftevents.Matched,
			origin: alice + " with aws-cli/2.15 (UpdateFunctionConfiguration) at 2025-12-31T23:59:55Z",
		},
		"OtherRegion": {
			reason: "a function of another region is another one",
			event: func() cloudtrail.Event {
				ev := eventAt(now, alice)
				ev.Subject.Region = "us-east-1"
				return ev
			}(),
			configs: toCluster,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e.reconciler.states = memory.New()
			s, q := subscriber(t, e, all...)
			if tc.prepare != nil {
				tc.prepare(e.reconciler.states)
			}
			out, err := s.Notify(t.Context(), driftevents.Notice{Event: tc.event, Configs: tc.configs})
			if err != nil || out != tc.outcome {
				t.Errorf("%s: outcome %d, %v", tc.reason, out, err)
			}
			slices.Sort(q.added)
			if diff := cmp.Diff(tc.want, q.added); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			known, _ := e.reconciler.states.Get(cart)
			if diff := cmp.Diff(tc.origin, known.Events.Origin); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestQualifier(t *testing.T) {
	cases := map[string]struct {
		name, kind, qualifier string
		want                  bool
	}{
		"NoQualifier":    {"cart:live", v1beta1.FunctionURLKind, "", true},
		"SameQualified":  {"cart:live", v1beta1.FunctionURLKind, "live", true},
		"OtherQualified": {"cart:live", v1beta1.FunctionURLKind, "next", false},
		"SameAlias":      {"live", v1beta1.AliasKind, "live", true},
		"OtherAlias":     {"live", v1beta1.AliasKind, "next", false},
		"OtherVersion":   {"3", v1beta1.VersionKind, "4", false},
		"Unnamed":        {"", v1beta1.AliasKind, "live", true},
		"Statement":      {"from-s3", v1beta1.PermissionKind, "live", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			mg.SetAnnotations(map[string]string{"crossplane.io/external-name": tc.name})
			if got := watch.HasQualifier(mg, tc.qualifier, tc.kind); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

// Ten thousand events about one resource are one entry in the queue, and what is kept of them is bounded.
func TestFloodAboutOneResource(t *testing.T) {
	e := newEnv(t, samples.New())
	s, q := subscriber(t, e, configuredSample("shop", "cart", "cart", v1beta1.ClusterProviderConfigKind))
	n := driftevents.Notice{
		Event:   eventAt(e.clock, strings.Repeat("a", 256)),
		Configs: map[driftevents.Config]bool{{Kind: v1beta1.ClusterProviderConfigKind, Name: "default"}: false},
	}
	for range 10000 {
		if _, err := s.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if got := slices.Compact(q.added); len(got) != 1 || got[0] != "shop/cart 1s" {
		t.Errorf("enqueued %v", got)
	}
	if known, _ := e.reconciler.states.Get(cart); len(known.Events.Origin) > 512 {
		t.Errorf("%d bytes are kept", len(known.Events.Origin))
	}
}

// While events continue, the resource is reconciled less and less often.
func TestEventDelayGrows(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	states, start := e.reconciler.states, e.clock
	var reconciles int
	due := time.Time{}
	for range 3600 {
		e.clock = e.clock.Add(time.Second)
		if o, d := states.RecordEvent(
			cart,
			eventAt(e.clock, alice),
			false,
			e.clock,
		); o == driftevents.Matched &&
			due.IsZero() {
			due = e.clock.Add(d)
		}
		if !due.IsZero() && !e.clock.Before(due) {
			e.reconcile()
			reconciles++
			due = time.Time{}
		}
	}
	if reconciles < 10 || reconciles > 30 {
		t.Errorf("%d reconciles in %s", reconciles, e.clock.Sub(start))
	}
	e.clock = e.clock.Add(time.Hour)
	if _, d := states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock); d != memory.MinEventDelay {
		t.Errorf("after an hour without events, the delay is %s", d)
	}
}

// A difference found after an event names who made the call.
func TestEventExplainsDifference(t *testing.T) {
	const by = "changed in AWS by " + alice + " with aws-cli/2.15 (UpdateFunctionConfiguration) at "
	at := func(e *env) string { return by + e.clock.Format(time.RFC3339) }
	cases := map[string]struct {
		reason string
		change func(e *env) string
	}{
		"Drift": {"the call explains the drift", func(e *env) string {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			return at(e)
		}},
		"AfterAStart": {"it does so after a start, when the cause would not be known", func(e *env) string {
			e.reconciler.states.Forget(cart)
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			return at(e)
		}},
		"Last": {"events arrive in any order: the last call counts", func(e *env) string {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock.Add(-time.Second), "bob"), false, e.clock)
			return at(e)
		}},
		"Observed": {"a call before AWS was found up to date explains nothing", func(e *env) string {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			e.cloud.value = "a"
			e.clock = e.clock.Add(time.Minute)
			e.converge()
			e.cloud.value = "hand"
			return "changed in AWS by hand"
		}},
		"Spec": {"a change of spec is the cause, whoever else made a call", func(e *env) string {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			e.change(func(mg *sample) { mg.Spec.Value, mg.Generation = "b", 2 })
			return "spec changed"
		}},
		"ReferenceTarget": {"so is a Secret", func(e *env) string {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
			e.reconciler.states.MarkChanged(cart, "Secret db")
			return "Secret db changed"
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t, samples.New())
			e.converge()
			e.clock = e.clock.Add(time.Hour)
			e.cloud.value = "hand"
			want := tc.change(e)
			e.converge()
			if e.cloud.cause != want {
				t.Errorf("%s: want %q, got %q", tc.reason, want, e.cloud.cause)
			}
		})
	}
}

// An event does not delay what a user waits for: its reconcile has the priority of a poll.
func TestEventPriority(t *testing.T) {
	e := newEnv(t, samples.New())
	e.converge()
	e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
	e.reconcile()
	if p := e.limiter.priority(); p != quota.Poll {
		t.Errorf("priority %v", p)
	}
	known, _ := e.reconciler.states.Get(cart)
	if !known.Events.Received.IsZero() || known.Events.Reconciles != 1 {
		t.Errorf("the event is not handled: %+v", known.Events)
	}
}

// TestEventAboutTags checks that the reconcile for an event reads tags again that the kind keeps for an hour.
func TestEventAboutTags(t *testing.T) {
	tags := &taggedCloud{}
	e := newEnv(t, samples.New(), func(o *Options, k *reconcile.Kind[*sample]) {
		tags.cache = readcache.NewTagCache(o.Now)
		k.Outdate = tags.cache.Drop
		k.Observer = func(*sample, *session.Session) reconcile.Observer[*sample] { return tags }
	})
	tags.cloud = e.cloud
	e.converge()
	for _, step := range []struct {
		reason string
		do     func()
		want   int
	}{
		{"A poll does with what is kept.", func() {}, 0},
		{"An event may be about the tags.", func() {
			e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
		}, 1},
		{"They are kept again then.", func() {}, 0},
	} {
		e.clock, tags.reads = e.clock.Add(10*time.Minute), 0
		step.do()
		e.reconcile()
		if tags.reads != step.want {
			t.Errorf("%s\n%d reads, want %d", step.reason, tags.reads, step.want)
		}
	}
}

// taggedCloud is a cloud that reads tags by a call of their own, and counts these reads.
type taggedCloud struct {
	*cloud

	cache *readcache.TagCache
	reads int
}

func (c *taggedCloud) Observe(ctx context.Context, f reconcile.Facts, mg *sample) (reconcile.Outcome, error) {
	if _, err := c.cache.Read(ctx, mg, "arn", c); err != nil {
		return reconcile.Outcome{}, err
	}
	return c.cloud.Observe(ctx, f, mg)
}

// ListTags returns the owner that all resources of this test have.
func (c *taggedCloud) ListTags(
	context.Context, *lambda.ListTagsInput, ...func(*lambda.Options),
) (*lambda.ListTagsOutput, error) {
	c.reads++
	return &lambda.ListTagsOutput{Tags: map[string]string{"uid": string(samples.New().GetUID())}}, nil
}

// After a start, a converged resource with an event is reconciled at once.
func TestEventAfterStart(t *testing.T) {
	e := newEnv(t, samples.New(), func(_ *Options, k *reconcile.Kind[*sample]) { k.Refs = nil })
	e.converge()
	e.reconciler.states.Forget(cart)
	e.reconciler.states.RecordEvent(cart, eventAt(e.clock, alice), false, e.clock)
	e.reconcile()
	if len(e.cloud.calls) == 0 {
		t.Error("the resource waits")
	}
}

// proven is a hub whose queue works or does not.
type proven bool

func (proven) Subscribe(string, driftevents.Subscriber) {}

func (p proven) Proven(uid types.UID, _, region string) bool {
	return bool(p) && uid == "c1" && region == "eu-west-1"
}

func (proven) Called(types.UID, string, string) {}

// expecting is a hub that counts the calls whose events are expected.
type expecting struct {
	proven

	calls []string
}

func (e *expecting) Called(uid types.UID, account, region string) {
	e.calls = append(e.calls, strings.Join([]string{string(uid), account, region}, " "))
}

// TestExpectedEvents checks of which calls of the provider a drift event is expected.
func TestExpectedEvents(t *testing.T) {
	cases := map[string]struct {
		reason   string
		reported bool
		fail     error
		want     []string
	}{
		"Created": {reason: "CloudTrail records the creation.", reported: true, want: []string{"c1  eu-west-1"}},
		"Refused": {
			reason:   "A call that fails may not have arrived at AWS.",
			reported: true,
			fail:     errors.New("no route"),
		},
		"Unreported": {reason: "AWS documents no events for the calls of this kind."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			hub := &expecting{}
			e := newEnv(t, samples.New(), func(o *Options, k *reconcile.Kind[*sample]) {
				o.Events = hub
				if tc.reported {
					k.Reported = func(*sample) bool { return true }
				}
			})
			e.cloud.reserve, e.cloud.fail = true, map[string]error{"Create": tc.fail}
			for range 3 {
				e.reconcile()
			}
			if diff := cmp.Diff(tc.want, hub.calls); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPollWithEvents(t *testing.T) {
	cases := map[string]struct {
		reason     string
		events     DriftEvents
		reported   func(*sample) bool
		interval   time.Duration
		annotation string
		want       time.Duration
	}{
		"Proven": {
			"events that arrive make polls rare",
			proven(true),
			func(*sample) bool { return true },
			time.Hour,
			"",
			time.Hour,
		},
		"Unproven": {
			"without events, polls detect changes",
			proven(false),
			func(*sample) bool { return true },
			time.Hour,
			"",
			10 * time.Minute,
		},
		"NoEvents": {"", nil, func(*sample) bool { return true }, time.Hour, "", 10 * time.Minute},
		"Unreported": {
			"what CloudTrail does not record is polled",
			proven(true),
			func(*sample) bool { return false },
			time.Hour,
			"",
			10 * time.Minute,
		},
		"Unknown": {"a kind that does not say is polled", proven(true), nil, time.Hour, "", 10 * time.Minute},
		"Shorter": {
			"a shorter interval has no effect",
			proven(true),
			func(*sample) bool { return true },
			time.Minute,
			"",
			10 * time.Minute,
		},
		"Annotated": {
			"a user's own interval takes precedence",
			proven(true),
			func(*sample) bool { return true },
			time.Hour,
			"20m",
			20 * time.Minute,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := samples.New()
			if tc.annotation != "" {
				mg.SetAnnotations(map[string]string{"crossplane.io/poll-interval": tc.annotation})
			}
			e := newEnv(t, mg, func(o *Options, k *reconcile.Kind[*sample]) {
				o.Events, o.PollWithEvents, k.Reported = tc.events, tc.interval, tc.reported
			})
			e.converge()
			if got := e.reconcile(); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// When events stop, the resources of the config are polled within the usual interval.
func TestResume(t *testing.T) {
	e := newEnv(t, samples.New())
	s, q := subscriber(
		t,
		e,
		configuredSample("shop", "cart", "cart", v1beta1.ClusterProviderConfigKind),
		configuredSample("tenant", "cart", "cart", v1beta1.ProviderConfigKind),
	)
	s.Resume(t.Context(), []driftevents.Config{{Kind: v1beta1.ClusterProviderConfigKind, Name: "default"}})
	if len(q.added) != 1 || !strings.HasPrefix(q.added[0], "shop/cart ") {
		t.Errorf("enqueued %v", q.added)
	}
}

func TestNotifyError(t *testing.T) {
	e := newEnv(t, samples.New())
	s, _ := subscriber(t, e)
	s.Resources = unlistable{}
	if _, err := s.Notify(t.Context(), driftevents.Notice{Event: eventAt(e.clock, alice)}); err == nil {
		t.Error("no error")
	}
}

func TestWithOrigin(t *testing.T) {
	cases := map[string]struct{ reason, message, origin, was, want string }{
		"None":  {"", "", "alice", "", ""},
		"Named": {"", "AWS differs", "alice", "", "AWS differs; changed by alice"},
		"Kept": {
			"after a restart, what was known stays",
			"AWS differs",
			"",
			"AWS differs; changed by alice",
			"AWS differs; changed by alice",
		},
		"Another": {
			"another difference has another cause",
			"AWS differs more",
			"",
			"AWS differs; changed by alice",
			"AWS differs more",
		},
		"Newer": {"", "AWS differs", "bob", "AWS differs; changed by alice", "AWS differs; changed by bob"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := reconcile.WithOrigin(tc.message, tc.origin, tc.was); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDeletedBy(t *testing.T) {
	cases := map[string]struct{ origin, want string }{
		"Unknown": {"", ""},
		"Deleted": {
			"alice with aws-cli/2 (DeleteFunction) at noon",
			" by alice with aws-cli/2 (DeleteFunction) at noon",
		},
		"Removed": {"alice (RemovePermission) at noon", " by alice (RemovePermission) at noon"},
		"Other":   {"alice with aws-cli/2 (UpdateFunctionCode) at noon", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := reconcile.DeletedBy(tc.origin); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// unlistable is a reader whose lists fail.
type unlistable struct{ client.Reader }

func (unlistable) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("boom")
}

// recordUpToDate records that a resource was found up to date, by answers since a time.
func recordUpToDate(s *memory.Store, name string, since time.Time) {
	mg := samples.New()
	mg.SetName(name)
	known := s.Begin(mg)
	s.RecordComparison(mg, memory.CompareResult{UpToDate: true, Since: since}, known)
}
