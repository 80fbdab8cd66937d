package importer

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestSettingsOf(t *testing.T) {
	type m = map[string]any
	cases := map[string]struct {
		reason string
		kind   string
		args   reconcile.Managed
		want   map[string]any
	}{
		"Function": {
			reason: "Settings are copied, blocks with another name are moved, and what only status has is left out.",
			kind:   v1beta1.FunctionKind,
			args: &v1beta1.Function{Status: v1beta1.FunctionStatus{AtProvider: v1beta1.FunctionObservation{
				FunctionName: ptr.To(
					"f",
				),
				State:                ptr.To("Active"),
				MemorySize:           ptr.To[int32](128),
				EphemeralStorageSize: ptr.To[int32](512),
				Architectures: []string{
					"arm64",
				},
				VPCConfig:                    &v1beta1.VPCConfigObservation{SubnetIDs: []string{"subnet-1"}},
				CodeSigningConfigArn:         ptr.To("arn"),
				ReservedConcurrentExecutions: ptr.To[int32](0),
			}}},
			want: m{
				"memorySize":                   int64(128),
				"ephemeralStorage":             m{"size": int64(512)},
				"architectures":                []any{"arm64"},
				"vpcConfig":                    m{"subnetIds": []any{"subnet-1"}},
				"reservedConcurrentExecutions": int64(0),
			},
		},
		"Alias": {
			reason: "The function is a reference.", kind: v1beta1.AliasKind,
			args: &v1beta1.Alias{Status: v1beta1.AliasStatus{AtProvider: v1beta1.AliasObservation{
				FunctionName: ptr.To(
					"f",
				),
				FunctionVersion: ptr.To("1"),
				RoutingConfig: &v1beta1.AliasRoutingConfig{
					AdditionalVersionWeights: map[string]v1beta1.AliasWeight{"2": "0.1"},
				},
			}}},
			want: m{"functionVersion": "1", "routingConfig": m{"additionalVersionWeights": m{"2": "0.1"}}},
		},
		"Version": {
			reason: "A version is only observed.",
			kind:   v1beta1.VersionKind,
			args: &v1beta1.Version{
				Status: v1beta1.VersionStatus{
					AtProvider: v1beta1.VersionObservation{Description: ptr.To("d"), CodeSHA256: ptr.To("s")},
				},
			},
			want: m{},
		},
		"EventSourceMapping": {
			reason: "Destinations are moved.",
			kind:   v1beta1.EventSourceMappingKind,
			args: &v1beta1.EventSourceMapping{
				Status: v1beta1.EventSourceMappingStatus{AtProvider: v1beta1.EventSourceMappingObservation{
					FunctionName: ptr.To(
						"f",
					),
					EventSourceArn:            ptr.To("arn"),
					BatchSize:                 ptr.To[int32](5),
					OnFailureDestination:      ptr.To("queue"),
					StartingPositionTimestamp: &metav1.Time{},
				}},
			},
			want: m{
				"eventSourceArn":            "arn",
				"batchSize":                 int64(5),
				"destinationConfig":         m{"onFailure": m{"destination": "queue"}},
				"startingPositionTimestamp": nil,
			},
		},
		"FunctionEventInvokeConfig": {
			reason: "Both destinations of an event invoke config are moved.",
			kind:   v1beta1.FunctionEventInvokeConfigKind,
			args: &v1beta1.FunctionEventInvokeConfig{
				Status: v1beta1.FunctionEventInvokeConfigStatus{
					AtProvider: v1beta1.FunctionEventInvokeConfigObservation{
						Qualifier: ptr.To(
							"$LATEST",
						),
						MaximumRetryAttempts: ptr.To[int32](0),
						OnSuccessDestination: ptr.To("queue"),
					},
				},
			},
			want: m{"maximumRetryAttempts": int64(0), "destinationConfig": m{"onSuccess": m{"destination": "queue"}}},
		},
		"ProvisionedConcurrencyConfig": {
			reason: "What was requested is a setting, and what is allocated is not.",
			kind:   v1beta1.ProvisionedConcurrencyConfigKind,
			args: &v1beta1.ProvisionedConcurrencyConfig{
				Status: v1beta1.ProvisionedConcurrencyConfigStatus{
					AtProvider: v1beta1.ProvisionedConcurrencyConfigObservation{
						RequestedProvisionedConcurrentExecutions: ptr.To[int32](
							4,
						),
						AllocatedProvisionedConcurrentExecutions: ptr.To[int32](2),
					},
				},
			},
			want: m{"provisionedConcurrentExecutions": int64(4)},
		},
		"CodeSigningConfig": {
			reason: "Blocks are made of single fields.",
			kind:   v1beta1.CodeSigningConfigKind,
			args: &v1beta1.CodeSigningConfig{
				Status: v1beta1.CodeSigningConfigStatus{AtProvider: v1beta1.CodeSigningConfigObservation{
					SigningProfileVersionArns: []string{
						"p",
					},
					UntrustedArtifactOnDeployment: ptr.To("Warn"),
					Description:                   ptr.To("d"),
				}},
			},
			want: m{
				"allowedPublishers":   m{"signingProfileVersionArns": []any{"p"}},
				"codeSigningPolicies": m{"untrustedArtifactOnDeployment": "Warn"},
				"description":         "d",
			},
		},
		"CapacityProvider": {
			reason: "The VPC and the role are moved.",
			kind:   v1beta1.CapacityProviderKind,
			args: &v1beta1.CapacityProvider{
				Status: v1beta1.CapacityProviderStatus{AtProvider: v1beta1.CapacityProviderObservation{
					SubnetIDs: []string{
						"s",
					},
					SecurityGroupIDs:                []string{"g"},
					CapacityProviderOperatorRoleArn: ptr.To("r"),
				}},
			},
			want: m{
				"vpcConfig":         m{"subnetIds": []any{"s"}, "securityGroupIds": []any{"g"}},
				"permissionsConfig": m{"capacityProviderOperatorRoleArn": "r"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := settingsOf(tc.kind, tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestShapes checks that every field that is moved is one of status, and that every field that stays is one of both.
func TestShapes(t *testing.T) {
	kinds := map[string]any{
		v1beta1.CapacityProviderKind:             v1beta1.CapacityProvider{},
		v1beta1.CodeSigningConfigKind:            v1beta1.CodeSigningConfig{},
		v1beta1.EventSourceMappingKind:           v1beta1.EventSourceMapping{},
		v1beta1.FunctionKind:                     v1beta1.Function{},
		v1beta1.FunctionEventInvokeConfigKind:    v1beta1.FunctionEventInvokeConfig{},
		v1beta1.FunctionURLKind:                  v1beta1.FunctionURL{},
		v1beta1.AliasKind:                        v1beta1.Alias{},
		v1beta1.ProvisionedConcurrencyConfigKind: v1beta1.ProvisionedConcurrencyConfig{},
		v1beta1.RuntimeManagementConfigKind:      v1beta1.RuntimeManagementConfig{},
		v1beta1.VersionKind:                      v1beta1.Version{},
	}
	for kind, s := range shapes {
		typ := reflect.TypeOf(kinds[kind])
		status, _ := typ.FieldByName("Status")
		at, _ := status.Type.FieldByName("AtProvider")
		spec, _ := typ.FieldByName("Spec")
		fp, _ := spec.Type.FieldByName("ForProvider")
		for from, to := range s.moved {
			if !slices.Contains(jsonNames(at.Type), from) {
				t.Errorf("%s: status has no %s", kind, from)
			}
			if first, _, _ := strings.Cut(to, "."); !slices.Contains(jsonNames(fp.Type), first) {
				t.Errorf("%s: spec has no %s", kind, first)
			}
		}
		for _, name := range s.identity {
			if !slices.Contains(jsonNames(fp.Type), name) {
				t.Errorf("%s: spec has no %s", kind, name)
			}
		}
	}
}

func TestGrantsOf(t *testing.T) {
	const arn = "arn:aws:lambda:eu-central-1:123456789012:function:f"
	statement := func(sid, rest string) string {
		return `{"Version": "2012-10-17", "Statement": [{"Sid": "` + sid + `", "Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": "` + arn + `", ` + rest + `}]}`
	}
	type m = map[string]any
	cases := map[string]struct {
		reason string
		args   string
		want   map[string]any
	}{
		"Service": {
			reason: "A service with a source is a Permission.",
			args: statement(
				"s3",
				`"Principal": {"Service": "s3.amazonaws.com"}, "Condition": {"ArnLike": {"AWS:SourceArn": "arn:aws:s3:::b"}, "StringEquals": {"AWS:SourceAccount": "123456789012"}}`,
			),
			want: m{
				"action":        "lambda:InvokeFunction",
				"principal":     "s3.amazonaws.com",
				"sourceArn":     "arn:aws:s3:::b",
				"sourceAccount": "123456789012",
			},
		},
		"Account": {
			reason: "An account is a Permission.",
			args:   statement("a", `"Principal": {"AWS": "arn:aws:iam::210987654321:root"}`),
			want:   m{"action": "lambda:InvokeFunction", "principal": "210987654321"},
		},
		"URL": {
			reason: "A statement for a URL is a Permission.",
			args:   statement("u", `"Principal": "*", "Condition": {"Bool": {"lambda:InvokedViaFunctionUrl": "true"}}`),
			want:   m{"action": "lambda:InvokeFunction", "principal": "*", "invokedViaFunctionUrl": true},
		},
		"Two": {
			reason: "Two principals are not.",
			args:   statement("t", `"Principal": {"AWS": ["210987654321", "310987654321"]}`),
		},
		"NoSid": {
			reason: "A statement without an ID cannot be named.",
			args:   statement("", `"Principal": {"AWS": "210987654321"}`),
		},
		"Deleted": {
			reason: "AWS shows the ID of a role that was deleted.",
			args:   statement("d", `"Principal": {"AWS": "AROAJ2UCCR6DPEXAMPLE"}`),
		},
		"Other": {
			reason: "A condition that AddPermission does not have.",
			args:   statement("o", `"Principal": "*", "Condition": {"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}`),
		},
		"SourceWildcard": {
			reason: "The region of a source cannot be a wildcard in a Permission.",
			args: statement(
				"w",
				`"Principal": {"Service": "events.amazonaws.com"}, "Condition": {"ArnLike": {"AWS:SourceArn": "arn:aws:events:*:123456789012:rule/r"}}`,
			),
		},
		"AccountWildcard": {
			reason: "A source's account has 12 digits in a Permission.",
			args: statement(
				"v",
				`"Principal": {"Service": "s3.amazonaws.com"}, "Condition": {"StringEquals": {"AWS:SourceAccount": "${aws:PrincipalAccount}"}}`,
			),
		},
		"ActionWildcard": {
			reason: "Part of an action cannot be a wildcard in a Permission.",
			args: strings.Replace(
				statement("i", `"Principal": {"AWS": "210987654321"}`),
				"lambda:InvokeFunction",
				"lambda:Invoke*",
				1,
			),
		},
		"Broken": {reason: "A policy that cannot be parsed stays as it is.", args: "{"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			grants, ok := grantsOf(tc.args, functionname.Name{Function: "f"})
			if ok != (tc.want != nil) {
				t.Fatalf("%s: got %t", tc.reason, ok)
			}
			if !ok {
				return
			}
			if diff := cmp.Diff(tc.want, permission(grants[0].Grant)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
