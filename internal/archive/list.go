package archive

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

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

func trimETag(etag *string) string { return strings.Trim(ptr.Deref(etag, ""), `"`) }
