package function

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/backoff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestCodeAndConfigurationInOneApply(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	apply(f, minimal(func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "new"}}
		p.MemorySize = ptr.To[int32](256)
	}))
	if diff := cmp.Diff([]string{"UpdateFunctionConfiguration", "UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("both must arrive, the configuration first, one call a reconcile: -want, +got:\n%s", diff)
	}
	e.Double.FailUpdate("f", "No such subnet.", "InvalidSubnet")
	apply(f, withCode(remembers))
	if diff := cmp.Diff([]string{"UpdateFunctionConfiguration", "UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("the code must not wait for a configuration that failed: -want, +got:\n%s", diff)
	}
	for _, c := range e.Double.Calls() {
		if c.ErrorCode == "ResourceConflictException" {
			t.Errorf("nothing must be sent while AWS is mid-update, but %s met a conflict", c.Operation)
		}
	}
}

func TestReplacedObjectIsDeployed(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}
	})
	e.Converge(f)
	b, err := archive.Zip(map[string][]byte{"index.py": []byte("replaced")})
	if err != nil {
		t.Fatal(err)
	}
	e.Double.PutObject("bucket", "k1.zip", b)
	if diff := cmp.Diff([]string{"UpdateFunctionCode"}, e.Converge(f)); diff != "" {
		t.Errorf("a replaced object under the same key must be deployed, once: -want, +got:\n%s", diff)
	}
	if got := ptr.Deref(f.Status.AtProvider.CodeSHA256, ""); got != archive.Hash(b) {
		t.Errorf("AWS must run the new object: want %s, got %s", archive.Hash(b), got)
	}
}

// TestSameCodeInAnotherObject checks that the same archive in another object is not deployed again, and that the object
// is read once to compare it with a pin: it may be large, and a function is polled for years.
func TestSameCodeInAnotherObject(t *testing.T) {
	e := newEnv(t)
	b, err := archive.Zip(map[string][]byte{"index.py": []byte("x")})
	e.Must(err)
	e.Double.PutObject("bucket", "a.zip", b)
	e.Double.PutObject("bucket", "b.zip", b)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{
			S3Bucket: ptr.To("bucket"), S3Key: ptr.To("a.zip"), SHA256: ptr.To(archive.Hash(b)),
		}
	})
	e.Converge(f)
	f.Spec.ForProvider.Code.S3Key = ptr.To("b.zip")
	f.Generation++
	e.Double.ResetCalls()
	for range 3 {
		if calls := e.Converge(f); len(calls) > 0 {
			t.Errorf("got %v", calls)
		}
		e.Advance(time.Hour)
	}
	if n := e.Double.Count("GetObject"); n != 1 {
		t.Errorf("the object is read %d times", n)
	}
	if got := f.Status.AtProvider.DeployedCode.Source; !strings.HasPrefix(got, "s3://bucket/b.zip#") {
		t.Errorf("status must have the present object, got %s", got)
	}
}

// TestCodeThatLambdaDoesNotCopy checks that a function follows spec to and from code that stays in the bucket, and to
// another object there, even if the archive is the same: an object that Lambda refers to must not be deleted.
func TestCodeThatLambdaDoesNotCopy(t *testing.T) {
	e := newEnv(t)
	b, err := archive.Zip(map[string][]byte{"index.py": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	e.Double.CreateBucket("versioned", true)
	e.Double.PutObject("versioned", "a.zip", b)
	e.Double.PutObject("versioned", "b.zip", b)
	code := v1beta1.FunctionCode{S3Bucket: ptr.To("versioned"), S3Key: ptr.To("a.zip"), SHA256: ptr.To(archive.Hash(b))}
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Code = code.DeepCopy() })
	e.Converge(f)
	for _, step := range []struct {
		reason string
		change func(*v1beta1.FunctionCode)
		calls  []string
		want   string
	}{
		{"a copy is no longer wanted", func(c *v1beta1.FunctionCode) { c.S3ObjectStorageMode = ptr.To("REFERENCE") }, []string{"UpdateFunctionCode"}, "a.zip"},
		{"the mode is not set, so it stays", func(c *v1beta1.FunctionCode) { c.S3ObjectStorageMode = nil }, nil, "a.zip"},
		{"the same archive is at another place", func(c *v1beta1.FunctionCode) { c.S3Key = ptr.To("b.zip") }, []string{"UpdateFunctionCode"}, "b.zip"},
		{"a copy is wanted again", func(c *v1beta1.FunctionCode) { c.S3ObjectStorageMode = ptr.To("COPY") }, []string{"UpdateFunctionCode"}, ""},
		{"a copy is the same wherever it is from", func(c *v1beta1.FunctionCode) { c.S3Key = ptr.To("a.zip") }, nil, ""},
		{"a copy is no longer wanted", func(c *v1beta1.FunctionCode) { c.S3ObjectStorageMode = ptr.To("REFERENCE") }, []string{"UpdateFunctionCode"}, "a.zip"},
		{"the same archive is no longer in the bucket", func(c *v1beta1.FunctionCode) {
			*c = v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
		}, []string{"UpdateFunctionCode"}, ""},
	} {
		step.change(&code)
		apply(f, minimal(func(p *v1beta1.FunctionSettings) { p.Code = code.DeepCopy() }))
		if diff := cmp.Diff(step.calls, testenv.Writes(e.Converge(f))); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", step.reason, diff)
		}
		out, err := e.Lambda.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("f")})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r := out.Code.ResolvedS3Object; r != nil {
			got = ptr.Deref(r.S3Key, "")
		}
		if got != step.want {
			t.Errorf("%s: AWS refers to %q, want %q", step.reason, got, step.want)
		}
	}
}

