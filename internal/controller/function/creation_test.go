package function

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// situation is the state in which a function in state Failed is found.
type situation struct {
	f       *v1beta1.Function
	verdict ownership.Ownership
	o       observed
}

func TestCreatedJustNow(t *testing.T) {
	now := testenv.Start
	cases := map[string]struct {
		reason string
		change func(*situation)
		want   bool
	}{
		"Ours": {reason: "This object requested the creation half a minute ago.", want: true},
		"AnswerLost": {
			reason: "The annotation of a successful create may be missing.",
			change: func(s *situation) { meta.RemoveAnnotations(s.f, meta.AnnotationKeyExternalCreateSucceeded) },
			want:   true,
		},
		"ClocksDiffer": {
			reason: "AWS's clock may be behind.", change: func(s *situation) { s.modified(now.Add(-90 * time.Second)) },
			want: true,
		},
		"ChangedSince": {
			reason: "Later updates do not change who created the function.",
			change: func(s *situation) { s.modified(now) }, want: true,
		},
		"Imported": {
			reason: "This object did not request the creation of an imported function.",
			change: func(s *situation) { s.f.Annotations = nil },
		},
		"Adopted": {reason: "An adopted function was created by another owner.", change: func(s *situation) {
			s.verdict = ownership.Adopted
		}},
		"Recreated": {
			reason: "A function of an earlier object of the same name was not created by this one.",
			change: func(s *situation) { s.verdict = ownership.OursAgain },
		},
		"OldAnnotations": {
			reason: "A creation of long ago proves nothing, with or without status.",
			change: func(s *situation) { meta.SetExternalCreatePending(s.f, now.Add(-creationWindow)) },
		},
		"BeforeObject": {
			reason: "A creation that was requested before this object existed is not of this object.",
			change: func(s *situation) { s.f.CreationTimestamp = metav1.NewTime(now) },
		},
		"Older": {
			reason: "A function older than the requested creation is not its result.",
			change: func(s *situation) { s.modified(now.Add(-time.Hour)) },
		},
		"AgeUnknown": {
			reason: "A function of unknown age may be older than the creation.",
			change: func(s *situation) { s.o.config().LastModified = nil },
		},
		"WasActive": {reason: "What has served is never deleted.", change: func(s *situation) {
			s.f.Status.AtProvider.Activated = true
		}},
		"HasVersions": {reason: "A function with versions is never deleted.", change: func(s *situation) {
			s.o.unversioned = false
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situation{f: testFunction(), verdict: ownership.Ours, o: sparse()}
			s.o.unversioned = true
			meta.SetExternalCreatePending(s.f, now.Add(-30*time.Second))
			meta.SetExternalCreateSucceeded(s.f, now.Add(-29*time.Second))
			s.modified(now.Add(-29 * time.Second))
			if tc.change != nil {
				tc.change(&s)
			}
			if got := createdJustNow(s.f, s.verdict, s.o, now); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func (s *situation) modified(at time.Time) {
	s.o.config().LastModified = ptr.To(at.Format(modifiedLayout))
}

// failedOne adds a function with a failed creation and these tags to AWS.
func (e *env) failedOne(tags map[string]string) {
	e.Helper()
	e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
	p := testFunction().Spec.ForProvider
	_, err := e.Lambda.CreateFunction(e.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("f"), Role: p.Role, Runtime: types.Runtime(*p.Runtime), Handler: p.Handler, Tags: tags,
		Code: &types.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")},
	})
	e.Must(err)
	e.Advance(2 * time.Second)
}

// TestFailedFunctionIsNotDeleted checks that a function in state Failed is deleted only if
// this very object has just created it.
func TestFailedFunctionIsNotDeleted(t *testing.T) {
	cases := map[string]struct {
		reason string
		tags   map[string]string
		f      *v1beta1.Function

		reachable bool
	}{
		"Imported": {
			reason: "An imported function has versions and aliases, perhaps.",
			f:      testFunction(func(f *v1beta1.Function) { meta.SetExternalName(f, "f") }),
		},
		"Adopted": {
			reason: "An adopted function may have versions and aliases.",
			tags:   map[string]string{ownership.TagUID: "another", ownership.TagCluster: "another"},
			f: testFunction(func(f *v1beta1.Function) {
				meta.AddAnnotations(f, map[string]string{v1beta1.AnnotationAdopt: "true"})
			}),
		},
		"Recreated": {
			reason: "A function of an earlier object may have versions and aliases.",
			tags: ownership.Tags(
				testFunction(func(f *v1beta1.Function) { f.UID = "uid-0" }), testenv.Cluster, "default", kind,
			),
			f: testFunction(),
		},
		"RecreatedUnread": {
			reason: "A creation that AWS rejects because the function exists has not made it.",
			tags: ownership.Tags(
				testFunction(func(f *v1beta1.Function) { f.UID = "uid-0" }), testenv.Cluster, "default", kind,
			),
			f: testFunction(), reachable: true,
		},
		"Restored": {
			reason: "The annotations of a restored object record a creation, but of an earlier object.",
			tags: ownership.Tags(
				testFunction(func(f *v1beta1.Function) { f.UID = "uid-0" }), testenv.Cluster, "default", kind,
			),
			f: testFunction(func(f *v1beta1.Function) {
				f.CreationTimestamp = metav1.NewTime(testenv.Start.Add(time.Second))
				meta.SetExternalName(f, "f")
				meta.SetExternalCreatePending(f, testenv.Start)
				meta.SetExternalCreateSucceeded(f, testenv.Start)
			}),
		},
		"StatusLost": {
			reason: "The function has been Active for long, but status was lost.",
			tags:   ownership.Tags(testFunction(), testenv.Cluster, "default", kind),
			f: testFunction(func(f *v1beta1.Function) {
				meta.AddAnnotations(f, ownership.Name(f, "f"))
				meta.SetExternalCreatePending(f, testenv.Start.Add(-time.Hour))
				meta.SetExternalCreateSucceeded(f, testenv.Start.Add(-time.Hour))
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.reachable = tc.reachable
			e.failedOne(tc.tags)
			for range 20 {
				if _, err := e.Step(tc.f); err != nil &&
					!strings.Contains(err.Error(), "delete it in AWS, and the provider creates it again") {
					t.Fatal(err)
				}
				if c := tc.f.GetCondition(xpv2.TypeReady); strings.Contains(c.Message, "creation failed") &&
					!strings.HasSuffix(c.Message, notDeleted) {
					t.Errorf("%s\nReady must say why it is not deleted: %s", tc.reason, c.Message)
				}
				e.Advance(2 * time.Minute)
			}
			got := testenv.Writes(e.Operations())
			if slices.Contains(got, "DeleteFunction") || got[len(got)-1] != "UpdateFunctionCode" {
				t.Errorf("%s\nit must be updated rather than deleted: %v", tc.reason, got)
			}
		})
	}
}

// TestFailedCreationOfAnotherProcess checks that a failed creation is handled after a
// restart of the provider, which loses its state in memory.
func TestFailedCreationOfAnotherProcess(t *testing.T) {
	e := newEnv(t)
	e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
	f := testFunction()
	if _, err := e.Step(f); err != nil {
		t.Fatal(err)
	}
	e.memory = newRecords()
	e.Advance(2 * recreateAfter)
	if got := e.Converge(f); !slices.Equal(got, []string{"DeleteFunction", "CreateFunction"}) {
		t.Errorf("a failed creation must be deleted and created anew, got %v", got)
	}
}

func TestFailedCreationWithoutUpdatePolicy(t *testing.T) {
	e := newEnv(t)
	e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionDelete,
		}
	})
	if _, err := e.Step(f); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * recreateAfter)
	if got := e.Converge(f); !slices.Equal(got, []string{"DeleteFunction", "CreateFunction"}) {
		t.Errorf("Create and Delete allow to create it anew, got %v", got)
	}
}

