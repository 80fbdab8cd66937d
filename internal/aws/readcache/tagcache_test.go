package readcache

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

const arn = "arn:aws:lambda:eu-central-1:123456789012:code-signing-config:csc-0123456789abcdef0"

// lister returns the ARN and the owner of a resource as tags.
type lister struct {
	owner string
	calls int
	err   error
}

func (l *lister) ListTags(_ context.Context, in *lambda.ListTagsInput,
	_ ...func(*lambda.Options),
) (*lambda.ListTagsOutput, error) {
	l.calls++
	if l.err != nil {
		return nil, l.err
	}
	return &lambda.ListTagsOutput{Tags: map[string]string{"of": *in.Resource, "uid": l.owner}}, nil
}

func object(change func(*metav1.ObjectMeta)) *metav1.ObjectMeta {
	o := &metav1.ObjectMeta{UID: "u1", Generation: 1}
	if change != nil {
		change(o)
	}
	return o
}

func TestReadTags(t *testing.T) {
	cases := map[string]struct {
		reason string
		then   func(m *TagCache, clock *time.Time)
		mg     *metav1.ObjectMeta
		arn    string
		want   int
	}{
		"Steady": {reason: "What was read a while ago is still good.", then: func(_ *TagCache,
			c *time.Time,
		) {
			*c = c.Add(MaxTagAge - time.Second)
		}, mg: object(nil), arn: arn, want: 1},
		"Old": {
			reason: "Someone may have changed them within an hour.",
			then:   func(_ *TagCache, c *time.Time) { *c = c.Add(MaxTagAge) }, mg: object(nil), arn: arn, want: 2,
		},
		"NewSpec": {
			reason: "The user waits for the truth.",
			mg:     object(func(o *metav1.ObjectMeta) { o.Generation = 2 }), arn: arn, want: 2,
		},
		"Deletion": {
			reason: "What is foreign by now must not be deleted.",
			mg:     object(func(o *metav1.ObjectMeta) { o.DeletionTimestamp = ptr.To(metav1.Unix(1, 0)) }), arn: arn,
			want: 2,
		},
		"Requested": {reason: "The user requested a reconcile.", mg: object(func(o *metav1.ObjectMeta) {
			o.Annotations = map[string]string{meta.AnnotationKeyReconcileRequestedAt: "now"}
		}), arn: arn, want: 2},
		"Forgotten": {
			reason: "The provider has changed them.",
			then:   func(m *TagCache, _ *time.Time) { m.Forget(object(nil)) }, mg: object(nil), arn: arn, want: 2,
		},
		"Another": {
			reason: "The tags are those of another managed resource.",
			mg:     object(func(o *metav1.ObjectMeta) { o.UID = "u2" }), arn: arn, want: 2,
		},
		"OtherArn": {
			reason: "The managed resource has another external resource now.", mg: object(nil),
			arn: arn + "1", want: 2,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			m, l := NewTagCache(func() time.Time { return clock }), &lister{owner: "u1"}
			if !m.Due(object(nil), arn) {
				t.Error("Due() before anything was read: want true")
			}
			got, err := m.Read(t.Context(), object(nil), arn, l)
			if err != nil {
				t.Fatal(err)
			}
			got["of"] = "the caller's own"
			if tc.then != nil {
				tc.then(m, &clock)
			}
			if due := m.Due(tc.mg, tc.arn); due != (tc.want == 2) {
				t.Errorf("%s\nDue(): %t", tc.reason, due)
			}
			got, err = m.Read(t.Context(), tc.mg, tc.arn, l)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"of": tc.arn, "uid": "u1"}, got); diff != "" {
				t.Errorf("%s\nRead(): -want, +got:\n%s", tc.reason, diff)
			}
			if l.calls != tc.want {
				t.Errorf("%s\ncalls: want %d, got %d", tc.reason, tc.want, l.calls)
			}
		})
	}
}

// TestTagsOfNobodyAreNotRemembered checks that tags that AWS shows late are not missing for an hour.
func TestTagsOfNobodyAreNotRemembered(t *testing.T) {
	m, l := NewTagCache(time.Now), &lister{}
	for range 2 {
		if _, err := m.Read(t.Context(), object(nil), arn, l); err != nil || !m.Due(object(nil), arn) {
			t.Errorf("Read(): %v, want that it is due again", err)
		}
	}
	l.owner = "u1"
	if _, err := m.Read(t.Context(), object(nil), arn, l); err != nil || m.Due(object(nil), arn) || l.calls != 3 {
		t.Errorf("Read(): %v after %d calls, want that they are remembered", err, l.calls)
	}
}

func TestAFailedReadIsNotRemembered(t *testing.T) {
	m, l := NewTagCache(time.Now), &lister{err: errors.New("boom")}
	if _, err := m.Read(t.Context(), object(nil), arn, l); err == nil {
		t.Error("Read(): want the error")
	}
	l.err = nil
	if tags, err := m.Read(t.Context(), object(nil), arn, l); err != nil || tags["of"] != arn {
		t.Errorf("Read(): got %v, %v", tags, err)
	}
}

func TestOldEntriesAreDropped(t *testing.T) {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m, l := NewTagCache(func() time.Time { return clock }), &lister{}
	for _, uid := range []types.UID{"gone", "here"} {
		l.owner = string(uid)
		if _, err := m.Read(t.Context(), &metav1.ObjectMeta{UID: uid}, arn, l); err != nil {
			t.Fatal(err)
		}
		clock = clock.Add(3 * MaxTagAge)
	}
	if len(m.entries) != 1 {
		t.Errorf("want one entry, got %d", len(m.entries))
	}
}

// TestOutdated checks that a resource is not changed on the basis of old tags: someone else may own it now.
func TestOutdated(t *testing.T) {
	gone := object(func(o *metav1.ObjectMeta) { o.DeletionTimestamp = ptr.To(metav1.Unix(1, 0)) })
	cases := map[string]struct {
		reason string
		mg     *metav1.ObjectMeta
		after  time.Duration
		want   bool
		due    bool
	}{
		"Recent": {
			reason: "Tags that were just read are not outdated.", mg: object(nil),
			after: RecentTagAge - time.Second,
		},
		"Old": {
			reason: "Old tags suffice for an observation, but not for a change.", mg: object(nil),
			after: RecentTagAge, want: true, due: true,
		},
		"Another": {
			reason: "What is not remembered is read anyway.",
			mg:     object(func(o *metav1.ObjectMeta) { o.UID = "u2" }), after: RecentTagAge, due: true,
		},
		"Deleting": {
			reason: "Recent tags are used while AWS rejects a deletion repeatedly.", mg: gone,
			after: RecentTagAge - time.Second,
		},
		"Deleted": {
			reason: "The tags of a resource that is being deleted are read every few minutes.", mg: gone,
			after: RecentTagAge, want: true, due: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			m, l := NewTagCache(func() time.Time { return clock }), &lister{owner: "u1"}
			read := tc.mg
			if name == "Another" {
				read = object(nil)
			}
			if _, err := m.Read(t.Context(), read, arn, l); err != nil {
				t.Fatal(err)
			}
			clock = clock.Add(tc.after)
			if got := m.Due(tc.mg, arn); got != (tc.due && (name == "Deleted" || name == "Another")) {
				t.Errorf("%s: due before it is asked: %t", tc.reason, got)
			}
			if got := m.Outdated(tc.mg); got != tc.want {
				t.Errorf("%s: outdated: %t", tc.reason, got)
			}
			if got := m.Due(tc.mg, arn); got != tc.due {
				t.Errorf("%s: due after it was asked: %t", tc.reason, got)
			}
		})
	}
}