func TestManualCodeChangesAreReverted(t *testing.T) {
	sources := map[string]v1beta1.FunctionCode{
		"Inline":    {Inline: map[string]string{"index.py": "x"}},
		"ConfigMap": {ConfigMapRef: &v1beta1.LocalObjectReference{Name: "code1"}},
		"Object":    {S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")},
	}
	for name, code := range sources {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.Code = &code })
			e.Converge(f)
			right := ptr.Deref(f.Status.AtProvider.CodeSHA256, "")
			other, err := archive.Zip(map[string][]byte{"index.py": []byte("by hand")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Lambda.UpdateFunctionCode(
				t.Context(), &lambda.UpdateFunctionCodeInput{FunctionName: ptr.To("f"), ZipFile: other},
			); err != nil {
				t.Fatal(err)
			}
			e.Converge(f)
			if got := ptr.Deref(f.Status.AtProvider.CodeSHA256, ""); got != right {
				t.Errorf("code that was deployed by hand must be put right: want %s, got %s", right, got)
			}
		})
	}
}

func TestInitProviderLeavesCodeAlone(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Code: f.Spec.ForProvider.Code}
		f.Spec.ForProvider.Code = nil
	})
	e.Converge(f)
	other, err := archive.Zip(map[string][]byte{"index.py": []byte("by CI")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Lambda.UpdateFunctionCode(
		t.Context(), &lambda.UpdateFunctionCodeInput{FunctionName: ptr.To("f"), ZipFile: other},
	); err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Minute)
	if got := e.Converge(f); len(got) > 0 {
		t.Errorf("code in initProvider must be left to the other tool after creation, got %v", got)
	}
	if got := ptr.Deref(f.Status.AtProvider.CodeSHA256, ""); got != archive.Hash(other) {
		t.Errorf("the other tool's code must stay: want %s, got %s", archive.Hash(other), got)
	}
}

// TestCreatedWithoutUpdate checks that settings that CreateFunction does not accept are reported as different if
// managementPolicies do not allow the calls that set them, and are set as soon as they do. A version is published with
// the creation, as it is without a limit of the history.
func TestCreatedWithoutUpdate(t *testing.T) {
	e := newEnv(t)
	f := testFunction(
		testenv.May[*v1beta1.Function](
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate, xpv2.ManagementActionDelete,
		),
		func(f *v1beta1.Function) {
			f.Spec.ForProvider.RecursiveLoop = ptr.To("Allow")
			f.Spec.ForProvider.Publish, f.Spec.ForProvider.HistoryLimit = ptr.To(true), ptr.To[int32](3)
			f.Spec.InitProvider = &v1beta1.FunctionSettings{ReservedConcurrentExecutions: ptr.To[int32](5)}
		},
	)
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	e.Poll(f)
	e.Differs(f, "recursiveLoop", "reservedConcurrentExecutions is not set (want 5)")
	s := &f.Status.AtProvider
	if s.Initialized || ptr.Deref(s.LatestPublishedVersion, "") != "1" {
		t.Errorf("initialized %t, version %v", s.Initialized, ptr.Deref(s.LatestPublishedVersion, ""))
	}
	testenv.May[*v1beta1.Function](xpv2.ManagementActionAll)(f)
	want := []string{"PutFunctionConcurrency", "PutFunctionRecursionConfig"}
	if diff := cmp.Diff(want, e.Converge(f)); diff != "" || !s.Initialized {
		t.Errorf("initialized %t: -want, +got:\n%s", s.Initialized, diff)
	}
}

// TestInitialVariablesWithoutTheirSecret checks that a Secret of initProvider is needed at creation only.
func TestInitialVariablesWithoutTheirSecret(t *testing.T) {
	for name, initial := range map[string]v1beta1.Environment{
		"All": {EnvFrom: []v1beta1.EnvironmentSource{
			{SecretRef: &v1beta1.EnvironmentSourceReference{Name: "bootstrap"}},
		}},
		"One": {VariablesFrom: []v1beta1.EnvironmentVariable{{Name: "TOKEN", ValueFrom: v1beta1.ValueSource{
			SecretKeyRef: &v1beta1.KeySelector{Name: "bootstrap", Key: "TOKEN"},
		}}}},
	} {
		t.Run(name, func(t *testing.T) { initialVariablesWithoutTheirSecret(t, initial) })
	}
}

