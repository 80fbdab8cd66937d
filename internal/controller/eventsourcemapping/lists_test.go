package eventsourcemapping

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// read returns a page with one mapping.
func read(t *testing.T, m types.EventSourceMappingConfiguration) listpoll.Page {
	t.Helper()
	out := &lambda.ListEventSourceMappingsOutput{EventSourceMappings: []types.EventSourceMappingConfiguration{m}}
	w := testenv.NewScripted(t, testenv.Script{"ListEventSourceMappings": testenv.Returns(out, nil)})
	page, err := readMappings(t.Context(), w.Lambda, "")
	w.Must(err)
	return page
}

// TestListedRevision checks which differences between two lists make a poll by list read a mapping in full.
func TestListedRevision(t *testing.T) {
	before := func() types.EventSourceMappingConfiguration {
		return types.EventSourceMappingConfiguration{
			UUID: ptr.To("8d5b2a3e"), FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:cart"),
			State: ptr.To("Enabled"), StateTransitionReason: ptr.To("USER_INITIATED"), BatchSize: ptr.To[int32](10),
			LastModified: ptr.To(time.Unix(1700000000, 0)), LastProcessingResult: ptr.To("No records processed"),
		}
	}
	cases := map[string]struct {
		reason string
		change func(*types.EventSourceMappingConfiguration)
		same   bool
	}{
		"Traffic": {
			reason: "The result of the last processing changes with each batch, and nobody has changed the mapping.",
			change: func(l *types.EventSourceMappingConfiguration) { l.LastProcessingResult = ptr.To("OK") },
			same:   true,
		},
		"Setting": {
			reason: "A changed setting is read in full, even if AWS reports no newer modification.",
			change: func(l *types.EventSourceMappingConfiguration) { l.BatchSize = ptr.To[int32](20) },
		},
		"Disabled": {
			reason: "A mapping that AWS disables is read in full.",
			change: func(l *types.EventSourceMappingConfiguration) { l.State = ptr.To("Disabled") },
		},
		"StoppedReading": {
			reason: "A mapping of which AWS stops reading the source is read in full.",
			change: func(l *types.EventSourceMappingConfiguration) {
				l.StateTransitionReason = ptr.To("EVENT_SOURCE_AUTHZ_ERROR")
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := before()
			tc.change(&after)
			was, is := read(t, before()), read(t, after)
			if cmp.Equal(was, is) != tc.same {
				t.Errorf("%s\nthe lists are equal: %t\n%s", tc.reason, !tc.same, cmp.Diff(was, is))
			}
		})
	}
}
