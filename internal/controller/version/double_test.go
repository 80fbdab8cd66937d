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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env has a function f.
type env struct {
	*testenv.Env[*v1beta1.Version]
}

func newEnv(t testing.TB, change ...func(*lambda.CreateFunctionInput)) env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{CreateDuration: time.Second, UpdateDuration: time.Second})
	w.AddFunction("f", append(change, func(in *lambda.CreateFunctionInput) {
		in.Environment = &types.Environment{Variables: map[string]string{"PASSWORD": "hunter2"}}
	})...)
	return env{testenv.Observing(w, func() reconcile.Observer[*v1beta1.Version] {
		return newExternal(w.Lambda, nil, w.Cache)
	})}
}

// following returns an env in which Versions read the given Functions.
func (e env) following(functions client.Reader) env {
	e.Observer = func() reconcile.Observer[*v1beta1.Version] {
		return newExternal(e.Lambda, functions, e.Cache)
	}
	return e
}

// change changes the function as another user does.
func (e env) change(memory int32) {
	e.Helper()
	e.Advance(2 * time.Second)
	if _, err := e.Lambda.UpdateFunctionConfiguration(
		e.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To(memory)},
	); err != nil {
		e.Fatal(err)
	}
}

// deleteInAWS deletes a version as another user does.
func (e env) deleteInAWS(version string) {
	e.Helper()
	if _, err := e.Lambda.DeleteFunction(
		e.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: &version},
	); err != nil {
		e.Fatal(err)
	}
}

// versions returns the versions in AWS.
func (e env) versions() []string {
	e.Helper()
	out, err := e.Lambda.ListVersionsByFunction(
		e.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")},
	)
	if err != nil {
		e.Fatal(err)
	}
	var names []string
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func (e env) has(v *v1beta1.Version, name string, versions ...string) {
	e.Helper()
	if diff := cmp.Diff(versions, e.versions()); diff != "" {
		e.Errorf("versions in AWS: -want, +got:\n%s", diff)
	}
	if got := meta.GetExternalName(v); got != name {
		e.Errorf("external name %q, want %q", got, name)
	}
}

func (e env) remove(v *v1beta1.Version) {
	e.Helper()
	e.Remove(v)
	e.Converge(v)
}

// TestEvents checks what the events say of publications and of deletions beyond the limit: nobody has changed the
// version in AWS by hand.
func TestEvents(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0) })
	e.Converge(v)
	e.change(256)
	var got []string
	for range 10 {
		e.Advance(2 * time.Second)
		if _, err := e.Do(v); err != nil {
			t.Fatal(err)
		}
		if does := e.Done.Does; does != "" {
			got = append(got, does)
		}
	}
	want := []string{
		"published a version: function changed since version 1",
		"deleted version 1 beyond the limit: historyLimit: 1 earlier versions -> 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestLifecycle(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.Description = ptr.To("first") })
	if diff := cmp.Diff([]string{opPublish}, e.Converge(v)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	e.has(v, "1", "1")
	s := v.Status.AtProvider
	if *s.FunctionArn != testARN+":1" || *s.State != "Active" || *s.Description != "first" || s.CodeSHA256 == nil ||
		len(*s.Fingerprint) != 32 || *s.PreparedVersion != "1" {
		t.Errorf("status: %+v", s)
	}
	if diff := cmp.Diff([]string{"PASSWORD"}, s.EnvironmentVariableNames); diff != "" {
		t.Errorf("names of variables: %s", diff)
	}

	e.change(256)
	if diff := cmp.Diff([]string{opPublish}, e.Converge(v)); diff != "" {
		t.Errorf("a change is published once: -want, +got:\n%s", diff)
	}
	e.has(v, "2", "1", "2")

	if _, err := e.Lambda.UpdateFunctionConfiguration(
		t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f")},
	); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Second)
	if got := e.Converge(v); len(got) > 0 {
		t.Errorf("an update that changes nothing must publish nothing, got %v", got)
	}

	e.deleteInAWS("2")
	e.Advance(time.Minute)
	e.Converge(v)
	e.has(v, "3", "1", "3")

	e.remove(v)
	e.has(v, "3", "1")
	if _, there := e.Double.Function("f"); !there {
		t.Error("the function must stay")
	}
}

