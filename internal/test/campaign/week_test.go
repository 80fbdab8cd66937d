package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/manager"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/campaign/figures"
)

const (
	// weekPoll is the poll interval of a week. It is longer than the default one, so that a week takes minutes.
	weekPoll = 2 * time.Hour

	// shortWeek is how many resources a run without the flag has, for a day.
	shortWeek = 24

	// mostCallsOfOne is how many calls a resource may make in an hour on average, and
	// mostCallsAtOnce is how many more one hour may have after a restart, when every resource
	// is read with its tags.
	mostCallsOfOne, mostCallsAtOnce = 4, 300
)

// fleet is the kinds of a week. All but the last two belong to a function of their group.
var fleet = []string{
	"Function", "Alias", "Permission", "FunctionURL", "FunctionEventInvokeConfig",
	"EventSourceMapping", "CodeSigningConfig", "LayerVersion",
}

// TestWeek runs many resources for a week: users and people in AWS edit, delete and
// create, responses fail, AWS has outages, the process is restarted and killed. It checks
// that in the end there are no duplicates, only reads are sent, and neither memory nor
// calls have grown.
func TestWeek(t *testing.T) {
	n, hours := *figures.Week, 7*24
	if n == 0 {
		n, hours = shortWeek, 24
	}
	w := &week{rand: rand.New(rand.NewPCG(*seed, //nolint:gosec // The week is reproducible by its seed.
		7))}
	Run(t,
		awsdouble.Options{CreateDuration: 2 * time.Second, UpdateDuration: time.Second},
		func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
			w.walker = newWalker(s)
			w.kinds = fleetOf(t, n, w.tenants)
			w.run(hours)
		})
	figures.Record(t, figures.Figures{Campaign: "A week", Figures: map[string]int{
		"resources": n, "simulated hours": hours, "edits": w.edits, "faults": w.faults, "restarts": w.restarts,
		"calls": w.calls, "calls in the busiest hour": w.busiest, "MB of heap": w.heap,
	}, Findings: failures(t)})
}

func failures(t *testing.T) int {
	t.Helper()
	if t.Failed() {
		return 1
	}
	return 0
}

// fleetOf returns resources in groups, alternately of the shared config and the tenants.
func fleetOf(t *testing.T, n int, ts []*tenant) []Kind {
	t.Helper()
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	var out []Kind
	for i := range n {
		group := i / len(fleet)
		var owner *tenant
		if g := group % (len(ts) + 1); g < len(ts) {
			owner = ts[g]
		}
		k := kinds[slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == fleet[i%len(fleet)] })]
		k.Variant = fmt.Sprintf("w%04d", group)
		if k.Kind == "Function" {
			k.ForProvider["publish"] = true
			k.Updates = map[string]map[string]any{
				"memory": {"memorySize": 256}, "more": {"memorySize": 512},
				"code": {"code": map[string]any{"inline": map[string]any{"index.py": "x = 2"}}},
			}
		}
		out = append(out, k.inGroup(owner))
	}
	return out
}

// inGroup returns a tenant's resource of a group, which belongs to the function of its group.
func (k Kind) inGroup(t *tenant) Kind {
	if t != nil {
		k = k.of(t)
	}
	function := k
	function.Kind = "Function"
	b, err := json.Marshal(k.ForProvider)
	if err != nil {
		panic(err) // A tree of JSON values can be marshalled.
	}
	k.ForProvider = map[string]any{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), `"`+t.prefix()+`base"`, `"`+function.Name()+`"`)),
		&k.ForProvider); err != nil {
		panic(err)
	}
	return k
}

// week is a run of a fleet.
type week struct {
	*walker

	rand     *rand.Rand
	provider *Provider
	absent   []Kind

	edits, faults, restarts, calls, busiest, heap int
}

