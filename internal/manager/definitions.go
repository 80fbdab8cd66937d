package manager

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube"
)

const (
	// rightsPatience is the time for which a provider waits for its rights. Crossplane's RBAC manager grants them at
	// about the time when the provider starts.
	rightsPatience = time.Minute

	// rightsInterval is the time between two checks of whether the rights are granted.
	rightsInterval = 500 * time.Millisecond
)

// awaitRights waits until the provider may list its own kinds, in one of its namespaces or, if it has none, in all.
// The same role grants the other rights. It does not wait forever, since not all kinds have to be granted.
func awaitRights(ctx context.Context, c client.Writer, namespaces []string, log logr.Logger) error {
	namespace := ""
	if len(namespaces) > 0 {
		namespace = namespaces[0]
	}
	logged := false
	err := wait.PollUntilContextTimeout(ctx, rightsInterval, rightsPatience, true,
		func(ctx context.Context) (bool, error) {
			ok, err := kube.May(ctx, c, schema.GroupResource{Group: v1beta1.Group, Resource: "functions"}, namespace,
				"list")
			if !ok && err == nil && !logged {
				logged = true
				log.Info("Waiting until the provider may list its own kinds, which Crossplane's RBAC manager grants")
			}
			return ok, err
		})
	if wait.Interrupted(err) && ctx.Err() == nil {
		log.Info("The provider may still not list Functions; it goes on with what it may do")
		return nil
	}
	return errors.Wrap(err, "cannot wait for the provider's rights")
}

// mayWatchDefinitions reports whether the provider may watch CustomResourceDefinitions, which it needs to wait for
// them. Crossplane grants it with the capability safe-start.
func mayWatchDefinitions(ctx context.Context, c client.Client) (bool, error) {
	return kube.May(ctx, c, schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"},
		"", "get", "list", "watch")
}