func initialVariablesWithoutTheirSecret(t *testing.T, initial v1beta1.Environment) {
	t.Helper()
	e := newEnv(t)
	bootstrap := refs.SecretOf("ns", "bootstrap")
	e.objects[bootstrap] = refs.ObjectData{"TOKEN": []byte("one")}
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"LEVEL": "info"}}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Environment: &initial}
	})
	e.Converge(f)
	e.objects[bootstrap] = refs.ObjectData{"not-a-name": []byte("two")}
	if got := e.Converge(f); len(got) > 0 {
		t.Errorf("variables that the Secret has no more are left alone, got %v", got)
	}
	delete(e.objects, bootstrap)
	if got := e.Converge(f); len(got) > 0 {
		t.Errorf("variables of initProvider are left alone, got %v", got)
	}
	f.Spec.ForProvider.Environment.Variables["LEVEL"] = "debug"
	f.Generation++
	e.Converge(f)
	out, err := e.Lambda.GetFunctionConfiguration(
		t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f")},
	)
	e.Must(err)
	if diff := cmp.Diff(map[string]string{"LEVEL": "debug", "TOKEN": "one"}, out.Environment.Variables); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	_, err = e.Lambda.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f")})
	e.Must(err)
	for err = nil; err == nil && e.Double.Count("") < 100; { // That it is absent is confirmed first.
		e.Advance(time.Minute)
		_, err = e.Step(f)
	}
	if !testenv.ErrorMatches(err, "Secret ns/bootstrap does not exist") || len(e.functions()) > 0 {
		t.Errorf("a function is not created without its initial variables: %v", err)
	}
}

func TestRotatedSecretIsRolledOut(t *testing.T) {
	e := newEnv(t)
	e.objects[refs.SecretOf("ns", "db")] = refs.ObjectData{"password": []byte("one")}
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.Environment = &v1beta1.Environment{VariablesFrom: []v1beta1.EnvironmentVariable{
			{Name: "DB_PASSWORD", ValueFrom: v1beta1.ValueSource{
				SecretKeyRef: &v1beta1.KeySelector{Name: "db", Key: "password"},
			}},
		}}
	})
	e.Converge(f)
	e.objects[refs.SecretOf("ns", "db")] = refs.ObjectData{"password": []byte("two")}
	if diff := cmp.Diff([]string{"UpdateFunctionConfiguration"}, e.Converge(f)); diff != "" {
		t.Errorf("a rotated Secret must be rolled out: -want, +got:\n%s", diff)
	}
	out, err := e.Lambda.GetFunctionConfiguration(
		t.Context(), &lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f")},
	)
	if err != nil || out.Environment.Variables["DB_PASSWORD"] != "two" {
		t.Errorf("AWS must have the new value: %v, %v", out, err)
	}
}

func TestLostAnswerToCreate(t *testing.T) {
	for name, fault := range map[string]awsdouble.Fault{
		"BeforeEffect":  {Drop: awsdouble.DropBefore},
		"AfterEffect":   {Drop: awsdouble.DropAfter},
		"SnapshotLimit": {Answer: awsdouble.SnapshotLimit},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			fault.Operation, fault.Times = "CreateFunction", 3
			e.Double.Fail(fault)
			f := testFunction()
			if _, err := e.Step(f); err == nil && fault.Drop == awsdouble.DropBefore {
				t.Error("a create that never arrived must be told")
			}
			e.Double.ClearFaults()
			e.Converge(f)
			if n := len(e.functions()); n != 1 {
				t.Errorf("exactly one function must exist, got %d", n)
			}
			if meta.GetExternalName(f) != "f" {
				t.Errorf("the function must be recognised as ours, got annotations %v", f.GetAnnotations())
			}
		})
	}
}

func TestForeignFunctionIsNeverTouched(t *testing.T) {
	e := newEnv(t)
	zip, err := archive.Zip(map[string][]byte{"index.py": []byte("theirs")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("f"), Role: ptr.To("arn:aws:iam::123456789012:role/theirs"), Runtime: "python3.12",
		Handler: ptr.To("a.b"),
		Code:    codeOfZip(zip),
	}); err != nil {
		t.Fatal(err)
	}
	e.Advance(2 * time.Second)
	e.Double.ResetCalls()

	f := testFunction()
	_, err = e.Step(f)
	if err == nil || !strings.Contains(err.Error(), "crossplane.io/external-name") {
		t.Errorf("the error must say how to import it, got %v", err)
	}
	f.DeletionTimestamp = ptr.To(metav1.Now())
	if done := engine.Observe(t.Context(), e.Observer(), reconcile.Facts{}, f); done.Err != nil || done.Exists {
		t.Errorf("a deleted Function must let go of a foreign one: %+v", done)
	}
	if got := testenv.Writes(e.Operations()); len(got) > 0 {
		t.Errorf("a foreign function must never be written to, got %v", got)
	}

	imported := testFunction(func(f *v1beta1.Function) { meta.SetExternalName(f, "f") })
	if got := e.Converge(imported); got[0] != "TagResource" {
		t.Errorf("an imported function is tagged first, got %v", got)
	}
}

