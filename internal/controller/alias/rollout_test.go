package alias

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// results is an analyzer that returns the result of a function for each check.
type results func(s rollout.Subject, id rollout.CheckID) string

func (r results) Measure(
	_ context.Context,
	s rollout.Subject,
	_ *v1beta1.AliasRollout,
	due []rollout.CheckID,
) (out []rollout.Measurement, wait time.Duration) {
	for _, id := range due {
		out = append(out, rollout.Measurement{CheckID: id, Result: r(s, id), Value: "0.5"})
	}
	return out, 0
}

func (r results) Validate(spec *v1beta1.AliasRollout) error {
	if spec.Analysis != nil && spec.Analysis.Metrics[0].Name == "invalid" {
		return errors.New("spec.rollout.analysis is not valid")
	}
	return nil
}

func healthy(rollout.Subject, rollout.CheckID) string { return rollout.Success }

func unhealthy(s rollout.Subject, id rollout.CheckID) string {
	if id.Type == rollout.CheckMetric && s.Target != "1" {
		return rollout.Failure
	}
	return rollout.Success
}

// rolloutEnv is an env with an alias that is rolled out.
type rolloutEnv struct {
	*env

	alias *v1beta1.Alias

	// routes are those that the alias had in AWS, one after the other.
	routes []string

	// interrupt reports whether the process ends at a point: before what a reconcile has set is
	// persisted. Nil never ends it.
	interrupt func() bool
}

// canary moves 10 and 50 % with a smoke test, an analysis and a bake time.
func canary() *v1beta1.AliasRollout {
	minute := &metav1.Duration{Duration: time.Minute}
	return &v1beta1.AliasRollout{
		Strategy: v1beta1.RolloutStrategy{Canary: &v1beta1.CanaryStrategy{Steps: []v1beta1.CanaryStep{
			{
				SetWeight: ptr.To[int32](10),
			},
			{Pause: &v1beta1.RolloutPause{Duration: minute}},
			{SetWeight: ptr.To[int32](50)},
			{Analysis: &v1beta1.CanaryAnalysis{Successes: ptr.To[int32](2)}},
		}}},
		PreTraffic: []v1beta1.RolloutSmokeTest{{Name: "smoke"}},
		Analysis: &v1beta1.RolloutAnalysis{
			Metrics: []v1beta1.RolloutMetric{{Name: "errors", Interval: &metav1.Duration{Duration: 20 * time.Second}}},
		},
		FinalBakeTime: minute,
	}
}

// newRollout returns an env with a converged alias of version 1.
func newRollout(t testing.TB, spec *v1beta1.AliasRollout) *rolloutEnv {
	t.Helper()
	r := &rolloutEnv{env: newEnv(t)}
	r.health = healthy
	r.alias = testAlias(func(a *v1beta1.Alias) { a.Spec.Rollout = spec })
	r.Converge(r.alias)
	r.Reconcile(r.alias)
	if got := r.state(); got.Phase != v1beta1.RolloutReady || got.Stable.FunctionVersion != "1" {
		t.Fatalf("the first version is stable at once, got %+v", got)
	}
	return r
}

func (r *rolloutEnv) state() v1beta1.AliasRolloutStatus {
	return ptr.Deref(r.alias.Status.Rollout, v1beta1.AliasRolloutStatus{})
}

// desire changes the version in spec.
func (r *rolloutEnv) desire(version string) {
	r.alias.Spec.ForProvider.FunctionVersion = ptr.To(version)
	r.alias.Generation++
}

// command sets a command annotation.
func (r *rolloutEnv) command(name, value string) {
	metav1.SetMetaDataAnnotation(&r.alias.ObjectMeta, name, value)
}

// step makes one reconcile, and passes the time that the rollout asks for.
func (r *rolloutEnv) step() error {
	r.Helper()
	before := r.alias.DeepCopy()
	_, err := r.Do(r.alias)
	if r.interrupt != nil && r.interrupt() {
		before.DeepCopyInto(r.alias)
	}
	if got := r.route(); len(r.routes) == 0 || r.routes[len(r.routes)-1] != got {
		r.routes = append(r.routes, got)
	}
	r.Advance(5 * time.Second)
	return err
}

// route returns how the alias in AWS distributes its invocations, such as 1, or 1+2:0.1.
func (r *rolloutEnv) route() string {
	r.Helper()
	a := r.inAWS()
	if a.RoutingConfig != nil {
		for v, w := range a.RoutingConfig.AdditionalVersionWeights { // AWS accepts one.
			return fmt.Sprintf("%s+%s:%g", a.FunctionVersion, v, w)
		}
	}
	return a.FunctionVersion
}

// until reconciles until a condition holds.
func (r *rolloutEnv) until(what string, holds func() bool) {
	r.Helper()
	var err error
	for range 500 {
		if err = r.step(); holds() {
			return
		}
	}
	r.Fatalf("never %s: %+v, %v", what, r.state(), err)
}

// ends reconciles until the rollout has ended.
func (r *rolloutEnv) ends(phase string) {
	r.Helper()
	r.until(phase, func() bool {
		return r.state().Phase == phase && r.state().Target.FunctionVersion == *r.alias.Spec.ForProvider.FunctionVersion
	})
}

func (r *rolloutEnv) wantRoutes(why string, want ...string) {
	r.Helper()
	if diff := cmp.Diff(want, r.routes); diff != "" {
		r.Errorf("%s: routes of the alias: -want, +got:\n%s", why, diff)
	}
}

func TestRolloutPromotes(t *testing.T) {
	r := newRollout(t, canary())
	before := len(r.Operations())
	r.desire("2")
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("step by step", "1", "1+2:0.1", "1+2:0.5", "2")
	writes := testenv.Writes(r.Operations()[before:])
	if diff := cmp.Diff([]string{opInvoke, opUpdate, opUpdate, opUpdate}, writes); diff != "" {
		t.Errorf("calls: -want, +got:\n%s", diff)
	}
	if c := r.alias.GetCondition(xpv2.TypeReady); c.Status != corev1.ConditionTrue {
		t.Errorf("Ready is %+v", c)
	}
	if diff := cmp.Diff([]string{opList}, r.Poll(r.alias)); diff != "" {
		t.Errorf("at rest, a rollout costs no call: -want, +got:\n%s", diff)
	}
}

