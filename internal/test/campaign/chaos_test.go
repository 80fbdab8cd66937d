package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

const (
	// chaosSeeds is how many seeds of TestChaos a scenario has.
	chaosSeeds = 8

	// mostInChaos is how often the provider may make one call within half an hour of chaos.
	mostInChaos = 600
)

// errHangs is the error of a call that is not answered until the caller times out.
var errHangs = errors.New("no answer")

// chaos fails calls at random: none for a while, then a share of them, each before or after it has taken effect.
type chaos struct {
	mu      sync.Mutex
	random  *rand.Rand
	percent int
	made    callCounts
	history []string
}

// set begins chaos in which a share of the calls fail, or ends it.
func (c *chaos) set(percent int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.percent = percent
}

func (c *chaos) do(ctx context.Context, call Call, side Side) error {
	err := c.draw(call, side)
	if errors.Is(err, errHangs) {
		return hang(ctx)
	}
	return err
}

// draw returns the error of a call, nil if it does not fail.
func (c *chaos) draw(call Call, side Side) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.percent == 0 || call.API == Kubernetes && !writes(call) {
		return nil // The process ends if its caches cannot be filled.
	}
	if side == Before && call.API == AWS {
		c.made.add(call)
	}
	if c.random.IntN(2*100) >= c.percent { //nolint:mnd // A call has two sides.
		return nil
	}
	err := pick(c.random, chaosFaults(call, side)...)
	c.history = append(c.history,
		fmt.Sprintf("%s %s, after: %t: %v", time.Now().Format(time.TimeOnly), call, side == After, err))
	return err
}

// chaosFaults returns the errors with which a call may fail. After it has taken effect, no answer says that it has not.
func chaosFaults(c Call, s Side) []error {
	internal := refusal(kerrors.NewInternalError(errNetwork))
	page := &answer{status: http.StatusBadGateway, body: "<html>bad gateway</html>"}
	failed := &answer{status: http.StatusInternalServerError, code: "ServiceException", body: `{"Message":"failed"}`}
	refused := func(status int, code string) error {
		return &answer{status: status, code: code, body: `{"Message":"An update is in progress, or it is not authorized"}`}
	}
	switch {
	case c.API == Kubernetes && s == After:
		return []error{errNetwork, errHangs, internal, refusal(kerrors.NewTimeoutError("late", 1))}
	case c.API == Kubernetes:
		return []error{
			errNetwork, errHangs, internal, refusal(kerrors.NewTooManyRequests("busy", 1)),
			refusal(kerrors.NewForbidden(schema.GroupResource{}, "", errNetwork)),
			refusal(kerrors.NewConflict(schema.GroupResource{}, "", errNetwork)),
		}
	case s == After:
		return []error{errNetwork, errHangs, page, failed, &answer{status: http.StatusOK, body: page.body}}
	}
	return []error{
		errNetwork, errHangs, page, failed, refused(http.StatusTooManyRequests, "TooManyRequestsException"),
		refused(http.StatusConflict, "ResourceConflictException"), refused(http.StatusForbidden, "AccessDeniedException"),
	}
}

// TestChaos has each kind created, updated, imported and deleted while calls fail at random for half an hour.
func TestChaos(t *testing.T) {
	var points tally
	t.Run("scenarios", func(t *testing.T) {
		for _, sc := range scenarios(t) {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				_, want := sc.run(t, point{})
				for n := range uint64(chaosSeeds) {
					seed := *seed + n
					points.try(t, sc.name+fmt.Sprint("chaos", n), fmt.Sprint(seed),
						func(t *testing.T) { sc.endures(t, seed, want) }) //nolint:thelper // It is the test.
				}
			})
		}
	})
	figures.Record(t, figures.Figures{
		Campaign: "Chaos", Figures: map[string]int{"runs": points.total, "runs tried": points.tried},
		Findings: points.failed,
	})
}

// endures checks a scenario with chaos that begins with the user's action, or while it is under way.
func (sc scenario) endures(t *testing.T, seed uint64, want outcome) {
	t.Helper()
	Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
		s.Prepare()
		c := &chaos{random: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // By its seed.
		p := s.Start(&Network{Do: c.do})
		got := s.disturb(sc, want, 30*time.Minute, func() { c.set([]int{20, 50, 80, 110}[seed%4]) }, func() { c.set(0) })
		c.made.check(t, mostInChaos)
		if strings.Contains(sc.name, " update ") {
			got.Created = 0 // What is replaced in several calls begins again.
		}
		got.check(t, sc, want)
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("calls:\n%s\nfaults:\n%s", s.history(), strings.Join(c.history, "\n"))
		}
	})
}
