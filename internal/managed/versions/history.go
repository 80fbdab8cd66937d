// Package versions keeps account of the versions that a resource published of a
// function, and finds those beyond a limit that nothing uses.
//
// A version has no tags. Which ones are its own, a resource knows by what it noted
// before each call of PublishVersion (see Intent), and remembers in its status: others
// are never deleted. history.go decides, and makes no call; uses.go asks AWS what uses a
// version; prune.go puts the two together.
package versions

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// LatestPublished is the version without a number of its own, which functions on Lambda
// Managed Instances run.
const LatestPublished = "$LATEST.PUBLISHED"

const (
	// maxHistory is how many versions a status remembers.
	maxHistory = 101

	// minRecheck and maxRecheck bound the time after which AWS is asked again about a
	// version that was in use.
	minRecheck = time.Minute
	maxRecheck = 6 * time.Hour
)

var published = regexp.MustCompile(`^([1-9][0-9]*|[$]LATEST[.]PUBLISHED)$`)

// IsPublished says that a name is that of a published version. It is then neither empty,
// $LATEST nor an alias, by which AWS would understand something else.
func IsPublished(name string) bool { return published.MatchString(name) }

// Number of a version, 0 for one without.
func Number(version string) int {
	n, err := strconv.Atoi(version)
	if err != nil {
		return 0
	}
	return n
}

// Remember a version that the resource published.
func Remember(h *v1beta1.VersionHistory, version, fingerprint string) {
	if Remembers(h, version) {
		return
	}
	h.History = append([]v1beta1.PublishedVersion{{Version: version, Fingerprint: fingerprint}}, h.History...)
	h.History = h.History[:min(len(h.History), maxHistory)]
}

// Remembers tells whether the resource published a version.
func Remembers(h *v1beta1.VersionHistory, version string) bool {
	return slices.ContainsFunc(h.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version })
}

// Forget a version that is gone, or is left to others.
func Forget(h *v1beta1.VersionHistory, version string) {
	h.History = slices.DeleteFunc(h.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version })
	release(h, version)
}

// Earlier are the versions that the resource published, but those that are still wanted,
// the newest first.
func Earlier(h *v1beta1.VersionHistory, wanted ...string) []string {
	var out []string
	for _, p := range h.History {
		if !slices.Contains(wanted, p.Version) {
			out = append(out, p.Version)
		}
	}
	return out
}

// Excess are the earlier versions beyond a limit, the oldest first. Without a limit there
// are none.
func Excess(h *v1beta1.VersionHistory, limit *int32, wanted ...string) []string {
	if limit == nil {
		return nil
	}
	earlier := Earlier(h, wanted...)
	out := slices.Clone(earlier[min(len(earlier), int(*limit)):])
	slices.Reverse(out)
	return out
}

// Due are those of the excess that AWS is to be asked about now: all but those that were
// found in use a short while ago. The longer a version has been in use, the longer that
// is.
func Due(h *v1beta1.VersionHistory, excess []string, now time.Time) []string {
	return slices.DeleteFunc(slices.Clone(excess), func(version string) bool {
		i := retained(h, version)
		return i >= 0 && now.Before(recheck(h.RetainedVersions[i]))
	})
}

// recheck is when AWS is to be asked again about a version that was in use.
func recheck(r v1beta1.RetainedVersion) time.Time {
	known := r.CheckedAt.Sub(r.Since.Time)
	return r.CheckedAt.Add(min(max(known, minRecheck), maxRecheck))
}

// retain notes that a version was found in use. It tells whether that is news.
func retain(h *v1beta1.VersionHistory, version, usedBy string, now time.Time) bool {
	at := metav1.NewTime(now)
	i := retained(h, version)
	if i < 0 {
		h.RetainedVersions = append(h.RetainedVersions, v1beta1.RetainedVersion{Version: version, UsedBy: usedBy, Since: at, CheckedAt: at})
		return true
	}
	r := &h.RetainedVersions[i]
	news := r.UsedBy != usedBy
	r.UsedBy, r.CheckedAt = usedBy, at
	return news
}

// release drops the note that a version is in use.
func release(h *v1beta1.VersionHistory, version string) {
	h.RetainedVersions = slices.DeleteFunc(h.RetainedVersions, func(r v1beta1.RetainedVersion) bool { return r.Version == version })
}

// ReleaseOthers drops the notes on versions that are not in excess any more.
func ReleaseOthers(h *v1beta1.VersionHistory, excess []string) {
	h.RetainedVersions = slices.DeleteFunc(h.RetainedVersions, func(r v1beta1.RetainedVersion) bool { return !slices.Contains(excess, r.Version) })
}

func retained(h *v1beta1.VersionHistory, version string) int {
	return slices.IndexFunc(h.RetainedVersions, func(r v1beta1.RetainedVersion) bool { return r.Version == version })
}
