package archive

import (
	"context"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/verify"
)

// verify returns who has signed an artifact in a registry, or else why it is not verified. If the config requires
// verified code, only the signers that the config names count. It returns an error if the resource names signers and
// none of them has signed it.
func (f Finder) verify(ctx context.Context, b Bundle, auth oci.Auth) (verified, unverified string, err error) {
	own := b.From.OCI.Verify
	unverified = "oci.verify does not say who has to have signed it"
	if f.Code.RequireVerified {
		unverified = "the provider config does not say who has to have signed it (spec.code.cosign)"
	}
	if own == nil && f.Code.Cosign == nil {
		return "", unverified, nil
	}
	signatures, err := f.OCI.Signatures(ctx, b.From.OCI.Reference, b.Version, auth)
	if err != nil {
		return "", "", err
	}
	if own != nil {
		v, err := f.signers(ctx, b.Artifact.namespace, own.Cosign)
		if err != nil {
			return "", "", errors.Wrapf(err, "cannot use %s.verify", b.From.artifactField())
		}
		who, err := v.Verify(b.Version, signatures)
		if err != nil {
			return "", "", errors.Wrapf(err, "the artifact %s is not deployed", b.Version)
		}
		verified = who.String()
	}
	if f.Code.Cosign == nil {
		if f.Code.RequireVerified {
			return "", unverified, nil
		}
		return verified, "", nil
	}
	v, err := configSigners(*f.Code.Cosign)
	if err != nil {
		return "", "", errors.Wrap(err, "cannot use spec.code.cosign of the provider config")
	}
	who, err := v.Verify(b.Version, signatures)
	if err != nil {
		return "", err.Error(), nil //nolint:nilerr // It is an error only if the config requires it.
	}
	return who.String(), "", nil
}

// signers returns a verifier of the signers that a resource names.
func (f Finder) signers(ctx context.Context, namespace string, c v1beta1.CosignVerification) (*verify.Verifier, error) {
	if c.KeyRef != nil {
		ref, key := keyOf(namespace, *c.KeyRef)
		text, err := f.key(ctx, ref, key)
		if err != nil {
			return nil, err
		}
		return verify.WithKeys(text)
	}
	ref, key := keyOf(namespace, c.Keyless.TrustedRootRef)
	root, err := f.key(ctx, ref, key)
	if err != nil {
		return nil, err
	}
	return verify.Keyless(root, signer(c.Keyless.CosignIdentity))
}

func signer(i v1beta1.CosignIdentity) verify.Signer {
	return verify.Signer{
		Issuer: i.Issuer, Subject: ptr.Deref(i.Subject, ""), SubjectRegExp: ptr.Deref(i.SubjectRegExp, ""),
	}
}

// configSigners returns a verifier of the signers that a config names.
func configSigners(c v1beta1.CosignSigners) (*verify.Verifier, error) {
	if c.PublicKeys != nil {
		return verify.WithKeys([]byte(*c.PublicKeys))
	}
	var all []verify.Signer
	for _, i := range c.Identities {
		all = append(all, signer(i))
	}
	return verify.Keyless([]byte(ptr.Deref(c.TrustedRoot, "")), all...)
}

// Names of sources in CodePolicy.Unverified.
const (
	sourceInline    = "Inline"
	sourceConfigMap = "ConfigMap"
	sourceSecret    = "Secret"
	sourceS3        = "S3"

	// SourceImage is a container image.
	SourceImage = "Image"
)

// permit returns an error if the config requires verified code and the bundle's is not. A plan does not know whether an
// artifact in a registry is verified.
func (f Finder) permit(b Bundle) error {
	switch s := b.From; {
	case b.Artifact != nil && f.Code.RequireVerified && b.Artifact.Verified == "" && (s.OCI == nil || f.OCI != nil):
		return errors.Errorf("%s: the provider config requires verified code (spec.code.requireVerified), and %s is "+
			"not verified: %s", s.artifactField(), s.artifactLocation(), b.Artifact.Unverified)
	case b.Artifact != nil:
		return nil
	case s.S3Key != nil:
		return f.Permit(s.Field+".s3Key", sourceS3)
	case s.Inline != nil:
		return f.Permit(s.Field+".inline", sourceInline)
	case s.ConfigMap != "":
		return f.Permit(s.Field+".configMapRef", sourceConfigMap)
	case s.ZipFileFrom != nil && s.ZipFileFrom.SecretKeyRef != nil:
		return f.Permit(s.Field+".zipFileFrom", sourceSecret)
	}
	return f.Permit(b.From.Field+".zipFileFrom", sourceConfigMap)
}

// Permit returns an error if the config requires verified code, and has no exception for a source. field is the field
// of the resource that names the source.
func (f Finder) Permit(field, source string) error {
	if !f.Code.RequireVerified || slices.Contains(f.Code.Unverified, source) {
		return nil
	}
	return errors.Errorf("%s: the provider config requires verified code (spec.code.requireVerified), and this source "+
		"is not verified: use sourceRef with a GitRepository or an OCIRepository that has spec.verify, or oci", field)
}
