package importer

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

// fromConfig returns a session with the credentials of a ProviderConfig in the cluster.
func (o *options) fromConfig(ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference, limiter *quota.Limiter) (*session.Session, error) {
	c, err := o.ClusterClient(scheme)
	if err != nil {
		return nil, err
	}
	mg := &v1beta1.Function{}
	mg.SetNamespace(namespace)
	mg.SetProviderConfigReference(ref)
	return o.aws.Resolver(c, limiter, o.Now, o.ErrOut).Resolve(ctx, mg, o.region)
}

// parseConfig parses the name of a ClusterProviderConfig, or the kind and the name of a config. It returns nil if it is
// empty.
func parseConfig(text string) (*xpv2.ProviderConfigReference, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // Objects without a reference use the default.
	}
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		kind, name = v1beta1.ClusterProviderConfigKind, text
	}
	for _, k := range []string{v1beta1.ClusterProviderConfigKind, v1beta1.ProviderConfigKind} {
		if strings.EqualFold(k, kind) && name != "" {
			return &xpv2.ProviderConfigReference{Kind: k, Name: name}, nil
		}
	}
	return nil, fmt.Errorf("invalid provider config %q: use the name of a ClusterProviderConfig, or ProviderConfig/NAME", text)
}
