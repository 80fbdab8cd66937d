package version

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

// emptyZip is an archive without files.
const emptyZip = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// clock is a settable clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// rig is a double with the real SDK before it, in which there is function f, and a
// reconciler that does what the runtime does, a step at a time.
type rig struct {
	t      *testing.T
	clock  *clock
	double *awsdouble.Server
	lambda *lambda.Client
	cache  *inventory.Cache
}

func newRig(t *testing.T, change ...func(*lambda.CreateFunctionInput)) *rig {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	d := awsdouble.New(awsdouble.Options{Now: c.Now, CreateDuration: time.Second, UpdateDuration: time.Second})
	d.Start()
	t.Cleanup(d.Close)
	r := &rig{t: t, clock: c, double: d, cache: &inventory.Cache{}}
	r.lambda = lambda.NewFromConfig(d.Config(testRegion), func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	in := &lambda.CreateFunctionInput{
		FunctionName: ptr.To("f"), Role: ptr.To("arn:aws:iam::123456789012:role/r"), Handler: ptr.To("index.handler"), Runtime: types.RuntimePython313,
		Code:        &types.FunctionCode{ZipFile: []byte(emptyZip)},
		Environment: &types.Environment{Variables: map[string]string{"PASSWORD": "hunter2"}},
	}
	for _, f := range change {
		f(in)
	}
	if _, err := r.lambda.CreateFunction(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return r
}

// change the function, as someone does.
func (r *rig) change(memory int32) {
	r.t.Helper()
	r.clock.advance(2 * time.Second)
	if _, err := r.lambda.UpdateFunctionConfiguration(r.t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To(memory)}); err != nil {
		r.t.Fatal(err)
	}
}

// step is one reconcile that takes answers up to an age. It tells whether there was
// nothing to do.
func (r *rig) step(v *v1beta1.Version, age time.Duration) (settled bool, err error) {
	now := r.clock.Now()
	turn := &managed.Turn{Fresh: inventory.Fresh{Now: now, Since: now.Add(-age)}}
	ctx := managed.WithTurn(r.t.Context(), turn)
	e := testExternal(r.lambda, nil, r.cache)
	obs, err := e.Observe(ctx, v)
	if _, held := turn.Held(); held {
		return false, err
	}
	switch {
	case err != nil:
		return false, err
	case !obs.ResourceExists && meta.WasDeleted(v):
		return true, nil
	case meta.WasDeleted(v):
		_, err = e.Delete(ctx, v)
		return false, err
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(v, now)
		_, err = e.Create(ctx, v)
		return false, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, v)
		return false, err
	}
	return v.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
}

// settle reconciles until there is nothing to do, and returns the calls that wrote.
func (r *rig) settle(v *v1beta1.Version) []string {
	r.t.Helper()
	r.double.ResetCalls()
	for range 20 {
		r.clock.advance(time.Second)
		done, err := r.step(v, 0)
		if err != nil {
			r.t.Fatalf("reconcile: %v", err)
		}
		if done {
			return r.writes()
		}
	}
	r.t.Fatalf("did not settle: %v; calls %v", v.GetCondition(xpv2.TypeReady), r.writes())
	return nil
}

func (r *rig) writes() []string {
	var out []string
	for _, c := range r.double.Calls() {
		if !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "List") {
			out = append(out, c.Operation)
		}
	}
	return out
}

// versions that AWS has.
func (r *rig) versions() []string {
	r.t.Helper()
	out, err := r.lambda.ListVersionsByFunction(r.t.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")})
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func (r *rig) has(v *v1beta1.Version, name string, versions ...string) {
	r.t.Helper()
	if diff := cmp.Diff(versions, r.versions()); diff != "" {
		r.t.Errorf("versions in AWS: -want, +got:\n%s", diff)
	}
	if got := meta.GetExternalName(v); got != name {
		r.t.Errorf("external name %q, want %q", got, name)
	}
}

func (r *rig) remove(v *v1beta1.Version) {
	r.t.Helper()
	v.DeletionTimestamp = ptr.To(metav1.NewTime(r.clock.Now()))
	r.settle(v)
}

func TestLifecycle(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.Description = ptr.To("first") })
	if diff := cmp.Diff([]string{callPublish}, r.settle(v)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	r.has(v, "1", "1")
	s := v.Status.AtProvider
	if *s.FunctionArn != testARN+":1" || *s.State != "Active" || *s.Description != "first" || s.CodeSHA256 == nil || len(*s.Fingerprint) != 32 || *s.PreparedVersion != "1" {
		t.Errorf("status: %+v", s)
	}
	if diff := cmp.Diff([]string{"PASSWORD"}, s.EnvironmentVariableNames); diff != "" {
		t.Errorf("names of variables: %s", diff)
	}

	r.change(256)
	if diff := cmp.Diff([]string{callPublish}, r.settle(v)); diff != "" {
		t.Errorf("a change is published once: -want, +got:\n%s", diff)
	}
	r.has(v, "2", "1", "2")

	if _, err := r.lambda.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f")}); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(2 * time.Second)
	if got := r.settle(v); len(got) > 0 {
		t.Errorf("an update that changes nothing must publish nothing, got %v", got)
	}

	if _, err := r.lambda.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("2")}); err != nil {
		t.Fatal(err)
	}
	r.settle(v)
	r.has(v, "3", "1", "3")

	r.remove(v)
	r.has(v, "3", "1")
	if _, there := r.double.Function("f"); !there {
		t.Error("the function must stay")
	}
}