func TestRequests(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.PublishPolicy, v.Spec.ForProvider.PublishTrigger = ptr.To(policyOnRequest), ptr.To("one")
	})
	e.Converge(v)
	e.change(256)
	if got := e.Converge(v); len(got) > 0 {
		t.Errorf("a change must wait for a request, got %v", got)
	}
	v.Spec.ForProvider.PublishTrigger = ptr.To("two")
	e.Converge(v)
	e.has(v, "2", "1", "2")
	v.Spec.ForProvider.PublishTrigger = ptr.To("three")
	if diff := cmp.Diff([]string{opPublish}, e.Converge(v)); diff != "" {
		t.Errorf("a request is served once: -want, +got:\n%s", diff)
	}
	e.has(v, "2", "1", "2")
}

func TestSnapshotsAreWaitedFor(t *testing.T) {
	e := newEnv(t, func(in *lambda.CreateFunctionInput) {
		in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOnPublishedVersions}
	})
	v := testVersion()
	e.Converge(v)
	e.change(256)
	preparing := false
	for range 20 {
		if _, err := e.Step(v); err != nil {
			t.Fatal(err)
		}
		if meta.GetExternalName(v) == "2" && ptr.Deref(v.Status.AtProvider.State, "") == "Pending" {
			preparing = true
			if got := ptr.Deref(v.Status.AtProvider.PreparedVersion, ""); got != "1" {
				t.Errorf("aliases must stay at version 1 until version 2 is prepared, not %q", got)
			}
		}
		e.Advance(time.Second / 4)
	}
	if got := *v.Status.AtProvider.PreparedVersion; !preparing || got != "2" {
		t.Errorf("seen preparing: %t; prepared: %s", preparing, got)
	}
}

func TestPruning(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](1) })
	e.Converge(v)
	if _, err := e.Lambda.CreateAlias(t.Context(), &lambda.CreateAliasInput{
		FunctionName: ptr.To("f"), Name: ptr.To("stable"), FunctionVersion: ptr.To("1"),
	}); err != nil {
		t.Fatal(err)
	}
	for i := range int32(4) {
		e.change(256 + i)
		e.Converge(v)
	}
	e.has(v, "5", "1", "4", "5")
	if _, err := e.Lambda.DeleteAlias(
		t.Context(), &lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable")},
	); err != nil {
		t.Fatal(err)
	}
	e.Double.ResetCalls()
	e.Converge(v)
	if got := e.Double.Count("ListAliases"); got != 0 {
		t.Errorf("a version that was in use must not be asked about at each reconcile, got %v", e.Operations())
	}
	e.Advance(time.Hour)
	e.Converge(v)
	e.has(v, "5", "4", "5")
	e.remove(v)
	e.has(v, "5")
}

// TestDeletionInParts checks that a version whose deletion AWS has not accepted yet is not taken for deleted by a
// single wrong answer after an earlier version was deleted.
func TestDeletionInParts(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](1) })
	e.Converge(v)
	e.change(256)
	e.Converge(v)
	e.has(v, "2", "1", "2")
	e.Advance(time.Hour)
	e.Remove(v)
	if o, err := e.Do(v); err != nil || o != testenv.Deleted {
		t.Fatalf("the earlier version is deleted first: %s, %v", o, err)
	}
	e.has(v, "2", "2")
	e.WrongNotFound(v, opGet, 1)
	e.has(v, "2")
}

