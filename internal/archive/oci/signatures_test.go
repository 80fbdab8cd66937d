package oci

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

const bundleV3 = bundleType + ".v0.3+json"

func TestSignatures(t *testing.T) {
	bundle := func(content, predicate string) registry.Manifest {
		m := registry.Manifest{
			ArtifactType: bundleV3,
			Layers:       []registry.Layer{{MediaType: bundleV3, Content: []byte(content)}},
		}
		if predicate != "" {
			m.Annotations = map[string]string{predicateNote: predicate}
		}
		return m
	}
	older := func(contents ...string) registry.Manifest {
		m := registry.Manifest{}
		for _, c := range contents {
			m.Layers = append(m.Layers, registry.Layer{
				MediaType: payloadType, Content: []byte(c), Annotations: map[string]string{"signature": c},
			})
		}
		return m
	}
	many := make([]string, maxSignatures+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	cases := map[string]struct {
		reason string
		// referrers refer to the artifact. tagged has the tag of its signatures in the older form.
		referrers []registry.Manifest
		tagged    *registry.Manifest
		want      []Signature
		err       error
	}{
		"None": {reason: "An artifact may have none."},
		"Bundle": {
			reason:    "A bundle is a referrer.",
			referrers: []registry.Manifest{bundle("{}", ""), bundle("{ }", PredicateSignature)},
			want:      []Signature{{Bundle: []byte("{}")}, {Bundle: []byte("{ }")}},
		},
		"Attestation": {
			reason: "Provenance is no signature. Nor is a referrer of another type.",
			referrers: []registry.Manifest{
				bundle("{}", "https://slsa.dev/provenance/v1"), {ArtifactType: "application/spdx+json"},
			},
		},
		"Older": {
			reason: "The older form has a tag, and a layer for each signature.",
			tagged: ptrTo(older("a", "b")),
			want: []Signature{
				{Payload: []byte("a"), Annotations: map[string]string{"signature": "a"}},
				{Payload: []byte("b"), Annotations: map[string]string{"signature": "b"}},
			},
		},
		"Both": {
			reason:    "An artifact may have both.",
			referrers: []registry.Manifest{bundle("{}", "")}, tagged: ptrTo(older("a")),
			want: []Signature{
				{Bundle: []byte("{}")},
				{Payload: []byte("a"), Annotations: map[string]string{"signature": "a"}},
			},
		},
		"Many": {
			reason: "Whoever may push must not make the provider read without end.",
			tagged: ptrTo(older(many...)), err: ErrTooLarge,
		},
		"Large": {
			reason: "Nor a signature that is too large.",
			tagged: ptrTo(older(strings.Repeat("a", maxSignatureBytes+1))), err: ErrTooLarge,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, c := start(t)
			d := push(t, r, "shop/orders", "v1", "code")
			for _, m := range tc.referrers {
				m.Subject = d
				if _, err := r.Push(t.Context(), "shop/orders", "", m); err != nil {
					t.Fatal(err)
				}
			}
			if tc.tagged != nil {
				tag := strings.Replace(d, ":", "-", 1) + signatureTag
				if _, err := r.Push(t.Context(), "shop/orders", tag, *tc.tagged); err != nil {
					t.Fatal(err)
				}
			}
			got, err := c.Signatures(t.Context(), r.Host+"/shop/orders:v1", d, Auth{})
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s\nwant %v, got %v", tc.reason, tc.err, err)
			}
			less := func(a, b Signature) bool {
				return string(a.Bundle)+string(a.Payload) < string(b.Bundle)+string(b.Payload)
			}
			if diff := cmp.Diff(sorted(tc.want, less), sorted(got, less)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func ptrTo[T any](v T) *T { return &v }

// TestDeletedReferrer checks that the signatures of an artifact are found, if the registry still lists one that was
// deleted.
func TestDeletedReferrer(t *testing.T) {
	r, c := start(t)
	d := push(t, r, "shop/orders", "v1", "code")
	for _, content := range []string{"{}", "{ }"} {
		m := registry.Manifest{
			Subject:      d,
			ArtifactType: bundleV3,
			Layers:       []registry.Layer{{MediaType: bundleV3, Content: []byte(content)}},
		}
		if _, err := r.Push(t.Context(), "shop/orders", "", m); err != nil {
			t.Fatal(err)
		}
	}
	gone := false
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if gone || !strings.Contains(req.URL.Path, "/manifests/") {
			return false
		}
		gone = true
		w.WriteHeader(http.StatusNotFound)
		return true
	})
	got, err := c.Signatures(t.Context(), r.Host+"/shop/orders:v1", d, Auth{})
	if err != nil || len(got) != 1 {
		t.Errorf("got %d signatures, %v", len(got), err)
	}
}

// sorted returns a sorted copy, because a registry lists referrers in any order.
func sorted(s []Signature, less func(a, b Signature) bool) []Signature {
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b Signature) int {
		if less(a, b) {
			return -1
		}
		return 1
	})
	return s
}
