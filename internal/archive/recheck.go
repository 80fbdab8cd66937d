package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// Recheck checks again whether AWS may have a bundle, which it has already, and returns what status stores of it. last
// is what status has. The signatures of an artifact in a registry are read again only if other signers are demanded
// than when they were checked last. It returns an error if the artifact is not verified but has to be, or if it is
// unknown whether it is. Sources other than artifacts are checked only when they are deployed.
func (f Finder) Recheck(
	ctx context.Context, b Bundle, last *v1beta1.DeployedCode,
) (*v1beta1.DeployedCode, error) {
	if b.Artifact == nil || last == nil {
		return last, nil
	}
	policy, err := f.policy(ctx, b)
	if err != nil {
		return last, errors.Wrap(err, "cannot check whether the deployed code is still verified")
	}
	now, a := *last, *b.Artifact
	var refused error
	if policy != "" && policy != last.VerificationPolicy {
		v, err := f.verifyDeployed(ctx, b)
		if err != nil {
			return last, errors.Wrap(err, "cannot check whether the deployed code is still verified")
		}
		a.Unverified, refused = v.unverified, v.refused
		now.Verified, now.VerificationPolicy = v.verified, policy
	}
	a.Verified = cmp.Or(a.Verified, now.Verified)
	b.Artifact = &a
	if refused = cmp.Or(refused, f.permit(b)); refused != nil {
		now.Verified, now.VerificationPolicy = "", ""
		return &now, errors.Wrap(refused, "the deployed code remains in AWS, but is not verified now")
	}
	return &now, nil
}

// verifyDeployed returns who has signed an artifact in a registry.
func (f Finder) verifyDeployed(ctx context.Context, b Bundle) (verdict, error) {
	auth, err := f.auth(ctx, b.Artifact.namespace, b.From)
	if err != nil {
		return verdict{}, err
	}
	return f.verify(ctx, b, auth)
}

// policy returns a hash of who has to have signed an artifact in a registry, with the keys that the resource refers to.
// It is empty if nobody has to, for other sources, and in a plan.
func (f Finder) policy(ctx context.Context, b Bundle) (string, error) {
	if b.From.OCI == nil || f.OCI == nil {
		return "", nil
	}
	own := b.From.OCI.Verify
	if own == nil && f.Code.Cosign == nil && !f.Code.RequireVerified {
		return "", nil
	}
	all := struct {
		Own    *v1beta1.OCIVerification `json:"own"`
		Key    []byte                   `json:"key"`
		Config *v1beta1.CosignSigners   `json:"config"`
		Must   bool                     `json:"must"`
	}{own, nil, f.Code.Cosign, f.Code.RequireVerified}
	if own != nil {
		var err error
		if all.Key, err = f.trusted(ctx, b.Artifact.namespace, own.Cosign); err != nil {
			return "", errors.Wrapf(err, "cannot use %s.verify", b.From.artifactField())
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}
