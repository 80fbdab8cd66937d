package function

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// withHistory returns a Function that keeps a number of earlier versions.
func withHistory(limit int32) *v1beta1.Function {
	return testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.FunctionSettings = withCode(publishes)
		f.Spec.ForProvider.HistoryLimit = ptr.To(limit)
	})
}

func memory(mb int32) v1beta1.FunctionSettings {
	return withCode(publishes, func(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To(mb) })
}

// rest reconciles a function until nothing is left to prune.
func (e *env) rest(f *v1beta1.Function) {
	e.Helper()
	for range 3 {
		e.Converge(f)
		e.Advance(time.Minute)
	}
}

// versions returns the versions of f in AWS.
func (e *env) versions() []string {
	e.Helper()
	out, err := e.Lambda.ListVersionsByFunction(
		e.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")},
	)
	e.Must(err)
	names := []string{}
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func (e *env) has(versions ...string) {
	e.Helper()
	if diff := cmp.Diff(versions, e.versions()); diff != "" {
		e.Errorf("versions in AWS: -want, +got:\n%s", diff)
	}
}

// byHand publishes a version as another user does.
func (e *env) byHand(mb int32) (version string) {
	e.Helper()
	e.Advance(2 * time.Second)
	_, err := e.Lambda.UpdateFunctionConfiguration(
		e.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To(mb)},
	)
	e.Must(err)
	e.Advance(2 * time.Second)
	out, err := e.Lambda.PublishVersion(e.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")})
	e.Must(err)
	return *out.Version
}

// TestHistoryOutlivesAWrongNotFound checks that a single wrong answer neither has the function created again nor makes
// the resource forget its versions.
func TestHistoryOutlivesAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	f := withHistory(1)
	e.rest(f)
	apply(f, memory(256))
	e.rest(f)
	e.has("1", "2")
	if got := e.WrongNotFound(f, string(opGet), 1); len(got) != 0 {
		t.Errorf("nothing is to be done, got %v", got)
	}
	apply(f, memory(512))
	e.rest(f)
	e.has("2", "3")
}

func TestHistoryIsPruned(t *testing.T) {
	e := newEnv(t)
	f := withHistory(1)
	e.rest(f)
	e.has("1")
	e.AddAlias("f", "stable", "1")
	for i := range int32(4) {
		apply(f, memory(256+i))
		e.rest(f)
	}
	e.has("1", "4", "5")
	if got := f.Status.AtProvider.RetainedVersions; len(got) != 1 || got[0].Version != "1" ||
		got[0].UsedBy != "alias stable" {
		t.Errorf("status must say what keeps version 1, got %+v", got)
	}
	kept := f.DeepCopy()
	kept.Spec.ForProvider.HistoryLimit = ptr.To[int32](2)
	kept.Generation++
	e.rest(kept)
	if got := kept.Status.AtProvider.RetainedVersions; len(got) != 0 {
		t.Errorf("no version is beyond a higher limit, got %+v", got)
	}
	_, err := e.Lambda.DeleteAlias(
		t.Context(), &lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable")},
	)
	e.Must(err)
	e.Advance(time.Hour)
	e.rest(f)
	e.has("4", "5")

	f.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
	f.Generation++
	e.rest(f)
	e.has("5")
	if lastPublished(f) != "5" {
		t.Errorf("latest published version %s", lastPublished(f))
	}
	e.Double.ResetCalls()
	e.Advance(time.Hour)
	if done, err := e.Step(f); err != nil || !done || e.Double.Count("") != 1 {
		t.Errorf("a steady reconcile must be one GetFunction: done %t, %v, %v", done, err, e.Operations())
	}
}

// TestHistoryOfAFunctionByItsARN checks that all calls name the function by its ARN if the external name does: its name
// alone is that of another function if it is in another account.
func TestHistoryOfAFunctionByItsARN(t *testing.T) {
	e := newEnv(t)
	e.AddFunction("f")
	f := withHistory(0)
	meta.SetExternalName(f, "arn:aws:lambda:"+testenv.Region+":"+awsdouble.DefaultAccount+":function:f")
	e.rest(f)
	apply(f, memory(256))
	e.rest(f)
	if e.Double.Count("DeleteFunction") == 0 {
		t.Error("no version was pruned")
	}
	for _, c := range e.Double.Calls() {
		if c.Resource == "f" && c.Operation != "CreateFunction" {
			t.Errorf("%s names the function %s", c.Operation, c.Resource)
		}
	}
}