func TestOthersVersionsAreLeft(t *testing.T) {
	e := newEnv(t)
	e.Advance(2 * time.Second)
	for range 2 {
		e.change(512)
		e.Advance(2 * time.Second)
		if _, err := e.Lambda.PublishVersion(
			t.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")},
		); err != nil {
			t.Fatal(err)
		}
	}
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0) })
	e.Converge(v)
	e.has(v, "2", "1", "2")
	e.change(256)
	e.Converge(v)
	e.has(v, "3", "1", "2", "3")
	e.remove(v)
	e.has(v, "3", "1", "2")

	w := testVersion(func(v *v1beta1.Version) { v.UID = "uid-2" })
	e.change(512)
	e.Converge(w)
	e.has(w, "4", "1", "2", "4")
	x := testVersion(func(v *v1beta1.Version) { v.UID = "uid-3" })
	e.Converge(x)
	e.remove(x)
	e.has(w, "4", "1", "2", "4")
}

func TestImportedVersionsAreDeletedToo(t *testing.T) {
	e := newEnv(t)
	e.Converge(testVersion())
	v := testVersion(func(v *v1beta1.Version) {
		v.UID = "uid-2"
		meta.SetExternalName(v, "1")
	})
	if got := e.Converge(v); len(got) > 0 {
		t.Errorf("an import publishes nothing, got %v", got)
	}
	e.remove(v)
	e.has(v, "1")
}

// TestLostAnswers checks that a version is found again if the answer to its publication was
// lost, whatever happened since: no version is published twice, and none is left behind.
func TestLostAnswers(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, lost := range []struct {
			name      string
			published bool
			fault     awsdouble.Fault
		}{
			{"before", false, awsdouble.Fault{Drop: awsdouble.DropBefore}},
			{"after", true, awsdouble.Fault{Drop: awsdouble.DropAfter}},
			{"throttled", true, awsdouble.Fault{Answer: awsdouble.SnapshotLimit}},
		} {
			for _, changed := range []bool{false, true} {
				t.Run(fmt.Sprintf("first=%t lost=%s changed=%t", first, lost.name, changed), func(t *testing.T) {
					e := newEnv(t)
					v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](100) })
					if !first {
						e.Converge(v)
					}
					e.change(256)
					e.Advance(2 * time.Second)
					before := v.Status.DeepCopy()
					lost.fault.Operation, lost.fault.Times = opPublish, 1
					e.Double.Fail(lost.fault)
					if _, err := e.Step(v); (err == nil) != (lost.name == "throttled") {
						t.Fatalf("only the throttled call may be repeated without an error: %v", err)
					}
					v.Status = *before // The status may not have been written.
					if changed {
						e.change(512)
					}
					e.Converge(v)
					want := 1
					if !first {
						want++
					}
					if changed && lost.published {
						want++
					}
					if got := e.versions(); len(got) != want || meta.GetExternalName(v) != fmt.Sprint(want) {
						t.Errorf(
							"%d versions are expected, got %v; external name %s", want, got, meta.GetExternalName(v),
						)
					}
					e.remove(v)
					if got := e.versions(); len(got) > 0 {
						t.Errorf("nothing may be left behind, got %v", got)
					}
				})
			}
		}
	}
}

// TestLostAnswerAfterDeletionByHand checks that the version is found again that was published in place of one that
// someone has deleted, if the answer to its publication was lost.
func TestLostAnswerAfterDeletionByHand(t *testing.T) {
	for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
		t.Run(fmt.Sprintf("drop=%d", drop), func(t *testing.T) {
			e := newEnv(t)
			v := testVersion()
			e.Converge(v)
			e.change(256)
			e.Converge(v)
			e.deleteInAWS("2")
			e.Advance(time.Minute)
			if _, err := e.Step(v); err != nil {
				t.Fatal(err)
			}
			e.Advance(2 * time.Second) // By then AWS is asked again.
			e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: drop, Times: 1})
			if _, err := e.Step(v); err == nil {
				t.Fatal("the lost answer must be an error")
			}
			e.Converge(v)
			e.has(v, "3", "1", "3")
			e.remove(v)
			e.has(v, "3", "1")
		})
	}
}