// TestRolloutEvents checks that each change of the alias has one event, as each end has.
func TestRolloutEvents(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	var got []string
	r.until("stable", func() bool {
		if d := r.Done; d.Called == reconcile.ToUpdate && d.Err == nil && !d.Quiet {
			got = append(got, "UpdatedExternalResource: "+d.Does)
		}
		for _, e := range r.Done.Events {
			got = append(got, string(e.Reason)+": "+e.Message)
		}
		return r.state().Stable.FunctionVersion == "2"
	})
	id := r.state().ID
	want := []string{
		"RolloutStarted: rollout " + id + " from version 1 to version 2",
		"UpdatedExternalResource: invoked version 2 for the smoke test smoke",
		"RolloutShifted: rollout " + id + ": version 1, version 2 with 10 %",
		"RolloutShifted: rollout " + id + ": version 1, version 2 with 50 %",
		"RolloutPromoting: rollout " + id + ": version 2 receives all invocations: all steps are done",
		"RolloutShifted: rollout " + id + ": version 2",
		"RolloutCompleted: rollout " + id + ": version 2 is stable",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestRolloutRevisions checks that a rollout says which revisions of the code its versions have, if the Function that
// the alias refers to knows them.
func TestRolloutRevisions(t *testing.T) {
	code := []v1beta1.PublishedCode{{Version: "2", Revision: "main@sha1:2"}, {Version: "1", Revision: "main@sha1:1"}}
	cases := map[string]struct {
		reason    string
		change    func(*v1beta1.Alias)
		stable    string
		completed []string
	}{
		"Known": {
			reason: "The Function has published both versions.", change: func(*v1beta1.Alias) {}, stable: "main@sha1:2",
			completed: []string{
				"rollout ID from version 1 (main@sha1:1) to version 2 (main@sha1:2)",
				"rollout ID: version 2 (main@sha1:2) is stable",
			},
		},
		"NoReference": {
			reason:    "The alias names a function, and no Function.",
			change:    func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionNameRef = nil },
			completed: []string{"rollout ID from version 1 to version 2", "rollout ID: version 2 is stable"},
		},
		"OtherNamespace": {
			reason:    "A Function of another namespace is not read for it.",
			change:    func(a *v1beta1.Alias) { a.Spec.ForProvider.FunctionNameRef.Namespace = "other" },
			completed: []string{"rollout ID from version 1 to version 2", "rollout ID: version 2 is stable"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &rolloutEnv{env: newEnv(t)}
			r.health = healthy
			r.functions = testenv.Functions{Answer: func(_ client.ObjectKey, f *v1beta1.Function) error {
				f.Status.AtProvider.PublishedCode = code
				return nil
			}}
			r.alias = testAlias(func(a *v1beta1.Alias) {
				a.Spec.Rollout, a.Spec.ForProvider.FunctionNameRef = canary(), &xpv2.NamespacedReference{Name: "cart"}
				tc.change(a)
			})
			r.Converge(r.alias)
			r.Reconcile(r.alias)
			r.desire("2")
			before := len(r.Operations())
			var got []string
			r.until("stable", func() bool {
				for _, e := range r.Done.Events {
					if e.Reason == v1beta1.EventRolloutStarted || e.Reason == v1beta1.EventRolloutCompleted {
						got = append(got, strings.ReplaceAll(e.Message, r.state().ID, "ID"))
					}
				}
				return r.state().Stable.FunctionVersion == "2"
			})
			if diff := cmp.Diff(tc.completed, got); diff != "" {
				t.Errorf("%s events: -want, +got:\n%s", tc.reason, diff)
			}
			if s := r.state(); s.Stable.CodeRevision != tc.stable {
				t.Errorf("%s stable is %+v, want revision %q", tc.reason, s.Stable, tc.stable)
			}
			if slices.Contains(r.Operations()[before:], "GetFunction") {
				t.Error("no call is made for it")
			}
		})
	}
}

func TestRolloutRollsBack(t *testing.T) {
	r := newRollout(t, canary())
	r.health = unhealthy
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("at the first failure", "1", "1+2:0.1", "1")
	c := r.alias.GetCondition(xpv2.TypeReady)
	if c.Reason != "RolledBack" ||
		!strings.Contains(c.Message, "version 1 serves; version 2 was rejected (AnalysisFailed)") {
		t.Errorf("Ready is %+v", c)
	}
	for range 50 {
		r.Must(r.step())
	}
	r.wantRoutes("it is not tried again", "1", "1+2:0.1", "1")
	r.health = healthy
	r.command(v1beta1.AnnotationRolloutRetry, "1")
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("but if the user asks", "1", "1+2:0.1", "1", "1+2:0.1", "1+2:0.5", "2")
}

// TestRolloutSaysWhatServes checks that Ready says which version serves in AWS, and why the target had failed, whatever
// happens afterwards.
func TestRolloutSaysWhatServes(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("3")
	r.ends(v1beta1.RolloutReady)
	r.health = unhealthy
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	ready := func() string { return r.alias.GetCondition(xpv2.TypeReady).Message }
	r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion = "1" })
	r.until("changed", func() bool { return r.state().Drift != "" })
	if want := "version 1 serves; version 2 was rejected (AnalysisFailed): "; !strings.HasPrefix(ready(), want) ||
		!strings.Contains(ready(), "; someone else has changed the alias from version 3 to version 1") {
		t.Errorf("after a change by hand, Ready is %q", ready())
	}
	r.command(v1beta1.AnnotationRolloutAbort, "a")
	r.until("changed back", func() bool { return r.route() == "3" && r.state().Phase == v1beta1.RolloutFailed })
	r.command(v1beta1.AnnotationRolloutRollbackTo, "1/a")
	r.until("returned", func() bool {
		return r.state().Stable.FunctionVersion == "1" && r.state().Phase == v1beta1.RolloutFailed
	})
	if want := "version 1 serves; version 2 was rejected (AnalysisFailed); the user has chosen version 1; publish " +
		"another version, or set the annotation " + v1beta1.AnnotationRolloutRetry + " to try again"; ready() != want {
		t.Errorf("after rollback-to, Ready is %q, want %q", ready(), want)
	}
}

