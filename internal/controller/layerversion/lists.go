package layerversion

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

// layers is the list of the layers of an account and region, each with its latest version. A
// version can't be changed, so that it is only a question of whether it exists.
var layers = &listpoll.List{
	Operation: "ListLayers", PageSize: 50,
	Read: readLayers,
}

// readLayers reads a page of ListLayers.
func readLayers(ctx context.Context, s *session.Session, marker string) (listpoll.Page, error) {
	api := session.Client(s, lambda.NewFromConfig)
	out, err := api.ListLayers(ctx, &lambda.ListLayersInput{Marker: lambdaapi.Text(marker)})
	if err != nil {
		return listpoll.Page{}, errors.Wrap(awserr.Sanitize(err), "cannot list layers")
	}
	page := listpoll.Page{Next: ptr.Deref(out.NextMarker, "")}
	for _, l := range out.Layers {
		if l.LatestMatchingVersion != nil {
			page.Items = append(page.Items, listpoll.Item{
				ID:       ptr.Deref(l.LayerArn, ""),
				Revision: ptr.Deref(l.LatestMatchingVersion.LayerVersionArn, ""),
			})
		}
	}
	return page, nil
}

// listItem returns the item that shows whether a version is the latest one of its layer, and its content is what was
// published. It returns none while old versions are to be deleted.
func listItem(l *v1beta1.LayerVersion) *listpoll.Ref {
	s := l.Status.AtProvider
	if s.LayerArn == nil || s.LayerVersionArn == nil || len(s.OldVersions) > 0 {
		return nil
	}
	ref := listpoll.Ref{List: layers, ID: *s.LayerArn, Revision: *s.LayerVersionArn}
	if l.Spec.ForProvider.Content == nil {
		return &ref
	}
	return archive.Unlisted(ref, source(*l.Spec.ForProvider.Content), s.PublishedContent)
}
