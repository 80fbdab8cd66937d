package campaign

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

// outage is the failure of an API for a while.
type outage struct {
	name string

	// cuts reports whether a call fails during the outage.
	cuts func(c Call) bool

	// hangs says that such a call is not answered either, until the caller times out.
	hangs bool

	// answer is what such a call is answered with, if it is answered, and after says that it takes effect all the same.
	answer *answer
	after  bool

	// rollouts says that only rollouts make such calls.
	rollouts bool

	// clock is by how much the process's clock is stepped at the beginning.
	clock time.Duration
}

// mostFailed is how often the provider may make a call that fails during an outage of ten minutes. A write that
// conflicts has four attempts.
const mostFailed = 250

func outages() []outage {
	all := func(Call) bool { return true }
	of := func(a API) func(Call) bool { return func(c Call) bool { return c.API == a } }
	sts := func(c Call) bool { return c.API == AWS && c.Path == "/" }
	status := func(c Call) bool { return writes(c) && strings.HasSuffix(c.Path, "/status") }
	metadata := func(c Call) bool { return writes(c) && !status(c) }
	changes := func(c Call) bool { return c.API == AWS && c.Writes() && !sts(c) }
	lambda := func(c Call) bool { return c.API == AWS && !sts(c) && !strings.HasPrefix(c.Path, "/code/") }
	denied := refusal(kerrors.NewForbidden(schema.GroupResource{}, "", errNetwork))
	conflict := refusal(kerrors.NewConflict(schema.GroupResource{}, "", errNetwork))
	page := &answer{status: http.StatusBadGateway, body: "<html>bad gateway</html>"}
	cloudWatch := func(c Call) bool { return c.API == AWS && strings.HasSuffix(c.Path, "/GetMetricData") }
	return []outage{
		{name: "the API server is away", cuts: of(Kubernetes)},
		{name: "the API server hangs", cuts: of(Kubernetes), hangs: true},
		{name: "writes to the API server fail", cuts: func(c Call) bool { return c.API == Kubernetes && c.Writes() }},
		{name: "AWS is away", cuts: of(AWS)},
		{name: "AWS hangs", cuts: of(AWS), hangs: true},
		{name: "STS is away", cuts: sts},
		{name: "S3 is away", cuts: func(c Call) bool { return c.API == AWS && strings.HasPrefix(c.Path, "/code/") }},
		{name: "CloudWatch is away", cuts: cloudWatch, rollouts: true},
		{name: "CloudWatch hangs", cuts: cloudWatch, rollouts: true, hangs: true},
		{name: "both are away", cuts: all},
		{name: "a policy denies status", cuts: status, answer: denied},
		{name: "a policy denies metadata", cuts: metadata, answer: denied},
		{name: "status conflicts", cuts: status, answer: conflict},
		{name: "metadata conflicts", cuts: metadata, answer: conflict},
		{name: "AWS denies", cuts: lambda, answer: &answer{
			status: http.StatusForbidden, code: "AccessDeniedException", body: `{"Message":"not authorized"}`,
		}},
		{name: "a proxy hides that changes succeed", cuts: changes, answer: page, after: true},
		{name: "a proxy answers with pages", cuts: lambda, answer: &answer{status: http.StatusOK, body: page.body}},
		{name: "the clock is stepped an hour forwards", clock: time.Hour},
		{name: "the clock is stepped an hour backwards", clock: -time.Hour},
	}
}

// TestOutages has each kind created, updated, imported and deleted during an outage of
// minutes, or while the clock is stepped.
func TestOutages(t *testing.T) {
	var points tally
	t.Run("scenarios", func(t *testing.T) {
		for _, sc := range scenarios(t) {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				_, want := sc.run(t, point{})
				for _, o := range outages() {
					if o.rollouts && sc.serves == "" {
						continue
					}
					points.try(t, sc.name+o.name, o.name,
						func(t *testing.T) { sc.outlasts(t, o, want) }) //nolint:thelper // It is the test.
				}
			})
		}
	})
	figures.Record(t, figures.Figures{
		Campaign: "Outages",
		Figures:  map[string]int{"outages": points.total, "outages tried": points.tried}, Findings: points.failed,
	})
}

// writes reports whether a call writes a managed resource.
func writes(c Call) bool {
	return c.API == Kubernetes && c.Writes() && strings.Contains(c.Path, v1beta1.Group) &&
		!strings.Contains(c.Path, "providerconfig")
}

// outlasts checks a scenario with an outage of ten minutes that begins with the user's
// action, or while it is under way.
func (sc scenario) outlasts(t *testing.T, o outage, want outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		var on atomic.Bool
		var step atomic.Int64
		var failed callCounts
		n := &Network{Do: func(ctx context.Context, c Call, side Side) error {
			switch {
			case (side == After) != o.after || !on.Load() || o.cuts == nil || !o.cuts(c):
				return nil
			case o.answer != nil:
				failed.add(c)
				return o.answer
			case o.hangs:
				return hang(ctx)
			}
			return errNetwork
		}}
		p := s.Start(n, func(mo *manager.Options) {
			mo.Now = func() time.Time { return time.Now().Add(time.Duration(step.Load())) }
		})
		got := s.disturb(sc, want, 10*time.Minute, func() {
			on.Store(true)
			step.Store(int64(o.clock))
			if o.cuts != nil && o.cuts(Call{API: Kubernetes}) {
				n.Break()
			}
		}, func() {
			on.Store(false)
			if sc.again != nil {
				step.Store(0)
			}
		})
		failed.check(t, mostFailed)
		if o.after && strings.Contains(sc.name, " update ") {
			got.Created = 0 // What is replaced in several calls begins again.
		}
		got.check(t, sc, want)
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("calls:\n%s", s.history())
		}
	})
}

// TestThrottledRollout checks that the deadline of a rollout ends a step in time while AWS throttles UpdateAlias, also
// in the minutes before throttling is reported as an error.
func TestThrottledRollout(t *testing.T) {
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		k, sc := rolledOut("rollout", canary()), rolloutScenarios()[0]
		running := s.Start(&Network{})
		sc.before(s)
		sc.act(s)
		in := func(step string) func() bool {
			return func() bool { return rolloutField(s.stored(k.New()), "step") == step }
		}
		if !s.Until(time.Hour, in(v1beta1.RolloutShifting)) {
			t.Fatalf("the rollout does not begin: %v", s.stored(k.New()).Object["status"])
		}
		s.Double.Fail(awsdouble.Fault{Operation: "UpdateAlias", Times: -1, Error: awsdouble.Throttle()})
		// A minute, the timeout of 3 s and three minutes for the metric, and the deadline of ten minutes.
		deadline := 5*time.Minute + 3*time.Second + 10*time.Minute
		if s.Until(deadline-10*time.Second, in(v1beta1.RolloutRollingBack)) {
			t.Error("the rollout is rolled back before its deadline")
		}
		if !s.Until(20*time.Second, in(v1beta1.RolloutRollingBack)) {
			t.Errorf("the deadline is held up: %v", s.stored(k.New()).Object["status"])
		}
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	})
}