// TestRolloutWithAnInvalidAnalysis checks that an analysis that is not valid is reported before a
// rollout begins, and does not prevent the rollback of one that has begun.
func TestRolloutWithAnInvalidAnalysis(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.alias.Spec.Rollout.Analysis.Metrics[0].Name = "invalid"
	r.health = unhealthy
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("rolled back", "1", "1+2:0.1", "1")
	r.desire("3")
	for range 20 {
		if err := r.step(); err == nil || !strings.Contains(err.Error(), "spec.rollout.analysis") {
			t.Fatalf("got %v", err)
		}
	}
	r.wantRoutes("nothing begins", "1", "1+2:0.1", "1")
}

// TestNewAliasWithAnInvalidAnalysis checks that an analysis that is not valid is reported before the alias is created.
func TestNewAliasWithAnInvalidAnalysis(t *testing.T) {
	a := testAlias(func(a *v1beta1.Alias) {
		a.Spec.Rollout = canary()
		a.Spec.Rollout.Analysis.Metrics[0].Name = "invalid"
	})
	e := newEnv(t)
	e.health = healthy
	if _, err := e.Do(a); err == nil || !strings.Contains(err.Error(), "spec.rollout.analysis") {
		t.Errorf("got %v", err)
	}
	if _, ok := e.Double.Alias("f", "live"); ok {
		t.Error("the alias was created")
	}
	if a.GetAnnotations()[v1beta1.AnnotationUnanswered] != "" {
		t.Error("the creation counts as sent: a deletion would wait for the alias to appear")
	}
}

// TestCommandsWithAnInvalidAnalysis checks that an analysis that is not valid does not prevent a rollback to an earlier
// version, nor that a change by someone else is undone: they need no analysis.
func TestCommandsWithAnInvalidAnalysis(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.ends(v1beta1.RolloutReady)
	r.alias.Spec.Rollout.Analysis.Metrics[0].Name = "invalid"
	invalid := func() bool {
		err := r.step()
		return err != nil && strings.Contains(err.Error(), "spec.rollout.analysis")
	}
	if !invalid() {
		t.Fatal("the analysis is accepted")
	}
	r.command(v1beta1.AnnotationRolloutRollbackTo, "1/a")
	r.until("rolled back", func() bool { return r.route() == "1" })
	r.until("reported again", invalid)
	_, err := r.Lambda.UpdateAlias(
		t.Context(),
		&lambda.UpdateAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live"), FunctionVersion: ptr.To("2")},
	)
	r.Must(err)
	r.command(v1beta1.AnnotationRolloutAbort, "b")
	r.until("undone", func() bool { return r.route() == "1" })
}

// TestRolloutProgress checks that Ready explains what a rollout does.
func TestRolloutProgress(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("measured", func() bool {
		s := r.state()
		return s.ObservedWeight == 10 &&
			slices.ContainsFunc(
				s.Checks,
				func(c v1beta1.RolloutCheck) bool { return c.Type == rollout.CheckMetric && c.Value != "" },
			)
	})
	c := r.alias.GetCondition(xpv2.TypeReady)
	if want := regexp.MustCompile(
		`^rollout 2-\w+: Progressing, Analyzing, step [23] of 4 \((pause 60s|setWeight 50 %)\): version 1 serves, version 2 receives 10 %; errors 0.5 \(Success\)[^0-9]*$`,
	); !want.MatchString(c.Message) ||
		c.Reason != v1beta1.ReasonUpdating {
		t.Errorf("Ready is %+v", c)
	}
}

// TestRolloutDuration checks that the duration of a rollout is measured when it ends.
func TestRolloutDuration(t *testing.T) {
	r := newRollout(t, canary())
	r.health = unhealthy
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	all := r.durations()
	if len(all) != 1 {
		t.Fatalf("got %v, want one rollout that is measured", all)
	}
	if h := all[0].GetHistogram(); h.GetSampleCount() != 1 || h.GetSampleSum() < 20 ||
		all[0].GetLabel()[0].GetValue() != "Failed" ||
		all[0].GetLabel()[1].GetValue() != "AnalysisFailed" {
		t.Errorf("got %v", all)
	}
}

// durations returns the durations of rollouts that were measured, by their results.
func (r *rolloutEnv) durations() []*dto.Metric {
	r.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(r.metrics)
	families, err := registry.Gather()
	r.Must(err)
	for _, f := range families {
		if f.GetName() == "provider_lambda_rollout_duration_seconds" {
			return f.GetMetric()
		}
	}
	return nil
}

// TestDurationOfAReplacedRollout checks that a rollout whose target is replaced does not count as one that is Ready.
func TestDurationOfAReplacedRollout(t *testing.T) {
	for name, moved := range map[string]func(s v1beta1.AliasRolloutStatus) bool{
		"Pending":     func(s v1beta1.AliasRolloutStatus) bool { return s.Phase == v1beta1.RolloutPending },
		"Progressing": func(s v1beta1.AliasRolloutStatus) bool { return s.ObservedWeight == 10 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, canary())
			r.desire("2")
			r.until(name, func() bool { return moved(r.state()) })
			r.desire("1")
			r.ends(v1beta1.RolloutReady)
			if all := r.durations(); len(all) > 0 {
				t.Errorf("version 2 is not served, got %v", all)
			}
		})
	}
}

