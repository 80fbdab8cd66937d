package oci

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

// Media types, and names of annotations, by which cosign stores signatures.
const (
	bundleType     = "application/vnd.dev.sigstore.bundle"
	payloadType    = "application/vnd.dev.cosign.simplesigning.v1+json"
	predicateNote  = "dev.sigstore.bundle.predicateType"
	signatureTag   = ".sig"
	signedArtifact = "application/vnd.dev.cosign.artifact.sig.v1+json"
)

// PredicateSignature is the type of the statement by which cosign signs an artifact. Statements of other types, such
// as provenance, are attestations: they say something about an artifact, and do not approve it.
const PredicateSignature = "https://sigstore.dev/cosign/sign/v1"

// A Signature of an artifact, as a registry has it. Nothing about it is checked.
type Signature struct {
	// Bundle is a bundle of Sigstore, as JSON. The other fields are empty if it is set.
	Bundle []byte

	// Payload is the signed text, and Annotations have the signature and what belongs to it. This is the older form.
	Payload     []byte
	Annotations map[string]string
}

// Signatures returns the signatures that cosign has stored for the artifact of a digest: bundles that the registry
// lists as referrers of the artifact, and signatures in the older form with the tag sha256-<digest>.sig. It returns
// none if there are none, and an error if there are more than 32. For its other errors, see ErrNotFound.
func (c *Client) Signatures(ctx context.Context, ref, of string, a Auth) ([]Signature, error) {
	r, err := parseAt(ref, of)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	repo, err := c.repository(ctx, r, a)
	if err != nil {
		return nil, err
	}
	found, err := signatures(ctx, repo, digest.Digest(of))
	if err != nil {
		return nil, explain("read the signatures of "+ref, err)
	}
	return found, nil
}

func signatures(ctx context.Context, repo *remote.Repository, of digest.Digest) ([]Signature, error) {
	all, err := referrers(ctx, repo, of)
	if err != nil {
		return nil, err
	}
	r := reader{repo: repo, left: maxSignatureBytes}
	for _, d := range all {
		m, err := fetchManifest(ctx, repo, d)
		if err == nil {
			err = r.read(ctx, m)
		}
		if err != nil && !errors.Is(err, errdef.ErrNotFound) { // A list may have a referrer that was deleted.
			return nil, err
		}
	}
	m, err := manifest(ctx, repo, strings.Replace(of.String(), ":", "-", 1)+signatureTag)
	if errors.Is(err, errdef.ErrNotFound) {
		return r.found, nil
	}
	if err == nil {
		err = r.read(ctx, m)
	}
	return r.found, err
}

// referrers returns the digests of the manifests of signatures that the registry lists as referrers of an artifact.
func referrers(ctx context.Context, repo *remote.Repository, of digest.Digest) ([]string, error) {
	var found []string
	err := repo.Referrers(ctx, ocispec.Descriptor{Digest: of}, "", func(page []ocispec.Descriptor) error {
		for _, d := range page {
			if !isSignature(d) {
				continue
			}
			if len(found) == maxSignatures {
				return errTooMany
			}
			found = append(found, d.Digest.String())
		}
		return nil
	})
	return found, err
}

// isSignature reports whether a referrer may be a signature. Some registries do not tell the type of a referrer.
func isSignature(d ocispec.Descriptor) bool {
	switch {
	case !mayApprove(d.Annotations):
		return false
	case d.ArtifactType == "", d.ArtifactType == ocispec.MediaTypeEmptyJSON, d.ArtifactType == signedArtifact:
		return true
	}
	return strings.HasPrefix(d.ArtifactType, bundleType)
}

// mayApprove reports whether the annotations of a bundle do not say that it is an attestation.
func mayApprove(annotations map[string]string) bool {
	predicate, ok := annotations[predicateNote]
	return !ok || predicate == PredicateSignature
}

// A reader reads signatures, as long as they are not too many.
type reader struct {
	repo  *remote.Repository
	found []Signature
	// left is the number of bytes that may still be read.
	left int64
}

// read reads the signatures in a manifest. Each is a layer.
func (r *reader) read(ctx context.Context, text []byte) error {
	var m manifestText
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	if !mayApprove(m.Annotations) {
		return nil
	}
	for _, l := range m.Layers {
		isBundle := strings.HasPrefix(l.MediaType, bundleType)
		if !isBundle && l.MediaType != payloadType {
			continue
		}
		if r.left -= l.Size; len(r.found) == maxSignatures || l.Size < 0 || r.left < 0 {
			return errTooMany
		}
		b, err := readBlob(ctx, r.repo, l)
		switch {
		case err != nil:
			return err
		case isBundle:
			r.found = append(r.found, Signature{Bundle: b})
		default:
			r.found = append(r.found, Signature{Payload: b, Annotations: l.Annotations})
		}
	}
	return nil
}
