package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// VersionHistory is the record of the versions that a resource published.
type VersionHistory struct {
	// History are the versions that this resource published and that are still there
	// as far as it knows, the newest first, at most 201. It never deletes any other.
	// +listType=atomic
	History []PublishedVersion `json:"history,omitempty"`
	// RetainedVersions are those beyond historyLimit that are kept because something uses them. AWS is asked about them
	// again from time to time, and less and less often.
	// +listType=atomic
	RetainedVersions []RetainedVersion `json:"retainedVersions,omitempty"`
}

// A PublishedVersion is a version that a resource published.
type PublishedVersion struct {
	// Version is its number.
	Version string `json:"version"`
	// Fingerprint of its code and configuration.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// A RetainedVersion is a version beyond historyLimit that is in use.
type RetainedVersion struct {
	// Version is its number.
	Version string `json:"version"`
	// UsedBy names the user of the version, such as alias live.
	UsedBy string `json:"usedBy"`
	// Since is the time at which it was first found in use.
	Since metav1.Time `json:"since"`
	// CheckedAt is the time at which AWS was last asked about it.
	CheckedAt metav1.Time `json:"checkedAt"`
}
