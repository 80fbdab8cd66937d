package doctor

import (
	"context"
	"time"

	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// A source identifies a Flux source, and a config a ProviderConfig or a ClusterProviderConfig.
type (
	source struct{ apiVersion, kind, namespace, name string }
	config struct{ kind, namespace, name string }
)

// A collector collects findings.
type collector struct {
	client    dynamic.Interface
	namespace string
	now       time.Time
	report    *report

	// resources is the number of resources that were read.
	resources int

	// functions, aliases and versions are those that were read, for refresh.
	functions []*v1beta1.Function
	aliases   []*v1beta1.Alias
	versions  []*v1beta1.Version

	// deployments are the resources that deploy Flux sources, and verified the configs that require verified code.
	deployments []deployment
	verified    map[config]bool

	// policies has the ARNs of functions whose policy has a finding already: all their Permissions share it.
	policies map[string]bool

	// accounts has the accounts and regions whose quotas were read from AWS.
	accounts map[account]bool
}

// managed is a managed resource of the provider.
type managed interface {
	advice.Resource

	GetSummary() v1beta1.Summary
	GetProviderConfigReference() *xpv2.ProviderConfigReference
}

// A deployment is a resource that deploys a Flux source, by its config.
type deployment struct {
	from source
	by   config
}

// An account is an AWS account in a region.
type account struct{ id, region string }

// list calls a function with each object of a kind. What the user may not list is named in the report.
func (c *collector) list(ctx context.Context, kind string, each func(u *unstructured.Unstructured) error) error {
	plural, _ := kmeta.UnsafeGuessKindToResource(v1beta1.SchemeGroupVersion.WithKind(kind))
	namespace := c.namespace
	if kind == v1beta1.ClusterProviderConfigKind {
		namespace = metav1.NamespaceAll
	}
	notShown, err := kubectl.List(ctx, c.client, plural, namespace, metav1.ListOptions{}, each)
	if notShown != "" {
		c.report.leaveOut(notShown)
	}
	return err
}