// TestRolloutOfTheSameCode checks that a version with the code and configuration of one that has
// failed is not rolled out.
func TestRolloutOfTheSameCode(t *testing.T) {
	r := newRollout(t, canary())
	r.health = unhealthy
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	r.health = healthy
	r.desire(r.Publish("f", memory(256)))
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("the same code", "1", "1+2:0.1", "1")
	if got := r.state().Reason; got != v1beta1.RolloutReasonFailedBefore {
		t.Errorf("reason %s", got)
	}
	r.Advance(time.Minute)
	r.desire(r.Publish("f", memory(1024)))
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("another configuration", "1", "1+2:0.1", "1", "1+5:0.1", "1+5:0.5", "5")
}

func TestRolloutSmokeTest(t *testing.T) {
	r := newRollout(t, canary())
	r.Double.OnInvoke("f", func(in awsdouble.Invoked) awsdouble.Returned {
		if in.Version != "2" {
			t.Errorf("version %s is invoked", in.Version)
		}
		return awsdouble.Returned{Error: "Unhandled", Payload: []byte(`{"errorMessage":"secret"}`)}
	})
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("no invocation moves", "1")
	if s := r.state(); s.Reason != v1beta1.RolloutReasonSmokeTestFailed || strings.Contains(fmt.Sprint(s), "secret") {
		t.Errorf("state %+v", s)
	}
}

// refusedUpdates makes AWS refuse UpdateAlias.
func (r *rolloutEnv) refuseUpdates(times int) {
	r.Double.Fail(
		awsdouble.Fault{
			Operation: opUpdate,
			Times:     times,
			Error: awsdouble.Error{
				Status:  http.StatusBadRequest,
				Code:    "InvalidParameterValueException",
				Message: "no",
			},
		},
	)
}

// TestRolloutThatAWSRefuses checks that calls that AWS refuses are bounded, that they do not hold up
// the deadline, and that the rollback happens when AWS accepts it.
func TestRolloutThatAWSRefuses(t *testing.T) {
	spec := canary()
	spec.ProgressDeadlineSeconds = ptr.To[int32](120)
	r := newRollout(t, spec)
	r.desire("2")
	r.until("at 10 %", func() bool { return r.route() == "1+2:0.1" })
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.refuseUpdates(-1)
	before, start := len(r.Operations()), r.Now()
	r.until("rolling back", func() bool { return r.state().Step == v1beta1.RolloutRollingBack })
	if took := r.Now().Sub(start); took > 6*time.Minute {
		t.Errorf("the deadline was held up: %s", took)
	}
	for range 240 {
		_ = r.step()
	}
	if got := len(testenv.Writes(r.Operations()[before:])); got > 45 {
		t.Errorf("%d calls in %s", got, r.Now().Sub(start))
	}
	if c := r.alias.GetCondition(xpv2.TypeReady); !strings.Contains(c.Message, "cannot change the alias") {
		t.Errorf("Ready does not say why: %+v", c)
	}
	r.Double.ClearFaults()
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("the rollback happens", "1", "1+2:0.1", "1")
}

func TestRolloutThrottled(t *testing.T) {
	r := newRollout(t, canary())
	r.health = unhealthy
	r.desire("2")
	r.until("at 10 %", func() bool { return r.route() == "1+2:0.1" })
	r.Double.Fail(awsdouble.Fault{Operation: opUpdate, Times: 30, Error: awsdouble.Throttle()})
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("the rollback happens after the throttles", "1", "1+2:0.1", "1")
}

// TestRolloutWhoseReadsAreThrottled checks that throttled reads of the versions, after which quota for
// another one is not available at once, are bounded and do not hold up the deadline.
func TestRolloutWhoseReadsAreThrottled(t *testing.T) {
	r := newRollout(t, canary())
	var throttled time.Time
	r.NextFacts = func() reconcile.Facts {
		return reconcile.Facts{ReserveFn: func(ops ...string) time.Duration {
			if slices.Contains(ops, opGetConfiguration) && r.Now().Equal(throttled) {
				return time.Second
			}
			return 0
		}}
	}
	r.OnCall = func(in any) {
		if _, ok := in.(*lambda.GetFunctionConfigurationInput); ok {
			throttled = r.Now()
		}
	}
	r.interrupt = func() bool { return r.Done.Later != nil } // What it has set is not persisted.
	r.Double.Fail(awsdouble.Fault{Operation: opGetConfiguration, Times: -1, Error: awsdouble.Throttle()})
	before, start := len(r.Operations()), r.Now()
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	if took := r.Now().
		Sub(start); took > 11*time.Minute ||
		r.state().Reason != v1beta1.RolloutReasonProgressDeadlineExceeded {
		t.Errorf("the deadline was held up: %s, %+v", took, r.state())
	}
	if got := len(r.Operations()[before:]); got > 260 {
		t.Errorf("%d calls in ten minutes", got)
	}
	r.Double.ClearFaults()
	r.OnCall = nil
	r.command(v1beta1.AnnotationRolloutRetry, "1")
	r.until(
		"ready",
		func() bool { return r.state().Phase == v1beta1.RolloutReady && r.state().Stable.FunctionVersion == "2" },
	)
}

// TestRolloutWithoutQuota checks that nothing is measured while quota to read the versions is not available: what a
// reconcile has measured is lost then.
func TestRolloutWithoutQuota(t *testing.T) {
	spec := canary()
	spec.Analysis.Alarms = &v1beta1.RolloutAlarms{Names: []string{"errors"}}
	r := newRollout(t, spec)
	r.desire("2")
	r.until("validating", func() bool { return r.state().Step == v1beta1.RolloutValidating })
	measured, wait := 0, time.Second
	r.health = func(rollout.Subject, rollout.CheckID) string {
		measured++
		return rollout.Success
	}
	r.NextFacts = func() reconcile.Facts {
		return reconcile.Facts{ReserveFn: func(...string) time.Duration { return wait }}
	}
	r.interrupt = func() bool { return r.Done.Later != nil } // What it has set is not persisted.
	for range 20 {
		if err := r.step(); err != nil {
			t.Fatal(err)
		}
	}
	if measured > 0 {
		t.Errorf("measured %d times in vain", measured)
	}
	wait = 0
	if err := r.step(); err != nil || measured != 1 {
		t.Errorf("measured %d times with quota, %v", measured, err)
	}
}

