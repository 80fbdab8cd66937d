package eventsourcemapping

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// The paths of settings in spec.
const (
	atForProvider  = "spec.forProvider"
	atInitProvider = "spec.initProvider"
)

// desired returns the settings of spec with references resolved and ownership tags added.
func (e *external) desired(
	ctx context.Context, m *v1beta1.EventSourceMapping,
) (forProvider, initProvider settings, err error) {
	p := m.Spec.ForProvider
	if p.EventSourceArn, err = e.source(ctx, m); err != nil {
		return forProvider, initProvider, err
	}
	if p.EventSourceMappingSettings, err = e.resolve(ctx, m.GetNamespace(), atForProvider,
		p.EventSourceMappingSettings); err != nil {
		return forProvider, initProvider, err
	}
	forProvider = fromParameters(p)
	if i := m.Spec.InitProvider; i != nil {
		resolved, err := e.resolve(ctx, m.GetNamespace(), atInitProvider, *i)
		if err != nil {
			return forProvider, initProvider, err
		}
		initProvider = fromSpec(resolved)
	}
	forProvider.Tags = e.owner.Desired(m, forProvider.Tags, initProvider.Tags)
	return forProvider, initProvider, nil
}

// source returns the ARN of the source, or nil for self-managed Kafka.
func (e *external) source(ctx context.Context, m *v1beta1.EventSourceMapping) (*string, error) {
	p := m.Spec.ForProvider
	return refs.One(ctx, e.fields, m.GetNamespace(), atForProvider+".eventSourceArnFrom", p.EventSourceArn,
		p.EventSourceArnFrom)
}

// resolve replaces each <field>From by the value that it selects.
func (e *external) resolve(
	ctx context.Context, namespace, at string,
	s v1beta1.EventSourceMappingSettings) (v1beta1.EventSourceMappingSettings,
	error,
) {
	var err error
	if s.KMSKeyArn, err = refs.One(ctx, e.fields, namespace, at+".kmsKeyArnFrom", s.KMSKeyArn,
		s.KMSKeyArnFrom); err != nil {
		return s, err
	}
	if d := s.DestinationConfig; d != nil {
		to, err := refs.One(ctx, e.fields, namespace, at+".destinationConfig.onFailure.destinationFrom",
			d.OnFailure.Destination, d.OnFailure.DestinationFrom)
		if err != nil {
			return s, err
		}
		s.DestinationConfig = &v1beta1.EventSourceMappingDestinationConfig{
			OnFailure: v1beta1.EventSourceMappingOnFailure{Destination: to},
		}
	}
	s.SourceAccessConfigurations = slices.Clone(s.SourceAccessConfigurations)
	for i, a := range s.SourceAccessConfigurations {
		uri, err := refs.One(ctx, e.fields, namespace, fmt.Sprintf("%s.sourceAccessConfigurations[%d].uriFrom", at, i),
			a.URI, a.URIFrom)
		if err != nil {
			return s, err
		}
		if a.URIFrom != nil {
			uri = ptr.To(prefixed(a.Type, ptr.Deref(uri, "")))
		}
		s.SourceAccessConfigurations[i].URI = uri
	}
	return s, nil
}

// prefixed returns the ID of a subnet or security group in the form that AWS expects in this field.
func prefixed(kind, uri string) string {
	prefix := map[string]string{"VPC_SUBNET": "subnet:", "VPC_SECURITY_GROUP": "security_group:"}[kind]
	if strings.HasPrefix(uri, prefix) {
		return uri
	}
	return prefix + uri
}