func TestFailedCreationIsMadeAnew(t *testing.T) {
	e := newEnv(t)
	e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
	f := testFunction()
	for range 3 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	c := f.GetCondition(xpv2.TypeReady)
	if c.Status != corev1.ConditionFalse || !strings.Contains(c.Message, "The subnet does not exist. (InvalidSubnet)") {
		t.Errorf("Ready must be False with AWS's own reason, got %+v", c)
	}
	e.Advance(recreateAfter)
	if got := e.Converge(f); !slices.Equal(got, []string{"DeleteFunction", "CreateFunction"}) {
		t.Errorf("a failed creation must be deleted and created anew, got %v", got)
	}
}

func TestFailedUpdateIsNotReady(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	e.Double.FailUpdate("f", "The role lacks a permission.", "InsufficientRolePermissions")
	apply(
		f, minimal(func(p *v1beta1.FunctionSettings) { p.Timeout, p.Code = ptr.To[int32](9), f.Spec.ForProvider.Code }),
	)
	for range 3 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	c := f.GetCondition(xpv2.TypeReady)
	if c.Status != corev1.ConditionFalse || !strings.Contains(c.Message, "The role lacks a permission.") {
		t.Errorf("a failed update must not be Ready, and must tell AWS's reason, got %+v", c)
	}
	before := len(testenv.Writes(e.Operations()))
	for range 5 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	if got := testenv.Writes(e.Operations())[before:]; len(got) > 0 {
		t.Errorf("a failed update must not be hammered at AWS, got %v", got)
	}
	e.Advance(retryAfter)
	e.Converge(f)
}

// TestEditDuringFailure checks that a spec that is applied during a creation or an update that fails is not delayed
// like a repetition of what has failed, also if it stops publishing the version that the creation has published.
func TestEditDuringFailure(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
	fails := func(want ...string) {
		t.Helper()
		_, err := e.Step(f)
		e.Must(err)
		apply(f, withCode(func(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To[int32](1024) }))
		_, err = e.Step(f) // While AWS is busy.
		e.Must(err)
		if diff := cmp.Diff(want, e.Converge(f)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
	e.Double.FailCreation("f", "The subnet does not exist.", "InvalidSubnet")
	fails(opDelete, opCreate)
	e.Double.FailUpdate("f", "The role lacks a permission.", "InsufficientRolePermissions")
	apply(f, withCode(remembers))
	fails(string(opUpdateConfiguration))
}

func TestDeleteIsIdempotent(t *testing.T) {
	r := newEnv(t)
	f := testFunction()
	r.Converge(f)
	f.DeletionTimestamp = ptr.To(metav1.Now())
	later := reconcile.Facts{Fresh: readcache.Freshness{Now: r.Now().Add(time.Hour)}}
	observe := func() engine.Done { return engine.Observe(t.Context(), r.Observer(), later, f) }
	done := observe()
	if done.Err != nil || !done.Exists {
		t.Fatalf("the function is there: %+v", done)
	}
	for range 2 {
		if _, err := done.Call.Do(t.Context()); err != nil {
			t.Errorf("deleting what is gone is no error: %v", err)
		}
	}
	if done := observe(); done.Err != nil || done.Exists {
		t.Errorf("the function is gone: %+v", done)
	}
}

// TestDeletionNeedsNoSettings deletes a function while AWS does not answer about the settings that are read by calls of
// their own, such as in a region or an emulator that lacks them.
func TestDeletionNeedsNoSettings(t *testing.T) {
	r := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.RecursiveLoop = ptr.To("Allow") })
	r.Converge(f)
	r.Remove(f)
	r.Break("GetFunctionRecursionConfig")
	r.Converge(f)
	if _, err := r.Lambda.GetFunction(t.Context(), &lambda.GetFunctionInput{FunctionName: ptr.To("f")}); err == nil {
		t.Error("the function is not deleted")
	}
}

func TestErrorsByTheirKind(t *testing.T) {
	cases := map[string]struct {
		reason    string
		prepare   func(*env)
		change    func(*v1beta1.FunctionSettings)
		transient bool
		terminal  bool
		message   string
	}{
		"RoleNotReady": {
			reason:  "A role that was made a second ago can't be assumed yet, as AWS also says of a wrong role.",
			prepare: func(e *env) { e.Double.RoleNotReadyUntil(testenv.Start.Add(time.Hour)) },
			message: "cannot be assumed by Lambda",
		},
		"AccessDenied": {
			reason: "A missing permission is named, with what to grant.",
			prepare: func(e *env) {
				e.Double.Fail(awsdouble.Fault{
					Operation: "CreateFunction", Error: awsdouble.AccessDenied("lambda:CreateFunction"),
				})
			},
			message: "lambda:CreateFunction",
		},
		"BadInput": {
			reason:   "What AWS refuses is terminal.",
			change:   func(p *v1beta1.FunctionSettings) { p.Runtime = ptr.To("python9.9") },
			terminal: true, message: "runtime",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			if tc.prepare != nil {
				tc.prepare(e)
			}
			f := testFunction(func(f *v1beta1.Function) {
				if tc.change != nil {
					tc.change(&f.Spec.ForProvider.FunctionSettings)
				}
			})
			_, err := e.Step(f)
			if err == nil || !strings.Contains(err.Error(), tc.message) {
				t.Fatalf("%s\nwant an error that says %q, got %v", tc.reason, tc.message, err)
			}
			if awserr.IsTransient(err) != tc.transient || awserr.IsTerminal(err) != tc.terminal {
				t.Errorf(
					"%s\nwant transient %t, terminal %t; got %t, %t: %v", tc.reason, tc.transient, tc.terminal,
					awserr.IsTransient(err), awserr.IsTerminal(err), err,
				)
			}
			if strings.Contains(strings.ToLower(err.Error()), "requestid") {
				t.Errorf("an error must hold no request id, which would make each try a new condition: %v", err)
			}
		})
	}
}

