package awsdouble

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
)

// served is a function f with the versions 1 and 2, of which the alias live serves the first.
type served struct {
	*testing.T
	*Server
	*clock

	lambda *lambda.Client
	begin  time.Time
}

func serve(t *testing.T, o Options) *served {
	t.Helper()
	clk := newClock()
	clk.at = clk.at.Truncate(time.Minute)
	o.Now = clk.now
	s := start(t, o)
	l := client(s)
	publishTwo(t, l)
	alias(t, l, "live", "1", nil)
	return &served{T: t, Server: s, clock: clk, lambda: l, begin: clk.at}
}

// sum returns the sum of a metric of the alias in each minute in which it has one.
func (s *served) sum(name string, more ...string) map[int]float64 {
	s.Helper()
	dimensions := append([]string{"FunctionName", "f", "Resource", "f:live"}, more...)
	query := stat("q", lambdaNamespace, name, "Sum", 60, dimensions...)
	out, err := cloudWatch(s.Config(testRegion)).GetMetricData(s.Context(), &cloudwatch.GetMetricDataInput{
		StartTime: &s.begin, EndTime: aws.Time(s.begin.Add(time.Hour)),
		MetricDataQueries: []types.MetricDataQuery{query},
	})
	if err != nil {
		s.Fatal(err)
	}
	sums := map[int]float64{}
	for i, at := range out.MetricDataResults[0].Timestamps {
		sums[int(at.Sub(s.begin).Minutes())] = out.MetricDataResults[0].Values[i]
	}
	return sums
}

// route changes the alias.
func (s *served) route(version string, additional map[string]float64) error {
	s.Helper()
	_, err := s.lambda.UpdateAlias(s.Context(), &lambda.UpdateAliasInput{
		FunctionName: aws.String("f"), Name: aws.String("live"),
		FunctionVersion: &version, RoutingConfig: weights(additional),
	})
	return err
}

func (s *served) state(version string) string {
	s.Helper()
	in := &lambda.GetFunctionConfigurationInput{FunctionName: aws.String("f"), Qualifier: &version}
	f, err := s.lambda.GetFunctionConfiguration(s.Context(), in)
	if err != nil {
		s.Fatal(err)
	}
	return string(f.State) + " " + string(f.StateReasonCode)
}

// TestMinutesGrow checks that the data points of a minute appear in parts, which are all there between two and three
// minutes after its end.
func TestMinutesGrow(t *testing.T) {
	s := serve(t, Options{MetricDelay: UsualMetricDelay, UnweightedVersions: true})
	s.Traffic(Traffic{Function: "f", Alias: "live", PerMinute: 60})
	parts, last := 0, 0.0
	for at := time.Second; at <= 4*time.Minute; at += time.Second {
		s.move(time.Second)
		now := s.sum("Invocations", "ExecutedVersion", "1")[0]
		switch {
		case now < last, at <= time.Minute && now > 0, at == 3*time.Minute && now == 60, at == 4*time.Minute &&
			now != 60:
			t.Fatalf("%v of 60 invocations after %v, %v before", now, at, last)
		case now > last:
			parts++
		}
		last = now
	}
	if parts < 6 {
		t.Errorf("the minute has appeared in %d parts", parts)
	}
}

// TestOutcomes checks for the outcomes of 600 requests in a minute what has failed, and what the metrics show of that
// minute when it ends and after five minutes.
func TestOutcomes(t *testing.T) {
	type shown struct{ invocations, errors float64 }
	cases := map[string]struct {
		reason   string
		outcomes Outcomes
		want     Received
		first    shown
		later    shown
	}{
		"Healthy": {"Invocations succeed.", Outcomes{}, Received{Requests: 600}, shown{600, 0}, shown{600, 0}},
		"Errors": {
			"A part fails.",
			Outcomes{ErrorRate: .05},
			Received{Requests: 600, Failed: 30},
			shown{600, 30},
			shown{600, 30},
		},
		"Hangs": {
			"What hangs is not in the metrics before it has failed, then in the minute in which it began.",
			Outcomes{HangRate: .05},
			Received{Requests: 600, Failed: 30},
			shown{570, 0},
			shown{600, 30},
		},
		"TooSlow": {
			"What takes longer than the timeout fails as what hangs does.",
			Outcomes{SlowRate: .1, SlowDuration: time.Hour},
			Received{Requests: 600, Failed: 60},
			shown{540, 0},
			shown{600, 60},
		},
		"Slow": {
			"What is slow appears later, and succeeds.",
			Outcomes{SlowRate: .1, SlowDuration: 61 * time.Second},
			Received{Requests: 600},
			shown{540, 0},
			shown{600, 0},
		},
		"FirstIsCold": {
			"The first invocation is cold.",
			Outcomes{ColdErrorRate: 1},
			Received{Requests: 600, Failed: 1},
			shown{600, 1},
			shown{600, 1},
		},
		"Cold": {
			"Later ones are at times.",
			Outcomes{ColdErrorRate: 1, ColdRate: 10. / 599},
			Received{Requests: 600, Failed: 11},
			shown{600, 11},
			shown{600, 11},
		},
		"Throttled": {
			"What is throttled was not invoked.",
			Outcomes{ThrottleRate: .5, ErrorRate: .1},
			Received{Requests: 600, Failed: 30},
			shown{300, 30},
			shown{300, 30},
		},
		"Both": {
			"What hangs and what fails is not the same.",
			Outcomes{HangRate: .5, ErrorRate: .5},
			Received{Requests: 600, Failed: 450},
			shown{300, 150},
			shown{600, 450},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{})
			s.Server.mu.Lock()
			s.lookup("f").version("1").Timeout = 120
			s.Server.mu.Unlock()
			s.Traffic(Traffic{
				Function: "f", Alias: "live", PerMinute: 600,
				Versions: map[string]Outcomes{"1": tc.outcomes},
			})
			s.move(time.Minute)
			if diff := cmp.Diff(map[string]Received{"1": tc.want}, s.Received("f", "live")); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			first := shown{s.sum("Invocations")[0], s.sum("Errors")[0]}
			s.move(4 * time.Minute)
			later := shown{s.sum("Invocations")[0], s.sum("Errors")[0]}
			if first != tc.first || later != tc.later {
				t.Errorf("%s: got %+v, later %+v, want %+v, later %+v", tc.reason, first, later, tc.first, tc.later)
			}
		})
	}
}

