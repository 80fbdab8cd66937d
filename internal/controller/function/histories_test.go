package function

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the function and its last version are as spec says, that no more versions are kept
// than the limit says while those of others stay, and that nothing is left after the deletion.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Function] {
		t.Helper()
		e, g, theirs := newEnv(t), generator{Rand: draw}, map[string]bool{}
		e.Lambda = e.TryingOnce()
		drawn := func() v1beta1.FunctionSettings {
			return withCode(publishes, func(p *v1beta1.FunctionSettings) {
				p.Code.Inline["index.py"], p.Description = pick(g, "a", "b", "c"), ptr.To(pick(g, "", "one", "two"))
				p.MemorySize, p.Environment = ptr.To(pick[int32](g, 128, 256)), some(g, func() v1beta1.Environment {
					return v1beta1.Environment{Variables: g.texts("AA", "BB")}
				})
				p.ReservedConcurrentExecutions = ptr.To(pick[int32](g, -1, 0, 5))
				p.RecursiveLoop, p.Tags = ptr.To(pick(g, "Allow", "Terminate")), g.texts("a", "b")
				p.SnapStart = &v1beta1.SnapStart{ApplyOn: pick(g, "None", "PublishedVersions")}
				p.KMSKeyArn = ptr.To(pick(g, "", oldKey, newKey))
				p.VPCConfig = some(g, func() v1beta1.VPCConfig {
					return v1beta1.VPCConfig{
						SubnetIDs: []string{"subnet-0"}, SecurityGroupIDs: []string{pick(g, "sg-0", "sg-1")},
					}
				})
				p.Architectures = []string{pick(g, "x86_64", "arm64")}
			})
		}
		// AWS does not return the variables in so many answers. A version whose publication is not answered meanwhile
		// is not known to be the function's, so that it is kept.
		unreadable, everUnreadable := 0, false
		hide := testenv.Answer(func(status int, body []byte) (int, []byte) {
			if unreadable == 0 {
				return status, body
			}
			unreadable--
			return withoutVariables(status, body)
		})
		e.Responses = map[string]testenv.Answer{opGet: hide, versions.CallList: hide}
		f := withHistory(draw.Int32N(3))
		f.Spec.ForProvider.FunctionSettings = drawn()
		f.Spec.ForProvider.PublishOn = some(g, func() string { return onAnyChange })
		h := &testenv.History[*v1beta1.Function]{
			Env: e.Env, Draw: draw, Resource: f, Restart: func() { e.memory = newRecords() }, Calls: []string{
				opGet, opCreate, opDelete, opGetRecursion, versions.CallList, string(opUpdateConfiguration),
				string(opUpdateCode), string(opPublish), string(opPutConcurrency), string(opDeleteConcurrency),
				string(opPutRecursion), tagging.OpTag, tagging.OpUntag,
			},
		}
		own := func() []string {
			return slices.DeleteFunc(e.versions(), func(v string) bool { return theirs[v] })
		}
		changed := func() string {
			s, p := drawn(), &f.Spec.ForProvider.FunctionSettings
			p.ReservedConcurrentExecutions, p.Tags = s.ReservedConcurrentExecutions, s.Tags
			if g.maybe() { // Otherwise the version is the same.
				*p = s
			}
			return "spec " + testenv.JSON(p)
		}
		byHand := func(change func() string) func() string {
			return h.ByHand(func() string {
				if _, there := e.Double.Function("f"); !there {
					return "nothing"
				}
				return "someone " + change()
			})
		}
		h.Changes = []func() string{
			changed, changed, changed,
			func() string {
				f.Spec.ForProvider.HistoryLimit = ptr.To(draw.Int32N(3))
				return fmt.Sprint("limit ", *f.Spec.ForProvider.HistoryLimit)
			},
			byHand(func() string {
				e.Double.EditFunction("f", func(f *awsdouble.Function) {
					f.MemorySize, f.Timeout = 512, pick[int32](g, 3, 30)
				})
				return "changes the memory and the timeout"
			}),
			func() string {
				unreadable, everUnreadable = 1+draw.IntN(4), true
				return fmt.Sprintf("the variables cannot be read %d times", unreadable)
			},
			func() string {
				e.Double.FailUpdate("f", "No.", pick(g, "InvalidSubnet", "InternalError", "InvalidZipFileException"))
				return "the next update fails"
			},
			byHand(func() string {
				e.Double.EditFunction("f", func(f *awsdouble.Function) {
					f.ReservedConcurrentExecutions, f.RecursiveLoop = ptr.To[int32](7), "Allow"
				})
				return "changes concurrency and recursion"
			}),
			byHand(func() string {
				v := e.byHand(1024 + draw.Int32N(1024))
				theirs[v] = true
				return "publishes version " + v
			}),
			byHand(func() string {
				// That the last version is gone is not observed.
				all := slices.DeleteFunc(own(), func(v string) bool { return v == lastPublished(f) })
				if len(all) == 0 {
					return "finds no earlier version"
				}
				v := pick(g, all...)
				_, err := e.Lambda.DeleteFunction(
					e.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f"), Qualifier: &v},
				)
				return fmt.Sprintf("deletes version %s: %v", v, err)
			}),
			byHand(func() string {
				_, err := e.Lambda.DeleteFunction(e.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f")})
				e.Must(err)
				clear(theirs)
				return "deletes the function, which is created again"
			}),
		}
		h.End = func() {
			last, all, p := lastPublished(f), own(), f.Spec.ForProvider
			env := ptr.Deref(p.Environment, v1beta1.Environment{}).Variables
			if n := len(all); n == 0 || all[n-1] != last || !everUnreadable && n-1 > int(*p.HistoryLimit) {
				t.Errorf("there are %v, want version %s and at most %d before it", all, last, *p.HistoryLimit)
			}
			if left := e.versions(); len(left) != len(all)+len(theirs) {
				t.Errorf("there are %v, want all of %v", left, theirs)
			}
			for _, qualifier := range []string{last, functionname.Latest} {
				c, err := e.Lambda.GetFunctionConfiguration(e.Context(), &lambda.GetFunctionConfigurationInput{
					FunctionName: ptr.To("f"), Qualifier: &qualifier,
				})
				e.Must(err)
				v := ptr.Deref(c.Environment, types.EnvironmentResponse{}).Variables
				got := fmt.Sprint(
					*c.CodeSha256, *c.Description, *c.MemorySize, v, c.SnapStart.ApplyOn, c.Architectures,
				)
				z, err := archive.Zip(map[string][]byte{"index.py": []byte(p.Code.Inline["index.py"])})
				e.Must(err)
				want := fmt.Sprint(
					archive.Hash(z), *p.Description, *p.MemorySize, env, p.SnapStart.ApplyOn, p.Architectures,
				)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("version %s: -want, +got:\n%s", qualifier, diff)
				}
			}
			got, _ := e.Double.Function("f")
			maps.DeleteFunc(got.Tags, func(key, _ string) bool { return len(key) > 1 })
			have := fmt.Sprint(ptr.Deref(got.ReservedConcurrentExecutions, -1), got.RecursiveLoop, got.Tags)
			want := fmt.Sprint(*p.ReservedConcurrentExecutions, *p.RecursiveLoop, p.Tags)
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("the function: -want, +got:\n%s", diff)
			}
		}
		h.Gone = func() {
			if _, there := e.Double.Function("f"); there {
				t.Error("the function is left")
			}
		}
		return h
	})
}