func TestRolloutDrift(t *testing.T) {
	cases := map[string]struct {
		policy string
		want   []string
		phase  string
	}{
		"Pause": {policy: v1beta1.OnDriftPause, want: []string{"1", "1+2:0.1", "3"}},
		"Revert": {
			policy: v1beta1.OnDriftRevert,
			phase:  v1beta1.RolloutReady,
			want:   []string{"1", "1+2:0.1", "3", "1+2:0.1", "1+2:0.5", "2"},
		},
		"Adopt": {
			policy: v1beta1.OnDriftAdopt,
			phase:  v1beta1.RolloutReady,
			want:   []string{"1", "1+2:0.1", "3", "3+2:0.1", "3+2:0.5", "2"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := canary()
			spec.OnDrift = tc.policy
			r := newRollout(t, spec)
			r.desire("2")
			r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
			r.Advance(time.Minute)
			r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion, a.RoutingConfig = "3", nil })
			r.routes = append(r.routes, r.route())
			if tc.phase != "" {
				r.ends(tc.phase)
				r.wantRoutes("policy "+tc.policy, tc.want...)
				return
			}
			for range 300 {
				r.Must(r.step())
			}
			r.wantRoutes("policy "+tc.policy, tc.want...)
			if s := r.state(); s.Step != v1beta1.RolloutPaused || !strings.Contains(s.Drift, "to version 3") {
				t.Errorf("state %+v", s)
			}
			r.command(v1beta1.AnnotationRolloutAbort, "x")
			r.ends(v1beta1.RolloutFailed)
			r.wantRoutes("an abort ends it", append(slices.Clone(tc.want), "1")...)
		})
	}
}

// TestRevertAgainAndAgain checks that onDrift: Revert changes an alias back at once, however often someone else changes
// it after a rollout, and also if its target has failed.
func TestRevertAgainAndAgain(t *testing.T) {
	for phase, health := range map[string]results{v1beta1.RolloutReady: healthy, v1beta1.RolloutFailed: unhealthy} {
		t.Run(phase, func(t *testing.T) {
			spec := canary()
			spec.OnDrift = v1beta1.OnDriftRevert
			r := newRollout(t, spec)
			r.health = health
			r.desire("2")
			r.ends(phase)
			stable := r.route()
			for n := range 8 {
				r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion = "3" })
				for range 24 {
					_ = r.step()
				}
				if got := r.route(); got != stable || r.state().Phase != phase {
					t.Fatalf(
						"version %s serves two minutes after change %d: %+v",
						got,
						n+1,
						r.alias.GetCondition(xpv2.TypeReady),
					)
				}
			}
		})
	}
}

// TestRevertAgainAndAgainInARollout checks that Ready says what is changed back, and why it is not changed back at once,
// if someone else changes the alias again and again during a rollout. The rollout ends at its deadline.
func TestRevertAgainAndAgainInARollout(t *testing.T) {
	spec := canary()
	spec.OnDrift = v1beta1.OnDriftRevert
	r := newRollout(t, spec)
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	waited := false
	for n := 0; n < 500 && r.state().Step != v1beta1.RolloutRollingBack; n++ {
		if r.route() == "1+2:0.1" {
			r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion, a.RoutingConfig = "3", nil })
		}
		_ = r.step()
		c := r.alias.GetCondition(xpv2.TypeReady)
		if strings.Contains(c.Message, "something else may revert it") {
			waited = true
			if !strings.Contains(c.Message, "someone else has changed the alias from version 1, version 2 with 10 %") {
				t.Fatalf("Ready does not say what is changed back: %+v", c)
			}
		}
	}
	if s := r.state(); !waited || s.Reason != v1beta1.RolloutReasonProgressDeadlineExceeded {
		t.Errorf("Ready says that it waits: %t; state %+v", waited, s)
	}
}

// TestRolloutWithoutStatus checks that a rollout whose status was lost begins again from the stable
// version.
func TestRolloutWithoutStatus(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.alias.Status = v1beta1.AliasStatus{}
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("from the stable version", "1", "1+2:0.1", "1", "1+2:0.1", "1+2:0.5", "2")
}

// TestRolloutOfAnAliasThatWasDeleted checks that an alias is created again with the stable version.
func TestRolloutOfAnAliasThatWasDeleted(t *testing.T) {
	r := newRollout(t, canary())
	r.health = unhealthy
	r.desire("2")
	r.ends(v1beta1.RolloutFailed)
	_, err := r.Lambda.DeleteAlias(
		t.Context(),
		&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")},
	)
	r.Must(err)
	r.Advance(time.Minute)
	for range 20 {
		_, _ = r.Do(r.alias)
		r.Advance(5 * time.Second)
	}
	if got := r.route(); got != "1" {
		t.Errorf("created with %s, want the stable version", got)
	}
}

// TestRolloutOfAnAliasThatWasDeletedMeanwhile checks that a rollout begins again from the stable
// version if its alias was deleted.
func TestRolloutOfAnAliasThatWasDeletedMeanwhile(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	_, err := r.Lambda.DeleteAlias(
		t.Context(),
		&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")},
	)
	r.Must(err)
	r.Advance(time.Minute)
	for {
		_, err := r.Do(r.alias)
		r.Must(err)
		r.Advance(5 * time.Second)
		if _, there := r.Double.Alias("f", "live"); there {
			break
		}
	}
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("from the stable version", "1", "1+2:0.1", "1", "1+2:0.1", "1+2:0.5", "2")
}

