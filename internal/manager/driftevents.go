package manager

import (
	"math/rand/v2"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/driftevents"
)

func (o *Options) addDriftEvents(mgr ctrl.Manager, sessions driftevents.Sessions) (*driftevents.Hub, error) {
	eo := driftevents.Options{
		Configs: mgr.GetClient(), Sessions: sessions, Synced: mgr.GetCache().WaitForCacheSync,
		Clock: clock.RealClock{}, Random: rand.Float64, Log: o.Logger,
	}
	if address(o.MetricsAddress) != "0" {
		eo.Metrics = driftevents.NewMetrics()
		if err := metrics.Registry.Register(eo.Metrics); err != nil {
			return nil, errors.Wrap(err, "cannot register the metrics of drift events")
		}
	}
	hub := driftevents.New(eo)
	return hub, errors.Wrap(mgr.Add(hub), "cannot add the receivers of drift events")
}