func TestRequests(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.PublishPolicy, v.Spec.ForProvider.PublishTrigger = ptr.To(policyOnRequest), ptr.To("one")
	})
	r.settle(v)
	r.change(256)
	if got := r.settle(v); len(got) > 0 {
		t.Errorf("a change must wait for a request, got %v", got)
	}
	v.Spec.ForProvider.PublishTrigger = ptr.To("two")
	r.settle(v)
	r.has(v, "2", "1", "2")
	v.Spec.ForProvider.PublishTrigger = ptr.To("three")
	if diff := cmp.Diff([]string{callPublish}, r.settle(v)); diff != "" {
		t.Errorf("a request is served once: -want, +got:\n%s", diff)
	}
	r.has(v, "2", "1", "2")
}

func TestSnapshotsAreWaitedFor(t *testing.T) {
	r := newRig(t, func(in *lambda.CreateFunctionInput) {
		in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOnPublishedVersions}
	})
	v := testVersion()
	r.settle(v)
	r.change(256)
	preparing := false
	for range 20 {
		if _, err := r.step(v, 0); err != nil {
			t.Fatal(err)
		}
		if meta.GetExternalName(v) == "2" && ptr.Deref(v.Status.AtProvider.State, "") == "Pending" {
			preparing = true
			if got := ptr.Deref(v.Status.AtProvider.PreparedVersion, ""); got != "1" {
				t.Errorf("aliases must stay at version 1 until version 2 is prepared, not %q", got)
			}
		}
		r.clock.advance(time.Second / 4)
	}
	if got := *v.Status.AtProvider.PreparedVersion; !preparing || got != "2" {
		t.Errorf("seen preparing: %t; prepared: %s", preparing, got)
	}
}

func TestPruning(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](1) })
	r.settle(v)
	if _, err := r.lambda.CreateAlias(t.Context(), &lambda.CreateAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable"), FunctionVersion: ptr.To("1")}); err != nil {
		t.Fatal(err)
	}
	for i := range int32(4) {
		r.change(256 + i)
		r.settle(v)
	}
	r.has(v, "5", "1", "4", "5")
	if _, err := r.lambda.DeleteAlias(t.Context(), &lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable")}); err != nil {
		t.Fatal(err)
	}
	r.settle(v)
	r.has(v, "5", "4", "5")
	r.remove(v)
	r.has(v, "5")
}

func TestOthersVersionsAreLeft(t *testing.T) {
	r := newRig(t)
	r.clock.advance(2 * time.Second)
	for range 2 {
		r.change(512)
		r.clock.advance(2 * time.Second)
		if _, err := r.lambda.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")}); err != nil {
			t.Fatal(err)
		}
	}
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0) })
	r.settle(v)
	r.has(v, "2", "1", "2")
	r.change(256)
	r.settle(v)
	r.has(v, "3", "1", "2", "3")
	r.remove(v)
	r.has(v, "3", "1", "2")

	w := testVersion(func(v *v1beta1.Version) { v.UID = "uid-2" })
	r.change(512)
	r.settle(w)
	r.has(w, "4", "1", "2", "4")
	x := testVersion(func(v *v1beta1.Version) { v.UID = "uid-3" })
	r.settle(x)
	r.remove(x)
	r.has(w, "4", "1", "2", "4")
}

func TestImportedVersionsAreDeletedToo(t *testing.T) {
	r := newRig(t)
	r.settle(testVersion())
	v := testVersion(func(v *v1beta1.Version) {
		v.UID = "uid-2"
		meta.SetExternalName(v, "1")
	})
	if got := r.settle(v); len(got) > 0 {
		t.Errorf("an import publishes nothing, got %v", got)
	}
	r.remove(v)
	r.has(v, "1")
}