// TestRolloutOfAnAliasThatIsNotCreatedAgain checks that a rollout does not begin again while AWS refuses to create its
// alias again, and that it does if AWS has created the alias without an answer.
func TestRolloutOfAnAliasThatIsNotCreatedAgain(t *testing.T) {
	const again = "the alias was created again"
	for name, tc := range map[string]struct {
		fault awsdouble.Fault
		want  bool
	}{
		"Refused":    {fault: awsdouble.Fault{Operation: opCreate, Times: -1, Error: awsdouble.AccessDenied("lambda:CreateAlias")}},
		"Unanswered": {fault: awsdouble.Fault{Operation: opCreate, Times: 1, Drop: awsdouble.DropAfter}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, canary())
			r.desire("2")
			r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
			_, err := r.Lambda.DeleteAlias(
				t.Context(),
				&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")},
			)
			r.Must(err)
			r.Double.Fail(tc.fault)
			r.Advance(time.Minute)
			said := false
			for range 10 {
				_, _ = r.Do(r.alias)
				said = said || r.state().Message == again
				r.Advance(5 * time.Second)
			}
			if said != tc.want {
				t.Errorf("status says that the alias was created again: %t, want %t", said, tc.want)
			}
			if tc.want {
				r.ends(v1beta1.RolloutReady)
			}
		})
	}
}

// TestRolloutThatIsPausedBefore checks that Ready says that a version waits because the rollout is
// paused.
func TestRolloutThatIsPausedBefore(t *testing.T) {
	r := newRollout(t, canary())
	r.alias.Spec.Rollout.Paused = true
	r.desire("2")
	for range 20 {
		r.Must(r.step())
	}
	if c := r.alias.GetCondition(
		xpv2.TypeReady,
	); c.Status != corev1.ConditionFalse ||
		!strings.Contains(c.Message, "version 2 waits") {
		t.Errorf("Ready is %+v", c)
	}
	r.desire("1")
	r.Must(r.step())
	r.Must(r.step())
	if c := r.alias.GetCondition(xpv2.TypeReady); c.Status != corev1.ConditionTrue {
		t.Errorf("Ready is %+v", c)
	}
}

// TestRolloutWhileAWSMovesTheAlias checks that a version whose provisioned concurrency is not there
// yet, so that the former one still serves, is not taken for promoted, and is no change by others.
func TestRolloutWhileAWSMovesTheAlias(t *testing.T) {
	spec := canary()
	spec.ProgressDeadlineSeconds = ptr.To[int32](3600)
	r := newRollout(t, spec)
	r.desire("2")
	r.until("promoting", func() bool { return r.state().Step == v1beta1.RolloutPromoting })
	r.until("sent", func() bool { return r.route() == "2" })
	r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) {
		a.RoutingConfig = &awsdouble.Routing{AdditionalVersionWeights: map[string]float64{"1": 1}}
	})
	before := len(r.Operations())
	for range 100 {
		r.Must(r.step())
	}
	if s := r.state(); s.Step != v1beta1.RolloutPromoting || s.Drift != "" ||
		len(testenv.Writes(r.Operations()[before:])) != 0 {
		t.Errorf("state %+v, calls %v", s, testenv.Writes(r.Operations()[before:]))
	}
	r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.RoutingConfig = nil })
	r.ends(v1beta1.RolloutReady)
}

// TestRolloutIsRemoved checks that an alias without spec.rollout moves at once.
func TestRolloutIsRemoved(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.alias.Spec.Rollout = nil
	r.alias.Generation++
	r.Converge(r.alias)
	if got := r.route(); got != "2" || r.alias.Status.Rollout != nil {
		t.Errorf("route %s, state %+v", got, r.alias.Status.Rollout)
	}
}

// TestRolloutInterrupted ends the process at every point of a rollout: at both sides of each call of
// AWS, and before each write of the status. The alias takes the same steps each time.
func TestRolloutInterrupted(t *testing.T) {
	cases := map[string]struct {
		health results
		phase  string
	}{
		"Promotion": {health: healthy, phase: v1beta1.RolloutReady},
		"Rollback":  {health: unhealthy, phase: v1beta1.RolloutFailed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			run := func(point int, drop awsdouble.Drop) (points int, routes []string) {
				r := newRollout(t, canary())
				r.health = tc.health
				ended := false
				r.OnCall = func(any) {
					if points++; points == point {
						ended = true
						if drop != 0 {
							r.Double.Fail(awsdouble.Fault{Drop: drop})
						}
					}
				}
				r.interrupt = func() bool {
					points++
					was := ended || points == point
					ended = false
					return was
				}
				r.desire("2")
				r.ends(tc.phase)
				return points, r.routes
			}
			all, want := run(0, 0)
			tried := 0
			for point := range all {
				for _, drop := range []awsdouble.Drop{0, awsdouble.DropBefore, awsdouble.DropAfter} {
					if _, got := run(point+1, drop); !slices.Equal(got, want) {
						t.Errorf("point %d, drop %v: routes %v, want %v", point+1, drop, got, want)
					}
					tried++
				}
			}
			t.Logf("%d points, each tried in three ways: %d runs", all, tried)
		})
	}
}

// TestRolloutByTwoProviders lets two providers reconcile the same alias, each with a copy of it that
// may be old, as when a leader has lost its lease without knowing. What they write is accepted only
// if their copy is current. The alias takes the same steps as with one.
func TestRolloutByTwoProviders(t *testing.T) {
	cases := map[string]struct {
		health results
		phase  string
		want   []string
	}{
		"Promotion": {health: healthy, phase: v1beta1.RolloutReady, want: []string{"1", "1+2:0.1", "1+2:0.5", "2"}},
		"Rollback":  {health: unhealthy, phase: v1beta1.RolloutFailed, want: []string{"1", "1+2:0.1", "1"}},
	}
	const seeds = 6
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(seeds) {
				g := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // Tests are reproducible.
				r := newRollout(t, canary())
				r.health = tc.health
				r.desire("2")
				current, number := r.alias.DeepCopy(), 0
				type replica struct {
					copy   *v1beta1.Alias
					number int
				}
				replicas := []replica{{current.DeepCopy(), 0}, {current.DeepCopy(), 0}}
				for range 900 {
					p := &replicas[g.IntN(2)]
					if g.IntN(3) == 0 {
						*p = replica{current.DeepCopy(), number}
					}
					r.alias = p.copy.DeepCopy()
					_ = r.step()
					if p.number == number {
						current, number = r.alias.DeepCopy(), number+1
					}
				}
				r.alias = current
				if got := r.state().Phase; got != tc.phase {
					t.Errorf("seed %d: phase %s", seed, got)
				}
				r.wantRoutes(fmt.Sprintf("seed %d", seed), tc.want...)
			}
		})
	}
}

