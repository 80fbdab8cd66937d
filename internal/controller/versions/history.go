// Package versions records the versions of a function that a resource has published, and finds
// those beyond a limit that nothing uses.
//
// A version has no tags. A resource knows its own versions by what it has recorded before each call of PublishVersion
// (see Intent), and keeps them in its status: others are never deleted. history.go decides without calls; uses.go asks
// AWS what uses a version, and resources.go the cluster; unused.go combines the three, and prune.go deletes.
package versions

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

const (
	// maxHistory is the maximum number of versions in a status: the latest one, those that the highest limit keeps, and
	// as many that are in use or not deleted yet.
	maxHistory = 201

	// minRecheck and maxRecheck are the shortest and longest time before a version that was in use is checked again.
	minRecheck = time.Minute
	maxRecheck = 6 * time.Hour
)

var published = regexp.MustCompile(`^([1-9][0-9]*|[$]LATEST[.]PUBLISHED)$`)

// IsPublished reports whether a name is that of a published version. It is then neither empty,
// nor $LATEST, nor an alias, which AWS would interpret differently.
func IsPublished(name string) bool { return published.MatchString(name) }

// Number returns the number of a version, or 0 if it has none.
func Number(version string) int {
	n, err := strconv.Atoi(version)
	if err != nil {
		return 0
	}
	return n
}

// Remember adds a version that the resource published to the history. It returns false if the history has it already.
func Remember(h *v1beta1.VersionHistory, version, fingerprint string) bool {
	if Remembers(h, version) {
		return false
	}
	h.History = append([]v1beta1.PublishedVersion{{Version: version, Fingerprint: fingerprint}}, h.History...)
	h.History = h.History[:min(len(h.History), maxHistory)]
	return true
}

// Remembers reports whether the history contains a version.
func Remembers(h *v1beta1.VersionHistory, version string) bool {
	return slices.ContainsFunc(h.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version })
}

// Forget removes a version from the history that is gone, or is left to others.
func Forget(h *v1beta1.VersionHistory, version string) {
	h.History = slices.DeleteFunc(h.History, func(p v1beta1.PublishedVersion) bool { return p.Version == version })
	release(h, version)
}

// Earlier returns the versions that the resource has published, newest first, except for those in wanted.
func Earlier(h *v1beta1.VersionHistory, wanted ...string) []string {
	var out []string
	for _, p := range h.History {
		if !slices.Contains(wanted, p.Version) {
			out = append(out, p.Version)
		}
	}
	return out
}

// Excess returns the earlier versions beyond a limit, the oldest first. Without a limit there are none.
func Excess(h *v1beta1.VersionHistory, limit *int32, wanted ...string) []string {
	if limit == nil {
		return nil
	}
	earlier := Earlier(h, wanted...)
	out := slices.Clone(earlier[min(len(earlier), max(int(*limit), 0)):])
	slices.Reverse(out)
	return out
}

// Due returns the versions of the excess that are due to be checked: all except those that were recently found in use.
// The longer a version has been in use, the longer is the time between checks.
func Due(h *v1beta1.VersionHistory, excess []string, now time.Time) []string {
	return slices.DeleteFunc(slices.Clone(excess), func(version string) bool {
		i := retained(h, version)
		return i >= 0 && now.Before(recheck(h.RetainedVersions[i]))
	})
}

// recheck returns when a version that was in use is checked again.
func recheck(r v1beta1.RetainedVersion) time.Time {
	known := r.CheckedAt.Sub(r.Since.Time)
	return r.CheckedAt.Add(min(max(known, minRecheck), maxRecheck))
}

// retain records that a version was found in use. It returns whether the user of the version is new.
func retain(h *v1beta1.VersionHistory, version, usedBy string, now time.Time) bool {
	at := metav1.NewTime(now)
	i := retained(h, version)
	if i < 0 {
		h.RetainedVersions = append(h.RetainedVersions,
			v1beta1.RetainedVersion{Version: version, UsedBy: usedBy, Since: at, CheckedAt: at})
		return true
	}
	r := &h.RetainedVersions[i]
	news := r.UsedBy != usedBy
	r.UsedBy, r.CheckedAt = usedBy, at
	return news
}

// release removes the record that a version is in use.
func release(h *v1beta1.VersionHistory, version string) {
	h.RetainedVersions = slices.DeleteFunc(h.RetainedVersions,
		func(r v1beta1.RetainedVersion) bool { return r.Version == version })
}

// releaseOthers removes the records of versions that are not in excess any more.
func releaseOthers(h *v1beta1.VersionHistory, excess []string) {
	h.RetainedVersions = slices.DeleteFunc(h.RetainedVersions,
		func(r v1beta1.RetainedVersion) bool { return !slices.Contains(excess, r.Version) })
}

func retained(h *v1beta1.VersionHistory, version string) int {
	return slices.IndexFunc(h.RetainedVersions, func(r v1beta1.RetainedVersion) bool { return r.Version == version })
}