// A publication whose answer was lost is found again, whatever happened since: no
// version is published twice, and none is left behind.
func TestLostAnswers(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
			for _, changed := range []bool{false, true} {
				t.Run(fmt.Sprintf("first=%t drop=%d changed=%t", first, drop, changed), func(t *testing.T) {
					r := newRig(t)
					v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](100) })
					if !first {
						r.settle(v)
					}
					r.change(256)
					r.clock.advance(2 * time.Second)
					before := v.Status.DeepCopy()
					r.double.Fail(awsdouble.Fault{Operation: callPublish, Drop: drop, Times: 1})
					if _, err := r.step(v, 0); err == nil {
						t.Fatal("the lost answer must be an error")
					}
					v.Status = *before // It may never have been written.
					if changed {
						r.change(512)
					}
					r.settle(v)
					want := 1
					if !first {
						want++
					}
					if changed && drop == awsdouble.DropAfter {
						want++
					}
					if got := r.versions(); len(got) != want || meta.GetExternalName(v) != fmt.Sprint(want) {
						t.Errorf("%d versions are expected, got %v; external name %s", want, got, meta.GetExternalName(v))
					}
					r.remove(v)
					if got := r.versions(); len(got) > 0 {
						t.Errorf("nothing may be left behind, got %v", got)
					}
				})
			}
		}
	}
}

func TestDeletionRightAfterALostAnswer(t *testing.T) {
	r := newRig(t)
	v := testVersion()
	r.clock.advance(2 * time.Second)
	r.double.Fail(awsdouble.Fault{Operation: callPublish, Drop: awsdouble.DropAfter, Times: 1})
	if _, err := r.step(v, 0); err == nil {
		t.Fatal("the lost answer must be an error")
	}
	meta.AddAnnotations(v, map[string]string{"lambda.aws.m.crossplane.io/parent": "f"})
	r.remove(v)
	if got := r.versions(); len(got) > 0 {
		t.Errorf("nothing may be left behind, got %v", got)
	}
}

func TestSteadyReconcileIsOneCall(t *testing.T) {
	r := newRig(t)
	v := testVersion()
	r.settle(v)
	r.double.ResetCalls()
	const looks = 5
	for range looks {
		r.clock.advance(5 * time.Minute)
		if done, err := r.step(v, 5*time.Minute); err != nil || !done {
			t.Fatalf("a settled version must stay settled: %t, %v", done, err)
		}
	}
	if got := r.double.Count(""); got != looks || r.double.Count(callGet) != looks {
		t.Errorf("%d steady reconciles must be %d GetFunction calls, got %v", looks, looks, r.double.Calls())
	}
	r.clock.advance(6 * time.Minute)
	r.double.ResetCalls()
	if _, err := r.step(v, 5*time.Minute); err != nil || r.double.Count(callGet) != 2 {
		t.Errorf("after half an hour the version is looked at too: %v, %v", r.double.Calls(), err)
	}
}

// TestAnyHistory takes a version through random changes of its function and of itself.
func TestAnyHistory(t *testing.T) {
	const runs, steps = 60, 12
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := rand.New(rand.NewPCG(seed, 1))
			r := newRig(t)
			v := testVersion()
			r.settle(v)
			for range steps {
				fp := &v.Spec.ForProvider
				most := 1
				switch g.IntN(6) {
				case 0, 1:
					r.change([]int32{128, 256, 512}[g.IntN(3)])
				case 2:
					fp.PublishTrigger = ptr.To(fmt.Sprint(g.IntN(3)))
				case 3:
					fp.PublishPolicy = ptr.To([]string{"OnChange", policyOnRequest}[g.IntN(2)])
				case 4:
					fp.HistoryLimit = []*int32{nil, ptr.To[int32](0), ptr.To[int32](2)}[g.IntN(3)]
				case 5:
					fp.Description = []*string{nil, ptr.To(""), ptr.To("d")}[g.IntN(3)]
				}
				r.clock.advance(2 * time.Second)
				if n := len(slices.DeleteFunc(r.settle(v), func(op string) bool { return op != callPublish })); n > most {
					t.Errorf("one change was published %d times", n)
				}
				r.consistent(v)
				if more := r.settle(v); len(more) > 0 {
					t.Errorf("a settled version must not be written to, got %v", more)
				}
			}
			v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
			r.remove(v)
			if got := r.versions(); len(got) > 0 {
				t.Errorf("nothing may be left behind, got %v", got)
			}
		})
	}
}

// consistent checks that AWS has what a settled version says.
func (r *rig) consistent(v *v1beta1.Version) {
	r.t.Helper()
	fp := v.Spec.ForProvider
	there := r.versions()
	name := meta.GetExternalName(v)
	if !slices.Contains(there, name) {
		r.t.Errorf("version %s is not among %v", name, there)
	}
	if l := fp.HistoryLimit; l != nil && len(there) > int(*l)+1 {
		r.t.Errorf("%v are more than the version and %d earlier ones", there, *l)
	}
	if *fp.PublishPolicy == policyOnRequest {
		return
	}
	latest, _ := r.double.Function("f")
	out, err := r.lambda.GetFunctionConfiguration(r.t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f"), Qualifier: ptr.To(name)})
	if err != nil || *out.MemorySize != latest.MemorySize {
		r.t.Errorf("version %s is not what the function is: %v", name, err)
	}
}