// TestTrafficAtRandom checks that versions and outcomes are drawn, and can be drawn again.
func TestTrafficAtRandom(t *testing.T) {
	run := func(seed uint64) map[string]Received {
		s := serve(t, Options{})
		if err := s.route("1", map[string]float64{"2": .1}); err != nil {
			t.Fatal(err)
		}
		s.Traffic(Traffic{
			Function: "f", Alias: "live", PerMinute: 1000,
			Rand:     rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // Tests repeat it.
			Versions: map[string]Outcomes{"2": {ErrorRate: .2}},
		})
		s.move(10 * time.Minute)
		return s.Received("f", "live")
	}
	one, other := run(1), run(2)
	if cmp.Equal(one, other) || !cmp.Equal(one, run(1)) {
		t.Errorf("the seed decides: %v, and with another one %v", one, other)
	}
	for _, got := range []map[string]Received{one, other} {
		stable, target := got["1"], got["2"]
		within := func(n int, mean, deviation float64) bool { return math.Abs(float64(n)-mean) < 5*deviation }
		if stable.Requests+target.Requests != 10_000 || stable.Failed > 0 ||
			!within(target.Requests, 1000, 30) || !within(target.Failed, 200, 14) {
			t.Errorf("got %v", got)
		}
	}
}

// TestInactiveVersion checks that invocations of an Inactive version fail until it is restored, and are in no metric.
func TestInactiveVersion(t *testing.T) {
	s := serve(t, Options{RestoreDuration: time.Minute})
	invoke := func(qualifier string, kind lambdatypes.InvocationType) error {
		in := &lambda.InvokeInput{FunctionName: aws.String("f"), Qualifier: &qualifier, InvocationType: kind}
		_, err := s.lambda.Invoke(t.Context(), in)
		return err
	}
	want := func(state string) {
		t.Helper()
		if got := s.state("1"); got != state {
			t.Errorf("the version is %s, want %s", got, state)
		}
	}
	const message = "Lambda is initializing your function. It will be ready to invoke shortly."
	if !s.SetVersionInactive("f", "1") || s.SetVersionInactive("f", "7") {
		t.Fatal("only versions that exist can be Inactive")
	}
	if err := invoke("1", lambdatypes.InvocationTypeDryRun); err != nil {
		t.Error(err)
	}
	want("Inactive Idle")
	wantError(t, invoke("1", ""), "CodeArtifactUserPendingException", message)
	want("Pending Restoring")
	wantError(t, invoke("live", ""), "CodeArtifactUserPendingException", message)
	s.move(time.Minute)
	if err := invoke("live", ""); err != nil {
		t.Error(err)
	}
	want("Active ")

	s.FailVersion("f", "The image is gone.", "ImageDeleted")
	s.SetVersionInactive("f", "1")
	wantError(t, invoke("live", lambdatypes.InvocationTypeEvent), "CodeArtifactUserPendingException", message)
	s.move(time.Minute)
	want("Inactive ImageDeleted")

	s.begin = s.now()
	s.Traffic(Traffic{Function: "f", Alias: "live", PerMinute: 60})
	s.move(30 * time.Second)
	want("Pending Restoring")
	s.move(90 * time.Second)
	if diff := cmp.Diff(map[string]Received{"1": {Requests: 120, Failed: 60}}, s.Received("f", "live")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want("Active ")
	if diff := cmp.Diff(map[int]float64{1: 60}, s.sum("Invocations")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := s.sum("Errors"); len(got) > 0 {
		t.Errorf("what was not invoked is no error: %v", got)
	}
}

func TestInactiveSnapshot(t *testing.T) {
	s := start(t, Options{})
	c := client(s)
	in := zipFunction(t, "f")
	in.SnapStart, in.Publish = &lambdatypes.SnapStart{ApplyOn: lambdatypes.SnapStartApplyOnPublishedVersions}, true
	create(t, c, in)
	s.SetVersionInactive("f", "1")
	_, err := c.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("f"), Qualifier: aws.String("1")})
	const message = "Lambda is initializing your function. " +
		"It will be ready to invoke once your function state becomes ACTIVE."
	wantError(t, err, "SnapStartNotReadyException", message)
}

