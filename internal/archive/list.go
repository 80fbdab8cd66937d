package archive

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// objectsPageSize is the largest number of objects in a page of ListObjectsV2.
const objectsPageSize = 1000

// Listed returns the item of a list that shows whether an archive is the one that was deployed last.
// It returns no item if the archive is not in S3, if its version is immutable, or if its ETag can't
// be read; and false if it is not known what was deployed.
func Listed(s Source, last *v1beta1.DeployedCode) ([]listpoll.Ref, bool) {
	switch {
	case s.Tracks(): // No list shows a tag that moves.
		return nil, false
	case s.S3ObjectVersion != nil, s.S3Key == nil && s.Flux == nil && s.OCI == nil:
		return nil, true
	case last == nil:
		return nil, false
	}
	etag, ok := versionAt(Bundle{From: s}.Location(), last.Source)
	if !ok || etag == "" || s.S3Key == nil { // A watch of an artifact's source shows a new one.
		return nil, ok
	}
	return []listpoll.Ref{{List: objectsOf(*s.S3Bucket), ID: *s.S3Key, Revision: etag}}, true
}

func objectsOf(bucket string) *listpoll.List {
	return &listpoll.List{
		Operation: "ListObjectsV2", Of: bucket, PageSize: objectsPageSize,
		Read: func(ctx context.Context, s *session.Session, token, first, last string) (listpoll.Page, error) {
			return readObjects(ctx, session.Client(s, s3.NewFromConfig), bucket, token, first, last)
		},
		Get: func(ctx context.Context, s *session.Session, key string) (string, error) {
			return etagOf(ctx, session.Client(s, s3.NewFromConfig), bucket, key)
		},
	}
}

// readObjects reads a page of the objects of a bucket from the first key to the last one. S3 sorts them by key.
func readObjects(ctx context.Context, api *s3.Client, bucket, token, first, last string) (listpoll.Page, error) {
	in := &s3.ListObjectsV2Input{Bucket: ptr.To(bucket), Prefix: ptr.To(commonPrefix(first, last))}
	if token != "" {
		in.ContinuationToken = ptr.To(token)
	} else if before := keyBefore(first); before != "" {
		in.StartAfter = ptr.To(before)
	}
	out, err := api.ListObjectsV2(ctx, in)
	if err != nil {
		return listpoll.Page{}, errors.Wrapf(awserr.Sanitize(err), "cannot list the objects of bucket %s", bucket)
	}
	page := listpoll.Page{Next: ptr.Deref(out.NextContinuationToken, "")}
	for _, o := range out.Contents {
		key := ptr.Deref(o.Key, "")
		page.Items = append(page.Items, listpoll.Item{ID: key, Revision: trimETag(o.ETag)})
		if key >= last {
			page.Next = ""
		}
	}
	return page, nil
}

func etagOf(ctx context.Context, api *s3.Client, bucket, key string) (string, error) {
	out, err := api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: ptr.To(bucket), Key: ptr.To(key)})
	if err != nil {
		return "", errors.Wrapf(awserr.Sanitize(err), "cannot look up s3://%s/%s", bucket, key)
	}
	return trimETag(out.ETag), nil
}

func trimETag(etag *string) string { return strings.Trim(ptr.Deref(etag, ""), `"`) }

// commonPrefix returns the longest prefix that all keys from the first to the last one share.
func commonPrefix(first, last string) string {
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	for n > 0 && n < len(first) && !utf8.RuneStart(first[n]) {
		n--
	}
	return first[:n]
}

// keyBefore returns a key before another one, with as few keys between them as is simple.
func keyBefore(key string) string {
	_, size := utf8.DecodeLastRuneInString(key)
	return key[:len(key)-size]
}
