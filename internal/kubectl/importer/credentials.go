package importer

import (
	"context"
	"fmt"
	"strings"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// clusterTimeout limits how long an import waits for a cluster that it can do without.
const clusterTimeout = 5 * time.Second

// manager returns the ID of the cluster, and a function that finds its resource that manages what has tags. An
// import needs no cluster: without one, nothing is found, and the ID is that of the flag. Without the right to read the
// ID, a resource is recognized by its UID alone.
func (o *options) manager(
	ctx context.Context, scheme *runtime.Scheme,
) (clusterID string, find func(context.Context, map[string]string) string, err error) {
	none := func(context.Context, map[string]string) string { return "" }
	c, err := o.ClusterClient(scheme)
	if err != nil {
		return o.clusterID, none, nil
	}
	id := o.clusterID
	if id == "" {
		short, cancel := context.WithTimeout(ctx, clusterTimeout)
		defer cancel()
		id, err = kubectl.ClusterID(short, c)
		if kerrors.IsForbidden(err) {
			o.warnf("functions may be managed by this cluster already: %s", err)
		} else if err != nil {
			return "", none, ctx.Err()
		}
	}
	return id, func(ctx context.Context, tags map[string]string) string {
		name := types.NamespacedName{Namespace: tags[ownership.TagNamespace], Name: tags[ownership.TagName]}
		fn := &v1beta1.Function{}
		if c.Get(ctx, name, fn) != nil {
			return ""
		}
		same := id != "" && tags[ownership.TagCluster] == id
		if !same && tags[ownership.TagUID] != string(fn.GetUID()) {
			return ""
		}
		return name.String()
	}, nil
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
	return nil, fmt.Errorf("invalid provider config %q: use the name of a ClusterProviderConfig, or "+
		"ProviderConfig/NAME", text)
}
