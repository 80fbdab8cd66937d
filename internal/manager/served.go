package manager

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// servedTimeout is the maximum time between the establishment of a kind and its appearance in discovery.
	servedTimeout = 2 * time.Minute

	// servedInterval is the time between two checks of whether a kind is served.
	servedInterval = 250 * time.Millisecond
)

// A servedGate calls what waits for kinds once the API server serves them. The API server marks a kind established a
// moment before it lists it in discovery, and several API servers do not list it at the same time: a controller that
// is set up in between does not find its kind.
type servedGate struct {
	controller.Gate

	mapper kmeta.RESTMapper
	log    logr.Logger
}

// Register calls a function in a goroutine of its own once all of the kinds are served.
func (g *servedGate) Register(f func(), gvks ...schema.GroupVersionKind) {
	g.Gate.Register(func() {
		for _, gvk := range gvks {
			if err := g.await(gvk); err != nil {
				g.log.Error(err, "Setting up what needs a kind that the API server does not list", "kind", gvk.String())
			}
		}
		f()
	}, gvks...)
}

func (g *servedGate) await(gvk schema.GroupVersionKind) error {
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), servedInterval, servedTimeout, true,
		func(context.Context) (bool, error) {
			_, last = g.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
			return last == nil, nil
		})
	if err != nil {
		return errors.Wrapf(last, "not served after %s", servedTimeout)
	}
	return nil
}