func (e *env) functions() []string {
	e.Helper()
	out, err := e.Lambda.ListFunctions(e.Context(), &lambda.ListFunctionsInput{})
	if err != nil {
		e.Fatal(err)
	}
	var names []string
	for _, f := range out.Functions {
		names = append(names, ptr.Deref(f.FunctionName, ""))
	}
	return names
}

// taggedImage makes a function have an image by its tag, and, if track is true, follow the tag.
func taggedImage(track *bool) func(*v1beta1.Function) {
	return func(f *v1beta1.Function) {
		p := &f.Spec.ForProvider
		p.PackageType, p.Runtime, p.Handler = ptr.To("Image"), nil, nil
		p.Code = &v1beta1.FunctionCode{ImageURI: ptr.To(testImage + ":1"), TrackImageTag: track}
	}
}

func TestMovedImageTag(t *testing.T) {
	digest := func(n int) string { return fmt.Sprintf("sha256:%064d", n) }
	cases := map[string]struct {
		reason string
		track  *bool
		want   []string
	}{
		"Tracked": {
			reason: "A tag that moved is deployed anew where the user asks for it.", track: ptr.To(true),
			want: []string{"UpdateFunctionCode"},
		},
		"NotTracked": {reason: "Else a tag is what it was when it was deployed, as AWS has it."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(taggedImage(tc.track))
			e.Converge(f)
			e.Double.PutImage("repo", "1", digest(7))
			if diff := cmp.Diff(tc.want, e.Converge(f)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			got := ptr.Deref(f.Status.AtProvider.ResolvedImageURI, "")
			if moved := strings.HasSuffix(got, digest(7)); moved != (tc.track != nil) {
				t.Errorf("%s\nAWS runs %s", tc.reason, got)
			}
		})
	}
}

// TestImageIndex checks what is deployed of a tag that names an image index, as docker buildx pushes it.
func TestImageIndex(t *testing.T) {
	digest := func(n int) string { return fmt.Sprintf("sha256:%064d", n) }
	index := func(intel, arm int) string {
		return fmt.Sprintf(`{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
			{"digest": %q, "platform": {"architecture": "unknown", "os": "unknown"},
			 "annotations": {"vnd.docker.reference.type": "attestation-manifest"}},
			{"digest": %q, "platform": {"architecture": "amd64", "os": "linux"}},
			{"digest": %q, "platform": {"architecture": "arm64", "os": "linux"}}]}`, digest(99), digest(intel), digest(arm))
	}
	function := func(change func(*v1beta1.FunctionParameters)) *v1beta1.Function {
		return testFunction(taggedImage(ptr.To(true)), func(f *v1beta1.Function) { change(&f.Spec.ForProvider) })
	}
	cases := map[string]struct {
		reason string
		change func(*v1beta1.FunctionParameters)
		want   []int
	}{
		"Default": {
			reason: "AWS chooses x86_64 for a function without an architecture.",
			change: func(*v1beta1.FunctionParameters) {}, want: []int{1, 3},
		},
		"Arm": {
			reason: "The image is that of the function's architecture.",
			change: func(p *v1beta1.FunctionParameters) { p.Architectures = []string{"arm64"} }, want: []int{2, 4},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e, f := newEnv(t), function(tc.change)
			e.Double.PutImageIndex("repo", "1", digest(10), index(1, 2))
			e.Converge(f)
			deployed := []string{ptr.Deref(f.Status.AtProvider.ResolvedImageURI, "")}
			if calls := e.Converge(f); len(calls) > 0 {
				t.Errorf("%s\na tag that has not moved is deployed again: %v", tc.reason, calls)
			}
			e.Double.PutImageIndex("repo", "1", digest(11), index(3, 4))
			e.Converge(f)
			deployed = append(deployed, ptr.Deref(f.Status.AtProvider.ResolvedImageURI, ""))
			repository := strings.TrimSuffix(testImage, ":1") + "@"
			if diff := cmp.Diff(
				[]string{repository + digest(tc.want[0]), repository + digest(tc.want[1])},
				deployed,
			); diff != "" {
				t.Errorf("%s\n-want, +deployed:\n%s", tc.reason, diff)
			}
		})
	}
	t.Run("ArchitectureOfOthers", func(t *testing.T) {
		e, f := newEnv(t), function(func(*v1beta1.FunctionParameters) {})
		e.Double.PutImageIndex("repo", "1", digest(10), index(1, 2))
		e.Converge(f)
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Architectures: []string{"arm64"}}
		f.Generation++
		if calls := e.Converge(f); len(calls) > 0 {
			t.Errorf("the function keeps its architecture, and so its image, got %v", calls)
		}
	})
	t.Run("Untracked", func(t *testing.T) {
		e := newEnv(t)
		f := function(func(p *v1beta1.FunctionParameters) { p.Code.TrackImageTag = nil })
		e.Double.PutImageIndex("repo", "1", digest(10), index(1, 2))
		var err error
		for range 3 {
			if _, err = e.Step(f); err != nil {
				break
			}
		}
		for _, want := range []string{"image index", "trackImageTag", "--provenance=false"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error does not say %q: %v", want, err)
			}
		}
	})
}

