package config

import (
	"context"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

// foreign says whether a config has calls sent to hosts that a tenant names. With an
// endpoint of type Auto they go to AWS all the same.
func (s settings) foreign() bool {
	return s.namespaced && s.Endpoint != nil && s.Endpoint.URL.Type != v1beta1.EndpointURLTypeAuto
}

// host that a foreign endpoint names. That of type Dynamic has service and region before
// it; any do, as far as can be told before a call.
func (s settings) host() string {
	u, err := url.Parse(endpointURL(s.Endpoint, "Lambda", mainRegions["aws"]))
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// permitEndpoint refuses hosts that namespaced configs must not name, as far as their
// names tell.
func (r *Resolver) permitEndpoint(s settings) error {
	if !s.foreign() {
		return nil
	}
	if !r.options.AllowNamespacedEndpoints {
		return fmt.Errorf("endpoint is not allowed in a namespaced config: remove it, use a ClusterProviderConfig, or ask the provider's operator for --allow-namespaced-endpoints")
	}
	return r.guard().checkHost(s.host())
}

// reachable refuses a config whose endpoint has an address that is not called, so that it
// says so rather than its resources alone. Who cannot look the host up finds out later.
func (r *Resolver) reachable(ctx context.Context, s settings) error {
	if !s.foreign() || s.Endpoint.URL.Type != v1beta1.EndpointURLTypeStatic {
		return nil
	}
	host := s.host()
	found, err := r.options.LookupHost(ctx, host)
	if err != nil {
		return nil //nolint:nilerr // See above.
	}
	for _, a := range found {
		if err := r.guard().checkAddress(host, a); err != nil {
			return err
		}
	}
	return nil
}

func (r *Resolver) guard() guard {
	return guard{allowed: r.options.NamespacedEndpointHosts, loopback: r.options.AllowLoopbackEndpoints}
}

// distrust what foreign endpoints answer: errors that are not AWS's own are not quoted.
func (s settings) distrust(cfg *aws.Config) {
	if !s.foreign() {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// Around all that makes an error of the answer.
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("Distrust", func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
			middleware.DeserializeOutput, middleware.Metadata, error,
		) {
			out, md, err := next.HandleDeserialize(ctx, in)
			if service := awsmiddleware.GetServiceID(ctx); overrides(s.Endpoint, service) {
				err = awserr.Foreign(service, err)
			}
			return out, md, err
		}), middleware.Before)
	})
}
