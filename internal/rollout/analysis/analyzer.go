package analysis

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
)

// A CloudWatch reads metrics and alarms. If wait is more than zero, there is no value yet: the
// caller asks again after it. An error is fit for users to see.
type CloudWatch interface {
	// Sample returns the value of a metric of the provider lambda or cloudWatch.
	Sample(ctx context.Context, s rollout.Subject,
		m *v1beta1.RolloutMetric) (sample rollout.Sample, wait time.Duration, err error)

	// Alarms returns the states of alarms by their names.
	Alarms(ctx context.Context, names []string,
		interval time.Duration) (states map[string]rollout.AlarmState, wait time.Duration, err error)

	// Fired returns the end of what an alarm of a type had evaluated when it went to ALARM last since a time, zero if
	// it did not.
	Fired(ctx context.Context, name, of string, since time.Time) (about time.Time, err error)
}

// Options are the options of an Analyzer.
type Options struct {
	// Hosts are the hosts that rollouts may name: a host, a host and a port, or a pattern in which
	// * stands for any characters. Those with private addresses must be listed exactly.
	Hosts []string

	// Planning lets Validate accept all hosts, and takes all dependencies for healthy: a plan does not know which hosts
	// the provider allows, nor how healthy dependencies are when it is carried out.
	Planning bool

	// AllowLoopback allows loopback addresses for hosts that are listed exactly. It is for tests and the demo.
	AllowLoopback bool

	// Reader reads objects that rollouts depend on from the API server, without a cache.
	Reader client.Reader

	// Mapper maps the cluster's kinds.
	Mapper meta.RESTMapper

	// Secrets reads bearer tokens.
	Secrets refs.Objects
}

// An Analyzer measures the checks of rollouts. It is safe for concurrent use.
type Analyzer struct {
	options    Options
	hosts      egress.Hosts
	transport  http.RoundTripper
	conditions conditions
	cloudWatch CloudWatch
}

// hostFlag is the flag of the provider that allows hosts.
const hostFlag = "--analysis-host"

// New returns an Analyzer without CloudWatch.
func New(o Options) *Analyzer {
	h := egress.Hosts{Flag: hostFlag, Allowed: o.Hosts, Loopback: o.AllowLoopback}
	return &Analyzer{options: o, hosts: h, transport: newTransport(h), conditions: newConditions()}
}

// WithCloudWatch returns an Analyzer that reads from the CloudWatch of an account and region. It
// shares connections and compiled conditions with the one that it is made from.
func (a *Analyzer) WithCloudWatch(c CloudWatch) *Analyzer {
	b := *a
	b.cloudWatch = c
	return &b
}

func each(checks []rollout.CheckID, of func(rollout.CheckID) rollout.Measurement) []rollout.Measurement {
	all := make([]rollout.Measurement, len(checks))
	for i, id := range checks {
		all[i] = of(id)
	}
	return all
}

// Lengths that the API allows, in characters.
const (
	maxMessage = 512
	maxValue   = 64
)

func measured(id rollout.CheckID, result, value, format string, args ...any) rollout.Measurement {
	return rollout.Measurement{
		CheckID: id, Result: result, Value: bounded(value, maxValue),
		Message: bounded(fmt.Sprintf(format, args...), maxMessage),
	}
}

// Failed returns a measurement without a value.
func Failed(id rollout.CheckID, err error) rollout.Measurement {
	return measured(id, rollout.Error, "", "%v", err)
}

// bounded returns a text of at most a number of characters.
func bounded(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