// TestMovesOfProvisionedConcurrency changes an alias while AWS moves it from version 1 to 2.
func TestMovesOfProvisionedConcurrency(t *testing.T) {
	const (
		ready   = lambdatypes.ProvisionedConcurrencyStatusEnumReady
		refused = "Invalid alias configuration for Provisioned Concurrency"
	)
	keep := func(version string) *lambda.UpdateAliasInput {
		return &lambda.UpdateAliasInput{
			FunctionName: aws.String("f"), Name: aws.String("live"),
			FunctionVersion: &version,
		}
	}
	cases := map[string]struct {
		reason  string
		options Options
		fails   bool
		then    func(*served) error
		err     string
		want    map[string]float64 // The parts that the versions serve after the change.
		later   map[string]float64 // And after another minute.
		status  lambdatypes.ProvisionedConcurrencyStatusEnum
	}{
		"Completed": {
			reason: "The old version serves until the new one is allocated.",
			want:   map[string]float64{"1": 1, "2": 0}, later: map[string]float64{"2": 1}, status: ready,
		},
		"Returned": {
			reason: "The version that still serves needs no move.",
			then:   func(s *served) error { return s.route("1", nil) },
			want:   map[string]float64{"1": 1}, later: map[string]float64{"1": 1}, status: ready,
		},
		"Kept": {
			reason: "The weight of the old version does not fit to itself.",
			then: func(s *served) error {
				_, err := s.lambda.UpdateAlias(s.Context(), keep("1"))
				return err
			},
			err:  "Invalid function version 1. Function version 1 is already included in routing configuration.",
			want: map[string]float64{"1": 1, "2": 0}, later: map[string]float64{"2": 1}, status: ready,
		},
		"KeptByAnother": {
			reason: "Nor to another version.", then: func(s *served) error {
				_, err := s.lambda.UpdateAlias(s.Context(), keep("$LATEST"))
				return err
			},
			err:  refused,
			want: map[string]float64{"1": 1, "2": 0}, later: map[string]float64{"2": 1}, status: ready,
		},
		"Cleared": {
			reason: "Without its weight, the old version does not serve.",
			then:   func(s *served) error { return s.route("2", nil) },
			want:   map[string]float64{"2": 1}, later: map[string]float64{"2": 1}, status: ready,
		},
		"Failed": {
			reason: "An allocation that fails leaves the alias as it is.", fails: true,
			want: map[string]float64{"1": 1, "2": 0}, later: map[string]float64{"1": 1, "2": 0},
			status: lambdatypes.ProvisionedConcurrencyStatusEnumFailed,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.options.ProvisionDuration = time.Minute
			s := serve(t, tc.options)
			put := &lambda.PutProvisionedConcurrencyConfigInput{
				FunctionName: aws.String("f"), Qualifier: aws.String("live"),
				ProvisionedConcurrentExecutions: aws.Int32(3),
			}
			if _, err := s.lambda.PutProvisionedConcurrencyConfig(t.Context(), put); err != nil {
				t.Fatal(err)
			}
			s.move(time.Minute)
			s.Traffic(Traffic{Function: "f", Alias: "live", PerMinute: 60})
			if tc.fails {
				s.FailProvisioning("f", "FUNCTION_ERROR_INIT_FAILURE")
			}
			if err := s.route("2", nil); err != nil {
				t.Fatal(err)
			}
			if tc.then != nil {
				if err := tc.then(s); tc.err == "" && err != nil {
					t.Fatal(err)
				} else if tc.err != "" {
					wantError(t, err, "InvalidParameterValueException", tc.err)
				}
			}
			parts := func() map[string]float64 {
				a, _ := s.Alias("f", "live")
				return a.weights()
			}
			if diff := cmp.Diff(tc.want, parts()); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
			s.move(2 * time.Minute)
			get := &lambda.GetProvisionedConcurrencyConfigInput{
				FunctionName: aws.String("f"),
				Qualifier:    aws.String("live"),
			}
			p, err := s.lambda.GetProvisionedConcurrencyConfig(t.Context(), get)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.later, parts()); diff != "" || p.Status != tc.status {
				t.Errorf("%s: status %s, -want +got:\n%s", tc.reason, p.Status, diff)
			}
			received := s.Received("f", "live")
			for _, version := range []string{"1", "2"} {
				if n, want := received[version].Requests, int(60*(tc.want[version]+tc.later[version])); n != want {
					t.Errorf("%s: version %s had %d requests in two minutes, want %d", tc.reason, version, n, want)
				}
			}
		})
	}
}
