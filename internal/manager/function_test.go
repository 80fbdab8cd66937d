package manager

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// slow is a double whose creations and updates take a moment.
var slow = awsdouble.Options{CreateDuration: 300 * time.Millisecond, UpdateDuration: 300 * time.Millisecond}

func TestFunctionFromManifestToAWSAndBack(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.WriteConnectionSecretToReference = &xpv2.LocalSecretReference{Name: "f-conn"}
	})
	e.create(f)
	e.ready(f)
	if meta.GetExternalName(f) != "f" || ptr.Deref(f.Status.AtProvider.FunctionArn, "") == "" ||
		ptr.Deref(f.Status.AtProvider.State, "") != "Active" {
		t.Errorf("a Ready Function must tell its name, ARN and state, got %+v", f.Status.AtProvider)
	}
	if f.GetCondition(xpv2.TypeSynced).ObservedGeneration != f.GetGeneration() {
		t.Errorf("Synced must tell its generation, got %+v", f.GetCondition(xpv2.TypeSynced))
	}
	s := &corev1.Secret{}
	e.until("the connection Secret is written", func() bool {
		return e.kube.Get(t.Context(), client.ObjectKey{Namespace: e.ns, Name: "f-conn"}, s) == nil &&
			string(s.Data["functionName"]) == "f"
	})

	e.edit(f, func(f *v1beta1.Function) {
		f.Spec.ForProvider.MemorySize = ptr.To[int32](256)
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "new"}}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{Variables: map[string]string{"LOG_LEVEL": "debug"}}
	})
	e.ready(f)
	got := e.config("f").Configuration
	if ptr.Deref(got.MemorySize, 0) != 256 || got.Environment.Variables["LOG_LEVEL"] != "debug" {
		t.Errorf("a Ready Function must be in AWS as its manifest says, got %+v", got)
	}
	e.until("an event tells what changed",
		func() bool { return strings.Contains(e.events("f"), "environment.variables[LOG_LEVEL]") })
	if n := e.double.Count("UpdateFunctionConfiguration") + e.double.Count("UpdateFunctionCode"); n != 2 {
		t.Errorf("configuration and code must take one call each, got %d calls", n)
	}

	if _, err := e.aws.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{
			FunctionName: ptr.To("f"),
			MemorySize:   ptr.To[int32](1024),
		}); err != nil {
		t.Fatal(err)
	}
	e.until("the change by hand is through in AWS", func() bool {
		return e.config("f").Configuration.LastUpdateStatus == types.LastUpdateStatusSuccessful
	})
	e.reconcile(f)
	e.until("the change by hand is corrected",
		func() bool { return ptr.Deref(e.config("f").Configuration.MemorySize, 0) == 256 })
	e.ready(f)

	e.remove(f)
	e.gone(f)
	if n := e.count(); n != 0 {
		t.Errorf("a deleted Function must be gone from AWS, got %d functions", n)
	}
}

// events returns the events of a Function, as kubectl describe shows them.
func (e *env) events(name string) string {
	e.Helper()
	l := &corev1.EventList{}
	if err := e.kube.List(e.Context(), l, client.InNamespace(e.ns)); err != nil {
		e.Fatal(err)
	}
	var b strings.Builder
	for _, ev := range l.Items {
		if ev.InvolvedObject.Name == name {
			b.WriteString(ev.Reason + ": " + ev.Message + "\n")
		}
	}
	return b.String()
}

func TestSteadyFunctionWritesNothing(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("f")
	e.create(f)
	e.ready(f)
	e.reconcile(f)
	version := f.GetResourceVersion()
	calls := len(e.calls())
	const observations = 3
	for range observations {
		e.reconcile(f)
	}
	if got := len(e.calls()) - calls; got != observations {
		t.Errorf("each look at a steady function must be one call, got %d for %d", got, observations)
	}
	// Each requested reconcile writes twice: the annotation, and the token of the handled request.
	if version == f.GetResourceVersion() {
		t.Error("the requests must have been written")
	}
	events := e.events("f")
	if strings.Contains(events, "Updated") {
		t.Errorf("nothing happened, so no event must say so, got:\n%s", events)
	}
}