// TestImageThatIsNotThere checks that a tag without an image that can be deployed is told by ECR's reason, and is looked
// up for some minutes, in which it may be pushed, and then rarely.
func TestImageThatIsNotThere(t *testing.T) {
	cases := map[string]struct {
		reason string
		happen func(*env)
		want   string
	}{
		"NotFound": {
			reason: "The tag was deleted, or has expired.", happen: func(*env) {},
			want: "does not return image " + testImage + ":9: Requested image not found (ImageNotFound)",
		},
		"Archived": {
			reason: "The image exists, and has to be restored.",
			happen: func(e *env) {
				e.Double.Fail(awsdouble.Fault{Operation: "BatchGetImage", Answer: func(status int, b []byte) (int, []byte) {
					return status, bytes.ReplaceAll(b, []byte("ImageNotFound"), []byte("ImageInaccessible"))
				}})
			},
			want: "(ImageInaccessible)",
		},
		"NoRepository": {
			reason: "The repository was deleted.",
			happen: func(e *env) {
				e.Double.Fail(awsdouble.Fault{Operation: "BatchGetImage", Error: awsdouble.Error{
					Status: http.StatusBadRequest, Code: "RepositoryNotFoundException",
					Message: "The repository with name 'repo' does not exist in the registry with id '123456789012'",
				}})
			},
			want: "RepositoryNotFoundException: The repository with name 'repo' does not exist",
		},
		"OtherPlatform": {
			reason: "The index may get an image for the function's architecture.",
			happen: func(e *env) {
				e.Double.PutImageIndex("repo", "9", fmt.Sprintf("sha256:%064d", 9), `{"schemaVersion": 2, "manifests": [
					{"digest": "sha256:1", "platform": {"architecture": "arm64", "os": "linux"}}]}`)
			},
			want: "without an image for linux/amd64",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(taggedImage(ptr.To(true)))
			e.Converge(f)
			tc.happen(e)
			f.Spec.ForProvider.Code.ImageURI = ptr.To(testImage + ":9")
			_, err := e.Do(f)
			if err == nil || !strings.Contains(err.Error(), tc.want) || backoff.Classify(err) != backoff.Ambiguous {
				t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestInitProviderOfAuxiliarySettings checks that initProvider applies to settings that
// CreateFunction does not accept.
func TestInitProviderOfAuxiliarySettings(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			ReservedConcurrentExecutions: ptr.To[int32](5), RecursiveLoop: ptr.To("Allow"),
		}
	})
	if diff := cmp.Diff(
		[]string{"CreateFunction", "PutFunctionConcurrency", "PutFunctionRecursionConfig"}, e.Converge(f),
	); diff != "" {
		t.Errorf("what initProvider names must be set once: -want, +got:\n%s", diff)
	}
	if _, err := e.Lambda.PutFunctionConcurrency(t.Context(), &lambda.PutFunctionConcurrencyInput{
		FunctionName: ptr.To("f"), ReservedConcurrentExecutions: ptr.To[int32](9),
	}); err != nil {
		t.Fatal(err)
	}
	e.Double.ResetCalls()
	if got := e.Converge(f); len(got) > 0 || e.Double.Count("") != 1 {
		t.Errorf("afterwards it is another's, and not even read: %v", e.Double.Calls())
	}
}

// TestInitProviderOfPartsOfBlocks checks that a block is created with what forProvider and initProvider set of it, and
// created again with both when someone removed it.
func TestInitProviderOfPartsOfBlocks(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.VPCConfig = &v1beta1.VPCConfig{SubnetIDs: []string{"subnet-1"}}
		f.Spec.ForProvider.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To("JSON")}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			VPCConfig:     &v1beta1.VPCConfig{SecurityGroupIDs: []string{"sg-1"}},
			LoggingConfig: &v1beta1.LoggingConfig{ApplicationLogLevel: ptr.To("DEBUG")},
		}
	})
	for _, step := range []struct {
		name          string
		edit          func(*awsdouble.Function)
		writes        []string
		groups, level string
	}{
		{name: "created", writes: []string{"CreateFunction"}, groups: "sg-1", level: "DEBUG"},
		{name: "left to others", edit: func(f *awsdouble.Function) {
			f.VpcConfig.SecurityGroupIds, f.LoggingConfig.ApplicationLogLevel = []string{"sg-2"}, "ERROR"
		}, groups: "sg-2", level: "ERROR"},
		{name: "removed", edit: func(f *awsdouble.Function) { f.VpcConfig = nil }, writes: []string{"UpdateFunctionConfiguration"}, groups: "sg-1", level: "ERROR"},
	} {
		if step.edit != nil {
			e.Double.EditFunction("f", step.edit)
		}
		if diff := cmp.Diff(step.writes, e.Converge(f)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", step.name, diff)
		}
		out, err := e.Lambda.GetFunctionConfiguration(
			t.Context(),
			&lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f")},
		)
		e.Must(err)
		groups, level := strings.Join(
			out.VpcConfig.SecurityGroupIds,
			" ",
		), string(
			out.LoggingConfig.ApplicationLogLevel,
		)
		if groups != step.groups || level != step.level {
			t.Errorf("%s: got %s and level %s, want %s and %s", step.name, groups, level, step.groups, step.level)
		}
	}
}