// TestHopelessCreationBacksOff checks that a creation that can't succeed is retried less
// and less often.
func TestHopelessCreationBacksOff(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	var at []time.Duration
	for range 130 {
		e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
		before := len(testenv.Writes(e.Operations()))
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(testenv.Writes(e.Operations())[before:], "CreateFunction") {
			at = append(at, e.Now().Sub(testenv.Start))
		}
		e.Advance(30 * time.Second)
	}
	want := []time.Duration{
		0, 60 * time.Second, 180 * time.Second, 420 * time.Second, 900 * time.Second, 1800 * time.Second,
		2700 * time.Second, 3600 * time.Second,
	}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("creations: -want, +got:\n%s", diff)
	}
}

// TestFailedFunctionThatTakesNoUpdate checks the error if AWS rejects every update of a
// function in state Failed.
func TestFailedFunctionThatTakesNoUpdate(t *testing.T) {
	e := newEnv(t)
	e.failedOne(nil)
	e.Double.Fail(awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Times: -1, Error: awsdouble.Error{
		Status: 409, Code: "ResourceConflictException",
		Message: "The operation cannot be performed at this time. " +
			"The function is currently in the following state: Failed",
	}})
	f := testFunction(func(f *v1beta1.Function) { meta.SetExternalName(f, "f") })
	events := 0
	for range 60 {
		if _, err := e.Step(f); err != nil {
			if events++; !strings.Contains(err.Error(), "delete it in AWS, and the provider creates it again") {
				t.Fatalf("the error must say what to do: %v", err)
			}
		}
		e.Advance(time.Minute)
	}
	if n := e.Double.Count("UpdateFunctionConfiguration"); events == 0 || n > 6 {
		t.Errorf("in an hour it must be tried and told a few times, got %d calls and %d errors", n, events)
	}
}