// TestHistoryHasOwnVersionsOnly checks that a history has only the function's own versions.
// With a limit, code is published by PublishVersion, so that they are known.
func TestHistoryHasOwnVersionsOnly(t *testing.T) {
	e := newEnv(t)
	f := withHistory(0)
	if diff := cmp.Diff([]string{"CreateFunction", "PublishVersion"}, e.Converge(f)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	e.byHand(512) // 2
	e.byHand(128) // 3
	e.rest(f)
	apply(f, memory(256))
	e.rest(f) // 4, after which 1 is pruned
	e.byHand(1024)
	e.rest(f) // 5 is theirs; the content of 4 is restored
	got := e.versions()
	if diff := cmp.Diff([]string{"2", "3", "4", "5"}, got); diff != "" {
		t.Errorf(
			"versions of others must be left, and none of the function's own beyond the limit: -want, +got:\n%s", diff,
		)
	}
}

func TestHistorySurvivesLostAnswers(t *testing.T) {
	for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
		t.Run(fmt.Sprint(drop), func(t *testing.T) {
			e := newEnv(t)
			f := withHistory(0)
			e.rest(f)
			apply(f, memory(256))
			e.Double.Fail(awsdouble.Fault{Operation: "PublishVersion", Drop: drop, Times: 5})
			for range 10 {
				before := f.DeepCopy()
				if _, err := e.Step(f); err != nil {
					f.Status = before.Status // The status may not have been written.
					break
				}
				e.Advance(2 * time.Second)
			}
			e.Double.ClearFaults()
			e.rest(f)
			e.has("2")
			apply(f, memory(512))
			e.rest(f)
			e.has("3")
		})
	}
}

// TestHistorySurvivesLostAnswersBeforeAChange checks that a version is pruned although the answer to its publication
// was lost and the manifest changed before the next attempt.
func TestHistorySurvivesLostAnswersBeforeAChange(t *testing.T) {
	for name, revision := range map[string]bool{"Description": false, "Revision": true} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := withHistory(0)
			e.source = fluxtest.New(t)
			e.source.Publish(t, "main@sha1:1", map[string]string{"fn/index.py": "1"})
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{SourceRef: fluxtest.Ref("fn")}
			f.Spec.ForProvider.PublishRevision = ptr.To(revision)
			e.rest(f)
			f.Spec.ForProvider.MemorySize = ptr.To(int32(256))
			f.Generation++
			e.Double.Fail(awsdouble.Fault{Operation: "PublishVersion", Drop: awsdouble.DropAfter, Times: 5})
			for range 10 {
				if _, err := e.Step(f); err != nil {
					break
				}
				e.Advance(2 * time.Second)
			}
			e.Double.ClearFaults()
			f.Spec.ForProvider.MemorySize = ptr.To(int32(512))
			f.Generation++
			e.rest(f)
			e.has("3")
		})
	}
}

// TestHistorySurvivesUnwrittenStatus checks that versions are pruned although status was written after neither of two
// publications.
func TestHistorySurvivesUnwrittenStatus(t *testing.T) {
	e := newEnv(t)
	f := withHistory(0)
	e.rest(f)
	for i := range int32(2) {
		apply(f, memory(256+i))
		for n := e.Double.Count(string(opPublish)); e.Double.Count(string(opPublish)) == n; e.Advance(2 * time.Second) {
			before := f.DeepCopy()
			if _, err := e.Step(f); err != nil {
				t.Fatal(err)
			}
			if e.Double.Count(string(opPublish)) > n {
				f.Status = before.Status
			}
		}
	}
	e.rest(f)
	e.has("3")
}

