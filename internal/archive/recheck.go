package archive

import (
	"cmp"
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
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

// Unlisted returns ref, the item of a list of functions or layers, so that it also looks up whether an archive is still
// the one that was deployed last. It returns nil if that is not known. An object counts as the same while S3 is away:
// all that have their code in S3 would fail at once otherwise. Only full reads report that.
func Unlisted(ref listpoll.Ref, s Source, last *v1beta1.DeployedCode) *listpoll.Ref {
	switch {
	case s.Tracks(): // A tag may move.
		return nil
	case s.S3ObjectVersion != nil, s.S3Key == nil && s.Flux == nil && s.OCI == nil:
		return &ref
	case last == nil:
		return nil
	}
	etag, ok := versionAt(Bundle{From: s}.Location(), last.Source)
	if !ok {
		return nil
	}
	if etag != "" && s.S3Key != nil { // A watch of an artifact's source shows a new one.
		ref.Unlisted = func(ctx context.Context, sess *session.Session, fresh readcache.Freshness) bool {
			f := Finder{S3: session.Client(sess, s3.NewFromConfig), Hashes: sess.ReadCache(), Fresh: fresh}
			o, err := f.lookUp(ctx, &Bundle{From: s})
			return err == nil && o.etag == etag || awserr.IsTransient(err) // The next reconcile reports other errors.
		}
	}
	return &ref
}