// TestStatusThatIsNotWritten checks that a version is pruned, and deleted with its resource, although status was not
// written after its publication.
func TestStatusThatIsNotWritten(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) { v.Spec.ForProvider.HistoryLimit = ptr.To[int32](1) })
	for i := range int32(4) {
		e.change(256 + i)
		e.Advance(2 * time.Second)
		before := v.Status.DeepCopy()
		if _, err := e.Step(v); err != nil {
			t.Fatal(err)
		}
		v.Status = *before
		e.Converge(v)
	}
	e.has(v, "4", "3", "4")
	e.remove(v)
	e.has(v, "4")
}

// TestStatusOfAnEarlierVersion checks that a function that returns to earlier content is published, although status was
// not written after the publication of what it had in between.
func TestStatusOfAnEarlierVersion(t *testing.T) {
	e := newEnv(t)
	v := testVersion()
	e.change(256)
	e.Advance(2 * time.Second)
	e.Converge(v)
	e.change(512)
	e.Advance(2 * time.Second)
	before := v.Status.DeepCopy()
	if _, err := e.Step(v); err != nil {
		t.Fatal(err)
	}
	v.Status = *before
	e.change(256)
	e.Advance(2 * time.Second)
	e.Converge(v)
	e.has(v, "3", "1", "2", "3")
}

// TestLostAnswerAboutEarlierContent checks that a version is found again whose content is that of the one before it.
func TestLostAnswerAboutEarlierContent(t *testing.T) {
	e := newEnv(t)
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.PublishPolicy, v.Spec.ForProvider.PublishTrigger = ptr.To(policyOnRequest), ptr.To("one")
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
	})
	e.change(256)
	e.Advance(2 * time.Second)
	e.Converge(v)
	e.change(512)
	e.change(256)
	e.Advance(2 * time.Second)
	v.Spec.ForProvider.PublishTrigger = ptr.To("two")
	e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: awsdouble.DropAfter, Times: 1})
	if _, err := e.Step(v); err == nil {
		t.Fatal("the lost answer must be an error")
	}
	e.Converge(v)
	e.has(v, "2", "2")
	e.remove(v)
	e.has(v, "2")
}

// TestRequestAfterALostAnswer checks that a request is served although it was made before the version of an earlier
// request was found, whose answer was lost.
func TestRequestAfterALostAnswer(t *testing.T) {
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("first=%t", first), func(t *testing.T) {
			e := newEnv(t)
			v := testVersion(func(v *v1beta1.Version) {
				v.Spec.ForProvider.PublishPolicy, v.Spec.ForProvider.PublishTrigger = ptr.To(
					policyOnRequest,
				), ptr.To(
					"one",
				)
			})
			want := []string{"1", "2"}
			if !first {
				e.Converge(v)
				want = append(want, "3")
			}
			e.change(256)
			e.Advance(2 * time.Second)
			v.Spec.ForProvider.PublishTrigger = ptr.To("two")
			e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: awsdouble.DropAfter, Times: 1})
			if _, err := e.Step(v); err == nil {
				t.Fatal("the lost answer must be an error")
			}
			e.change(512)
			v.Spec.ForProvider.PublishTrigger = ptr.To("three")
			e.Advance(2 * time.Second)
			e.Converge(v)
			e.has(v, want[len(want)-1], want...)
		})
	}
}

// TestDeletionRightAfterALostAnswer checks that a resource that is deleted after a publication without an answer leaves
// no version behind, even if AWS lists the version late.
func TestDeletionRightAfterALostAnswer(t *testing.T) {
	for _, first := range []bool{true, false} {
		for _, late := range []time.Duration{0, 8 * time.Second} {
			t.Run(fmt.Sprintf("first=%t late=%s", first, late), func(t *testing.T) {
				e := newEnv(t)
				v := testVersion()
				if !first {
					e.Converge(v)
					e.change(256)
				}
				e.Double.SetConsistency(awsdouble.Consistency{Reads: late})
				e.Advance(2*time.Second + late)
				e.Double.Fail(awsdouble.Fault{Operation: opPublish, Drop: awsdouble.DropAfter, Times: 1})
				if _, err := e.Step(v); err == nil {
					t.Fatal("the lost answer must be an error")
				}
				meta.AddAnnotations(v, map[string]string{"lambda.aws.m.crossplane.io/parent": "f"})
				e.Remove(v)
				for o := testenv.Waits; o != testenv.Gone; e.Advance(time.Second) {
					o, _ = e.Do(v)
				}
				if got := e.versions(); len(got) > 0 {
					t.Errorf("nothing may be left behind, got %v", got)
				}
			})
		}
	}
}