func TestRotatedSecretsAndEditedConfigMapsRollOut(t *testing.T) {
	t.Parallel()
	e := newEnv(t, slow)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: e.ns},
		StringData: map[string]string{"password": "hunter2-one"},
	}
	code := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "code", Namespace: e.ns},
		Data:       map[string]string{"index.py": "one"},
	}
	e.create(code)
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ForProvider.Code = &v1beta1.FunctionCode{ConfigMapRef: &v1beta1.LocalObjectReference{Name: "code"}}
		f.Spec.ForProvider.Environment = &v1beta1.Environment{
			Variables: map[string]string{"PLAIN": "hunter2-plain"},
			VariablesFrom: []v1beta1.EnvironmentVariable{{
				Name:      "DB_PASSWORD",
				ValueFrom: v1beta1.ValueSource{SecretKeyRef: &v1beta1.KeySelector{Name: "db", Key: "password"}},
			}},
		}
	})
	e.create(f)
	e.until("the missing Secret is named", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "Secret "+e.ns+"/db does not exist")
	})
	e.create(secret)
	e.ready(f)

	was := ptr.Deref(f.Status.AtProvider.CodeSHA256, "")
	secret.StringData = map[string]string{"password": "hunter2-two"}
	if err := e.kube.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	e.until("the rotated Secret is in AWS", func() bool {
		return e.config("f").Configuration.Environment.Variables["DB_PASSWORD"] == "hunter2-two"
	})
	code.Data["index.py"] = "two"
	if err := e.kube.Update(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	e.until("the edited code is in AWS",
		func() bool { return ptr.Deref(e.config("f").Configuration.CodeSha256, "") != was })
	e.until("all is Ready again", func() bool {
		e.get(f)
		return isReady(f) && ptr.Deref(f.Status.AtProvider.CodeSHA256,
			"") != was
	})

	status, err := json.Marshal(f.Status)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"status": string(status), "events": e.events("f"),
		"the log at debug level": e.logs.String(),
	} {
		if i := strings.Index(text, "hunter2"); i >= 0 {
			t.Errorf("no value of a variable may be in %s: ...%s", what, text[max(0, i-200):min(len(text), i+50)])
		}
	}
}

func TestForeignFunction(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	foreign := e.function("f")
	if _, err := e.aws.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To(
			"f"), Role: foreign.Spec.ForProvider.Role, PackageType: types.PackageTypeImage,
		MemorySize: ptr.To[int32](512),
		Code:       &types.FunctionCode{ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/theirs:v1")},
		Tags:       map[string]string{"owner": "them"},
	}); err != nil {
		t.Fatal(err)
	}
	f := e.function("f")
	e.create(f)
	e.until("it is said to be foreign", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "exists and was not created by this resource")
	})
	if f.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue {
		t.Error("a Function must not be Ready by what is not its own")
	}
	e.remove(f)
	e.gone(f)
	if ptr.Deref(e.config("f").Configuration.MemorySize, 0) != 512 ||
		e.double.Count("UpdateFunctionConfiguration")+e.double.Count("DeleteFunction") > 0 {
		t.Error("a foreign function must never be touched")
	}

	seen := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
		meta.SetExternalName(f, "f")
	})
	e.create(seen)
	e.until("it is said to differ",
		func() bool { e.get(seen); return seen.GetCondition(xpv2.TypeReady).Reason == v1beta1.ReasonDiffers })
	if ptr.Deref(seen.Status.AtProvider.MemorySize, 0) != 512 {
		t.Errorf("observing shows what is there, got %+v", seen.Status.AtProvider)
	}
	e.remove(seen)
	e.gone(seen)
	if e.count() != 1 {
		t.Error("what is only observed must stay")
	}

	absent := e.function("absent", func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
	})
	e.create(absent)
	e.until("it is said to be absent", func() bool {
		e.get(absent)
		return absent.GetCondition(xpv2.TypeSynced).Reason == xpv2.ReasonReconcileError
	})
	const missing = "function absent does not exist in AWS, and managementPolicies do not allow creating it"
	synced, ready := absent.GetCondition(xpv2.TypeSynced), absent.GetCondition(xpv2.TypeReady)
	if synced.Message != missing || ready.Message != missing || absent.Status.Message != missing {
		t.Errorf("want %q in both conditions and status.message, got %+v", missing, absent.Status)
	}
	got := ""
	e.until("an event names what is missing", func() bool {
		got = e.events("absent")
		return strings.Contains(got, missing)
	})
	if strings.Contains(got, "external resource") {
		t.Errorf("want one event that names what is missing, got %s", got)
	}
	e.remove(absent)
	e.gone(absent)
}

