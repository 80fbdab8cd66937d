package session

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
)

// TestMiddlewareOrder pins where the provider's middleware stands among the SDK's own.
func TestMiddlewareOrder(t *testing.T) {
	b := newDoubleEnv(t, namespaced(), secret(ns, "aws", map[string]string{"creds": ini}))
	b.options.Tracer = noop.NewTracerProvider().Tracer("test")
	b.options.Measure = telemetry.New(b.now)
	b.options.Breakers = breaker.New(b.now, func() float64 { return 0 })
	b.options.Fence = func(ctx context.Context, attempt func(context.Context) error) error { return attempt(ctx) }
	s := b.resolve(t, function("ProviderConfig", "default"))

	// An endpoint of a tenant's adds the most. The credentials of the session stay.
	tenant := settings{namespaced: true}
	tenant.Endpoint = &v1beta1.EndpointConfig{URL: v1beta1.URLConfig{
		Type:   v1beta1.EndpointURLTypeStatic,
		Static: new("https://lambda.example.org"),
	}, SigningName: new("lambda")}
	session := b.newSession(tenant, identity{aws: s.AWS}, sessionKey{region: region})

	var call lambdaapi.AtMostOnce
	cases := map[string]struct {
		reason string
		call   func(list func(*middleware.Stack) error)
		want   []string
	}{
		"Lambda": {
			reason: "A call of a session passes all of them.",
			call: func(list func(*middleware.Stack) error) {
				_, _ = lambda.NewFromConfig(session.AWS, call.Options, func(o *lambda.Options) {
					o.APIOptions = append(o.APIOptions, list)
				}).GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: new("f")})
			},
			want: []string{
				"Initialize: OperationInputValidation",
				"Initialize: SigningOverride",
				"Initialize: Span",
				"Initialize: CircuitBreaker",
				"Finalize: RequestQuotaAnswered",
				"Finalize: Retry",
				"Finalize: SpanAttempt",
				"Finalize: GetIdentity",
				"Finalize: Signing",
				"Finalize: ReportRefused",
				"Finalize: RequestQuota",
				"Finalize: Fence",
				"Deserialize: Distrust",
				"Deserialize: MeasureRequest",
				"Deserialize: AddRawResponseToMetadata",
				"Deserialize: ResponseErrorWrapper",
				"Deserialize: OperationDeserializer",
				"Deserialize: Clock",
				"Deserialize: SentOnce",
			},
		},
		"STS": {
			reason: "A call that fetches credentials has no quota, fence and breaker.",
			call: func(list func(*middleware.Stack) error) {
				cfg := session.AWS
				cfg.APIOptions = append([]func(*middleware.Stack) error{b.middlewares(tenant).addTo}, list)
				_, _ = stsClient(cfg).GetCallerIdentity(t.Context(), &sts.GetCallerIdentityInput{})
			},
			want: []string{
				"Initialize: SigningOverride", "Initialize: Span",
				"Finalize: Retry", "Finalize: SpanAttempt", "Finalize: GetIdentity", "Finalize: Signing",
				"Deserialize: Distrust", "Deserialize: MeasureRequest", "Deserialize: AddRawResponseToMetadata",
				"Deserialize: ResponseErrorWrapper", "Deserialize: OperationDeserializer",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			tc.call(func(stack *middleware.Stack) error {
				for _, id := range stack.Initialize.List() {
					got = append(got, "Initialize: "+id)
				}
				for _, id := range stack.Finalize.List() {
					got = append(got, "Finalize: "+id)
				}
				for _, id := range stack.Deserialize.List() {
					got = append(got, "Deserialize: "+id)
				}
				return context.Canceled // Nothing is sent.
			})
			// Other middleware of the SDK may come and go.
			got = slices.DeleteFunc(got, func(id string) bool { return !slices.Contains(tc.want, id) })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
