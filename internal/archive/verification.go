package archive

import (
	"context"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/verify"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// A verdict is the result of checking the signatures of an artifact in a registry.
type verdict struct {
	// verified is the signer. If it is empty, unverified is the reason why none is known.
	verified, unverified string

	// refused is the reason why none of the signers that the resource names has signed it, if it names any.
	refused error
}

// verify returns who has signed an artifact in a registry. If the config requires verified code, only the signers that
// the config names count.
func (f Finder) verify(ctx context.Context, b Bundle, auth oci.Auth) (verdict, error) {
	own, unverified := b.From.OCI.Verify, "oci.verify does not say who has to have signed it"
	if f.Code.RequireVerified {
		unverified = "the provider config does not say who has to have signed it (spec.code.cosign)"
	}
	if own == nil && f.Code.Cosign == nil {
		return verdict{unverified: unverified}, nil
	}
	signatures, err := f.OCI.Signatures(ctx, b.From.OCI.Reference, b.Version, auth)
	if err != nil {
		return verdict{}, err
	}
	var verified string
	if own != nil {
		v, err := f.signers(ctx, b.Artifact.namespace, own.Cosign)
		if err != nil {
			return verdict{}, reconcile.Ambiguous(errors.Wrapf(err, "cannot use %s.verify", b.From.artifactField()))
		}
		who, err := v.Verify(b.Version, signatures)
		if err != nil {
			return verdict{refused: reconcile.Ambiguous(err)}, nil
		}
		verified = who.String()
	}
	if f.Code.Cosign != nil {
		v, err := configSigners(*f.Code.Cosign)
		if err != nil {
			return verdict{}, errors.Wrap(err, "cannot use spec.code.cosign of the provider config")
		}
		who, err := v.Verify(b.Version, signatures)
		if err == nil {
			return verdict{verified: who.String()}, nil
		}
		unverified = err.Error() // It is an error only if the config requires it.
	}
	if verified == "" || f.Code.RequireVerified {
		return verdict{unverified: unverified}, nil
	}
	return verdict{verified: verified}, nil
}

// signers returns a verifier of the signers that a resource names.
func (f Finder) signers(ctx context.Context, namespace string, c v1beta1.CosignVerification) (*verify.Verifier, error) {
	text, err := f.trusted(ctx, namespace, c)
	switch {
	case err != nil:
		return nil, err
	case c.KeyRef != nil:
		return verify.WithKeys(text)
	}
	return verify.Keyless(text, signer(c.Keyless.CosignIdentity))
}

// trusted returns the public keys, or the trusted root, that a resource refers to.
func (f Finder) trusted(ctx context.Context, namespace string, c v1beta1.CosignVerification) ([]byte, error) {
	from := c.KeyRef
	if from == nil {
		from = &c.Keyless.TrustedRootRef
	}
	ref, k := refs.KeyOf(namespace, v1beta1.ValueSource(*from))
	return refs.Value(ctx, f.Objects, ref, k.Key)
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
		return reconcile.Ambiguous(errors.Errorf("%s: the provider config requires verified code "+
			"(spec.code.requireVerified), and %s is not verified: %s", s.artifactField(), s.artifactLocation(),
			b.Artifact.Unverified))
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
	return reconcile.Invalid(errors.Errorf("%s: the provider config requires verified code "+
		"(spec.code.requireVerified), and this source is not verified: use sourceRef with a GitRepository or an "+
		"OCIRepository that has spec.verify, or oci", field))
}
