package conformance

import (
	"context"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

// poll is the interval at which the provider polls what a run has made, so that it soon finds what was changed by hand.
const poll = 10 * time.Second

// NewProvider returns the provider as its binary assembles it, with calls of AWS by a client. The context limits the
// requests with which it starts.
func NewProvider(
	ctx context.Context, cfg *rest.Config, c *awshttp.BuildableClient, l logr.Logger,
) (ctrl.Manager, error) {
	features := &feature.Flags{}
	features.Enable(feature.EnableBetaManagementPolicies)
	o := manager.Options{
		Options: controller.Options{
			PollInterval: poll, MaxConcurrentReconciles: 10, Features: features, //nolint:mnd // As in the binary.
		},
		Log: l, MinPollInterval: time.Second, ListPolls: true, PollJitter: 0.1, //nolint:mnd // As in the binary.
	}
	o.Config.HTTPClient = c
	return manager.New(ctx, cfg, o)
}

// Config returns the config by which the provider uses the caller's own credentials or, with an endpoint, none. All
// that it makes carries the tag of the run. driftQueue is the ARN of a queue of drift events, empty without one.
func Config(r Run, driftQueue string) client.Object {
	pc := &v1beta1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: configName},
		Spec: v1beta1.ClusterProviderConfigSpec{
			Credentials: v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceIRSA},
		},
	}
	pc.Spec.Tags = map[string]v1beta1.TagValue{TagKey: v1beta1.TagValue(r.ID)}
	if driftQueue != "" {
		pc.Spec.DriftEvents = &v1beta1.DriftEvents{QueueARN: driftQueue}
	}
	if r.Endpoint != "" {
		pc.Spec.Credentials.Source = v1beta1.CredentialsSourceNone
		pc.Spec.Endpoint = &v1beta1.EndpointConfig{
			URL: v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: ptr.To(r.Endpoint)},
		}
		pc.Spec.S3UsePathStyle = true
	}
	return pc
}
