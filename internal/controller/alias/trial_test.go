package alias

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var (
	trialSeed      = flag.Uint64("trial.seed", 1, "the first seed of the trial; each further rollout has the next one")
	trialDisturbed = flag.Int("trial.disturbed", 150, "rollouts of healthy versions with disturbances of the provider")
	trialRuns      = flag.Int("trial.runs", 0, "rollouts of each kind of version, rate and tool; 0 is a sample")
	trialPage      = flag.String("trial.page", "", "write the tables of TestTrial into this page")
)

// eachSeed calls a function for so many seeds, on all processors.
func eachSeed(n int, do func(seed uint64)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			do(*trialSeed + uint64(i)) //nolint:gosec // Not negative.
			return nil
		})
	}
	_ = g.Wait() // Its functions return no error.
}

// TestTrialDisturbed rolls healthy versions out while much goes wrong with the provider and what it depends on. None is
// rejected, and each is promoted if it has traffic: by itself, unless AWS failed for longer than the deadline of a
// step.
func TestTrialDisturbed(t *testing.T) {
	analyzer := analysis.New(analysis.Options{})
	var long, low atomic.Int64
	eachSeed(*trialDisturbed, func(seed uint64) {
		d := newDisturbed(t, seed, analyzer)
		d.run(d.provider, 0)
		if why := d.wrong(); why != "" {
			t.Errorf("seed %d: %s:\n  %s", seed, why, strings.Join(d.trace, "\n  "))
		}
		switch {
		case d.undecided > 0 && d.perMinute < enough:
			low.Add(1)
		case d.undecided > 0:
			long.Add(1)
		}
	})
	t.Logf(
		"%d rollouts from seed %d: %d returned undecided because AWS failed for long, %d because of too little traffic",
		*trialDisturbed,
		*trialSeed,
		long.Load(),
		low.Load(),
	)
}

// TestTrialByAnotherClock rolls versions out by a provider whose clock is not AWS's: one that hangs until its timeout
// never receives all invocations, and a healthy one always does.
func TestTrialByAnotherClock(t *testing.T) {
	analyzer := analysis.New(analysis.Options{})
	hangs := map[string]awsdouble.Outcomes{"2": {HangRate: 0.5}}
	for _, ahead := range []time.Duration{
		-30 * time.Minute, -3 * time.Minute, 3 * time.Minute, 12 * time.Minute, 30 * time.Minute,
	} {
		for _, versions := range []map[string]awsdouble.Outcomes{hangs, nil} {
			w := newWorld(
				t,
				1,
				versionKind{timeout: 10 * time.Minute, versions: versions},
				100,
				awsdouble.UsualMetricDelay,
			)
			p := newProvider(w, analyzer, rolloutOf(firstRollout()))
			p.skew = ahead
			w.run(p, 8*time.Hour)
			if w.seen.all.IsZero() == (versions == nil) || p.outcome() == undecided {
				t.Errorf(
					"the clock is ahead by %s, version 2 hangs: %t; outcome %d, all invocations at %s:\n  %s",
					ahead,
					versions != nil,
					p.outcome(),
					w.seen.all,
					strings.Join(p.trace, "\n  "),
				)
			}
		}
	}
}

// The tools of the trial: the provider with the first rollout of docs/rollouts.md, with the weights of the others, and
// the others.
const (
	ours           = "Provider"
	oursAlarm      = "Provider, alarms"
	oursCanary     = "Provider, canary"
	oursCanaryBoth = "Provider, canary, alarms"
	oursLinear     = "Provider, linear"
	oursDuration   = "Provider, Duration"
	codeCanary     = "CodeDeploy, canary"
	codeLinear     = "CodeDeploy, linear"
	argo           = "Argo Rollouts"
	flagger        = "Flagger"
)

// toolNames are the columns of the tables.
var toolNames = []string{ours, oursAlarm, oursCanary, oursCanaryBoth, oursLinear, codeCanary, codeLinear, argo, flagger}

// toolOf returns a tool in a world.
func toolOf(name string, w *world, analyzer *analysis.Analyzer) tool {
	with := func(steps shape, change ...func(*v1beta1.RolloutAnalysis)) tool {
		return newProvider(w, analyzer, rolloutOf(steps, change...))
	}
	switch name {
	case oursAlarm:
		return with(firstRollout(), withAlarms)
	case oursCanary:
		return with(shapeOf(canary10Percent5Minutes()))
	case oursCanaryBoth:
		return with(shapeOf(canary10Percent5Minutes()), withAlarms)
	case oursLinear:
		return with(shapeOf(linear10PercentEvery1Minute()))
	case oursDuration:
		return with(firstRollout(), withDuration)
	case codeCanary:
		return newCodeDeploy(w, canary10Percent5Minutes())
	case codeLinear:
		return newCodeDeploy(w, linear10PercentEvery1Minute())
	case argo:
		return newArgo(w)
	case flagger:
		return newFlagger(w)
	}
	return with(firstRollout())
}

// observed is how long a rollout is observed from its begin: an hour after the last tool has given version 2 all
// invocations, by which time those that hang have ended.
func observed(k versionKind) time.Duration { return 2*time.Hour + 6*k.timeout }

// try rolls a kind of version out with each tool, at each rate, so many times, and adds the results to a board.
func try(t *testing.T, b board, k versionKind, rates []float64, tools []string, runs int) {
	t.Helper()
	analyzer := analysis.New(analysis.Options{})
	var mu sync.Mutex
	for _, rate := range rates {
		for _, name := range tools {
			at, c := position{k.name, name, rate}, &cell{}
			eachSeed(runs, func(seed uint64) {
				w := newWorld(t, seed, k, rate, awsdouble.UsualMetricDelay)
				used := toolOf(name, w, analyzer)
				w.run(used, observed(k))
				mu.Lock()
				defer mu.Unlock()
				c.add(w, used)
			})
			b[at] = c
		}
	}
}