func TestSteadyReconcileIsOneCall(t *testing.T) {
	e := newEnv(t)
	v := testVersion()
	e.Converge(v)
	e.Double.ResetCalls()
	e.Age = pollAge
	const observations = 5
	for range observations {
		e.Advance(5 * time.Minute)
		if done, err := e.Step(v); err != nil || !done {
			t.Fatalf("a converged version must stay converged: %t, %v", done, err)
		}
	}
	if got := e.Double.Count(""); got != observations || e.Double.Count(opGet) != observations {
		t.Errorf(
			"%d steady reconciles must be %d GetFunction calls, got %v", observations, observations, e.Double.Calls(),
		)
	}
	e.Advance(6 * time.Minute)
	e.Double.ResetCalls()
	if _, err := e.Step(v); err != nil || e.Double.Count(opGet) != 2 {
		t.Errorf("after half an hour the version is looked at too: %v, %v", e.Double.Calls(), err)
	}
}

// TestNoAnswerFromBeforeAnEvent checks that an answer does not count that is older than the reconcile accepts, as one
// from before an event about the version, or from before the first report that the version is gone.
func TestNoAnswerFromBeforeAnEvent(t *testing.T) {
	e := newEnv(t)
	v := testVersion()
	e.Converge(v)
	e.Age = pollAge
	e.Poll(v)
	e.Advance(time.Minute)
	e.deleteInAWS("1")
	e.Advance(20 * time.Second) // The reconcile for the event had to wait.
	e.Age = 15 * time.Second
	e.Double.ResetCalls()
	if _, err := e.Step(v); err != nil || e.Double.Count(opGet) != 2 {
		t.Errorf("the version is to be read, got %v, %v", e.Double.Calls(), err)
	}
}

// TestAnyHistory checks a version through random changes of its function and of its own
// spec.
func TestAnyHistory(t *testing.T) {
	const runs, steps = 60, 12
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			g := rand.New(rand.NewPCG(seed, 1))
			e := newEnv(t)
			v := testVersion()
			e.Converge(v)
			for range steps {
				fp := &v.Spec.ForProvider
				most := 1
				switch g.IntN(6) {
				case 0, 1:
					e.change([]int32{128, 256, 512}[g.IntN(3)])
				case 2:
					fp.PublishTrigger = ptr.To(fmt.Sprint(g.IntN(3)))
				case 3:
					fp.PublishPolicy = ptr.To([]string{"OnChange", policyOnRequest}[g.IntN(2)])
				case 4:
					fp.HistoryLimit = []*int32{nil, ptr.To[int32](0), ptr.To[int32](2)}[g.IntN(3)]
				case 5:
					fp.Description = []*string{nil, ptr.To(""), ptr.To("d")}[g.IntN(3)]
				}
				e.Advance(2 * time.Second)
				if n := len(
					slices.DeleteFunc(e.Converge(v), func(op string) bool { return op != opPublish }),
				); n > most {
					t.Errorf("one change was published %d times", n)
				}
				e.consistent(v)
				if more := e.Converge(v); len(more) > 0 {
					t.Errorf("a converged version must not be written to, got %v", more)
				}
			}
			v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
			e.remove(v)
			if got := e.versions(); len(got) > 0 {
				t.Errorf("nothing may be left behind, got %v", got)
			}
		})
	}
}