// start starts a process.
func (w *week) start() {
	w.Helper()
	n := &Network{Do: func(_ context.Context, _ Call, side Side) error {
		if side == Before && w.away.Load() {
			return errNetwork
		}
		return nil
	}}
	w.provider = w.Start(n, func(o *manager.Options) { o.PollInterval, o.Tracer = weekPoll, nil })
}

func (w *week) run(hours int) {
	w.Helper()
	w.Logs.most, w.Changes.most = 1<<20, 1<<20
	w.start()
	for _, k := range w.kinds {
		w.Create(k.New())
	}
	if !w.Until(4*time.Hour, w.converged) { //nolint:mnd // Twice a poll interval.
		w.Fatalf("the fleet does not become ready: %s", w.unready())
	}
	w.count()
	w.busiest = 0 // The creation of the fleet does not count.
	heap, goroutines := memory(), runtime.NumGoroutine()
	for hour := range hours {
		w.hour(hour)
		w.count()
	}
	w.Double.ClearFaults()
	w.appear()
	time.Sleep(weekPoll)
	if !w.Until(2*weekPoll, //nolint:mnd // Twice a poll interval.
		func() bool { return w.converged() || w.onlyUnrecognised() }) {
		w.Errorf("does not converge: %s", w.unready())
	}
	w.count()
	w.check()
	w.count()
	if most := len(w.kinds)*mostCallsOfOne + mostCallsAtOnce; w.busiest > most {
		w.Errorf("%d calls in an hour, %d at most", w.busiest, most)
	}
	w.heap = int(memory() >> 20)                         //nolint:gosec,mnd // In MB.
	if most := heap + heap/2 + 32<<20; memory() > most { //nolint:mnd // Published versions remain.
		w.Errorf("%d MB of heap, %d at the beginning", w.heap, heap>>20) //nolint:mnd // In MB.
	}
	if n := runtime.NumGoroutine(); n > goroutines+200 { //nolint:mnd // Connections and watches come and go.
		w.Errorf("%d goroutines, %d at the beginning", n, goroutines)
	}
	synctest.Wait()
	if err := w.provider.Stop(); err != nil {
		w.Error(err)
	}
}

// restart restarts the process once it is idle: a queue of controller-runtime that is shut
// down while it returns an item leaks a goroutine, see its issue 3538.
func (w *week) restart(end func() error) {
	w.Helper()
	w.restarts++
	synctest.Wait()
	if err := end(); err != nil {
		w.Error(err)
	}
	w.start()
}

// hour runs an hour of changes by users and people in AWS, and of faults.
func (w *week) hour(n int) {
	w.Helper()
	began := time.Now()
	w.appear()
	for range 1 + len(w.kinds)/200 { //nolint:mnd // A thousand resources have six edits an hour.
		time.Sleep(time.Duration(w.rand.IntN(300)) * time.Second) //nolint:mnd // Within the hour.
		w.edits++
		k := w.kinds[w.rand.IntN(len(w.kinds))]
		switch w.rand.IntN(4) { //nolint:mnd // As many as there are.
		case 0, 1:
			w.update(k, w.rand.IntN(1<<16)) //nolint:mnd // Enough to choose from.
		case 2: //nolint:mnd // The third one.
			w.touch(k)
		case 3: //nolint:mnd // The fourth one.
			if k.Kind != "Function" &&
				!slices.ContainsFunc(w.absent, func(a Kind) bool { return a.Name() == k.Name() }) {
				w.absent = append(w.absent, k)
				_ = client.IgnoreNotFound(w.Kube.Delete(w.Context(), k.New()))
			}
		}
	}
	if w.rand.IntN(3) == 0 { //nolint:mnd // Eight a day.
		w.faults++
		w.spoil(w.rand.IntN(1 << 16)) //nolint:mnd // Enough to choose from.
	}
	switch n % 24 { //nolint:mnd // Of a day.
	case 5: //nolint:mnd // At night.
		w.restart(w.provider.Stop)
	case 13: //nolint:mnd // At noon.
		w.away.Store(true)
		time.Sleep(5 * time.Minute) //nolint:mnd // An outage.
		w.away.Store(false)
	case 18: //nolint:mnd // In the evening.
		w.restart(func() error { w.provider.Kill(); return nil })
	case 23: //nolint:mnd // Once a day.
		w.recordNames()
	}
	time.Sleep(time.Hour - time.Since(began))
}