// TestTrial rolls versions of many kinds out with the same traffic under the provider and under the rules of other
// tools. It checks what the provider promises, and writes what all have come to.
func TestTrial(t *testing.T) {
	b, kinds, rates := board{}, versionKinds(), []float64{1, 10, 100, 1000}
	if *trialRuns == 0 {
		sample(t, b, kinds)
	} else {
		for _, k := range kinds {
			try(t, b, k, rates, toolNames, *trialRuns)
			if k.compared() {
				try(t, b, k, rates, []string{oursDuration}, *trialRuns)
			}
		}
		report(t, b, kinds, rates)
	}
	bars(t, b, kinds)
}

// sample tries what the bars are about, and each other kind and tool once.
func sample(t *testing.T, b board, kinds []versionKind) {
	t.Helper()
	const few, some = 1, 60
	for _, k := range kinds {
		try(t, b, k, []float64{10, 100}, toolNames, few)
		try(t, b, k, []float64{100}, []string{ours}, 2*few)
		if k.name == twentyPercent {
			try(t, b, k, []float64{100}, []string{oursCanary, oursCanaryBoth, codeCanary}, some)
		}
	}
}

// bars checks what the provider promises.
func bars(t *testing.T, b board, kinds []versionKind) {
	t.Helper()
	for _, k := range kinds {
		for at, c := range b {
			switch {
			case at.kind != k.name || at.tool != ours:
			case !k.bad && len(k.versions) == 0 && c.wrong > 0:
				t.Errorf("%+v: %d of %d healthy versions were rejected", at, c.wrong, c.runs)
			case !k.bad && len(k.versions) == 0 && at.perMinute >= enough && c.undecided > 0:
				t.Errorf("%+v: %d of %d healthy versions were not promoted", at, c.undecided, c.runs)
			case k.noticeable() && at.perMinute >= 100 && c.wrong > 0:
				t.Errorf("%+v: %d of %d bad versions were promoted and not rolled back", at, c.wrong, c.runs)
			}
		}
	}
	theirs := b[position{twentyPercent, codeCanary, 100}]
	for _, name := range []string{oursCanary, oursCanaryBoth} {
		own := b[position{twentyPercent, name, 100}]
		t.Logf("%s, 10 %% of 100 invocations a minute: %.2f failed until all were back, %.2f with CodeDeploy's canary",
			name, own.untilBack(), theirs.untilBack())
		if own.untilBack() >= theirs.untilBack() || own.back < own.runs {
			t.Errorf(
				"%s: %.2f failed before the rollback, and %d of %d were rolled back; with CodeDeploy's canary %.2f failed",
				name,
				own.untilBack(),
				own.back,
				own.runs,
				theirs.untilBack(),
			)
		}
	}

	for _, rate := range []float64{100, 1000} {
		c := b[position{healthyName, ours, rate}]
		if c != nil && (c.calls[opUpdate] != 3*c.runs || c.calls[opGetConfiguration] > 2*c.runs) {
			t.Errorf("%d rollouts of a healthy version took the calls %v", c.runs, c.calls)
		}
	}
}

// noticeable reports whether a version fails or hangs for 5 % of its invocations or more.
func (k versionKind) noticeable() bool {
	o := k.versions["2"]
	return o.ErrorRate >= 0.05 || o.HangRate >= 0.05
}

// report prints the tables, and writes them into the page of the flag.
func report(t *testing.T, b board, kinds []versionKind, rates []float64) {
	t.Helper()
	failing := slices.DeleteFunc(slices.Clone(kinds), func(k versionKind) bool { return !k.bad || k.name == slower })
	compared := slices.DeleteFunc(slices.Clone(kinds), func(k versionKind) bool { return !k.compared() })
	var out strings.Builder
	fmt.Fprintf(&out, "\nWrong decisions in %d rollouts each, from seed %d: healthy versions that were rejected, "+
		"bad ones that served at the end.\n\n", *trialRuns, *trialSeed)
	out.WriteString(b.table(kinds, rates, toolNames, (*cell).decisions))
	out.WriteString("\nThe part of all invocations that failed because of version 2, " +
		"and the minutes until version 1 served all of them again:\n\n")
	out.WriteString(b.table(failing, rates, toolNames, (*cell).damage))
	out.WriteString("\nWrong decisions with a comparison of the durations:\n\n")
	out.WriteString(b.table(compared, rates, []string{ours, oursDuration}, (*cell).decisions))
	out.WriteString("\nAt 100 invocations a minute: the minutes until a healthy version receives all, " +
		"the invocations that failed before the rollback of one that fails 20 %, " +
		"and the calls to AWS of the first:\n\n| | Minutes | Failed | Calls |\n| --- | ---: | ---: | --- |\n")
	for _, name := range toolNames {
		healthy := b[position{kinds[0].name, name, 100}]
		failed := b[position{twentyPercent, name, 100}].untilBack()
		fmt.Fprintf(&out, "| %s | %.1f | %.1f | %s |\n", name, healthy.untilAll(), failed, healthy.callsOf())
	}
	out.WriteString("\n")
	t.Log(out.String())
	if *trialPage == "" {
		return
	}
	if err := writeTrial(*trialPage, out.String()); err != nil {
		t.Error(err)
	}
}
