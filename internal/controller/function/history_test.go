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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
)

// keeps a number of earlier versions.
func keeps(limit int32) *v1beta1.Function {
	return testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.FunctionSettings = withCode(publishes)
		f.Spec.ForProvider.HistoryLimit = ptr.To(limit)
	})
}

func memory(mb int32) v1beta1.FunctionSettings {
	return withCode(publishes, func(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To(mb) })
}

// rest has a function looked at until nothing is left to prune.
func (r *rig) rest(f *v1beta1.Function) {
	r.Helper()
	for range 3 {
		r.Settle(f)
		r.Advance(time.Minute)
	}
}

// versions that AWS has of f.
func (r *rig) versions() []string {
	r.Helper()
	out, err := r.Lambda.ListVersionsByFunction(r.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")})
	r.Must(err)
	names := []string{}
	for _, v := range out.Versions[1:] {
		names = append(names, *v.Version)
	}
	return names
}

func (r *rig) has(versions ...string) {
	r.Helper()
	if diff := cmp.Diff(versions, r.versions()); diff != "" {
		r.Errorf("versions in AWS: -want, +got:\n%s", diff)
	}
}

// byHand publishes a version as someone else does.
func (r *rig) byHand(mb int32) {
	r.Helper()
	r.Advance(2 * time.Second)
	_, err := r.Lambda.UpdateFunctionConfiguration(r.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To(mb)})
	r.Must(err)
	r.Advance(2 * time.Second)
	_, err = r.Lambda.PublishVersion(r.Context(), &lambda.PublishVersionInput{FunctionName: ptr.To("f")})
	r.Must(err)
}

func TestHistoryIsPruned(t *testing.T) {
	r := newRig(t)
	f := keeps(1)
	r.rest(f)
	r.has("1")
	r.AddAlias("f", "stable")
	for i := range int32(4) {
		apply(f, memory(256+i))
		r.rest(f)
	}
	r.has("1", "4", "5")
	if got := f.Status.AtProvider.RetainedVersions; len(got) != 1 || got[0].Version != "1" || got[0].UsedBy != "alias stable" {
		t.Errorf("status must say what keeps version 1, got %+v", got)
	}
	_, err := r.Lambda.DeleteAlias(t.Context(), &lambda.DeleteAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("stable")})
	r.Must(err)
	r.Advance(time.Hour)
	r.rest(f)
	r.has("4", "5")

	f.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
	f.Generation++
	r.rest(f)
	r.has("5")
	if lastPublished(f) != "5" {
		t.Errorf("latest published version %s", lastPublished(f))
	}
	r.Double.ResetCalls()
	r.Advance(time.Hour)
	if done, err := r.Step(f); err != nil || !done || r.Double.Count("") != 1 {
		t.Errorf("a steady reconcile must be one GetFunction: done %t, %v, %v", done, err, r.Operations())
	}
}

// With a limit, code is published by a call of its own, which tells whose a version is.
func TestHistoryHasOwnVersionsOnly(t *testing.T) {
	r := newRig(t)
	f := keeps(0)
	if diff := cmp.Diff([]string{"CreateFunction", "PublishVersion"}, r.Settle(f)); diff != "" {
		t.Errorf("creation: -want, +got:\n%s", diff)
	}
	r.byHand(512) // 2
	r.byHand(128) // 3
	r.rest(f)
	apply(f, memory(256))
	r.rest(f) // 4, after which 1 is pruned
	r.byHand(1024)
	r.rest(f) // 5 is theirs; what 4 has is put back
	got := r.versions()
	if diff := cmp.Diff([]string{"2", "3", "4", "5"}, got); diff != "" {
		t.Errorf("versions of others must be left, and none of the function's own beyond the limit: -want, +got:\n%s", diff)
	}
}

func TestHistorySurvivesLostAnswers(t *testing.T) {
	for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
		t.Run(fmt.Sprint(drop), func(t *testing.T) {
			r := newRig(t)
			f := keeps(0)
			r.rest(f)
			apply(f, memory(256))
			r.Double.Fail(awsdouble.Fault{Operation: "PublishVersion", Drop: drop, Times: 5})
			for range 10 {
				before := f.DeepCopy()
				if _, err := r.Step(f); err != nil {
					f.Status = before.Status // It may never have been written.
					break
				}
				r.Advance(2 * time.Second)
			}
			r.Double.ClearFaults()
			r.rest(f)
			r.has("2")
			apply(f, memory(512))
			r.rest(f)
			r.has("3")
		})
	}
}

// What keeps versions from being pruned keeps nothing else from being done.
func TestHistoryComesLast(t *testing.T) {
	r := newRig(t)
	f := keeps(0)
	r.rest(f)
	denied := awsdouble.Error{Status: http.StatusForbidden, Code: "AccessDeniedException", Message: "not authorized to perform: lambda:ListProvisionedConcurrencyConfigs"}
	r.Double.Fail(awsdouble.Fault{Operation: "ListProvisionedConcurrencyConfigs", Error: denied, Times: -1})
	apply(f, memory(256))
	r.Settle(f)
	var err error
	for range 3 {
		r.Advance(time.Minute)
		if _, err = r.Step(f); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "cannot tell which versions of function f are in use, so none is deleted") {
		t.Errorf("what is missing must be told, got %v", err)
	}
	apply(f, memory(512))
	r.Settle(f)
	r.has("1", "2", "3")

	f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve, xpv2.ManagementActionCreate}
	r.Double.ResetCalls()
	if done, err := r.Step(f); err != nil || !done || r.Double.Count("") != 1 {
		t.Errorf("without Update nothing is pruned, and nothing is asked: %t, %v, %v", done, err, r.Operations())
	}
	f.Spec.ManagementPolicies = nil
	r.Remove(f)
	r.Settle(f)
	if _, there := r.Double.Function("f"); there {
		t.Error("the function must be gone")
	}
}

// TestHistoryNeverDeletesTheFunction: without a qualifier, DeleteFunction would.
func TestHistoryNeverDeletesTheFunction(t *testing.T) {
	r := newRig(t)
	f := keeps(0)
	r.rest(f)
	for i := range int32(5) {
		apply(f, memory(256+i))
		r.rest(f)
		if _, there := r.Double.Function("f"); !there {
			t.Fatal("the function is gone")
		}
	}
	f.Status.AtProvider.History = append(f.Status.AtProvider.History, v1beta1.PublishedVersion{Version: ""}, v1beta1.PublishedVersion{Version: "$LATEST"}, v1beta1.PublishedVersion{Version: "live"})
	for range 4 {
		if _, err := r.Step(f); err == nil {
			r.Advance(time.Second)
		}
	}
	if _, there := r.Double.Function("f"); !there {
		t.Error("the function is gone")
	}
}
