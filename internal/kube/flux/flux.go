// Package flux reads the status of Flux's sources. It is pure. Whoever may write that status decides what it says, so
// nothing of it is trusted: the URL is called only if the provider's operator allows its host, and what it returns has
// to match the digest.
package flux

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/opencontainers/go-digest"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// Group is the API group of Flux's sources.
const Group = "source.toolkit.fluxcd.io"

// View is the name of the view of a source. A FieldReader reads it in place of a path, and no path is like it.
const View = "[source]"

// Limits of texts that are shown to users, in bytes.
const (
	maxRevision = 512
	maxMessage  = 512
	maxURL      = 4096
)

// verifies are the kinds whose signatures Flux's source-controller verifies.
var verifies = map[string]bool{"GitRepository": true, "OCIRepository": true}

// A Source is the part of a source that the deployment of its artifact depends on.
type Source struct {
	Artifact

	// Verified is the message of the condition SourceVerified, which says what has signed the artifact. It is empty if
	// the artifact is not verified.
	Verified string `json:"verified,omitempty"`

	// Unverified is the reason why the artifact is not verified.
	Unverified string `json:"unverified,omitempty"`

	// Missing is the reason why there is no artifact.
	Missing string `json:"missing,omitempty"`
}

// An Artifact is an archive that a source has produced.
type Artifact struct {
	// URL is the location of the artifact within the cluster.
	URL string `json:"url,omitempty"`

	// Revision identifies the artifact for humans, such as main@sha1:c5d4e9.
	Revision string `json:"revision,omitempty"`

	// Digest is the checksum of the artifact with its algorithm, such as sha256:9f86d0.
	Digest string `json:"digest,omitempty"`

	// Size is the number of bytes of the artifact. It is 0 if it is unknown.
	Size int64 `json:"size,omitempty"`
}

// CheckDigest returns an error unless a digest is of a supported algorithm.
func CheckDigest(d string) error {
	if digest.Digest(d).Validate() != nil {
		return errors.Errorf("%.140q is not a SHA-256, SHA-384 or SHA-512 digest", d)
	}
	return nil
}

// Summarize returns the view of a source as text, which changes exactly if its artifact or its verification does.
func Summarize(u *unstructured.Unstructured) string {
	b, err := json.Marshal(sourceOf(u))
	if err != nil {
		return ""
	}
	return string(b)
}

// Placeholder returns the view of a source that is assumed to have an artifact, whose revision is a placeholder.
func Placeholder(revision string) string {
	sum := sha256.Sum256([]byte(revision))
	b, err := json.Marshal(Source{
		Artifact: Artifact{Revision: revision, Digest: "sha256:" + hex.EncodeToString(sum[:])}, Verified: revision,
	})
	if err != nil {
		return ""
	}
	return string(b)
}

// HasArtifact reports whether a text of Summarize is that of a source with an artifact.
func HasArtifact(text string) bool {
	_, err := Parse(text)
	return err == nil
}

// Parse returns the source that a text of Summarize stands for. It returns an error if the source has no artifact.
func Parse(text string) (Source, error) {
	s := Source{}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, errors.Wrap(err, "cannot read its status")
	}
	if s.Missing != "" {
		return s, errors.New(s.Missing)
	}
	return s, nil
}

// Ready returns the status and the message of the condition Ready of a source, which are empty if it has none.
func Ready(u *unstructured.Unstructured) (status, message string) {
	c := statusOf(u).condition("Ready")
	return string(c.Status), c.Message
}

// A status is the part of the status of a source that is read.
type status struct {
	Artifact   Artifact           `json:"artifact"`
	Conditions []metav1.Condition `json:"conditions"`
}

// statusOf returns the status of a source. What has another form than Flux's is absent.
func statusOf(u *unstructured.Unstructured) (s status) {
	m, _, _ := unstructured.NestedMap(u.Object, "status")
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(m, &s) // See above.
	return s
}

func sourceOf(u *unstructured.Unstructured) Source {
	st := statusOf(u)
	a := st.Artifact
	switch {
	case a.URL == "":
		return Source{Missing: st.missing()}
	case len(a.URL) > maxURL, len(a.Revision) > maxRevision,
		strings.ContainsFunc(a.URL+a.Revision, unicode.IsControl):
		return Source{Missing: "its status has an artifact with a URL or revision that is not valid"}
	}
	if err := CheckDigest(a.Digest); err != nil {
		return Source{Missing: "its status has an artifact whose digest " + err.Error()}
	}
	s := Source{Artifact: a}
	s.Verified, s.Unverified = verification(u, st)
	return s
}

// missing returns why a source has no artifact.
func (s status) missing() string {
	if c := s.condition("Ready"); c.Status != metav1.ConditionTrue && c.Message != "" {
		return "it has no artifact yet: " + c.Message
	}
	return "it has no artifact yet"
}

// verification returns what has signed the artifact, or else why it is not verified. SourceVerified alone may be about
// another revision than the one of the artifact: it becomes True before the artifact is stored, and remains True
// while the next one is fetched. Ready becomes True only once a verified artifact is stored, and is Unknown
// before. Both have to be about the present spec, or the artifact may be older than the verification.
func verification(u *unstructured.Unstructured, s status) (verified, unverified string) {
	if !verifies[u.GetKind()] {
		return "", "Flux verifies no signatures of kind " + u.GetKind()
	}
	c := s.condition("SourceVerified")
	switch {
	case c.Status == "":
		return "", "it has no condition SourceVerified: set its spec.verify"
	case c.Status != metav1.ConditionTrue:
		return "", "SourceVerified is " + string(c.Status) + ": " + c.Message
	case c.ObservedGeneration != u.GetGeneration():
		return "", "SourceVerified is about an earlier spec"
	}
	if included, _, _ := unstructured.NestedSlice(u.Object, "spec", "include"); len(included) > 0 {
		return "", "Flux does not verify what its spec.include adds to the artifact: remove it"
	}
	ready := s.condition("Ready")
	if ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != u.GetGeneration() {
		return "", "it is not Ready, so its artifact may be another than the one that was verified"
	}
	return cmp.Or(c.Message, "by Flux"), ""
}

// condition returns a condition of a source, whose status is empty if the source has none.
func (s status) condition(name string) metav1.Condition {
	c := ptr.Deref(meta.FindStatusCondition(s.Conditions, name), metav1.Condition{})
	c.Message = shorten(printable(c.Message))
	return c
}

// printable returns a text in one line, without what a terminal may interpret.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
}

func shorten(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + "..."
}