// TestHistoryComesLast checks that an error of pruning does not block other changes.
func TestHistoryComesLast(t *testing.T) {
	e := newEnv(t)
	f := withHistory(0)
	e.rest(f)
	denied := awsdouble.Error{
		Status: http.StatusForbidden, Code: "AccessDeniedException",
		Message: "not authorized to perform: lambda:ListProvisionedConcurrencyConfigs",
	}
	e.Double.Fail(awsdouble.Fault{Operation: "ListProvisionedConcurrencyConfigs", Error: denied, Times: -1})
	apply(f, memory(256))
	e.Converge(f)
	var err error
	for range 3 {
		e.Advance(time.Minute)
		if _, err = e.Step(f); err != nil {
			break
		}
	}
	if err == nil ||
		!strings.Contains(err.Error(), "cannot tell which versions of function f are in use, so none is deleted") {
		t.Errorf("what is missing must be told, got %v", err)
	}
	apply(f, memory(512))
	e.Converge(f)
	e.has("1", "2", "3")

	f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionCreate}
	e.Double.ResetCalls()
	if done, err := e.Step(f); err != nil || !done || e.Double.Count("") != 1 {
		t.Errorf("without Update nothing is pruned, and nothing is asked: %t, %v, %v", done, err, e.Operations())
	}
	f.Spec.ManagementPolicies = nil
	e.Remove(f)
	e.Converge(f)
	if _, there := e.Double.Function("f"); there {
		t.Error("the function must be gone")
	}
}

// TestHistoryNeverDeletesTheFunction checks that DeleteFunction is called with a qualifier,
// because without one it deletes the function.
func TestHistoryNeverDeletesTheFunction(t *testing.T) {
	e := newEnv(t)
	f := withHistory(0)
	e.rest(f)
	for i := range int32(5) {
		apply(f, memory(256+i))
		e.rest(f)
		if _, there := e.Double.Function("f"); !there {
			t.Fatal("the function is gone")
		}
	}
	f.Status.AtProvider.History = append(
		f.Status.AtProvider.History, v1beta1.PublishedVersion{Version: ""},
		v1beta1.PublishedVersion{Version: "$LATEST"}, v1beta1.PublishedVersion{Version: "live"},
	)
	for range 4 {
		if _, err := e.Step(f); err == nil {
			e.Advance(time.Second)
		}
	}
	if _, there := e.Double.Function("f"); !there {
		t.Error("the function is gone")
	}
}

// TestHistoryPastAnUnshownSetting checks that a version belongs to the history if it is published while AWS does not
// show a setting whose call comes first.
func TestHistoryPastAnUnshownSetting(t *testing.T) {
	e := newEnv(t)
	e.OnCall = forgets
	f := withHistory(1)
	e.rest(f)
	apply(f, memory(256))
	f.Spec.ForProvider.TracingConfig = &v1beta1.TracingConfig{Mode: "Active"}
	for range 20 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	e.has("1", "2")
	var got []string
	for _, v := range f.Status.AtProvider.History {
		got = append(got, v.Version)
	}
	if diff := cmp.Diff([]string{"2", "1"}, got); diff != "" {
		t.Errorf("history: -want, +got:\n%s", diff)
	}
	if n := e.Double.Count(versions.CallList); n != 3 {
		t.Errorf("the versions are listed once for each version, and once by this test, not %d times", n)
	}
}

// TestVersionsThatCannotBeListed checks that nothing is published if the versions that exist are not known.
func TestVersionsThatCannotBeListed(t *testing.T) {
	e := newEnv(t)
	f := withHistory(0)
	e.rest(f)
	apply(f, memory(256))
	e.Refuse(versions.CallList, http.StatusForbidden, "AccessDeniedException", "no")
	var err error
	for range 10 {
		e.Advance(2 * time.Second)
		if _, err = e.Step(f); err != nil {
			break
		}
	}
	const want = "cannot update function f (PublishVersion): cannot list the versions of function f"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want an error that contains %q, got %v", want, err)
	}
	if n := e.Double.Count(string(opPublish)); n != 1 {
		t.Errorf("version 1 is the only one to be published, got %d calls", n)
	}
}