func TestImportedAndOrphaned(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("f", func(f *v1beta1.Function) {
		f.Spec.ManagementPolicies = xpv2.ManagementPolicies{
			xpv2.ManagementActionObserve, xpv2.ManagementActionCreate,
			xpv2.ManagementActionUpdate,
		}
	})
	e.create(f)
	e.ready(f)
	e.remove(f)
	e.gone(f)
	if e.count() != 1 {
		t.Fatal("without the Delete policy the function must stay in AWS")
	}

	again := e.function("f")
	e.create(again)
	e.ready(again)
	if got := e.config("f").Tags["crossplane-uid"]; got != string(again.GetUID()) {
		t.Errorf("a re-created Function must take its function up again: want UID %s in its tags, got %s",
			again.GetUID(), got)
	}
	e.remove(again)
	e.gone(again)
	if e.count() != 0 {
		t.Error("what was taken up again must be deleted")
	}
}

func TestPaused(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("f", func(f *v1beta1.Function) {
		f.Annotations = map[string]string{meta.AnnotationKeyReconciliationPaused: "true"}
	})
	e.create(f)
	e.until("reconciliation is paused",
		func() bool { e.get(f); return f.GetCondition(xpv2.TypeSynced).Reason == xpv2.ReasonReconcilePaused })
	if n := e.double.Count("GetFunction") + e.double.Count("CreateFunction"); n > 0 {
		t.Errorf("a paused Function must make no call to Lambda, got %d", n)
	}
	e.edit(f, func(f *v1beta1.Function) { delete(f.Annotations, meta.AnnotationKeyReconciliationPaused) })
	e.ready(f)
}

func TestKilledWhileCreating(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	e.double.Fail(awsdouble.Fault{Operation: "CreateFunction", Drop: awsdouble.DropAfter, Times: -1})
	f := e.function("f")
	e.create(f)
	e.until("AWS has the function, and no one knows", func() bool { return e.double.Count("CreateFunction") > 0 })
	e.stop()
	e.double.ClearFaults()
	e.start()
	e.ready(f)
	if e.count() != 1 {
		t.Errorf("a lost answer must neither duplicate nor orphan, got %d functions", e.count())
	}
	if meta.GetExternalName(f) != "f" {
		t.Errorf("the external name must be written, got %v", f.GetAnnotations())
	}
}

func TestMissingPermissionIsReportedAndRecoveredFrom(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	e.double.Fail(awsdouble.Fault{
		Operation: "CreateFunction", Error: awsdouble.AccessDenied("lambda:CreateFunction"),
		Times: -1,
	})
	f := e.function("f")
	e.create(f)
	e.until("the permission is named", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "lambda:CreateFunction")
	})
	if c := f.GetCondition(xpv2.TypeSynced); c.Status != corev1.ConditionFalse ||
		strings.Contains(strings.ToLower(c.Message), "requestid") {
		t.Errorf("Synced must be False, by a message without a request id, got %+v", c)
	}
	e.double.ClearFaults()
	e.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.Description = ptr.To("granted") })
	e.ready(f)
}

func TestBadInputIsNotHammered(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	f := e.function("f", func(f *v1beta1.Function) { f.Spec.ForProvider.Runtime = ptr.To("python9.9") })
	e.create(f)
	e.until("AWS's refusal is told", func() bool {
		e.get(f)
		return strings.Contains(f.GetCondition(xpv2.TypeSynced).Message, "AWS does not accept spec.forProvider.runtime")
	})
	refused := e.double.Count("CreateFunction")
	for range 3 {
		e.reconcile(f)
	}
	e.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.Runtime = ptr.To("python3.13") })
	e.ready(f)
	if refused > 2 {
		t.Errorf("bad input must not be sent again and again, got %d calls before anything changed", refused)
	}
}

func TestWarningsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t, awsdouble.Options{})
	for _, name := range []string{"one", "two", "three"} {
		f := e.function(name)
		e.create(f)
		e.ready(f)
	}
	// The API server warns about the runtime's finalizer.
	if n := strings.Count(e.logs.String(),
		`"finalizer.managedresource.crossplane.io": prefer a domain-qualified`); n != 1 {
		t.Errorf("the API server's warning is logged %d times for three Functions:\n%s", n, e.logs)
	}
}
