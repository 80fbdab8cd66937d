package flux

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var sum = "sha256:" + strings.Repeat("a", 64)

func source(kind string, change func(status map[string]any)) *unstructured.Unstructured {
	status := map[string]any{
		"artifact": map[string]any{
			"url": "http://source/a.tar.gz", "revision": "main@sha1:c0ffee", "digest": sum, "size": int64(7),
		},
		"conditions": []any{},
	}
	if change != nil {
		change(status)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"kind": kind, "metadata": map[string]any{"generation": int64(3)}, "status": status,
	}}
}

func conditions(all ...any) func(map[string]any) {
	return func(status map[string]any) { status["conditions"] = all }
}

func is(kind, status string, generation int64, message string) any {
	return map[string]any{"type": kind, "status": status, "observedGeneration": generation, "message": message}
}

func including(u *unstructured.Unstructured) *unstructured.Unstructured {
	u.Object["spec"] = map[string]any{"include": []any{map[string]any{"repository": map[string]any{"name": "other"}}}}
	return u
}

func TestSummarize(t *testing.T) {
	a := Artifact{URL: "http://source/a.tar.gz", Revision: "main@sha1:c0ffee", Digest: sum, Size: 7}
	signed := is("SourceVerified", "True", 3, "verified signature of\n\t- commit 'c0ffee' with key '5A'")
	cases := map[string]struct {
		reason string
		source *unstructured.Unstructured
		want   Source
	}{
		"Plain": {
			reason: "Without spec.verify, nothing is verified.", source: source("GitRepository", nil),
			want: Source{Artifact: a, Unverified: "it has no condition SourceVerified: set its spec.verify"},
		},
		"Verified": {
			reason: "What has signed the artifact is told.",
			source: source("GitRepository", conditions(signed, is("Ready", "True", 3, "stored"))),
			want:   Source{Artifact: a, Verified: "verified signature of - commit 'c0ffee' with key '5A'"},
		},
		"NotReady": {
			reason: "Until the source is Ready, the artifact may be an earlier one.",
			source: source("OCIRepository", conditions(signed, is("Ready", "Unknown", 3, "building artifact"))),
			want: Source{
				Artifact:   a,
				Unverified: "it is not Ready, so its artifact may be another than the one that was verified",
			},
		},
		"ReadyEarlier": {
			reason: "Ready has to be about the present spec.",
			source: source("OCIRepository", conditions(signed, is("Ready", "True", 2, "stored"))),
			want: Source{
				Artifact:   a,
				Unverified: "it is not Ready, so its artifact may be another than the one that was verified",
			},
		},
		"VerifiedEarlier": {
			reason: "The verification has to be of the present spec.",
			source: source(
				"GitRepository",
				conditions(is("SourceVerified", "True", 2, "m"), is("Ready", "True", 3, "m")),
			),
			want: Source{Artifact: a, Unverified: "SourceVerified is about an earlier spec"},
		},
		"Refused": {
			reason: "A signature that does not match is told.",
			source: source(
				"GitRepository",
				conditions(is("SourceVerified", "False", 3, "bad"), is("Ready", "True", 3, "m")),
			),
			want: Source{Artifact: a, Unverified: "SourceVerified is False: bad"},
		},
		"NoMessage": {
			reason: "A verification counts without a text, too.",
			source: source(
				"GitRepository",
				conditions(is("SourceVerified", "True", 3, ""), is("Ready", "True", 3, "m")),
			),
			want: Source{Artifact: a, Verified: "by Flux"},
		},
		"Include": {
			reason: "Flux verifies the commit, and not the artifacts of other repositories that it adds.",
			source: including(source("GitRepository", conditions(signed, is("Ready", "True", 3, "stored")))),
			want: Source{
				Artifact: a, Unverified: "Flux does not verify what its spec.include adds to the artifact: remove it",
			},
		},
		"Escape": {
			reason: "What a terminal interprets is not shown.",
			source: source("GitRepository", conditions(is("SourceVerified", "False", 3, "bad\x1b[2J\u009b"))),
			want:   Source{Artifact: a, Unverified: "SourceVerified is False: bad\ufffd[2J\ufffd"},
		},
		"EscapeInURL": {
			reason: "Nor is it in a URL, which errors mention.",
			source: source(
				"Bucket",
				func(s map[string]any) { s["artifact"].(map[string]any)["url"] = "http://a/\u009b2J" },
			),
			want: Source{Missing: "its status has an artifact with a URL or revision that is not valid"},
		},
		"OtherKind": {
			reason: "A condition of a kind that Flux does not verify counts for nothing.",
			source: source("ExternalArtifact", conditions(signed, is("Ready", "True", 3, "m"))),
			want:   Source{Artifact: a, Unverified: "Flux verifies no signatures of kind ExternalArtifact"},
		},
		"NoArtifact": {
			reason: "What keeps the source from an artifact is told.",
			source: source("Bucket", func(s map[string]any) {
				delete(s, "artifact")
				conditions(is("Ready", "False", 3, "no such bucket"))(s)
			}),
			want: Source{Missing: "it has no artifact yet: no such bucket"},
		},
		"BadDigest": {
			reason: "Another digest cannot be checked.",
			source: source("Bucket", func(s map[string]any) { s["artifact"].(map[string]any)["digest"] = "md5:1" }),
			want: Source{Missing: "its status has an artifact whose digest \"md5:1\" is not a SHA-256, SHA-384 or " +
				"SHA-512 digest"},
		},
		"LongRevision": {
			reason: "A revision is shown to users, so it has a limit.",
			source: source("Bucket", func(s map[string]any) {
				s["artifact"].(map[string]any)["revision"] = strings.Repeat("x", 600)
			}),
			want: Source{Missing: "its status has an artifact with a URL or revision that is not valid"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(Summarize(tc.source))
			if (err != nil) != (tc.want.Missing != "") {
				t.Errorf("%s\nParse: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
