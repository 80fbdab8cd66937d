package session

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// hostNames maps services to the names of their endpoints, if those differ.
var hostNames = map[string]string{
	"cloudwatch":     "monitoring",
	"cloudwatchlogs": "logs",
	"eventbridge":    "events",
	"ecr":            "api.ecr",
	"sfn":            "states",
}

// serviceName returns the SDK's ID of a service as the AWS CLI spells it.
func serviceName(id string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(id))
}

// overrides reports whether an endpoint is for a service. An endpoint without services is for all.
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

// endpointURL returns the URL of an endpoint for a service in a region, empty if calls go to AWS.
func endpointURL(e *v1beta1.EndpointConfig, id, region string) string {
	switch e.URL.Type {
	case v1beta1.EndpointURLTypeStatic:
		return aws.ToString(e.URL.Static)
	case v1beta1.EndpointURLTypeDynamic:
		if e.URL.Dynamic == nil {
			return ""
		}
		name := serviceName(id)
		name = cmp.Or(hostNames[name], name)
		return e.URL.Dynamic.Protocol + "://" + name + "." + region + "." + e.URL.Dynamic.Host
	default:
		return ""
	}
}

// endpointOf returns the URL that a config sets for a service in a region, empty if calls go to AWS.
func (s settings) endpointOf(id, region string) string {
	if !overrides(s.Endpoint, id) {
		return ""
	}
	return endpointURL(s.Endpoint, id, region)
}

// overrideEndpoint makes the clients of cfg use the endpoint of a config. What calls are signed for is
// set by signingOverride.
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
}

// keepsHost reports whether the name of a bucket must not be part of the host's name.
func keepsHost(e *v1beta1.EndpointConfig) bool {
	if e.HostnameImmutable != nil {
		return *e.HostnameImmutable
	}
	u, err := url.Parse(aws.ToString(e.URL.Static))
	return err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()) != nil)
}

// setBaseEndpoint sets the endpoint in the options of a client. Those of every service have the fields
// Region and BaseEndpoint, but no interface for them.
func setBaseEndpoint(options any, urlIn func(region string) string) {
	o := reflect.Indirect(reflect.ValueOf(options))
	if o.Kind() != reflect.Struct {
		return
	}
	region, base := o.FieldByName("Region"), o.FieldByName("BaseEndpoint")
	if !region.IsValid() || region.Kind() != reflect.String || !base.IsValid() ||
		base.Type() != reflect.TypeFor[*string]() {
		return
	}
	if u := urlIn(region.String()); u != "" {
		base.Set(reflect.ValueOf(&u))
	}
}

// foreign reports whether a config sends calls to hosts that a tenant names. With an endpoint of type
// Auto they go to AWS.
func (s settings) foreign() bool {
	return s.namespaced && s.Endpoint != nil && s.Endpoint.URL.Type != v1beta1.EndpointURLTypeAuto
}

// host returns the host and the port that a foreign endpoint names. For the type Dynamic they are those of one service
// and region: the part that the tenant chose is the same for all.
func (s settings) host() (host, port string) {
	u, err := url.Parse(endpointURL(s.Endpoint, "Lambda", mainRegions["aws"]))
	if err != nil {
		return "", ""
	}
	return u.Hostname(), egress.Port(u)
}

// permitEndpoint returns an error if a namespaced config names a host that is not allowed. It checks
// the name, and the address if it is one. That which a name resolves to is checked at each connection.
func (r *Resolver) permitEndpoint(s settings) error {
	if !s.foreign() {
		return nil
	}
	if !r.options.AllowNamespacedEndpoints {
		return fmt.Errorf("endpoint is not allowed in a namespaced config: remove it, use a ClusterProviderConfig, " +
			"or ask the provider's operator for --allow-namespaced-endpoints")
	}
	return awserr.NotAllowed(r.endpointHosts().Check(s.host()))
}

// EndpointHostFlag is the flag that sets Options.NamespacedEndpointHosts.
const EndpointHostFlag = "--namespaced-endpoint-host"

// dialTimeout is the time in which a connection must be made.
const dialTimeout = 10 * time.Second

// endpointHosts returns the hosts that endpoints of namespaced configs may name: not those that only the provider can
// reach.
func (r *Resolver) endpointHosts() egress.Hosts {
	allowed := r.options.NamespacedEndpointHosts
	return egress.Hosts{
		Flag: EndpointHostFlag, Allowed: allowed, Public: len(allowed) == 0, Loopback: r.options.AllowLoopbackEndpoints,
	}
}

// guarded returns t with connections to allowed hosts. They use no proxy, because the provider would see the address of
// the proxy instead of the one that is called.
func guarded(t *http.Transport, h egress.Hosts) *http.Transport {
	dial := h.Dialer(dialTimeout)
	t.Proxy, t.DialTLSContext = nil, nil
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		return c, awserr.NotAllowed(err)
	}
	return t
}