// TestRolloutBackToAVersionThatWasDeleted checks that a rollback to a version that AWS has deleted says
// so, makes a bounded number of calls, and that the user can choose another version.
func TestRolloutBackToAVersionThatWasDeleted(t *testing.T) {
	spec := canary()
	spec.FinalBakeTime = &metav1.Duration{Duration: 10 * time.Minute}
	r := newRollout(t, spec)
	r.desire("3")
	r.ends(v1beta1.RolloutReady)
	r.desire("2")
	r.until("baking", func() bool { return r.state().Step == v1beta1.RolloutBaking })
	_, err := r.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("3")},
	)
	r.Must(err)
	r.health = unhealthy
	r.until("rolling back", func() bool { return r.state().Step == v1beta1.RolloutRollingBack })
	before := len(r.Operations())
	for range 120 {
		_ = r.step()
	}
	if got := len(testenv.Writes(r.Operations()[before:])); got == 0 || got > 20 {
		t.Errorf("%d calls in ten minutes", got)
	}
	if c := r.alias.GetCondition(xpv2.TypeReady); !strings.Contains(c.Message, "cannot change the alias") {
		t.Errorf("Ready does not say why: %+v", c)
	}
	r.command(v1beta1.AnnotationRolloutRollbackTo, "1/a")
	r.ends(v1beta1.RolloutFailed)
	if got := r.route(); got != "1" {
		t.Errorf("route %s", got)
	}
}

// TestRolloutBackToAPrunedVersion checks that the alias stays as it is if the user chooses a version that AWS does not
// have any more.
func TestRolloutBackToAPrunedVersion(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("3")
	r.ends(v1beta1.RolloutReady)
	_, err := r.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("1")},
	)
	r.Must(err)
	before := len(r.Operations())
	r.command(v1beta1.AnnotationRolloutRollbackTo, "1/a")
	r.until("handled", func() bool { return r.state().HandledCommands[v1beta1.AnnotationRolloutRollbackTo] == "1/a" })
	if got, writes := r.route(), testenv.Writes(
		r.Operations()[before:],
	); got != "3" || r.state().Phase != v1beta1.RolloutReady ||
		len(writes) > 0 {
		t.Errorf("route %s, calls %v, state %+v", got, writes, r.state())
	}
}

// TestRolloutOfARecreatedFunction checks that an alias whose function was deleted in AWS and created again, so that its
// stable version does not exist any more, begins from the desired version, whichever write of its status is lost.
func TestRolloutOfARecreatedFunction(t *testing.T) {
	for lost := range 6 {
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			r := newRollout(t, canary())
			r.desire("2")
			r.ends(v1beta1.RolloutReady)
			_, err := r.Lambda.DeleteAlias(
				t.Context(),
				&lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live")},
			)
			r.Must(err)
			for _, v := range []string{"1", "2"} {
				_, err := r.Lambda.DeleteFunction(
					t.Context(),
					&lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To(v)},
				)
				r.Must(err)
			}
			r.desire("3")
			r.Advance(time.Minute)
			for i := range 20 {
				before := r.alias.DeepCopy().Status
				_, _ = r.Do(r.alias)
				if i == lost {
					r.alias.Status = before
				}
				r.Advance(30 * time.Second)
			}
			if got, s := r.route(), r.state(); got != "3" || s.Phase != v1beta1.RolloutReady ||
				s.Stable.FunctionVersion != "3" {
				t.Errorf("route %s, state %+v", got, s)
			}
		})
	}
}

// TestRolloutAfterDowntime checks that a healthy version is promoted although the provider was down for longer than the
// deadline.
func TestRolloutAfterDowntime(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.Advance(3 * time.Hour)
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("as without a downtime", "1", "1+2:0.1", "1+2:0.5", "2")
}

// TestRolloutPromoteAfterAChange checks that promote changes an alias back that someone else has changed.
func TestRolloutPromoteAfterAChange(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion, a.RoutingConfig = "3", nil })
	r.until("paused", func() bool { return r.state().Reason == v1beta1.RolloutReasonAliasChanged })
	r.command(v1beta1.AnnotationRolloutPromote, "x")
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("back and on", "1", "1+2:0.1", "3", "1+2:0.1", "1+2:0.5", "2")
}

// TestRolloutKeepsAFailedVersion checks that the user can choose the version that has failed, if the
// stable one was deleted meanwhile and the history has no other.
func TestRolloutKeepsAFailedVersion(t *testing.T) {
	spec := canary()
	spec.FinalBakeTime = &metav1.Duration{Duration: 10 * time.Minute}
	r := newRollout(t, spec)
	r.desire("2")
	r.until("baking", func() bool { return r.state().Step == v1beta1.RolloutBaking })
	_, err := r.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("1")},
	)
	r.Must(err)
	r.health = unhealthy
	r.until("rolling back in vain", func() bool { return r.state().UpdateFailures > 0 })
	r.command(v1beta1.AnnotationRolloutRollbackTo, "2/a")
	r.until("ended", func() bool {
		s := r.state()
		return s.Phase == v1beta1.RolloutReady || s.Phase == v1beta1.RolloutFailed
	})
	if s := r.state(); r.route() != "2" || s.Stable.FunctionVersion != "2" || s.Intent != nil {
		t.Errorf("route %s, state %+v", r.route(), s)
	}
	before := len(r.Operations())
	for range 50 {
		r.Must(r.step())
	}
	if got := testenv.Writes(r.Operations()[before:]); len(got) > 0 {
		t.Errorf("more calls: %v", got)
	}
}