// consistent checks that AWS has what the status of a converged version says.
func (e env) consistent(v *v1beta1.Version) {
	e.Helper()
	fp := v.Spec.ForProvider
	there := e.versions()
	name := meta.GetExternalName(v)
	if !slices.Contains(there, name) {
		e.Errorf("version %s is not among %v", name, there)
	}
	if l := fp.HistoryLimit; l != nil && len(there) > int(*l)+1 {
		e.Errorf("%v are more than the version and %d earlier ones", there, *l)
	}
	if *fp.PublishPolicy == policyOnRequest {
		return
	}
	latest, _ := e.Double.Function("f")
	out, err := e.Lambda.GetFunctionConfiguration(
		e.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f"), Qualifier: ptr.To(name)},
	)
	if err != nil || *out.MemorySize != latest.MemorySize {
		e.Errorf("version %s is not what the function is: %v", name, err)
	}
}

// TestPublishedCode checks that status has the revision and the signer of the code of each version, if the Function has
// deployed this code.
func TestPublishedCode(t *testing.T) {
	deployed := &v1beta1.DeployedCode{Revision: "main@sha1:1", Verified: "alice"}
	e := newEnv(t)
	c, _ := e.Double.Function("f")
	deployed.CodeSHA256 = c.CodeSha256
	e = e.following(testenv.Functions{Answer: func(_ client.ObjectKey, f *v1beta1.Function) error {
		f.Status.SetConditions(xpv2.Available())
		f.Status.AtProvider.DeployedCode = deployed
		return nil
	}})
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"}
	})
	e.Advance(2 * time.Second)
	e.Converge(v)
	want := []v1beta1.PublishedCode{{Version: "1", Revision: "main@sha1:1", Verified: "alice"}}
	if diff := cmp.Diff(want, v.Status.AtProvider.PublishedCode); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	deployed.Revision = "main@sha1:2"
	e.change(512)
	e.Converge(v)
	want = append([]v1beta1.PublishedCode{{Version: "2", Revision: "main@sha1:2", Verified: "alice"}}, want...)
	if diff := cmp.Diff(want, v.Status.AtProvider.PublishedCode); diff != "" {
		t.Errorf("the code of the first version stays as it was: -want, +got:\n%s", diff)
	}
	deployed.CodeSHA256, deployed.Revision = "of the next artifact", "main@sha1:3"
	e.change(1024)
	e.Converge(v)
	if diff := cmp.Diff(want, v.Status.AtProvider.PublishedCode); diff != "" {
		t.Errorf("the revision of code that others have deployed is unknown: -want, +got:\n%s", diff)
	}
}

// TestPublishedCodeOfWhatIsPublishedAgain checks that status has the revision of the present code of
// $LATEST.PUBLISHED.
func TestPublishedCodeOfWhatIsPublishedAgain(t *testing.T) {
	deployed := &v1beta1.DeployedCode{}
	e := newEnv(t)
	e = e.following(testenv.Functions{Answer: func(_ client.ObjectKey, f *v1beta1.Function) error {
		f.Status.SetConditions(xpv2.Available())
		f.Status.AtProvider.DeployedCode = deployed
		return nil
	}})
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"}
		v.Spec.ForProvider.PublishTo = ptr.To("LATEST_PUBLISHED")
	})
	for _, revision := range []string{"main@sha1:1", "main@sha1:2"} {
		e.Advance(2 * time.Second)
		if _, err := e.Lambda.UpdateFunctionCode(e.Context(), &lambda.UpdateFunctionCodeInput{
			FunctionName: ptr.To("f"), ZipFile: awsdouble.Zip(map[string]string{"index.py": revision}),
		}); err != nil {
			t.Fatal(err)
		}
		c, _ := e.Double.Function("f")
		deployed.CodeSHA256, deployed.Revision = c.CodeSha256, revision
		e.Advance(2 * time.Second)
		e.Converge(v)
		want := []v1beta1.PublishedCode{{Version: "$LATEST.PUBLISHED", Revision: revision}}
		if diff := cmp.Diff(want, v.Status.AtProvider.PublishedCode); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
}
