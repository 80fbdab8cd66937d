package versions

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// history returns a history with the given versions, the newest first.
func history(versions ...string) *v1beta1.VersionHistory {
	h := &v1beta1.VersionHistory{}
	for _, v := range versions {
		h.History = append(h.History, v1beta1.PublishedVersion{Version: v})
	}
	return h
}

func TestExcess(t *testing.T) {
	cases := map[string]struct {
		reason string
		limit  *int32
		wanted []string
		want   []string
	}{
		"NoLimit": {reason: "Without a limit all are kept.", wanted: []string{"7"}},
		"None": {
			reason: "No earlier one is kept.",
			limit:  ptr.To[int32](0),
			wanted: []string{"7"},
			want:   []string{"1", "3", "4"},
		},
		"Some": {
			reason: "The newest are kept; the oldest goes first.",
			limit:  ptr.To[int32](1),
			wanted: []string{"7"},
			want:   []string{"1", "3"},
		},
		"All": {reason: "Fewer versions exist than may be kept.", limit: ptr.To[int32](3), wanted: []string{"7"}},
		"Preparing": {
			reason: "While the last one is prepared, the one before it is wanted too.",
			limit:  ptr.To[int32](0),
			wanted: []string{"7", "4"},
			want:   []string{"1", "3"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Excess(history("7", "4", "3", "1"), tc.limit, tc.wanted...)
			if len(got)+len(tc.want) > 0 {
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestRemember(t *testing.T) {
	h := history("2", "1")
	Remember(h, "3", "c")
	Remember(h, "2", "b")
	want := []v1beta1.PublishedVersion{{Version: "3", Fingerprint: "c"}, {Version: "2"}, {Version: "1"}}
	if diff := cmp.Diff(want, h.History); diff != "" {
		t.Errorf("a version is remembered once, the newest first: -want, +got:\n%s", diff)
	}
	retain(h, "2", "alias live", start)
	Forget(h, "2")
	if Remembers(h, "2") || !Remembers(h, "1") || len(h.RetainedVersions) > 0 {
		t.Errorf("a version that is gone must leave nothing behind: %+v", h)
	}
	for i := range 2 * maxHistory {
		Remember(h, strconv.Itoa(10+i), "")
	}
	if len(h.History) != maxHistory {
		t.Errorf("status must stay small, got %d versions", len(h.History))
	}
}

// TestTheHighestLimit checks that versions beyond the highest limit are remembered until they are deleted, and those in
// use until they no longer are.
func TestTheHighestLimit(t *testing.T) {
	const limit, inUse = 100, 20
	h := &v1beta1.VersionHistory{}
	for i := range limit + inUse + 2 {
		Remember(h, strconv.Itoa(i+1), "")
	}
	excess := Excess(h, ptr.To[int32](limit), strconv.Itoa(limit+inUse+2))
	if len(excess) != inUse+1 || excess[0] != "1" {
		t.Errorf("the oldest %d versions are beyond the limit, got %v", inUse+1, excess)
	}
}

func TestDue(t *testing.T) {
	known := func(since, checked time.Duration) *v1beta1.VersionHistory {
		h := history("2", "1")
		h.RetainedVersions = []v1beta1.RetainedVersion{
			{
				Version:   "1",
				UsedBy:    "alias live",
				Since:     metav1.NewTime(start.Add(-since)),
				CheckedAt: metav1.NewTime(start.Add(-checked)),
			},
		}
		return h
	}
	cases := map[string]struct {
		reason  string
		history *v1beta1.VersionHistory
		want    []string
	}{
		"Never": {
			reason:  "The uses of the version were never read.",
			history: history("2", "1"),
			want:    []string{"1"},
		},
		"JustNow": {reason: "The version was in use a moment ago.", history: known(30*time.Second, 30*time.Second)},
		"AMinuteAgo": {
			reason:  "What uses it may have moved on.",
			history: known(time.Minute, time.Minute),
			want:    []string{"1"},
		},
		"ForAnHour": {
			reason:  "What has been in use for an hour most likely is.",
			history: known(90*time.Minute, 30*time.Minute),
		},
		"ForTwoHours": {
			reason:  "The wait grows with that time.",
			history: known(2*time.Hour, time.Hour),
			want:    []string{"1"},
		},
		"ForAYear": {
			reason:  "The interval has an upper limit.",
			history: known(365*24*time.Hour, maxRecheck),
			want:    []string{"1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Due(tc.history, []string{"1"}, start)
			if len(got)+len(tc.want) > 0 {
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

// TestQuestionsBecomeFew checks that the number of checks of a version in use is limited,
// whatever the rate of reconciles.
func TestQuestionsBecomeFew(t *testing.T) {
	h, asked := history("2", "1"), 0
	const days = 7
	for at := start; at.Before(start.Add(days * 24 * time.Hour)); at = at.Add(10 * time.Second) {
		if len(Due(h, []string{"1"}, at)) > 0 {
			asked++
			retain(h, "1", "alias live", at)
		}
	}
	if asked > 10+days*24/6 {
		t.Errorf("asked %d times in %d days", asked, days)
	}
}

func TestRetainIsReportedOnce(t *testing.T) {
	h := history("2", "1")
	for i, step := range []struct {
		by   string
		news bool
	}{{"alias live", true}, {"alias live", false}, {"alias test", true}} {
		if got := retain(h, "1", step.by, start.Add(time.Duration(i)*time.Hour)); got != step.news {
			t.Errorf("step %d: news %t, want %t", i, got, step.news)
		}
	}
	want := []v1beta1.RetainedVersion{
		{
			Version:   "1",
			UsedBy:    "alias test",
			Since:     metav1.NewTime(start),
			CheckedAt: metav1.NewTime(start.Add(2 * time.Hour)),
		},
	}
	if diff := cmp.Diff(want, h.RetainedVersions); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	releaseOthers(h, []string{"1"})
	if len(h.RetainedVersions) != 1 {
		t.Error("a version that is in excess must stay noted")
	}
	releaseOthers(h, nil)
	if len(h.RetainedVersions) != 0 {
		t.Error("a version within the limit is kept for that alone")
	}
}

func TestIsPublished(t *testing.T) {
	for name, want := range map[string]bool{
		"1": true, "42": true, functionname.LatestPublished: true,
		"": false, "$LATEST": false, "live": false, "0": false, "-1": false, "+3": false, "3,4": false, "3\n": false,
	} {
		if got := IsPublished(name); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}
