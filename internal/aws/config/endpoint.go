package config

import (
	"context"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// hostNames of services whose endpoint is not named after them.
var hostNames = map[string]string{
	"cloudwatch":     "monitoring",
	"cloudwatchlogs": "logs",
	"eventbridge":    "events",
	"ecr":            "api.ecr",
	"sfn":            "states",
}

// serviceName is a service's id of the SDK as AWS's CLI spells it.
func serviceName(id string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(id))
}

// overrides says whether an endpoint is for a service.
func overrides(e *v1beta1.EndpointConfig, id string) bool {
	if e == nil {
		return false
	}
	if len(e.Services) == 0 {
		return true
	}
	name := serviceName(id)
	return slices.ContainsFunc(e.Services, func(s string) bool {
		s = serviceName(s)
		return s == name || s == hostNames[name]
	})
}

// endpointURL of a service in a region, or nothing where it is AWS's own.
func endpointURL(e *v1beta1.EndpointConfig, id, region string) string {
	switch e.URL.Type {
	case v1beta1.EndpointURLTypeStatic:
		return valueOf(e.URL.Static)
	case v1beta1.EndpointURLTypeDynamic:
		if e.URL.Dynamic == nil {
			return ""
		}
		name := serviceName(id)
		if host, ok := hostNames[name]; ok {
			name = host
		}
		return e.URL.Dynamic.Protocol + "://" + name + "." + region + "." + e.URL.Dynamic.Host
	default:
		return ""
	}
}

// endpointOf a service by its id of the SDK, where the config has one of its own. It is
// empty where calls go to AWS's.
func (s settings) endpointOf(id, region string) string {
	if !overrides(s.Endpoint, id) {
		return ""
	}
	return endpointURL(s.Endpoint, id, region)
}

// overrideEndpoint makes the clients of cfg use the endpoint of a config.
func overrideEndpoint(cfg *aws.Config, s v1beta1.ConnectionSpec) {
	e := s.Endpoint
	cfg.ServiceOptions = append(cfg.ServiceOptions, func(id string, options any) {
		o, ok := options.(*s3.Options)
		if ok && (s.S3UsePathStyle || overrides(e, id) && keepsHost(e)) {
			o.UsePathStyle = true
		}
		if overrides(e, id) {
			setBaseEndpoint(options, func(region string) string { return endpointURL(e, id, region) })
		}
	})
	if e == nil || (e.SigningName == nil && e.SigningRegion == nil) {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("SigningOverride",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
				return next.HandleInitialize(signAs(ctx, e), in)
			}), middleware.After)
	})
}

// signAs sets what a call is signed for.
func signAs(ctx context.Context, e *v1beta1.EndpointConfig) context.Context {
	if !overrides(e, awsmiddleware.GetServiceID(ctx)) {
		return ctx
	}
	// The options that the SDK wants used instead are those of one service each.
	if e.SigningName != nil {
		ctx = awsmiddleware.SetSigningName(ctx, *e.SigningName) //nolint:staticcheck // See above.
	}
	if e.SigningRegion != nil {
		ctx = awsmiddleware.SetSigningRegion(ctx, *e.SigningRegion) //nolint:staticcheck // See above.
	}
	return ctx
}

// keepsHost says whether a bucket's name must stay out of the host's.
func keepsHost(e *v1beta1.EndpointConfig) bool {
	if e.HostnameImmutable != nil {
		return *e.HostnameImmutable
	}
	u, err := url.Parse(valueOf(e.URL.Static))
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()) != nil)
}

// setBaseEndpoint of a client's options. Those of every service have the fields
// Region and BaseEndpoint, though no interface says so.
func setBaseEndpoint(options any, urlIn func(region string) string) {
	o := reflect.Indirect(reflect.ValueOf(options))
	if o.Kind() != reflect.Struct {
		return
	}
	region, base := o.FieldByName("Region"), o.FieldByName("BaseEndpoint")
	if !region.IsValid() || region.Kind() != reflect.String || !base.IsValid() || base.Type() != reflect.TypeFor[*string]() {
		return
	}
	if u := urlIn(region.String()); u != "" {
		base.Set(reflect.ValueOf(&u))
	}
}
