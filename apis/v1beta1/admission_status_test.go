package v1beta1

import (
	"encoding/json"
	"math"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestStatusAcceptsWhatAWSReturns writes observations that would not be accepted in spec. If the API server refused
// one of them, no condition of the resource could be written either.
func TestStatusAcceptsWhatAWSReturns(t *testing.T) {
	cases := map[string]struct {
		reason     string
		base       string
		atProvider any
	}{
		"WeightOfOne": {
			reason: "While provisioned concurrency moves, AWS gives the old version all invocations.",
			base:   liveAlias,
			atProvider: AliasObservation{RoutingConfig: &AliasRoutingConfig{
				AdditionalVersionWeights: map[string]AliasWeight{"2": "1"},
			}},
		},
		"CORSWithoutOrigins": {
			reason:     "AWS's API requires no origins, and another tool may have set methods alone.",
			base:       functionURL,
			atProvider: FunctionURLObservation{Cors: &Cors{AllowMethods: []string{"GET"}}},
		},
		"OriginWithPath": {
			reason:     "AWS's API accepts any text as an origin.",
			base:       functionURL,
			atProvider: FunctionURLObservation{Cors: &Cors{AllowOrigins: []string{"https://www.example.com/"}}},
		},
		"SchemaWithoutChecks": {
			reason: "Another tool may have set a registry without checks.",
			base:   mskMapping,
			atProvider: EventSourceMappingObservation{
				AmazonManagedKafkaEventSourceConfig: &KafkaEventSourceConfigObservation{
					SchemaRegistryConfig: &KafkaSchemaRegistryConfig{},
				},
			},
		},
		"UnknownMetric": {
			reason: "AWS adds metrics that the provider does not know.",
			base:   queueMapping,
			atProvider: EventSourceMappingObservation{
				MetricsConfig: &EventSourceMappingMetricsConfig{Metrics: []string{"Latency"}},
			},
		},
		"UnknownScalingMode": {
			reason: "AWS adds modes that the provider does not know.",
			base:   webCapacity,
			atProvider: CapacityProviderObservation{
				CapacityProviderScalingConfig: &CapacityProviderScalingConfig{ScalingMode: ptr.To("Scheduled")},
			},
		},
	}
	c := strictClient(t)
	ns := suite.Cluster(t).Namespace(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := manifest(t, tc.base, "{}")
			create(t, c, ns, o)
			patch, err := json.Marshal(map[string]any{"status": map[string]any{"atProvider": tc.atProvider}})
			if err != nil {
				t.Fatal(err)
			}
			got := complaints(c.Status().Patch(t.Context(), o, client.RawPatch("application/merge-patch+json", patch)))
			if got != "" {
				t.Errorf("\n%s\nStatus().Patch(): %s", tc.reason, got)
			}
		})
	}
}

// TestObservationsAreNotValidated checks that no schema restricts the values of status.atProvider: AWS decides what
// they are.
func TestObservationsAreNotValidated(t *testing.T) {
	for _, crd := range definitions(t) {
		for _, v := range crd.Spec.Versions {
			status := v.Schema.OpenAPIV3Schema.Properties["status"]
			atProvider, observes := status.Properties["atProvider"]
			if !observes {
				continue
			}
			for _, path := range restricted(atProvider, "status.atProvider") {
				t.Errorf("%s: the schema restricts the values of %s", crd.Spec.Names.Kind, path)
			}
		}
	}
}

// restricted returns the paths of what a schema restricts beyond what its Go types can hold.
func restricted(s apiextensionsv1.JSONSchemaProps, path string) []string {
	var out []string
	types := apiextensionsv1.JSONSchemaProps{Type: s.Type, Format: s.Format, Description: s.Description}
	switch s.Format {
	case "int32":
		types.Minimum, types.Maximum = ptr.To[float64](math.MinInt32), ptr.To[float64](math.MaxInt32)
	case "date-time":
		types.Pattern = s.Pattern
	}
	own := s
	own.Properties, own.Items, own.AdditionalProperties = nil, nil, nil
	own.XListType = nil
	if !equality.Semantic.DeepEqual(types, own) || ptr.Deref(s.XListType, "atomic") != "atomic" {
		out = append(out, path)
	}
	for name, p := range s.Properties {
		out = append(out, restricted(p, path+"."+name)...)
	}
	if s.Items != nil {
		out = append(out, restricted(*s.Items.Schema, path+"[]")...)
	}
	if s.AdditionalProperties != nil {
		out = append(out, restricted(*s.AdditionalProperties.Schema, path+"[*]")...)
	}
	return out
}
