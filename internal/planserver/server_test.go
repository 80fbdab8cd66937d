package planserver

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/dynamicpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// now is the time of all plans.
var now = time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)

// call sends a request, as YAML, and returns the response as JSON.
func call(t *testing.T, request string) (map[string]any, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	l := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, scheme, func() time.Time { return now }) }()
	defer func() {
		cancel()
		<-done
	}()
	conn, err := grpc.NewClient("passthrough:///plan", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	file, err := descriptors()
	if err != nil {
		t.Fatal(err)
	}
	in, out := dynamicpb.NewMessage(file.Messages().ByName("PlanRequest")), dynamicpb.NewMessage(file.Messages().ByName("PlanResponse"))
	b, err := yaml.YAMLToJSON([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(b, in); err != nil {
		t.Fatal(err)
	}
	if err := conn.Invoke(t.Context(), "/"+service+"/Plan", in, out); err != nil {
		return nil, err
	}
	if b, err = protojson.Marshal(out); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := yaml.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	return got, nil
}

const function = `
  apiVersion: lambda.aws.m.crossplane.io/v1beta1
  kind: Function
  metadata: {name: checkout, namespace: shop, uid: u1, generation: 1, annotations: {crossplane.io/external-name: checkout}}
  spec:
    managementPolicies: ["*"]
    forProvider:
      region: eu-central-1
      runtime: python3.13
      handler: index.handler
      role: arn:aws:iam::123456789012:role/r
      memorySize: 256
      environment: {variables: {LEVEL: hunter2}}
      code: {inline: {index.py: "x = 1"}}
`

func TestPlan(t *testing.T) {
	change := func(field string, actual, planned any) map[string]any {
		out := map[string]any{"field": "spec.forProvider." + field, "origin": "ORIGIN_DESIRED_STATE"}
		if actual != nil {
			out["actual"] = actual
		}
		if planned != nil {
			out["planned"] = planned
		}
		return out
	}
	value := func(v any) map[string]any { return map[string]any{"value": v} }
	cases := map[string]struct {
		reason  string
		request string
		action  string
		changes []any
	}{
		"Create": {
			reason:  "Without an actual resource, it does not exist yet. A secret is not shown.",
			request: "desiredResource:" + function,
			action:  "ACTION_CREATE",
			changes: []any{
				change("environment.variables[LEVEL]", nil, map[string]any{"absence": "ABSENCE_SENSITIVE"}),
				change("handler", nil, value("index.handler")),
				change("memorySize", nil, value(256.0)),
				change("role", nil, value("arn:aws:iam::123456789012:role/r")),
				change("runtime", nil, value("python3.13")),
			},
		},
		"NoOp": {
			reason:  "The manifest is as before.",
			request: "desiredResource:" + function + "actualResource:" + function,
			action:  "ACTION_NO_OP",
		},
		"Update": {
			reason:  "The memory differs, and the role is known after apply.",
			request: "desiredResource:" + updated + "actualResource:" + function + role,
			action:  "ACTION_UPDATE",
			changes: []any{
				change("memorySize", value(256.0), value(512.0)),
				change("role", value("arn:aws:iam::123456789012:role/r"), map[string]any{"absence": "ABSENCE_UNKNOWN"}),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := call(t, tc.request)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"action": tc.action, "computedAt": "2026-09-21T12:00:00Z"}
			if tc.changes != nil {
				want["changes"] = tc.changes
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

const updated = `
  apiVersion: lambda.aws.m.crossplane.io/v1beta1
  kind: Function
  metadata: {name: checkout, namespace: shop}
  spec:
    forProvider:
      region: eu-central-1
      runtime: python3.13
      handler: index.handler
      roleFrom: {apiVersion: iam.aws.m.upbound.io/v1beta1, kind: Role, name: checkout, fieldPath: status.atProvider.arn}
      memorySize: 512
      environment: {variables: {LEVEL: hunter2}}
      code: {inline: {index.py: "x = 1"}}
`

const role = `
kubernetesObjectStore:
- apiVersion: iam.aws.m.upbound.io/v1beta1
  kind: Role
  metadata: {name: checkout, namespace: shop}
`

func TestErrors(t *testing.T) {
	alias := `
  apiVersion: lambda.aws.m.crossplane.io/v1beta1
  kind: Alias
  metadata: {name: live, namespace: shop}
  spec:
    forProvider: {region: eu-central-1, functionNameRef: {name: checkout}}
`
	cases := map[string]struct {
		reason  string
		request string
		want    codes.Code
	}{
		"Nothing":   {reason: "There is nothing to plan.", request: "{}", want: codes.InvalidArgument},
		"Kinds":     {reason: "They are two resources.", request: "desiredResource:" + function + "actualResource:" + alias, want: codes.InvalidArgument},
		"OtherKind": {reason: "Another provider serves it.", request: "desiredResource: {apiVersion: example.org/v1, kind: Bucket, metadata: {name: b}}", want: codes.NotFound},
		"Malformed": {reason: "A field has another type.", request: "desiredResource: {apiVersion: lambda.aws.m.crossplane.io/v1beta1, kind: Function, metadata: {name: f}, spec: {forProvider: {memorySize: many}}}", want: codes.InvalidArgument},
		"Reference": {reason: "The referenced function is unknown.", request: "desiredResource:" + alias, want: codes.FailedPrecondition},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, tc.request)
			st := status.Convert(err)
			if st.Code() != tc.want {
				t.Fatalf("%s\ngot %v, want %s", tc.reason, err, tc.want)
			}
			if tc.want != codes.FailedPrecondition {
				return
			}
			if d, ok := st.Details()[0].(*errdetails.PreconditionFailure); !ok || d.GetViolations()[0].GetType() != "DIFF_COMPUTATION_NOT_SUPPORTED" {
				t.Errorf("details %v", st.Details())
			}
		})
	}
}