// TestTextLogsOverrideInitProvider checks that text logs are not created with the levels of the JSON logs of
// initProvider, which AWS would reject.
func TestTextLogsOverrideInitProvider(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.ForProvider.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To("Text")}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			LoggingConfig: &v1beta1.LoggingConfig{LogFormat: ptr.To("JSON"), ApplicationLogLevel: ptr.To("DEBUG")},
		}
	})
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestInitProviderOfPartOfScaling checks that initProvider applies to a part of the scaling configuration, whose rest
// forProvider sets.
func TestInitProviderOfPartOfScaling(t *testing.T) {
	e := newEnv(t)
	f := testFunction(onManagedInstances, func(f *v1beta1.Function) {
		p := &f.Spec.ForProvider
		p.PublishTo = ptr.To("LATEST_PUBLISHED")
		p.FunctionScalingConfig = &v1beta1.FunctionScalingConfig{MinExecutionEnvironments: ptr.To[int32](2)}
		f.Spec.InitProvider = &v1beta1.FunctionSettings{
			FunctionScalingConfig: &v1beta1.FunctionScalingConfig{MaxExecutionEnvironments: ptr.To[int32](7)},
		}
	})
	e.Converge(f)
	out, err := e.Lambda.GetFunctionScalingConfig(t.Context(), &lambda.GetFunctionScalingConfigInput{
		FunctionName: ptr.To("f"), Qualifier: ptr.To(functionname.LatestPublished),
	})
	e.Must(err)
	want := &v1beta1.FunctionScalingConfig{
		MinExecutionEnvironments: ptr.To[int32](2), MaxExecutionEnvironments: ptr.To[int32](7),
	}
	if diff := cmp.Diff(want, scaling(out.RequestedFunctionScalingConfig)); diff != "" {
		t.Errorf("both parts must be set once: -want, +got:\n%s", diff)
	}
}

