package manager

import (
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane/crossplane-runtime/v2/apis/changelogs/proto/v1alpha1"
	"github.com/crossplane/crossplane-runtime/v2/pkg/controller"
	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	"github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/statemetrics"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/account"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/breaker"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/listpoll"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/telemetry"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
)

// addMetrics registers the metrics of the runtime, of calls to AWS, of resources, of account limits, and of quotas
// and circuit breakers, unless the manager has no metrics server. It returns those of resources.
func (o *Options) addMetrics(l *quota.Limiter, accounts *account.Limits,
	lists *listpoll.Poller,
) (*reporting.Metrics, error) {
	m := reporting.NewMetrics()
	if address(o.MetricsAddress) == "0" {
		return m, nil
	}
	o.Config.Measure = telemetry.New(o.Now)
	st := statemetrics.NewMRStateMetrics()
	o.MetricOptions = &controller.MetricOptions{PollStateMetricInterval: o.StateMetricInterval, MRStateMetrics: st}
	for _, c := range []prometheus.Collector{
		st, quota.NewCollector(l), account.NewCollector(accounts),
		breaker.NewCollector(o.Config.Breakers), listpoll.NewCollector(lists), o.Config.Measure, m,
	} {
		if err := metrics.Registry.Register(c); err != nil {
			return nil, errors.Wrap(err, "cannot register metrics")
		}
	}
	return m, nil
}

// addChangeLog sends changes to the sidecar that listens on a Unix socket.
func (o *Options) addChangeLog(mgr ctrl.Manager) error {
	if o.ChangeLogSocket == "" {
		return nil
	}
	conn, err := grpc.NewClient("unix://"+o.ChangeLogSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return errors.Wrapf(err, "cannot use the change log's socket %s", o.ChangeLogSocket)
	}
	l := reporting.NewChangeLog(v1alpha1.NewChangeLogServiceClient(conn), logging.NewLogrLogger(o.Log))
	o.ChangeLogOptions = &controller.ChangeLogOptions{
		ChangeLogger: managed.NewGRPCChangeLogger(l, managed.WithProviderVersion("provider-lambda:"+o.Version)),
	}
	if err := metrics.Registry.Register(l.Lost); err != nil {
		return errors.Wrap(err, "cannot register the change log's metrics")
	}
	return errors.Wrap(mgr.Add(l), "cannot add the change log")
}
