package version

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// rig is a world in which there is function f.
type rig struct {
	*steptest.Rig[*v1beta1.Version]
}

func newRig(t testing.TB, change ...func(*lambda.CreateFunctionInput)) rig {
	t.Helper()
	w := steptest.NewWorld(t, awsdouble.Options{CreateDuration: time.Second, UpdateDuration: time.Second})
	w.AddFunction("f", append(change, func(in *lambda.CreateFunctionInput) {
		in.Environment = &types.Environment{Variables: map[string]string{"PASSWORD": "hunter2"}}
	})...)
	return rig{steptest.NewRig(w, func() xpmanaged.TypedExternalClient[*v1beta1.Version] {
		return testExternal(w.Lambda, nil, w.Cache)
	})}
}

// change the function, as someone does.
func (r rig) change(memory int32) {
	r.Helper()
	r.Advance(2 * time.Second)
	if _, err := r.Lambda.UpdateFunctionConfiguration(r.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To(memory)}); err != nil {
		r.Fatal(err)
	}
}

// versions that AWS has.
func (r rig) versions() []string {
	r.Helper()
	out, err := r.Lambda.ListVersionsByFunction(r.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")})
	if err != nil {
		r.Fatal(err)
	}
	var names []string
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func (r rig) has(v *v1beta1.Version, name string, versions ...string) {
	r.Helper()
	if diff := cmp.Diff(versions, r.versions()); diff != "" {
		r.Errorf("versions in AWS: -want, +got:\n%s", diff)
	}
	if got := meta.GetExternalName(v); got != name {
		r.Errorf("external name %q, want %q", got, name)
	}
}

func (r rig) remove(v *v1beta1.Version) {
	r.Helper()
	r.Remove(v)
	r.Settle(v)
}

func TestLifecycle(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.Description = ptr.To("first") })
	if diff := cmp.Diff([]string{callPublish}, r.Settle(v)); diff != "" {
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
	if diff := cmp.Diff([]string{callPublish}, r.Settle(v)); diff != "" {
		t.Errorf("a change is published once: -want, +got:\n%s", diff)
	}
	r.has(v, "2", "1", "2")

	if _, err := r.Lambda.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f")}); err != nil {
		t.Fatal(err)
	}
	r.Advance(2 * time.Second)
	if got := r.Settle(v); len(got) > 0 {
		t.Errorf("an update that changes nothing must publish nothing, got %v", got)
	}

	if _, err := r.Lambda.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: ptr.To("2")}); err != nil {
		t.Fatal(err)
	}
	r.Advance(time.Minute)
	r.Settle(v)
	r.has(v, "3", "1", "3")

	r.remove(v)
	r.has(v, "3", "1")
	if _, there := r.Double.Function("f"); !there {
		t.Error("the function must stay")
	}
}

func TestRequests(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.PublishPolicy, v.Spec.ForProvider.PublishTrigger = ptr.To(policyOnRequest), ptr.To("one")
	})
	r.Settle(v)
	r.change(256)
	if got := r.Settle(v); len(got) > 0 {
		t.Errorf("a change must wait for a request, got %v", got)
	}
	v.Spec.ForProvider.PublishTrigger = ptr.To("two")
	r.Settle(v)
	r.has(v, "2", "1", "2")
	v.Spec.ForProvider.PublishTrigger = ptr.To("three")
	if diff := cmp.Diff([]string{callPublish}, r.Settle(v)); diff != "" {
		t.Errorf("a request is served once: -want, +got:\n%s", diff)
	}
	r.has(v, "2", "1", "2")
}

func TestSnapshotsAreWaitedFor(t *testing.T) {
	r := newRig(t, func(in *lambda.CreateFunctionInput) {
		in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOnPublishedVersions}
	})
	v := testVersion()
	r.Settle(v)
	r.change(256)
	preparing := false
	for range 20 {
		if _, err := r.Step(v); err != nil {
			t.Fatal(err)
		}
		if meta.GetExternalName(v) == "2" && ptr.Deref(v.Status.AtProvider.State, "") == "Pending" {
			preparing = true
			if got := ptr.Deref(v.Status.AtProvider.PreparedVersion, ""); got != "1" {
				t.Errorf("aliases must stay at version 1 until version 2 is prepared, not %q", got)
			}
		}
		r.Advance(time.Second / 4)
	}
	if got := *v.Status.AtProvider.PreparedVersion; !preparing || got != "2" {
		t.Errorf("seen preparing: %t; prepared: %s", preparing, got)
	}
}

