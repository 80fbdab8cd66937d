package eventsourcemapping

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

// listed answers ListEventSourceMappings with one mapping.
type listed types.EventSourceMappingConfiguration

func (l listed) ListEventSourceMappings(
	context.Context, *lambda.ListEventSourceMappingsInput, ...func(*lambda.Options),
) (*lambda.ListEventSourceMappingsOutput, error) {
	return &lambda.ListEventSourceMappingsOutput{
		EventSourceMappings: []types.EventSourceMappingConfiguration{types.EventSourceMappingConfiguration(l)},
	}, nil
}

// TestListedRevision checks which differences between two lists make a poll by list read a mapping in full.
func TestListedRevision(t *testing.T) {
	before := func() listed {
		return listed{
			UUID: ptr.To("8d5b2a3e"), FunctionArn: ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:cart"),
			State: ptr.To("Enabled"), StateTransitionReason: ptr.To("USER_INITIATED"), BatchSize: ptr.To[int32](10),
			LastModified: ptr.To(time.Unix(1700000000, 0)), LastProcessingResult: ptr.To("No records processed"),
		}
	}
	cases := map[string]struct {
		reason string
		change func(*listed)
		same   bool
	}{
		"Traffic": {
			reason: "The result of the last processing changes with each batch, and nobody has changed the mapping.",
			change: func(l *listed) { l.LastProcessingResult = ptr.To("OK") }, same: true,
		},
		"Setting": {
			reason: "A changed setting is read in full, even if AWS reports no newer modification.",
			change: func(l *listed) { l.BatchSize = ptr.To[int32](20) },
		},
		"Disabled": {
			reason: "A mapping that AWS disables is read in full.",
			change: func(l *listed) { l.State = ptr.To("Disabled") },
		},
		"StoppedReading": {
			reason: "A mapping of which AWS stops reading the source is read in full.",
			change: func(l *listed) { l.StateTransitionReason = ptr.To("EVENT_SOURCE_AUTHZ_ERROR") },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := before()
			tc.change(&after)
			was, err := readMappings(t.Context(), before(), "")
			if err != nil {
				t.Fatal(err)
			}
			is, err := readMappings(t.Context(), after, "")
			if err != nil {
				t.Fatal(err)
			}
			if cmp.Equal(was, is) != tc.same {
				t.Errorf("%s\nthe lists are equal: %t\n%s", tc.reason, !tc.same, cmp.Diff(was, is))
			}
		})
	}
}