// TestRolloutOfAnotherVersionMeanwhile checks that a rollout whose version is replaced begins again
// from the stable version.
func TestRolloutOfAnotherVersionMeanwhile(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.desire("3")
	r.ends(v1beta1.RolloutReady)
	r.wantRoutes("from the stable version", "1", "1+2:0.1", "1", "1+3:0.1", "1+3:0.5", "3")
}

// TestRolloutIsNotReadyBefore checks that the alias is not Ready before the desired version serves, not even for the
// moment in which another rollout has ended or the first state was recorded: who waits for Ready takes the version that
// serves for the desired one.
func TestRolloutIsNotReadyBefore(t *testing.T) {
	cases := map[string]func(r *rolloutEnv){
		"Replaced": func(r *rolloutEnv) {
			r.desire("2")
			r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
		},
		"ReplacedBeforeTraffic": func(r *rolloutEnv) {
			r.desire("2")
			r.until("begun", func() bool { return r.state().Phase == v1beta1.RolloutPending })
		},
		"WithoutState": func(r *rolloutEnv) { r.alias.Status.Rollout = nil },
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, canary())
			prepare(r)
			r.desire("3")
			r.until("stable", func() bool {
				s, ready := r.state(), r.alias.GetCondition(xpv2.TypeReady)
				if ready.Status == corev1.ConditionTrue && s.Stable.FunctionVersion != "3" {
					t.Errorf("the alias is Ready with version %s: %s %s", s.Stable.FunctionVersion, s.Phase, s.Step)
				}
				return s.Stable.FunctionVersion == "3"
			})
		})
	}
}

// TestRolloutWithoutADesiredVersion checks that a rollout in progress continues while it is not known which version its
// Function has published last, and that nothing else begins.
func TestRolloutWithoutADesiredVersion(t *testing.T) {
	for name, functions := range map[string]testenv.Functions{
		"NotRead":      {Answer: func(client.ObjectKey, *v1beta1.Function) error { return errors.New("not read") }},
		"NotPublished": publishedLast(""),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, canary())
			following(r.alias)
			r.until("at 10 %", func() bool { return r.state().ObservedWeight == 10 })
			r.functions, r.health = functions, unhealthy
			r.until("rolled back", func() bool { return r.state().Phase == v1beta1.RolloutFailed })
			r.wantRoutes("while no version is desired", "1", "1+3:0.1", "1")
			if err := r.step(); err == nil {
				t.Error("after the rollout, nothing says that the version is not known")
			}
		})
	}
}

// TestRollbackWithoutADesiredVersion checks that the commands that return to a version that has served are carried out
// while it is not known which version the Function has published last.
func TestRollbackWithoutADesiredVersion(t *testing.T) {
	for name, test := range map[string]struct{ command, value, want string }{
		"RollbackTo": {v1beta1.AnnotationRolloutRollbackTo, "1/x", "1"},
		"Abort":      {v1beta1.AnnotationRolloutAbort, "x", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRollout(t, canary())
			following(r.alias)
			r.until("promoted", func() bool { return r.state().Stable.FunctionVersion == "3" })
			r.functions = testenv.Functions{
				Answer: func(client.ObjectKey, *v1beta1.Function) error { return errors.New("not read") },
			}
			if test.command == v1beta1.AnnotationRolloutAbort { // It undoes what someone else has changed.
				r.Double.EditAlias("f", "live", func(a *awsdouble.Alias) { a.FunctionVersion = "2" })
			}
			r.command(test.command, test.value)
			for range 60 {
				_ = r.step() // It says that the version is not known.
			}
			if got := r.route(); got != test.want || r.state().HandledCommands[test.command] != test.value {
				t.Errorf("the alias invokes %s, want %s: %+v", got, test.want, r.state())
			}
		})
	}
}

// TestRolloutPausedByTheUser checks that no more invocations move while the user has paused the
// rollout, and that a failure still rolls it back.
func TestRolloutPausedByTheUser(t *testing.T) {
	r := newRollout(t, canary())
	r.desire("2")
	r.until("confirmed", func() bool { return r.state().ObservedWeight == 10 })
	r.alias.Spec.Rollout.Paused = true
	for range 300 {
		r.Must(r.step())
	}
	r.wantRoutes("paused", "1", "1+2:0.1")
	r.health = unhealthy
	r.ends(v1beta1.RolloutFailed)
	r.wantRoutes("a failure", "1", "1+2:0.1", "1")
}

// TestDeletionNeedsNoVersion deletes an alias with a rollout whose creation was not answered, while no version can be
// read: spec alone tells whether the alias is its own. It is not left in AWS as another's.
func TestDeletionNeedsNoVersion(t *testing.T) {
	e := newEnv(t)
	has("live")(e)
	e.health = healthy
	e.NextFacts = func() reconcile.Facts {
		return reconcile.Facts{ReserveFn: func(ops ...string) time.Duration {
			if slices.Contains(ops, opGetConfiguration) {
				return time.Second
			}
			return 0
		}}
	}
	o, err := e.Do(testAlias(testenv.Pending, testenv.BeingDeleted, func(a *v1beta1.Alias) {
		a.Spec.Rollout = canary()
		a.Status.Rollout = &v1beta1.AliasRolloutStatus{
			Phase: v1beta1.RolloutProgressing,
			Step:  v1beta1.RolloutValidating,
			Stable: v1beta1.RolloutRevision{
				FunctionVersion: "1",
			},
			Target: v1beta1.RolloutRevision{FunctionVersion: "2"},
		}
	}))
	if err != nil || o != testenv.Deleted {
		t.Errorf("%s, %v", o, err)
	}
}
