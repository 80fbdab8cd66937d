package eventsourcemapping

import (
	"context"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// desired returns the settings of spec with references resolved and ownership tags added.
func (e *external) desired(
	ctx context.Context, m *v1beta1.EventSourceMapping,
) (forProvider, initProvider settings, err error) {
	p, err := refs.Resolve(ctx, e.fields, m.GetNamespace(), "spec.forProvider", m.Spec.ForProvider)
	if err != nil {
		return forProvider, initProvider, err
	}
	forProvider = fromParameters(p)
	if i := m.Spec.InitProvider; i != nil {
		resolved, err := refs.Resolve(ctx, e.fields, m.GetNamespace(), "spec.initProvider", *i)
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
	return refs.One(ctx, e.fields, m.GetNamespace(), "spec.forProvider.eventSourceArnFrom", p.EventSourceArn,
		p.EventSourceArnFrom)
}

// prefixed returns the ID of a subnet or security group in the form that AWS expects in this field.
func prefixed(kind, uri string) string {
	prefix := map[string]string{"VPC_SUBNET": "subnet:", "VPC_SECURITY_GROUP": "security_group:"}[kind]
	if strings.HasPrefix(uri, prefix) {
		return uri
	}
	return prefix + uri
}
