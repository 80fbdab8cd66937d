package eventsourcemapping

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// mappings is the list of the mappings of an account and region.
var mappings = &listpoll.List{
	Operation: opList, PageSize: 100,
	Read: func(ctx context.Context, s *session.Session, marker string) (listpoll.Page, error) {
		return readMappings(ctx, session.Client(s, lambda.NewFromConfig), marker)
	},
}

// readMappings reads a page of ListEventSourceMappings. AWS does not sort it. The fingerprint leaves out the result of
// the last processing: it changes with the traffic, so that the list would never do for a mapping that is in use.
func readMappings(ctx context.Context, api *lambda.Client, marker string) (listpoll.Page, error) {
	out, err := api.ListEventSourceMappings(ctx, &lambda.ListEventSourceMappingsInput{Marker: lambdaapi.Text(marker)})
	if err != nil {
		return listpoll.Page{}, errors.Wrap(awserr.Sanitize(err), "cannot list event source mappings")
	}
	page := listpoll.Page{Next: ptr.Deref(out.NextMarker, "")}
	for _, m := range out.EventSourceMappings {
		m.LastProcessingResult = nil
		page.Items = append(page.Items, listpoll.Item{
			ID: ptr.Deref(m.UUID, ""),
			Revision: revision(timestamp(m.LastModified), m.FunctionArn, m.State,
				ptr.Deref(m.StateTransitionReason, "")),
			Fingerprint: listpoll.Fingerprint(m),
		})
	}
	return page, nil
}

// revision returns what identifies a revision of a mapping, which has no RevisionId.
func revision(modified *metav1.Time, function, state *string, reason string) string {
	if modified == nil {
		return ""
	}
	at := modified.UTC().Format(time.RFC3339)
	known := listpoll.Revision(&at, function, state)
	if known == "" {
		return ""
	}
	return known + " " + reason
}

// listItem returns the item that shows whether a mapping is what status says. It returns none if
// status does not say enough.
func listItem(m *v1beta1.EventSourceMapping) *listpoll.Ref {
	s := m.Status.AtProvider
	r := revision(s.LastModified, s.FunctionArn, s.State, ptr.Deref(s.StateTransitionReason, ""))
	if r == "" || s.UUID == nil {
		return nil
	}
	return &listpoll.Ref{List: mappings, ID: *s.UUID, Revision: r}
}