// TestRefusedConfigurationLetsCodePass checks that a rejected setting does not block the
// code, and that such code is not published.
func TestRefusedConfigurationLetsCodePass(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Publish = ptr.To(true) })
	e.Converge(f)
	e.Double.Fail(awsdouble.Fault{Operation: "UpdateFunctionConfiguration", Times: -1, Error: awsdouble.Error{
		Status: 400, Code: "InvalidParameterValueException", Message: "LogFormat Text is not supported.",
	}})
	apply(f, withCode(publishes, remembers, func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "y"}}
		p.ReservedConcurrentExecutions = ptr.To[int32](5)
	}))
	before := len(e.Operations())
	events := 0
	for range 8 {
		if _, err := e.Step(f); err != nil {
			events++
		}
		e.Advance(2 * time.Second)
	}
	got := testenv.Writes(e.Operations()[before:])
	if slices.Index(got, "UpdateFunctionCode") != 1 || !slices.Contains(got, "PutFunctionConcurrency") ||
		slices.Contains(got, "PublishVersion") || events == 0 {
		t.Errorf("what AWS takes must be sent, and the refusal told; got %v, told %d times", got, events)
	}
	if v := lastPublished(f); v != "1" {
		t.Errorf("half of what is wanted is not worth a version, got %s", v)
	}
	e.Double.ClearFaults()
	e.Converge(f)
	if v := lastPublished(f); v != "2" {
		t.Errorf("once AWS takes it all, it is published, got %s", v)
	}
}

// TestRefusedCodeSigningHoldsUpCode checks that code is not deployed before the code
// signing by which AWS validates it.
func TestRefusedCodeSigningHoldsUpCode(t *testing.T) {
	m, f := newRecords(), testFunction()
	changes := diff.Changes{
		{Path: "code.sha256"}, {Path: "codeSigningConfigArn"}, {Path: "memorySize"}, {Path: "tags[a]"},
	}
	calls := []call{opTag, opPutCodeSigning, opUpdateConfiguration, opUpdateCode, opPublish}
	m.of(f).refuse(opPutCodeSigning, opPutCodeSigning.applies(changes), true)
	if diff := cmp.Diff(
		[]call{opTag, opUpdateConfiguration, opPublish, opPutCodeSigning}, m.of(f).orderedCalls(calls, changes),
	); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