// appear creates again what users have deleted in the previous hour.
func (w *week) appear() {
	w.Helper()
	w.absent = slices.DeleteFunc(w.absent, func(k Kind) bool {
		if !w.gone(k.New()) {
			return false
		}
		w.make(k.New())
		return true
	})
}

// touch changes by hand what a resource has in AWS.
func (w *week) touch(k Kind) {
	api, account := w.Lambda, awsdouble.DefaultAccount
	if k.tenant != nil {
		api, account = k.tenant.api, k.tenant.account
	}
	function := k
	function.Kind = "Function"
	ctx, f := w.Context(), aws.String(function.Name())
	switch k.Kind {
	case "Function":
		_, _ = api.UpdateFunctionConfiguration(ctx,
			&lambda.UpdateFunctionConfigurationInput{FunctionName: f, MemorySize: aws.Int32(1024)})
	case "Alias":
		_, _ = api.UpdateAlias(ctx,
			&lambda.UpdateAliasInput{FunctionName: f, Name: aws.String(k.Name()), Description: aws.String("hand")})
	case "FunctionURL":
		_, _ = api.DeleteFunctionUrlConfig(ctx, &lambda.DeleteFunctionUrlConfigInput{FunctionName: f})
	case "FunctionEventInvokeConfig":
		_, _ = api.DeleteFunctionEventInvokeConfig(ctx, &lambda.DeleteFunctionEventInvokeConfigInput{FunctionName: f})
	case "EventSourceMapping":
		for _, m := range w.Double.Mappings() {
			if strings.HasSuffix(*m.FunctionArn, ":"+account+":function:"+function.Name()) {
				_, _ = api.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: m.UUID})
			}
		}
	default:
		_, _ = api.TagResource(ctx, &lambda.TagResourceInput{Resource: aws.String("arn:aws:lambda:" + Region + ":" +
			account + ":function:" + function.Name()), Tags: map[string]string{"team": "hand"}})
	}
}

// count counts the calls since its last run, checks which credentials signed them, and
// forgets them.
func (w *week) count() {
	w.Helper()
	w.apart()
	n := len(w.Double.Calls())
	w.calls += n
	w.busiest = max(w.busiest, n)
	w.Double.ResetCalls()
}

// unready returns the conditions of some resources that are not ready.
func (w *week) unready() string {
	w.Helper()
	b, n := strings.Builder{}, 0
	for _, k := range w.kinds {
		u := k.New()
		if n < 10 && !w.gone(u) && !w.ready(u) { //nolint:mnd // They are much alike.
			fmt.Fprintf(&b, "\n%s: %v", u.GetName(), u.Object["status"])
			n++
		}
	}
	return b.String()
}

// onlyUnrecognised reports whether the only resources that are not ready ask their users about what a create has made:
// its answer was lost, AWS keeps no tags of the kind, and the spec was edited before the next observation. They are at
// most one in a hundred.
func (w *week) onlyUnrecognised() bool {
	w.Helper()
	n := 0
	for _, k := range w.kinds {
		u := k.New()
		if w.gone(u) || w.ready(u) || w.neverShown(u) {
			continue
		}
		if !is(u, "Ready", "False") ||
			!strings.Contains(fmt.Sprint(u.Object["status"]), "exists and was not created by this resource") {
			return false
		}
		n++
	}
	return n <= 1+len(w.kinds)/100 //nolint:mnd // Percent.
}

// memory returns the bytes of heap that are in use.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
