package quota

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// series returns the number of series that a limiter's collector has, and the value of one of them.
func series(t *testing.T, l *Limiter, name string, labels map[string]string) (all int, value float64) {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(NewCollector(l))
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			all++
			got := map[string]string{}
			for _, p := range m.GetLabel() {
				got[p.GetName()] = p.GetValue()
			}
			if f.GetName() == name && cmp.Equal(labels, got) {
				value = m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return all, value
}

// counted returns the number of calls of the control plane with a result that a limiter has counted.
func counted(t *testing.T, l *Limiter, result string) int {
	t.Helper()
	m := dto.Metric{}
	if err := l.counter(here, ControlPlane, result).Write(&m); err != nil {
		t.Fatal(err)
	}
	return int(m.GetCounter().GetValue())
}

// TestScopesComeAndGo has resources of made-up regions and configs that come and go.
func TestScopesComeAndGo(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	l.Reserve(here, user("stays"), "CreateFunction")
	l.Release(here, "stays")
	before, _ := series(t, l, "", nil)
	most := 0
	for i := range 5000 {
		s := Scope{Account: Unverified, Region: fmt.Sprintf("eu-x%d-1", i), Config: fmt.Sprintf("c%d", i%50)}
		l.Reserve(s, user("u"), "CreateFunction")
		if wait := l.take(s, ControlPlane, user("u")); wait > 0 {
			t.Fatalf("scope %d waits %s", i, wait)
		}
		l.Forget(s, "u")
		e.now = e.now.Add(time.Minute)
		l.Reserve(here, user("stays"), "CreateFunction")
		l.Release(here, "stays")
		most = max(most, len(l.scopes))
	}
	if limit := int(idle.Minutes()) + 2; most > limit {
		t.Errorf("%d scopes were kept at a time, want %d at most", most, limit)
	}
	during, sent := series(t, l, "provider_lambda_quota_calls_total", map[string]string{
		"account": Unverified,
		"region":  "other", "bucket": "ControlPlane", "result": "sent",
	})
	if during != 2*before {
		t.Errorf("%d series, want those of made-up regions in one label: %d", during, 2*before)
	}
	if sent != 5000 {
		t.Errorf("%v calls were counted of 5000: a counter goes up only, whatever becomes of scopes", sent)
	}
	for range 20 {
		e.now = e.now.Add(idle / 10)
		l.Reserve(here, user("stays"), "CreateFunction")
		l.Release(here, "stays")
	}
	if after, _ := series(t, l, "", nil); after != before || len(l.scopes) != 1 {
		t.Errorf("%d series and %d scopes are left, want %d and 1", after, len(l.scopes), before)
	}
}

// TestScopesAreKept has unused scopes whose state must not be lost.
func TestScopesAreKept(t *testing.T) {
	cases := map[string]struct {
		reason string
		use    func(l *Limiter)
		after  time.Duration
		want   int
	}{
		"Unused": {
			"A full bucket that nobody waits for is like a new one.", func(l *Limiter) { l.Release(here, "u") },
			idle, 0,
		},
		"Recent": {"It is kept for a while.", func(*Limiter) {}, idle - time.Minute, 1},
		"Paused": {
			"What AWS has closed is not opened by looking away.",
			func(l *Limiter) { l.throttled(here, ControlPlane, 3*time.Hour) }, idle, 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(1)
			l := small(e)
			l.Reserve(here, user("u"), "CreateFunction")
			tc.use(l)
			e.now = e.now.Add(tc.after)
			l.Stats()
			if got := len(l.scopes); got != tc.want {
				t.Errorf("%s\n%d scopes, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// TestReadsCreateNoScope reads a scope that nobody uses.
func TestReadsCreateNoScope(t *testing.T) {
	l := small(newEnv(1))
	l.Release(here, "u")
	l.Forget(here, "u")
	l.Stats()
	if len(l.scopes) != 0 {
		t.Errorf("%d scopes were made of nothing", len(l.scopes))
	}
}

// TestUnverifiedAccountsAreApart has one config whose endpoint throttles.
func TestUnverifiedAccountsAreApart(t *testing.T) {
	e := newEnv(1)
	l := small(e)
	attacker := Scope{Account: Unverified, Region: here.Region, Config: "evil"}
	l.throttled(attacker, ControlPlane, time.Hour)
	for _, s := range []Scope{
		here,
		{Account: Unverified, Region: here.Region, Config: "other"},
		{Account: here.Account, Region: here.Region, Endpoint: "http://emulator"},
	} {
		if wait := l.Reserve(s, user("u"), "CreateFunction"); wait > 0 {
			t.Errorf("%+v waits %s for what another's endpoint has answered", s, wait)
		}
	}
}
