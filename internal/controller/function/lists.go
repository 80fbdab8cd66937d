package function

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// functions is the list of the functions of an account and region.
var functions = &listpoll.List{
	Operation: "ListFunctions", PageSize: 50,
	Read: readFunctions,
}

// readFunctions reads a page of ListFunctions. AWS does not sort it.
func readFunctions(ctx context.Context, s *session.Session, marker string) (listpoll.Page, error) {
	api := session.Client(s, lambda.NewFromConfig)
	out, err := api.ListFunctions(ctx, &lambda.ListFunctionsInput{Marker: lambdaapi.Text(marker)})
	if err != nil {
		return listpoll.Page{}, errors.Wrap(awserr.Sanitize(err), "cannot list functions")
	}
	page := listpoll.Page{Next: ptr.Deref(out.NextMarker, "")}
	for _, c := range out.Functions {
		page.Items = append(page.Items, listpoll.Item{
			ID:          ptr.Deref(c.FunctionName, ""),
			Revision:    listpoll.Revision(c.FunctionArn, c.RevisionId, c.CodeSha256, c.LastModified),
			Fingerprint: listpoll.Fingerprint(c),
		})
	}
	return page, nil
}

// listItem returns the item that shows whether a function and its code are what status says. It returns none if status
// does not say enough, or if spec depends on what no list shows.
func listItem(f *v1beta1.Function) *listpoll.Ref {
	s := f.Status.AtProvider
	revision := listpoll.Revision(s.FunctionArn, s.RevisionID, s.CodeSHA256, s.LastModified)
	if revision == "" || s.PublishingVersion != nil {
		return nil
	}
	ref := listpoll.Ref{List: functions, ID: functionName(f), Revision: revision}
	c, _ := codeOf(f)
	switch {
	case c == nil:
		return &ref
	case c.ImageURI != nil && ptr.Deref(c.TrackImageTag, false):
		return nil
	}
	return archive.Unlisted(ref, source(*c), s.DeployedCode)
}