// TestScalingWithoutBounds checks that a scaling configuration without bounds leaves both to AWS.
func TestScalingWithoutBounds(t *testing.T) {
	e := newEnv(t)
	f := testFunction(onManagedInstances, func(f *v1beta1.Function) {
		p := &f.Spec.ForProvider
		p.PublishTo = ptr.To("LATEST_PUBLISHED")
		p.FunctionScalingConfig = &v1beta1.FunctionScalingConfig{}
	})
	if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestUnansweredScalingIsReset checks that a scaling configuration is reset that spec no longer declares, although AWS
// has not answered the call that set it.
func TestUnansweredScalingIsReset(t *testing.T) {
	e := newEnv(t)
	f := testFunction(onManagedInstances, func(f *v1beta1.Function) {
		f.Spec.ForProvider.PublishTo = ptr.To("LATEST_PUBLISHED")
	})
	e.Converge(f)
	f.Spec.ForProvider.FunctionScalingConfig = &v1beta1.FunctionScalingConfig{
		MinExecutionEnvironments: ptr.To[int32](5),
	}
	f.Generation++
	e.Lambda = e.TryingOnce()
	e.Lose(f, string(opPutScaling))
	f.Spec.ForProvider.FunctionScalingConfig = nil
	f.Generation++
	if diff := cmp.Diff([]string{string(opPutScaling)}, e.Converge(f)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestCustomerManagedRuntime checks that a function gets a customer-managed runtime, another alias of it, and a runtime
// of AWS again, and that a change by hand is reverted.
func TestCustomerManagedRuntime(t *testing.T) {
	e := newEnv(t)
	const php = "arn:aws:lambda:eu-central-1:123456789012:runtime/php"
	runtime := func(name, alias string) func(*v1beta1.Function) {
		return func(f *v1beta1.Function) {
			f.Spec.ForProvider.Runtime, f.Spec.ForProvider.RuntimeConfig = &name, nil
			if alias != "" {
				f.Spec.ForProvider.RuntimeConfig = &v1beta1.RuntimeConfig{RuntimeArn: php, RuntimeAlias: alias}
			}
		}
	}
	f := testFunction(runtime("custom", "prod"))
	update := []string{"UpdateFunctionConfiguration"}
	for _, step := range []struct {
		name   string
		spec   func(*v1beta1.Function)
		edit   func(*awsdouble.Function)
		writes []string
		alias  string
	}{
		{name: "created", writes: []string{"CreateFunction"}, alias: "prod"},
		{name: "another alias", spec: runtime("custom", "next"), writes: update, alias: "next"},
		{name: "changed by hand", edit: func(f *awsdouble.Function) { f.RuntimeConfig.RuntimeAlias = ptr.To("mine") }, writes: update, alias: "next"},
		{name: "of AWS", spec: runtime("python3.13", ""), writes: update},
		{name: "of the customer", spec: runtime("custom", "prod"), writes: update, alias: "prod"},
	} {
		if step.spec != nil {
			step.spec(f)
			f.Generation++
		}
		if step.edit != nil {
			e.Double.EditFunction("f", step.edit)
		}
		if diff := cmp.Diff(step.writes, e.Converge(f)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", step.name, diff)
		}
		out, err := e.Lambda.GetFunctionConfiguration(
			t.Context(),
			&lambda.GetFunctionConfigurationInput{FunctionName: ptr.To("f")},
		)
		e.Must(err)
		want, observed := f.Spec.ForProvider.RuntimeConfig, f.Status.AtProvider.RuntimeConfig
		if step.alias == "" {
			if out.RuntimeConfig != nil || observed != nil {
				t.Errorf(
					"%s: want no customer-managed runtime, got %+v, in status %+v",
					step.name,
					out.RuntimeConfig,
					observed,
				)
			}
			continue
		}
		if *out.RuntimeConfig.RuntimeAlias != step.alias || *out.RuntimeConfig.RuntimeArn != want.RuntimeArn ||
			observed.RuntimeAlias != step.alias {
			t.Errorf("%s: want %+v, got %+v, in status %+v", step.name, want, out.RuntimeConfig, observed)
		}
	}
}

func TestArchitectureAloneIsRefused(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) {
		f.Spec.InitProvider = &v1beta1.FunctionSettings{Code: f.Spec.ForProvider.Code}
		f.Spec.ForProvider.Code = nil
	})
	e.Converge(f)
	f.Spec.ForProvider.Architectures, f.Spec.ForProvider.RecursiveLoop = []string{"arm64"}, ptr.To("Allow")
	f.Generation++
	if _, err := e.Step(f); !reconcile.IsInvalid(err) || !strings.Contains(err.Error(), "only along with the code") {
		t.Errorf("AWS takes an architecture only with code, which is another's here: got %v", err)
	}
	if _, err := e.Step(f); err != nil || e.Double.Count("PutFunctionRecursionConfig") != 1 {
		t.Errorf("the rest is changed: %v, %v", e.Operations(), err)
	}
}

// TestCreateOnlySettings checks that settings that AWS accepts at creation only are reported as the user's mistake if
// they are added later, and are left as they are if they are removed.
func TestCreateOnlySettings(t *testing.T) {
	set := map[string]func(*v1beta1.FunctionSettings){
		"durableConfig": func(p *v1beta1.FunctionSettings) {
			p.DurableConfig = &v1beta1.DurableConfig{ExecutionTimeout: ptr.To[int32](60)}
		},
		"tenancyConfig": func(p *v1beta1.FunctionSettings) {
			p.TenancyConfig = &v1beta1.TenancyConfig{TenantIsolationMode: "PER_TENANT"}
		},
	}
	for name, change := range set {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction()
			e.Converge(f)
			apply(f, withCode(change, remembers))
			if _, err := e.Step(f); !reconcile.IsInvalid(err) || !strings.Contains(err.Error(), name) {
				t.Errorf("it is added: %v", err)
			}
			other := testFunction(func(f *v1beta1.Function) {
				f.Name, f.UID = "g", "other"
				f.Spec.ForProvider.FunctionSettings = withCode(change)
			})
			e.Converge(other)
			apply(other, withCode())
			if got := e.Converge(other); len(got) > 0 {
				t.Errorf("it is removed from spec: %v", got)
			}
		})
	}
}

func TestInactiveIsReported(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	e.Double.SetVersionInactive("f", "$LATEST")
	if _, err := e.Step(f); err != nil {
		t.Fatal(err)
	}
	if c := f.GetCondition(xpv2.TypeReady); c.Status != corev1.ConditionFalse ||
		!strings.HasPrefix(c.Message, "Inactive: ") {
		t.Errorf("an inactive function does not serve the next invocation, and AWS's reason says why, got %+v", c)
	}
}

// TestCreationUnread checks that a Function that is created without being read first neither changes
// nor repeats the creation of a function that exists already.
func TestCreationUnread(t *testing.T) {
	e := newEnv(t)
	e.reachable = true
	e.AddFunction("f")
	f := testFunction()
	before := len(e.Operations())
	for range 3 {
		if _, err := e.Step(f); err != nil && !ownership.IsForeign(err) {
			t.Fatal(err)
		}
		e.Advance(time.Minute)
	}
	if got := e.Operations()[before:]; !slices.Equal(testenv.Writes(got), []string{opCreate}) ||
		!slices.Contains(got, opGet) {
		t.Errorf("want one creation, then reads: %v", got)
	}
	if _, err := e.Step(f); !ownership.IsForeign(err) {
		t.Errorf("want an error that the function is foreign, got %v", err)
	}
}