func TestPruning(t *testing.T) {
	r := newRig(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](1) })
	r.Settle(v)
	if _, err := r.Lambda.CreateAlias(t.Context(), &lambda.CreateAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable"), FunctionVersion: ptr.To("1")}); err != nil {
		t.Fatal(err)
	}
	for i := range int32(4) {
		r.change(256 + i)
		r.Settle(v)
	}
	r.has(v, "5", "1", "4", "5")
	if _, err := r.Lambda.DeleteAlias(t.Context(), &lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable")}); err != nil {
		t.Fatal(err)
	}
	r.Double.ResetCalls()
	r.Settle(v)
	if got := r.Double.Count("ListAliases"); got != 0 {
		t.Errorf("a version that was in use must not be asked about at each reconcile, got %v", r.Operations())
	}
	r.Advance(time.Hour)
	r.Settle(v)
	r.has(v, "5", "4", "5")
	r.remove(v)
	r.has(v, "5")
}

func TestOthersVersionsAreLeft(t *testing.T) {
	r := newRig(t)
	r.Advance(2 * time.Second)
	for range 2 {
		r.change(512)
		r.Advance(2 * time.Second)
		if _, err := r.Lambda.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")}); err != nil {
			t.Fatal(err)
		}
	}
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0) })
	r.Settle(v)
	r.has(v, "2", "1", "2")
	r.change(256)
	r.Settle(v)
	r.has(v, "3", "1", "2", "3")
	r.remove(v)
	r.has(v, "3", "1", "2")

	w := testVersion(func(v *v1beta1.Version) { v.UID = "uid-2" })
	r.change(512)
	r.Settle(w)
	r.has(w, "4", "1", "2", "4")
	x := testVersion(func(v *v1beta1.Version) { v.UID = "uid-3" })
	r.Settle(x)
	r.remove(x)
	r.has(w, "4", "1", "2", "4")
}

func TestImportedVersionsAreDeletedToo(t *testing.T) {
	r := newRig(t)
	r.Settle(testVersion())
	v := testVersion(func(v *v1beta1.Version) {
		v.UID = "uid-2"
		meta.SetExternalName(v, "1")
	})
	if got := r.Settle(v); len(got) > 0 {
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
						r.Settle(v)
					}
					r.change(256)
					r.Advance(2 * time.Second)
					before := v.Status.DeepCopy()
					r.Double.Fail(awsdouble.Fault{Operation: callPublish, Drop: drop, Times: 1})
					if _, err := r.Step(v); err == nil {
						t.Fatal("the lost answer must be an error")
					}
					v.Status = *before // It may never have been written.
					if changed {
						r.change(512)
					}
					r.Settle(v)
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
	r.Advance(2 * time.Second)
	r.Double.Fail(awsdouble.Fault{Operation: callPublish, Drop: awsdouble.DropAfter, Times: 1})
	if _, err := r.Step(v); err == nil {
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
	r.Settle(v)
	r.Double.ResetCalls()
	r.Age = 5 * time.Minute
	const looks = 5
	for range looks {
		r.Advance(5 * time.Minute)
		if done, err := r.Step(v); err != nil || !done {
			t.Fatalf("a settled version must stay settled: %t, %v", done, err)
		}
	}
	if got := r.Double.Count(""); got != looks || r.Double.Count(callGet) != looks {
		t.Errorf("%d steady reconciles must be %d GetFunction calls, got %v", looks, looks, r.Double.Calls())
	}
	r.Advance(6 * time.Minute)
	r.Double.ResetCalls()
	if _, err := r.Step(v); err != nil || r.Double.Count(callGet) != 2 {
		t.Errorf("after half an hour the version is looked at too: %v, %v", r.Double.Calls(), err)
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
			r.Settle(v)
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
				r.Advance(2 * time.Second)
				if n := len(slices.DeleteFunc(r.Settle(v), func(op string) bool { return op != callPublish })); n > most {
					t.Errorf("one change was published %d times", n)
				}
				r.consistent(v)
				if more := r.Settle(v); len(more) > 0 {
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
func (r rig) consistent(v *v1beta1.Version) {
	r.Helper()
	fp := v.Spec.ForProvider
	there := r.versions()
	name := meta.GetExternalName(v)
	if !slices.Contains(there, name) {
		r.Errorf("version %s is not among %v", name, there)
	}
	if l := fp.HistoryLimit; l != nil && len(there) > int(*l)+1 {
		r.Errorf("%v are more than the version and %d earlier ones", there, *l)
	}
	if *fp.PublishPolicy == policyOnRequest {
		return
	}
	latest, _ := r.Double.Function("f")
	out, err := r.Lambda.GetFunctionConfiguration(r.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f"), Qualifier: ptr.To(name)})
	if err != nil || *out.MemorySize != latest.MemorySize {
		r.Errorf("version %s is not what the function is: %v", name, err)
	}
}
