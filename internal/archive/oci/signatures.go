package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

const (
	// maxReferrerPages is the number of pages of a list of referrers that are read.
	maxReferrerPages = 4

	// maxSignatures is the number of signatures of an artifact that are read.
	maxSignatures = 32

	// maxSignature is the most that a signature may have, in bytes.
	maxSignature = 1 << 20
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
	manifests, err := referrers(ctx, repo, of)
	if err != nil {
		return nil, err
	}
	if m, err := manifest(ctx, repo, strings.Replace(of.String(), ":", "-", 1)+signatureTag); err == nil {
		manifests = append(manifests, m)
	} else if !errors.Is(err, errdef.ErrNotFound) {
		return nil, err
	}
	var found []Signature
	for _, m := range manifests {
		s, err := readSignatures(ctx, repo, m)
		if err != nil {
			return nil, err
		}
		if found = append(found, s...); len(found) > maxSignatures {
			return nil, errTooMany
		}
	}
	return found, nil
}

// errTooMany wraps ErrTooLarge, so that its text remains.
var errTooMany = fmt.Errorf("%w: the artifact has more than %d signatures", ErrTooLarge, maxSignatures)

// referrers returns the manifests of the signatures that the registry lists as referrers of an artifact.
func referrers(ctx context.Context, repo *remote.Repository, of digest.Digest) ([][]byte, error) {
	var manifests [][]byte
	err := repo.Referrers(ctx, ocispec.Descriptor{Digest: of}, "", func(page []ocispec.Descriptor) error {
		for _, d := range page {
			if !isSignature(d) {
				continue
			}
			if len(manifests) == maxSignatures {
				return errTooMany
			}
			m, err := fetchManifest(ctx, repo, d.Digest.String())
			if err != nil {
				return err
			}
			manifests = append(manifests, m)
		}
		return nil
	})
	return manifests, err
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

// readSignatures returns the signatures in a manifest. Each is a layer.
func readSignatures(ctx context.Context, repo *remote.Repository, text []byte) ([]Signature, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if !mayApprove(m.Annotations) {
		return nil, nil
	}
	var found []Signature
	for _, l := range m.Layers {
		isBundle := strings.HasPrefix(l.MediaType, bundleType)
		if !isBundle && l.MediaType != payloadType {
			continue
		}
		if len(found) == maxSignatures {
			return nil, errTooMany
		}
		if l.Size > maxSignature {
			return nil, fmt.Errorf("%w: one has more than %d MB", ErrTooLarge, maxSignature>>20)
		}
		b, err := readBlob(ctx, repo, l)
		switch {
		case err != nil:
			return nil, err
		case isBundle:
			found = append(found, Signature{Bundle: b})
		default:
			found = append(found, Signature{Payload: b, Annotations: l.Annotations})
		}
	}
	return found, nil
}
