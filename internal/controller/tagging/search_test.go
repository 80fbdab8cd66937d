package tagging

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

var created = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestMayHaveCreated(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(c *v1beta1.CodeSigningConfig)
		after  time.Duration
		want   bool
	}{
		"New": {reason: "The provider has not seen it.", after: time.Second},
		"Finalizer": {
			reason: "The finalizer precedes each create.",
			change: func(c *v1beta1.CodeSigningConfig) { c.Finalizers = []string{managed.FinalizerName} },
			want:   true,
		},
		"Other": {
			reason: "Finalizers of other controllers prove nothing.",
			change: func(c *v1beta1.CodeSigningConfig) { c.Finalizers = []string{"other"} },
		},
		"Old": {reason: "A tool may have removed the finalizer, too.", after: time.Hour, want: true},
		"ObserveOnly": {
			reason: "An observe-only resource creates nothing.",
			after:  time.Hour,
			change: func(c *v1beta1.CodeSigningConfig) {
				c.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &v1beta1.CodeSigningConfig{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)}}
			if tc.change != nil {
				tc.change(c)
			}
			if got := MayHaveCreated(c, created.Add(tc.after)); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// tagged serves ListTags by ARN, and counts its calls.
type tagged struct {
	tags  map[string]string
	bare  bool // The answers have no tags.
	err   error
	calls int
}

func (f *tagged) ListTags(
	_ context.Context,
	in *lambda.ListTagsInput,
	_ ...func(*lambda.Options),
) (*lambda.ListTagsOutput, error) {
	f.calls++
	if f.bare {
		return &lambda.ListTagsOutput{}, f.err
	}
	return &lambda.ListTagsOutput{Tags: map[string]string{ownership.TagUID: f.tags[*in.Resource]}}, f.err
}

func TestFind(t *testing.T) {
	many := make([]Candidate, 2*mostReads)
	for i := range many {
		many[i] = Candidate{Name: fmt.Sprint(i), ARN: fmt.Sprint("arn:", i)}
	}
	type want struct {
		name  string
		err   string
		reads int
		calls int
	}
	cases := map[string]struct {
		reason     string
		candidates []Candidate
		api        *tagged

		// named is the candidate that another resource names.
		named string
		want  want
	}{
		"None": {reason: "Without candidates, no tags are read.", api: &tagged{}, want: want{reads: 1}},
		"Ours": {
			reason:     "A candidate with the UID is found.",
			candidates: many[:2],
			api:        &tagged{tags: map[string]string{"arn:1": "uid"}},
			want:       want{name: "1", reads: 1, calls: 2},
		},
		"Others": {
			reason:     "Candidates with other UIDs are not found.",
			candidates: many[:2],
			api:        &tagged{tags: map[string]string{"arn:1": "uid-2"}},
			want:       want{reads: 1, calls: 2},
		},
		"Two": {
			reason:     "Only the user can decide which one is owned.",
			candidates: many[:2],
			api:        &tagged{tags: map[string]string{"arn:0": "uid", "arn:1": "uid"}},
			want:       want{err: "the tags of several configs name this resource (0, 1)", reads: 1, calls: 2},
		},
		"Named": {
			reason:     "A candidate that another resource names is not read.",
			candidates: many[:2],
			named:      "1",
			api:        &tagged{tags: map[string]string{"arn:1": "uid"}},
			want:       want{reads: 1, calls: 1},
		},
		"NoARN": {
			reason:     "Tags cannot be read without an ARN.",
			candidates: []Candidate{{Name: "0"}},
			api:        &tagged{},
			want:       want{reads: 1},
		},
		"Untold": {
			reason:     "An unlikely candidate without tags is skipped.",
			candidates: many[:1],
			api:        &tagged{err: &smithy.GenericAPIError{Code: "ResourceNotFoundException"}},
			want:       want{reads: 1, calls: 1},
		},
		"LikelyWithoutTags": {
			reason:     "AWS returns that the candidate has no tags, so it is not owned.",
			candidates: []Candidate{{Name: "0", ARN: "arn:0", Likely: true}},
			api:        &tagged{bare: true},
			want:       want{reads: 1, calls: 1},
		},
		"LikelyUnknown": {
			reason:     "A likely candidate may belong to the resource, and AWS does not return its tags.",
			candidates: []Candidate{{Name: "0", ARN: "arn:0", Likely: true}},
			api:        &tagged{err: &smithy.GenericAPIError{Code: "ResourceNotFoundException"}},
			want: want{
				err:   "cannot tell whether this resource created config 0, because AWS does not return its tags: if it did, set the annotation crossplane.io/external-name to its ARN; if not, remove the annotation crossplane.io/external-create-pending to create another",
				reads: 1,
				calls: 1,
			},
		},
		"Denied": {
			reason:     "Nothing is created while a candidate may be owned.",
			candidates: many[:1],
			api:        &tagged{err: errors.New("denied")},
			want: want{
				err:   "cannot read the tags of config 0 to check whether this resource created it: denied",
				reads: 1,
				calls: 1,
			},
		},
		"TheLast": {
			reason:     "Each reconcile reads some of the tags, and the next one continues.",
			candidates: many,
			api:        &tagged{tags: map[string]string{many[len(many)-1].ARN: "uid"}},
			want:       want{name: many[len(many)-1].Name, reads: 2, calls: len(many)},
		},
		"Again": {
			reason:     "The same tags are not read twice.",
			candidates: append(many[:1:1], many[0]),
			api:        &tagged{},
			want:       want{reads: 1, calls: 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &v1beta1.CodeSigningConfig{ObjectMeta: metav1.ObjectMeta{UID: "uid"}}
			s := Search{API: tc.api, Cache: &readcache.Cache{}, Kind: "config", Identifier: "ARN"}
			s.Facts.Others = &reconcile.Others{
				OtherNames: func(context.Context) map[string]string { return map[string]string{tc.named: "other"} },
			}
			got := want{}
			s.Facts.Fresh = readcache.Freshness{Now: created, Since: created}
			for again := true; again && got.reads < 5; got.reads++ {
				name, _, err := s.Find(t.Context(), c, tc.candidates)
				later := (*reconcile.LaterError)(nil)
				if again = errors.As(err, &later); err != nil && !again {
					got.err, _, _ = strings.Cut(err.Error(), ": set the annotation")
				}
				got.name = name
			}
			got.calls = tc.api.calls
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFindWaitsForQuota checks that a search without quota waits for as long as the quota
// says.
func TestFindWaitsForQuota(t *testing.T) {
	api := &tagged{}
	s := Search{API: api, Cache: &readcache.Cache{}, Kind: "config", Identifier: "ARN"}
	s.Facts.ReserveFn = func(...string) time.Duration { return time.Minute }
	s.Facts.Fresh = readcache.Freshness{Now: created, Since: created}
	_, _, err := s.Find(t.Context(), &v1beta1.CodeSigningConfig{}, []Candidate{{Name: "0", ARN: "arn:0"}})
	later := (*reconcile.LaterError)(nil)
	if !errors.As(err, &later) || later.After != time.Minute || api.calls != 0 {
		t.Errorf("%d calls, %v; want a minute and no call", api.calls, err)
	}
}

// TestFindEnds checks that a search comes to its end among any number of candidates without tags, although those are
// read again after a while.
func TestFindEnds(t *testing.T) {
	api, many := &tagged{bare: true}, make([]Candidate, 4000)
	c := &v1beta1.CodeSigningConfig{ObjectMeta: metav1.ObjectMeta{UID: "uid"}}
	for i := range many {
		many[i] = Candidate{Name: fmt.Sprint(i), ARN: fmt.Sprint("arn:", i)}
	}
	s := Search{API: api, Cache: &readcache.Cache{}, Kind: "config", Identifier: "ARN"}
	for now := created; api.calls < 2*len(many); now = now.Add(2 * pause) { // The quota allows about 15 calls a second.
		s.Facts.Fresh = readcache.Freshness{Now: now, Since: now}
		if _, _, err := s.Find(t.Context(), c, many); err == nil {
			return
		}
	}
	t.Errorf("no end after %d calls", api.calls)
}
