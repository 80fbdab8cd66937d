package function

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/bundle"
)

// functions is the list of the functions of an account and region.
var functions = &listpoll.List{Operation: "ListFunctions", PageSize: 50, Read: readFunctions}

// readFunctions reads a page of ListFunctions. AWS does not sort it.
func readFunctions(ctx context.Context, s *session.Session, marker, _, _ string) (listpoll.Page, error) {
	out, err := session.Client(s, lambda.NewFromConfig).ListFunctions(ctx, &lambda.ListFunctionsInput{Marker: nonEmpty(marker)})
	if err != nil {
		return listpoll.Page{}, errors.Wrap(awserr.Clean(err), "cannot list functions")
	}
	page := listpoll.Page{Next: ptr.Deref(out.NextMarker, "")}
	for _, c := range out.Functions {
		page.Items = append(page.Items, listpoll.Item{
			ID:          ptr.Deref(c.FunctionName, ""),
			Revision:    revision(c.FunctionArn, c.RevisionId, c.CodeSha256, c.LastModified),
			Fingerprint: fingerprintOf(c),
		})
	}
	return page, nil
}

// revision returns what identifies a revision of a function. It is empty if AWS, or an emulator,
// does not return all of it.
func revision(parts ...*string) string {
	texts := make([]string, 0, len(parts))
	for _, p := range parts {
		if p == nil || *p == "" {
			return ""
		}
		texts = append(texts, *p)
	}
	return strings.Join(texts, " ")
}

// fingerprintOf returns a hash of all that ListFunctions shows of a function.
func fingerprintOf(c types.FunctionConfiguration) uint64 {
	text, err := json.Marshal(c)
	if err != nil {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write(text) // A hash cannot fail.
	return h.Sum64()
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// listed returns the items that show whether a function and its code are what status says. It
// returns none if status does not say enough, or if spec depends on what no list shows.
func listed(f *v1beta1.Function) []listpoll.Ref {
	s := f.Status.AtProvider
	r := revision(s.FunctionArn, s.RevisionID, s.CodeSHA256, s.LastModified)
	if r == "" || s.PublishingVersion != nil {
		return nil
	}
	items := []listpoll.Ref{{List: functions, ID: functionName(f), Revision: r}}
	c, _ := codeOf(f)
	switch {
	case c == nil:
		return items
	case c.ImageURI != nil && ptr.Deref(c.TrackImageTag, false):
		return nil
	case c.S3Key == nil || c.S3ObjectVersion != nil:
		return items
	}
	object, ok := bundle.Listed(source(*c), s.DeployedCode)
	if !ok {
		return nil
	}
	return append(items, object...)
}
